package kernels

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// intArith is + - * % pmod on one integer type. A fast loop computes all rows and
// notes whether any overflowed; only then are the rows looked at one by one.
func intArith[T integer](o arithOp, t *vector.Type) Eval {
	f := failing[T]{mode: o.mode, fail: func(x, y T) error { return o.intError(t, int64(x), int64(y)) }}
	var fast func(x []T, am int, y []T, bm int, out []T) (refused bool)
	switch o.symbol {
	case "+":
		fast = addInts[T]
		f.row = func(x, y T) (T, bool) { r := x + y; return r, (r^x)&(r^y) >= 0 }
		f.wrap = func(x, y T) (T, bool) { return x + y, true }
	case "-":
		fast = subInts[T]
		f.row = func(x, y T) (T, bool) { r := x - y; return r, (r^x)&(x^y) >= 0 }
		f.wrap = func(x, y T) (T, bool) { return x - y, true }
	case "*":
		fast = mulInts[T]
		f.row = mulExact[T]
		f.wrap = func(x, y T) (T, bool) { return x * y, true }
	default:
		null := func(T, T) (T, bool) { return 0, false }
		f.wrap = null
		f.row = func(x, y T) (T, bool) {
			if y == 0 {
				return 0, false
			}
			return x % y, true
		}
		if o.symbol == "pmod" {
			rem := f.row
			f.row = func(x, y T) (T, bool) {
				r, ok := rem(x, y)
				if ok && r < 0 {
					r = (r + y) % y
				}
				return r, ok
			}
		}
	}
	if fast == nil {
		return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if a, b := v[0], v[1]; o.symbol == "%" && b.Const && !a.Const && vector.Values[T](b.Arr)[0] != 0 {
				out := vector.Make[T](ctx.Temp, n)
				remainders(out, vector.Values[T](a.Arr), vector.Values[T](b.Arr)[0])
				return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, a))}, nil
			}
			return f.each(t, v[0], v[1], n)
		}
	}
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a, b := v[0], v[1]
		out := vector.Make[T](ctx.Temp, n)
		if fast(vector.Values[T](a.Arr), a.Mask(), vector.Values[T](b.Arr), b.Mask(), out) && o.mode != CastLegacy {
			return f.each(t, a, b, n)
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, a, b))}, nil
	}
}

// The loops over integers or their results note an overflow in the sign of a word, so
// that they have no branches.

func addInts[T integer](x []T, am int, y []T, bm int, out []T) bool {
	var over T
	if am != 0 && bm != 0 {
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			r := x[i] + y[i]
			over |= (r ^ x[i]) & (r ^ y[i])
			out[i] = r
		}
		return over < 0
	}
	if am == 0 {
		x, y = y, x
	}
	c := y[0]
	x = x[:len(out)]
	if c >= 0 {
		for i, v := range x {
			r := v + c
			over |= r &^ v
			out[i] = r
		}
		return over < 0
	}
	for i, v := range x {
		r := v + c
		over |= v &^ r
		out[i] = r
	}
	return over < 0
}

func subInts[T integer](x []T, am int, y []T, bm int, out []T) bool {
	var over T
	switch {
	case am == 0:
		c := x[0]
		for i, v := range y[:len(out)] {
			r := c - v
			over |= (r ^ c) & (c ^ v)
			out[i] = r
		}
	case bm == 0:
		c := y[0]
		for i, v := range x[:len(out)] {
			r := v - c
			over |= (r ^ v) & (v ^ c)
			out[i] = r
		}
	default:
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			u, v := x[i], y[i]
			r := u - v
			over |= (r ^ u) & (u ^ v)
			out[i] = r
		}
	}
	return over < 0
}

func mulInts[T integer](x []T, am int, y []T, bm int, out []T) bool {
	if am == 0 {
		x, am, y, bm = y, bm, x, am
	}
	x = x[:len(out)]
	var over int64
	if bm == 0 {
		c := y[0]
		if high := highest[T]() / max(int64(c), -int64(c), 1); c > 1 || c < -1 && c != -c {
			// The product fits where the factor is within the limits of T by c.
			for i, v := range x {
				over |= (high - int64(v)) | (high + int64(v))
				out[i] = v * c
			}
			if over >= 0 {
				return false
			}
		}
		over = 0
		for i, v := range x {
			p, high := product(int64(v), int64(c))
			out[i] = T(p)
			over |= high | (int64(out[i]) ^ p)
		}
		return over != 0
	}
	y = y[:len(out)]
	for i, v := range x {
		p, high := product(int64(v), int64(y[i]))
		out[i] = T(p)
		over |= high | (int64(out[i]) ^ p)
	}
	return over != 0
}

// product is the low word of x*y, and 0 if that is all of it.
func product(x, y int64) (low, more int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	high := int64(hi) - x>>63&y - y>>63&x
	return int64(lo), high ^ int64(lo)>>63
}

// highest is the greatest value of a type.
func highest[T integer]() int64 {
	var zero T
	return math.MaxInt64 >> (64 - 8*unsafe.Sizeof(zero))
}

// remainders is x % y for y other than 0.
func remainders[T integer](out, x []T, y T) {
	d, ok := divisorOf(int64(y))
	if !ok {
		for i, v := range x[:len(out)] {
			out[i] = v % y
		}
		return
	}
	for i, v := range x[:len(out)] {
		sign := int64(v) >> 63
		u := uint64(int64(v) ^ sign - sign)
		out[i] = T(int64(u-d.quo(u)*d.by) ^ sign - sign)
	}
}

func mulExact[T integer](x, y T) (T, bool) {
	p, ok := text.MulInt64(int64(x), int64(y))
	return T(p), ok && int64(T(p)) == p
}

// intError is the error of a refused row.
func (o arithOp) intError(t *vector.Type, x, y int64) error {
	switch {
	case o.symbol == "%" || o.symbol == "pmod":
		return errRemainderByZero()
	case t.Kind == vector.KindByte || t.Kind == vector.KindShort:
		return errSmallOverflow(o.symbol, o.try, x, y)
	}
	return errOverflow("overflow", o.try)
}

// floatArith is the arithmetic of FLOAT and DOUBLE, which overflows to infinity
// but raises for a zero divisor.
func floatArith[T float](o arithOp, t *vector.Type) Eval {
	loop := map[string]func(out []T, a, b vector.Vec) (zero bool){
		"+": addFloats[T], "-": subFloats[T], "*": mulFloats[T], "/": divFloats[T], "%": modFloats[T], "pmod": pmodFloats[T],
	}[o.symbol]
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a, b := v[0], v[1]
		out := vector.Make[T](ctx.Temp, n)
		zero := loop(out, a, b)
		valid := Validity(n, a, b)
		if zero && o.divides() {
			var err error
			if valid, err = o.zeroDivisors(valid, n, func(i int) bool { return vector.Values[T](b.Arr)[i&b.Mask()] == 0 }); err != nil {
				return vector.Vec{}, err
			}
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
	}
}

func addFloats[T float](out []T, a, b vector.Vec) bool {
	if a.Const {
		a, b = b, a
	}
	x, y := vector.Values[T](a.Arr)[:len(out)], vector.Values[T](b.Arr)
	if b.Const {
		c := y[0]
		for i, v := range x {
			out[i] = v + c
		}
		return false
	}
	y = y[:len(out)]
	for i, v := range x {
		out[i] = v + y[i]
	}
	return false
}

func subFloats[T float](out []T, a, b vector.Vec) bool {
	x, y := vector.Values[T](a.Arr), vector.Values[T](b.Arr)
	switch {
	case a.Const:
		c := x[0]
		for i, v := range y[:len(out)] {
			out[i] = c - v
		}
	case b.Const:
		c := y[0]
		for i, v := range x[:len(out)] {
			out[i] = v - c
		}
	default:
		y = y[:len(out)]
		for i, v := range x[:len(out)] {
			out[i] = v - y[i]
		}
	}
	return false
}

func mulFloats[T float](out []T, a, b vector.Vec) bool {
	if a.Const {
		a, b = b, a
	}
	x, y := vector.Values[T](a.Arr)[:len(out)], vector.Values[T](b.Arr)
	if b.Const {
		c := y[0]
		for i, v := range x {
			out[i] = v * c
		}
		return false
	}
	y = y[:len(out)]
	for i, v := range x {
		out[i] = v * y[i]
	}
	return false
}

func divFloats[T float](out []T, a, b vector.Vec) (zero bool) {
	x, y := vector.Values[T](a.Arr), vector.Values[T](b.Arr)
	switch {
	case b.Const:
		c := y[0]
		for i, v := range x[:len(out)] {
			out[i] = v / c
		}
		return c == 0
	case a.Const:
		c := x[0]
		for i, v := range y[:len(out)] {
			if v == 0 {
				zero = true
			}
			out[i] = c / v
		}
	default:
		x = x[:len(out)]
		for i, v := range y[:len(out)] {
			if v == 0 {
				zero = true
			}
			out[i] = x[i] / v
		}
	}
	return zero
}

func modFloats[T float](out []T, a, b vector.Vec) (zero bool) {
	x, y := fixedOf[T](a), fixedOf[T](b)
	for i := range out {
		d := y.at(i)
		zero = zero || d == 0
		out[i] = T(math.Mod(float64(x.at(i)), float64(d)))
	}
	return zero
}

func pmodFloats[T float](out []T, a, b vector.Vec) (zero bool) {
	zero = modFloats(out, a, b)
	y := fixedOf[T](b)
	for i, r := range out {
		if d := y.at(i); r < 0 {
			out[i] = T(math.Mod(float64(r+d), float64(d)))
		}
	}
	return zero
}

// zeroDivisors makes the valid rows with a zero divisor null, or raises the error.
func (o arithOp) zeroDivisors(valid vector.Bitmap, n int, zero func(i int) bool) (vector.Bitmap, error) {
	var own vector.Bitmap
	for i := range n {
		if !zero(i) || valid != nil && !valid.Get(i) {
			continue
		}
		if o.mode == CastANSI {
			return nil, o.zeroError()
		}
		own = clearRow(own, valid, n, i)
	}
	if own != nil {
		return own, nil
	}
	return valid, nil
}

func (o arithOp) zeroError() error {
	if o.symbol == "%" || o.symbol == "pmod" {
		return errRemainderByZero()
	}
	return errDivideByZero()
}
