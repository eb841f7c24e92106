package kernels

import (
	"bytes"

	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []Scalar{
		{Name: "=", Aliases: []string{"=="}, Signature: "a = b", Summary: "True if the operands are equal; null if one is null."},
		{Name: "<=>", Signature: "a <=> b", Summary: "True if the operands are equal or both null; never null."},
		{Name: "<", Signature: "a < b", Summary: "True if a comes before b."},
		{Name: "<=", Signature: "a <= b", Summary: "True if a does not come after b."},
		{Name: ">", Signature: "a > b", Summary: "True if a comes after b."},
		{Name: ">=", Signature: "a >= b", Summary: "True if a does not come before b."},
		{Name: "<>", Aliases: []string{"!="}, Signature: "a <> b", Summary: "True if the operands differ; null if one is null."},
	} {
		f.MinArgs, f.MaxArgs = 2, 2
		op := f.Name
		f.SQL = infix(op)
		if op == "<>" {
			f.SQL = func(a []string) string { return "(NOT (" + a[0] + " = " + a[1] + "))" }
		}
		print := f.SQL
		f.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return bindComparison(conf, op, print, args) }
		Register(f)
	}
	Register(Scalar{
		Name: "equal_null", Signature: "equal_null(a, b)", MinArgs: 2, MaxArgs: 2,
		Summary:  "True if the arguments are equal or both null.",
		Examples: []Example{{"equal_null(1, NULL)", "false"}},
		Bind: func(conf *Conf, args []Arg) (*Impl, error) {
			return bindComparison(conf, "<=>", infix("<=>"), args)
		},
	})
}

func bindComparison(conf *Conf, op string, print func([]string) string, args []Arg) (*Impl, error) {
	a, b := comparisonTypes(conf, op, args)
	switch {
	case !sameStructure(a, b):
		return nil, errDiffTypes(print(sqls(args)), a, b)
	case !Orderable(a):
		return nil, errOrdering(print(sqls(args)), op, a)
	}
	impl := &Impl{Args: []*vector.Type{a, b}, Result: vector.Bool, NullIfAny: op != "<=>", Total: a.Width() > 0, Fresh: true}
	impl.Eval = comparison(op, a)
	return impl, nil
}

// comparisonTypes are the types on which two operands are compared.
func comparisonTypes(conf *Conf, op string, args []Arg) (x, y *vector.Type) {
	args = append([]Arg(nil), args...)
	a, b := promoteStrings(conf, args[0].Type, args[1].Type)
	if !conf.ANSI {
		a, b = legacyComparison(op, a, b)
	}
	if isDecimal(a) && isDecimal(b) {
		t := WiderDecimal(a, b)
		return t, t
	}
	if a, b = numericOperands(conf, args, a, b); isDecimal(a) && isDecimal(b) {
		a = WiderDecimal(a, b)
		b = a
	}
	return a, b
}

// legacyComparison promotes strings and booleans when ANSI mode is off.
func legacyComparison(op string, a, b *vector.Type) (x, y *vector.Type) {
	switch {
	case isNull(a) || isNull(b):
	case isString(a) && !isString(b) && b.Atomic() && !isInterval(b):
		if isDecimal(b) {
			return vector.Double, vector.Double
		}
		return b, b
	case isString(b) && !isString(a) && a.Atomic() && !isInterval(a):
		if isDecimal(a) {
			return vector.Double, vector.Double
		}
		return a, a
	case (op == "=" || op == "<=>" || op == "<>") && a.Kind == vector.KindBool && b.Numeric():
		return b, b
	case (op == "=" || op == "<=>" || op == "<>") && b.Kind == vector.KindBool && a.Numeric():
		return a, a
	}
	return a, b
}

// sameStructure is type equality without field names.
func sameStructure(a, b *vector.Type) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case vector.KindArray:
		return sameStructure(a.Elem, b.Elem)
	case vector.KindMap:
		return sameStructure(a.Key, b.Key) && sameStructure(a.Elem, b.Elem)
	case vector.KindStruct:
		if len(a.Fields) != len(b.Fields) {
			return false
		}
		for i := range a.Fields {
			if !sameStructure(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// comparison is the kernel of an operator on two operands of type t.
func comparison(op string, t *vector.Type) Eval {
	if isNull(t) {
		return func(_ *Ctx, _ []vector.Vec, n int) (vector.Vec, error) {
			if op == "<=>" {
				return vector.Vec{Arr: vector.NewBool(vector.NewValid(n), n, nil)}, nil
			}
			return vector.ConstNull(vector.Bool), nil
		}
	}
	eq, lt := comparers(t)
	if op == "<=>" {
		return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) { return equalNull(eq, v[0], v[1], n), nil }
	}
	run := eq
	swap, negate := false, op == "<>"
	switch op {
	case "<":
		run = lt
	case ">":
		run, swap = lt, true
	case "<=": // all orders are total
		run, swap, negate = lt, true, true
	case ">=":
		run, negate = lt, true
	}
	return strict(vector.Bool, func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a, b := v[0], v[1]
		if swap {
			a, b = b, a
		}
		bits := run(a, b, n)
		if negate {
			invert(bits, n)
		}
		return vector.Vec{Arr: vector.NewBool(bits, n, Validity(n, a, b))}, nil
	})
}

// invert flips the first n bits.
func invert(b vector.Bitmap, n int) {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		putWord(b, i, ^word(b, i))
	}
	for ; i < len(b); i++ {
		b[i] = ^b[i]
	}
	if r := n & 7; r != 0 {
		b[len(b)-1] &= 1<<r - 1
	}
}

func equalNull(eq bitsFn, a, b vector.Vec, n int) vector.Vec {
	bits := eq(a, b, n)
	if a.MayHaveNulls() || b.MayHaveNulls() {
		va, vb := validityOf(a, n), validityOf(b, n)
		for i := range bits {
			// Equal where both are valid; true where neither is.
			bits[i] = bits[i]&va[i]&vb[i] | ^va[i]&^vb[i]
		}
		if r := n & 7; r != 0 {
			bits[len(bits)-1] &= 1<<r - 1
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, n, nil)}
}

// validityOf is the validity of n rows as a bitmap that exists.
func validityOf(v vector.Vec, n int) vector.Bitmap {
	if b := Validity(n, v); b != nil {
		return b
	}
	return vector.NewValid(n)
}

// bitsFn compares n rows without regard to nulls.
type bitsFn func(a, b vector.Vec, n int) vector.Bitmap

func comparers(t *vector.Type) (eq, lt bitsFn) {
	switch t.Kind {
	case vector.KindBool:
		return eqBool, ltBool
	case vector.KindByte:
		return eqBits[int8], ltBits[int8]
	case vector.KindShort:
		return eqBits[int16], ltBits[int16]
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return eqBits[int32], ltBits[int32]
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		return eqBits[int64], ltBits[int64]
	case vector.KindFloat:
		return eqFloatBits[float32], ltFloatBits[float32]
	case vector.KindDouble:
		return eqFloatBits[float64], ltFloatBits[float64]
	case vector.KindDecimal:
		return eqBits[Dec], ltDec
	case vector.KindString, vector.KindBinary:
		return eqBytes, ltBytes
	}
	nested := func(want func(int) bool) bitsFn {
		return func(a, b vector.Vec, n int) vector.Bitmap {
			order := valueComparator(t, a.Arr, b.Arr)
			am, bm := a.Mask(), b.Mask()
			valid := Validity(n, a, b)
			return fillBits(n, func(i int) bool { return valid.Get(i) && want(order(i&am, i&bm)) })
		}
	}
	return nested(func(c int) bool { return c == 0 }), nested(func(c int) bool { return c < 0 })
}

// fillBits sets bit i to f(i); for comparisons that cost more than the call.
func fillBits(n int, f func(i int) bool) vector.Bitmap {
	out := vector.NewBitmap(n)
	for i := range n {
		if f(i) {
			out.Set(i)
		}
	}
	return out
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func ltDec(a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	x, am := vector.Values[Dec](a.Arr), a.Mask()
	y, bm := vector.Values[Dec](b.Arr), b.Mask()
	for i := range n {
		out[i>>3] |= bit(x[i&am].Less(y[i&bm])) << (i & 7)
	}
	return out
}

// boolsOf are the values of n rows as a bitmap.
func boolsOf(v vector.Vec, n int) vector.Bitmap {
	b := vector.Bools(v.Arr)
	if !v.Const {
		return b
	}
	if b.Get(0) {
		return vector.NewValid(n)
	}
	return vector.NewBitmap(n)
}

func eqBool(a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	zipBits(out, boolsOf(a, n), boolsOf(b, n), func(x, y uint64) uint64 { return ^(x ^ y) })
	if r := n & 7; r != 0 {
		out[len(out)-1] &= 1<<r - 1
	}
	return out
}

func ltBool(a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	zipBits(out, boolsOf(a, n), boolsOf(b, n), func(x, y uint64) uint64 { return ^x & y })
	if r := n & 7; r != 0 {
		out[len(out)-1] &= 1<<r - 1
	}
	return out
}

func eqBytes(a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	if a.Const && !b.Const {
		a, b = b, a
	}
	xo, xd := vector.Strings(a.Arr)
	yo, yd := vector.Strings(b.Arr)
	if b.Const && !a.Const {
		c := yd[yo[0]:yo[1]]
		size := int32(len(c))
		for i := range n {
			lo, hi := xo[i], xo[i+1]
			if hi-lo == size && string(xd[lo:hi]) == string(c) {
				out.Set(i)
			}
		}
		return out
	}
	am, bm := a.Mask(), b.Mask()
	for i := range n {
		u, v := xd[xo[i&am]:xo[i&am+1]], yd[yo[i&bm]:yo[i&bm+1]]
		if len(u) == len(v) && string(u) == string(v) {
			out.Set(i)
		}
	}
	return out
}

func ltBytes(a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	xo, xd := vector.Strings(a.Arr)
	yo, yd := vector.Strings(b.Arr)
	am, bm := a.Mask(), b.Mask()
	for i := range n {
		if bytes.Compare(xd[xo[i&am]:xo[i&am+1]], yd[yo[i&bm]:yo[i&bm+1]]) < 0 {
			out.Set(i)
		}
	}
	return out
}
