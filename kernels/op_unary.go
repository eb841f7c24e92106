package kernels

import "github.com/vstream/vstream/vector"

// signed is what unary + and - take.
var signed = OneOf(AnyNumeric, AnyDayTime, AnyYearMonth, AnyCalendar)

func init() {
	minusSQL := func(a []string) string { return "(- " + a[0] + ")" }
	plusSQL := func(a []string) string { return "(+ " + a[0] + ")" }
	for _, f := range []Scalar{
		{Name: "u-", Signature: "-x", SQL: minusSQL, Summary: "The negated number or interval."},
		{Name: "negative", Signature: "negative(x)", Summary: "The negated number or interval.", Examples: []Example{{"negative(1)", "-1"}}},
	} {
		f.MinArgs, f.MaxArgs = 1, 1
		print := f.print
		f.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return bindMinus(conf, print, args) }
		Register(f)
	}
	for _, f := range []Scalar{
		{Name: "u+", Signature: "+x", SQL: plusSQL, Summary: "The number or interval itself."},
		{Name: "positive", Signature: "positive(x)", SQL: plusSQL, Summary: "The number or interval itself.", Examples: []Example{{"positive(1)", "1"}}},
	} {
		f.MinArgs, f.MaxArgs = 1, 1
		print := f.print
		f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
			t, err := signedType(conf, print, args)
			if err != nil {
				return nil, err
			}
			return &Impl{Args: []*vector.Type{t}, Result: t, NullIfAny: true,
				Eval: func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) { return v[0], nil }}, nil
		}
		Register(f)
	}
}

func signedType(conf *Conf, print func([]Arg) string, args []Arg) (*vector.Type, error) {
	if isString(args[0].Type) {
		return vector.Double, nil
	}
	t, ok := ImplicitCast(conf, args[0].Type, signed)
	if !ok {
		return nil, UnexpectedInput(print(args), 0, signed, args[0])
	}
	return t, nil
}

func bindMinus(conf *Conf, print func([]Arg) string, args []Arg) (*Impl, error) {
	t, err := signedType(conf, print, args)
	if err != nil {
		return nil, err
	}
	checked := conf.ANSI
	var eval Eval
	switch t.Kind {
	case vector.KindByte:
		eval = negate[int8](t, checked, errNegative)
	case vector.KindShort:
		eval = negate[int16](t, checked, errNegative)
	case vector.KindInt:
		eval = negate[int32](t, checked, errNegative)
	case vector.KindLong:
		eval = negate[int64](t, checked, errNegative)
	case vector.KindYearMonthInterval:
		eval = negate[int32](t, true, arithOp{}.intervalOverflow)
	case vector.KindDayTimeInterval:
		eval = negate[int64](t, true, arithOp{}.intervalOverflow)
	case vector.KindFloat:
		eval = negateFloat[float32](t)
	case vector.KindDouble:
		eval = negateFloat[float64](t)
	case vector.KindDecimal:
		eval = func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			src := vector.Values[Dec](v[0].Arr)
			out := make([]Dec, len(src))
			for i, d := range src {
				out[i] = d.Negate()
			}
			return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v[0]))}, nil
		}
	default:
		return nil, UnexpectedInput(print(args), 0, signed, args[0])
	}
	return &Impl{Args: []*vector.Type{t}, Result: t, NullIfAny: true, Eval: strict(t, eval)}, nil
}

func errNegative() error { return errOverflow("overflow", "") }

func negate[T integer](t *vector.Type, checked bool, fail func() error) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		src := vector.Values[T](v[0].Arr)
		out := make([]T, len(src))
		over := false
		for i, x := range src {
			out[i] = -x
			over = over || x == -x && x != 0
		}
		valid := Validity(n, v[0])
		if over && checked {
			for i, x := range src {
				if x == -x && x != 0 && valid.Get(i) {
					return vector.Vec{}, fail()
				}
			}
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
	}
}

func negateFloat[T float](t *vector.Type) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		src := vector.Values[T](v[0].Arr)
		out := make([]T, len(src))
		for i, x := range src {
			out[i] = -x
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v[0]))}, nil
	}
}
