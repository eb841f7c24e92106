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
		return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if a, b := v[0], v[1]; o.symbol == "%" && b.Const && !a.Const && vector.Values[T](b.Arr)[0] != 0 {
				out := make([]T, n)
				remainders(out, vector.Values[T](a.Arr), vector.Values[T](b.Arr)[0])
				return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, a))}, nil
			}
			return f.each(t, v[0], v[1], n)
		}
	}
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a, b := v[0], v[1]
		out := make([]T, n)
		if fast(vector.Values[T](a.Arr), a.Mask(), vector.Values[T](b.Arr), b.Mask(), out) && o.mode != CastLegacy {
			return f.each(t, a, b, n)
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, a, b))}, nil
	}
}

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
		x, y, am, bm = y, x, bm, am
	}
	c := y[0]
	for i := range out {
		v := x[i&am]
		r := v + c
		over |= (r ^ v) & (r ^ c)
		out[i] = r
	}
	return over < 0
}

func subInts[T integer](x []T, am int, y []T, bm int, out []T) bool {
	var over T
	for i := range out {
		u, v := x[i&am], y[i&bm]
		r := u - v
		over |= (r ^ u) & (u ^ v)
		out[i] = r
	}
	return over < 0
}

func mulInts[T integer](x []T, am int, y []T, bm int, out []T) bool {
	over := false
	if bm == 0 && len(out) > 0 {
		if c := int64(y[0]); int64(int32(c)) == c && c != 0 {
			// The product fits where the factor is within the limits of T by c.
			high := highest[T]() / max(c, -c)
			var beyond bool
			for i, v := range x[:min(len(out), len(x))] {
				beyond = beyond || int64(v) > high || int64(v) < -high
				out[i] = v * T(c)
			}
			if len(x) == len(out) && !beyond {
				return false
			}
		}
	}
	for i := range out {
		r, ok := mulExact(x[i&am], y[i&bm])
		over = over || !ok
		out[i] = r
	}
	return over
}

// highest is the greatest value of a type.
func highest[T integer]() int64 {
	var zero T
	return math.MaxInt64 >> (64 - 8*unsafe.Sizeof(zero))
}

// remainders is x % y. Of numbers below 2^32 the quotient comes from a
// multiplication by the reciprocal of y, which is exact for them.
func remainders[T integer](out, x []T, y T) {
	d := uint64(max(y, -y))
	if d < 2 || d >= 1<<31 {
		for i, v := range x[:len(out)] {
			out[i] = v % y
		}
		return
	}
	reciprocal := math.MaxUint64/d + 1
	for i, v := range x[:len(out)] {
		u := uint64(v)
		if v < 0 {
			u = -u
		}
		if u >= 1<<32 {
			out[i] = v % y
			continue
		}
		q, _ := bits.Mul64(reciprocal, u)
		r := T(u - q*d)
		if v < 0 {
			r = -r
		}
		out[i] = r
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
	var loop func(x []T, am int, y []T, bm int, out []T) (zero bool)
	switch o.symbol {
	case "+":
		loop = func(x []T, am int, y []T, bm int, out []T) bool {
			for i := range out {
				out[i] = x[i&am] + y[i&bm]
			}
			return false
		}
	case "-":
		loop = func(x []T, am int, y []T, bm int, out []T) bool {
			for i := range out {
				out[i] = x[i&am] - y[i&bm]
			}
			return false
		}
	case "*":
		loop = func(x []T, am int, y []T, bm int, out []T) bool {
			for i := range out {
				out[i] = x[i&am] * y[i&bm]
			}
			return false
		}
	case "/":
		loop = func(x []T, am int, y []T, bm int, out []T) bool {
			zero := false
			for i := range out {
				d := y[i&bm]
				zero = zero || d == 0
				out[i] = x[i&am] / d
			}
			return zero
		}
	default:
		positive := o.symbol == "pmod"
		loop = func(x []T, am int, y []T, bm int, out []T) bool {
			zero := false
			for i := range out {
				d := y[i&bm]
				zero = zero || d == 0
				r := T(math.Mod(float64(x[i&am]), float64(d)))
				if positive && r < 0 {
					r = T(math.Mod(float64(r+d), float64(d)))
				}
				out[i] = r
			}
			return zero
		}
	}
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a, b := v[0], v[1]
		out := make([]T, n)
		zero := loop(vector.Values[T](a.Arr), a.Mask(), vector.Values[T](b.Arr), b.Mask(), out)
		valid := Validity(n, a, b)
		if zero {
			var err error
			if valid, err = o.zeroDivisors(valid, n, func(i int) bool { return vector.Values[T](b.Arr)[i&b.Mask()] == 0 }); err != nil {
				return vector.Vec{}, err
			}
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
	}
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
