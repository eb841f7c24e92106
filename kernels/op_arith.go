package kernels

import (
	"strings"

	"github.com/vstream/vstream/vector"
)

// arithOp is a binary arithmetic operator in one mode.
type arithOp struct {
	symbol string // + - * / % div pmod
	try    string // the function that gives null where the operator raises
	mode   CastMode
	inTry  bool // the operator is itself a try_ function
}

const (
	numericTypes     = `"NUMERIC"`
	additiveTypes    = `("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")`
	divisionTypes    = `("DOUBLE" or "DECIMAL")`
	integralDivision = `("BIGINT" or "DECIMAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`
)

func init() {
	for _, o := range []struct{ symbol, try, summary, example, want string }{
		{"+", "try_add", "Adds numbers, or an interval to a date, timestamp or interval.", "1 + 2", "3"},
		{"-", "try_subtract", "Subtracts numbers, dates, timestamps or intervals.", "3 - 2", "1"},
		{"*", "try_multiply", "Multiplies numbers, or an interval by a number.", "2 * 3", "6"},
		{"/", "try_divide", "Divides; integers give a DOUBLE.", "3 / 2", "1.5"},
		{"%", "try_mod", "The remainder with the sign of the dividend.", "-7 % 3", "-1"},
		{"div", "try_divide", "The integer quotient as a BIGINT.", "7 div 2", "3"},
	} {
		op := arithOp{symbol: o.symbol, try: o.try}
		f := Scalar{Name: o.symbol, Signature: "a " + o.symbol + " b", Summary: o.summary, MinArgs: 2, MaxArgs: 2,
			SQL: infix(o.symbol), Examples: []Example{{o.example, o.want}}}
		f.Bind = op.binder(f.print)
		Register(f)
		if o.symbol == "div" {
			continue
		}
		op.inTry = true
		g := Scalar{Name: o.try, Signature: o.try + "(a, b)", MinArgs: 2, MaxArgs: 2,
			Summary: "Like a " + o.symbol + " b, but null where that raises an error."}
		g.Bind = op.binder(g.print)
		Register(g)
	}
	for _, name := range []string{"pmod", "mod"} {
		symbol := map[string]string{"pmod": "pmod", "mod": "%"}[name]
		f := Scalar{Name: name, Signature: name + "(a, b)", MinArgs: 2, MaxArgs: 2, Summary: "The remainder of a division; pmod's is positive."}
		f.Bind = arithOp{symbol: symbol, try: "try_mod"}.binder(f.print)
		Register(f)
	}
}

func (o arithOp) binder(print func([]Arg) string) func(*Conf, []Arg) (*Impl, error) {
	return func(conf *Conf, args []Arg) (*Impl, error) {
		p := o
		switch {
		case o.inTry:
			p.mode = CastTry
		case !conf.ANSI:
			p.mode = CastLegacy
		}
		impl, err := p.bind(conf, print, args)
		if err == nil && p.inTry {
			impl = castInside(impl, args)
		}
		return impl, err
	}
}

// castInside makes the casts of string arguments part of a try_ function, so
// that a string that is no number gives null too. Only a constant beside a column is
// cast before: Spark computes it when it plans the query.
func castInside(impl *Impl, args []Arg) *Impl {
	casts := make([]castFn, len(args))
	constants := 0
	for _, a := range args {
		if a.Const != nil {
			constants++
		}
	}
	for i, a := range args {
		if a.Const != nil && constants < len(args) {
			continue
		}
		if t := impl.Args[i]; t != nil && isString(a.Type) && !isString(t) {
			casts[i], impl.Args[i] = castKernel(a.Type, t, CastTry), nil
		}
	}
	inner := impl.Eval
	impl.Eval = func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		in := append([]vector.Vec(nil), v...)
		for i, cast := range casts {
			if cast != nil {
				arr, err := cast(ctx, v[i].Arr)
				if err != nil {
					return vector.Vec{}, err
				}
				in[i].Arr = arr
			}
		}
		return inner(ctx, in, n)
	}
	return impl
}

func (o arithOp) bind(conf *Conf, print func([]Arg) string, args []Arg) (*Impl, error) {
	if impl, err, ok := o.bindTemporal(conf, print, args); ok {
		return impl, err
	}
	a, b := o.operands(conf, args)
	if !a.Equal(b) && !(isDecimal(a) && isDecimal(b)) {
		return nil, errDiffTypes(print(args), a, b)
	}
	if isNull(a) {
		a, b = vector.Double, vector.Double
		if o.symbol == "div" {
			a, b = vector.Long, vector.Long
		}
	}
	required := o.required()
	if !o.accepts(a) {
		return nil, errWrongType(print(args), required, a)
	}
	impl := &Impl{Args: []*vector.Type{a, b}, Result: a, NullIfAny: true, Fresh: true}
	impl.Nullable = o.mode != CastANSI && (isDecimal(a) || o.divides() || o.mode == CastTry)
	switch {
	case o.symbol == "div":
		impl.Result = vector.Long
		impl.Eval = o.integralDivide(conf, a, b)
	case isDecimal(a):
		impl.Result = DecimalResult(conf, o.symbol, a, b)
		impl.Eval = o.decimals(a, b, impl.Result)
	default:
		impl.Eval = o.numbers(a)
		impl.Total = a.Fractional() && !o.divides() // infinity is no error
	}
	impl.Eval = strict(impl.Result, impl.Eval)
	return impl, nil
}

func (o arithOp) divides() bool { return strings.Contains("/ % div pmod", o.symbol) }

func (o arithOp) required() string {
	switch o.symbol {
	case "+", "-":
		return additiveTypes
	case "/":
		return divisionTypes
	case "div":
		return integralDivision
	}
	return numericTypes
}

func (o arithOp) accepts(t *vector.Type) bool {
	switch o.symbol {
	case "/":
		return t.Kind == vector.KindDouble || isDecimal(t)
	case "div":
		return t.Kind == vector.KindLong || isDecimal(t)
	}
	return t.Numeric()
}

// operands are the types of two operands after Spark's coercion rules.
func (o arithOp) operands(conf *Conf, args []Arg) (a, b *vector.Type) {
	args = append([]Arg(nil), args...)
	a, b = args[0].Type, args[1].Type
	if conf.ANSI {
		a, b = promoteStrings(conf, a, b)
	} else {
		if isString(a) {
			a = vector.Double
		}
		if isString(b) {
			b = vector.Double
		}
	}
	if o.symbol == "div" {
		if a.Integral() && !isDecimal(b) {
			a = vector.Long
		}
		if b.Integral() && !isDecimal(a) {
			b = vector.Long
		}
	}
	x, y := numericOperands(conf, args, a, b)
	if x.Equal(y) && !o.accepts(x) && !(o.symbol == "/" && x.Numeric()) {
		return a, b // a common type that the operator does not take is none
	}
	a, b = x, y
	if o.symbol == "/" && !isDecimal(a) && !isDecimal(b) && a.Numeric() && b.Numeric() {
		return vector.Double, vector.Double
	}
	return a, b
}

// numbers is the kernel on two operands of one integer or float type.
func (o arithOp) numbers(t *vector.Type) Eval {
	switch t.Kind {
	case vector.KindByte:
		return intArith[int8](o, t)
	case vector.KindShort:
		return intArith[int16](o, t)
	case vector.KindInt:
		return intArith[int32](o, t)
	case vector.KindLong:
		return intArith[int64](o, t)
	case vector.KindFloat:
		return floatArith[float32](o, t)
	}
	return floatArith[float64](o, t)
}

// failing is how a kernel treats the rows that its fast loop refused.
type failing[T any] struct {
	mode CastMode
	row  func(x, y T) (T, bool) // the exact result, or false
	fail func(x, y T) error     // the error of a refused row
	wrap func(x, y T) (T, bool) // the result in non-ANSI mode; false is null
}

// each computes row by row with checks; rows that are null are skipped.
func (f failing[T]) each(t *vector.Type, a, b vector.Vec, n int) (vector.Vec, error) {
	x, am := vector.Values[T](a.Arr), a.Mask()
	y, bm := vector.Values[T](b.Arr), b.Mask()
	valid := Validity(n, a, b)
	var own vector.Bitmap
	out := make([]T, n)
	for i := range out {
		if valid != nil && !valid.Get(i) {
			continue
		}
		u, v := x[i&am], y[i&bm]
		r, ok := f.row(u, v)
		if !ok {
			if f.mode == CastANSI {
				return vector.Vec{}, f.fail(u, v)
			}
			if f.mode == CastLegacy {
				r, ok = f.wrap(u, v)
			}
			if !ok {
				own = clearRow(own, valid, n, i)
			}
		}
		out[i] = r
	}
	if own != nil {
		valid = own
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
}
