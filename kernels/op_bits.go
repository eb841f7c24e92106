package kernels

import (
	"math/bits"

	"github.com/vstream/vstream/vector"
)

func init() {
	for _, o := range []struct{ symbol, summary string }{
		{"&", "The bitwise AND of two integers."}, {"|", "The bitwise OR of two integers."},
		{"^", "The bitwise exclusive OR of two integers."},
	} {
		f := Scalar{Name: o.symbol, Signature: "a " + o.symbol + " b", Summary: o.summary, SQL: infix(o.symbol), MinArgs: 2, MaxArgs: 2}
		print := f.print
		f.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return bindBits(conf, o.symbol, print, args) }
		Register(f)
	}
	same := func(_ *Conf, args []Arg) (*vector.Type, error) { return args[0].Type, nil }
	Register(DefineOn(Scalar{Name: "~", Signature: "~x", Summary: "The bitwise NOT of an integer.",
		SQL: func(a []string) string { return "~" + a[0] }},
		Sig{Params: []Accept{AnyIntegral}, NoCast: true, ResultOf: same},
		func(_ *Conf, args []Arg) Eval { return notBits(args[0].Type) }))
	for _, o := range []struct{ symbol, name, summary string }{
		{"<<", "shiftleft", "Shifts left; the distance wraps at the width."},
		{">>", "shiftright", "Shifts right and keeps the sign."},
		{">>>", "shiftrightunsigned", "Shifts right and fills with zeros."},
	} {
		sig := Sig{Params: []Accept{OneOf(Int, Long), Int}, ResultOf: same}
		pick := func(_ *Conf, args []Arg) Eval {
			if args[0].Type.Kind == vector.KindInt {
				return shift32Bits(o.symbol)
			}
			return shift64Bits(o.symbol)
		}
		Register(DefineOn(Scalar{Name: o.symbol, Signature: "a " + o.symbol + " b", Summary: o.summary, SQL: infix(o.symbol)}, sig, pick),
			DefineOn(Scalar{Name: o.name, Signature: o.name + "(a, b)", Summary: o.summary}, sig, pick))
	}
	Register(DefineOn(Scalar{Name: "bit_count", Signature: "bit_count(x)", Summary: "The number of bits that are set in x as a BIGINT.",
		Examples: []Example{{"bit_count(-1)", "64"}}},
		Sig{Params: []Accept{OneOf(AnyIntegral, Bool)}, NoCast: true, Result: vector.Int},
		func(_ *Conf, args []Arg) Eval {
			cast := innerCast(args[0].Type, vector.Long, CastANSI)
			return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
				l, err := cast(ctx, v[0].Arr)
				if err != nil {
					return vector.Vec{}, err
				}
				out := make([]int32, n)
				for i, x := range vector.Values[int64](l) {
					out[i] = int32(bits.OnesCount64(uint64(x)))
				}
				return vector.Vec{Arr: vector.NewFixed(vector.Int, out, Validity(n, v[0]))}, nil
			}
		}))
}

func bindBits(conf *Conf, symbol string, print func([]Arg) string, args []Arg) (*Impl, error) {
	a, b := promoteStrings(conf, args[0].Type, args[1].Type)
	if x, y := besideDecimal(a, b); !x.Equal(y) && (a.Fractional() || b.Fractional()) {
		return nil, errDiffTypes(print(args), x, y)
	}
	if a.Datetime() && b.Datetime() && !a.Equal(b) { // whose common type the operator would not take
		return nil, errDiffTypes(print(args), a, b)
	}
	a, b = numericOperands(conf, append([]Arg(nil), args...), a, b)
	if isNull(a) {
		a, b = vector.Int, vector.Int
	}
	switch {
	case !a.Equal(b):
		return nil, errDiffTypes(print(args), a, b)
	case !a.Integral():
		return nil, errWrongType(print(args), AnyIntegral.Required(), a)
	}
	var eval Eval
	switch a.Kind {
	case vector.KindByte:
		eval = bitOp[int8](symbol, a)
	case vector.KindShort:
		eval = bitOp[int16](symbol, a)
	case vector.KindInt:
		eval = bitOp[int32](symbol, a)
	default:
		eval = bitOp[int64](symbol, a)
	}
	return &Impl{Args: []*vector.Type{a, b}, Result: a, NullIfAny: true, Eval: strict(a, eval)}, nil
}

func bitOp[T integer](symbol string, t *vector.Type) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		x, am := vector.Values[T](v[0].Arr), v[0].Mask()
		y, bm := vector.Values[T](v[1].Arr), v[1].Mask()
		out := make([]T, n)
		switch symbol {
		case "&":
			for i := range out {
				out[i] = x[i&am] & y[i&bm]
			}
		case "|":
			for i := range out {
				out[i] = x[i&am] | y[i&bm]
			}
		default:
			for i := range out {
				out[i] = x[i&am] ^ y[i&bm]
			}
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v...))}, nil
	}
}

func notBits(t *vector.Type) Eval {
	switch t.Kind {
	case vector.KindByte:
		return complement[int8](t)
	case vector.KindShort:
		return complement[int16](t)
	case vector.KindInt:
		return complement[int32](t)
	}
	return complement[int64](t)
}

func complement[T integer](t *vector.Type) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		out := make([]T, n)
		for i, x := range vector.Values[T](v[0].Arr) {
			out[i] = ^x
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v[0]))}, nil
	}
}

func shift32Bits(symbol string) Eval {
	return shifted(vector.Int, func(x, by int32) int32 {
		switch d := uint(by) & 31; symbol {
		case "<<":
			return x << d
		case ">>":
			return x >> d
		default:
			return int32(uint32(x) >> d)
		}
	})
}

func shift64Bits(symbol string) Eval {
	return shifted(vector.Long, func(x int64, by int32) int64 {
		switch d := uint(by) & 63; symbol {
		case "<<":
			return x << d
		case ">>":
			return x >> d
		default:
			return int64(uint64(x) >> d)
		}
	})
}

func shifted[T integer](t *vector.Type, f func(x T, by int32) T) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		x, am := vector.Values[T](v[0].Arr), v[0].Mask()
		y, bm := vector.Values[int32](v[1].Arr), v[1].Mask()
		out := make([]T, n)
		for i := range out {
			out[i] = f(x[i&am], y[i&bm])
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v...))}, nil
	}
}
