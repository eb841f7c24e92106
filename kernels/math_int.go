package kernels

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	abs := Scalar{Name: "abs", Signature: "abs(x)", MinArgs: 1, MaxArgs: 1, Summary: "The absolute value of a number or interval.",
		Examples: []Example{{"abs(-1)", "1"}}}
	print := abs.print
	abs.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return bindAbs(conf, print, args) }
	Register(abs,
		Define(Scalar{Name: "factorial", Signature: "factorial(n)", Summary: "n!, null outside 0..20.", Examples: []Example{{"factorial(5)", "120"}}},
			Sig{Params: []Accept{Int}, Result: vector.Long, Nullable: true},
			func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) {
				out, err := mapValues(v[0].Arr, vector.Long, CastTry, factorial, nil)
				return vector.Vec{Arr: out}, err
			}),
		Define(Scalar{Name: "bin", Signature: "bin(n)", Summary: "The binary digits of a BIGINT.", Examples: []Example{{"bin(13)", "1101"}}},
			Sig{Params: []Accept{Long}, Result: vector.String}, evalBin),
		DefineOn(Scalar{Name: "bit_get", Aliases: []string{"getbit"}, Signature: "bit_get(x, pos)", Summary: "Bit pos of an integer, counted from 0 at the right.",
			Examples: []Example{{"bit_get(11, 0)", "1"}}},
			Sig{Params: []Accept{AnyIntegral, Int}, Result: vector.Byte},
			func(_ *Conf, args []Arg) Eval { return evalBitGet(args[0].Type) }),
		Define(Scalar{Name: "width_bucket", Signature: "width_bucket(x, low, high, n)", Summary: "The number of the bucket, of n between low and high, that x is in.",
			Examples: []Example{{"width_bucket(5.3, 0.2, 10.6, 5)", "3"}}},
			Sig{Params: []Accept{bucketed, bucketed, bucketed, Long}, ResultOf: widthBucketType, Nullable: true}, evalWidthBucket),
	)
}

func bindAbs(conf *Conf, print func([]Arg) string, args []Arg) (*Impl, error) {
	t, err := signedType(conf, print, args)
	if err != nil {
		return nil, err
	}
	var eval Eval
	switch t.Kind {
	case vector.KindByte:
		eval = absInts[int8](t, conf.ANSI, errNegative)
	case vector.KindShort:
		eval = absInts[int16](t, conf.ANSI, errNegative)
	case vector.KindInt:
		eval = absInts[int32](t, conf.ANSI, errNegative)
	case vector.KindLong:
		eval = absInts[int64](t, conf.ANSI, errNegative)
	case vector.KindYearMonthInterval:
		eval = absInts[int32](t, true, errNegative)
	case vector.KindDayTimeInterval:
		eval = absInts[int64](t, true, errNegative)
	case vector.KindFloat:
		eval = mapFloat32(func(x float32) float32 { return float32(math.Abs(float64(x))) })
	case vector.KindDouble:
		eval = func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			src := vector.Values[float64](v[0].Arr)
			out := vector.Make[float64](ctx.Temp, len(src))
			for i, x := range src[:len(out)] {
				out[i] = math.Abs(x)
			}
			return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v[0]))}, nil
		}
	case vector.KindDecimal:
		eval = func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) {
			out, err := mapValues(v[0].Arr, t, CastTry, func(d Dec) (Dec, bool) { return d.Abs(), true }, nil)
			return vector.Vec{Arr: out}, err
		}
	default:
		return nil, UnexpectedInput(print(args), 0, signed, args[0])
	}
	return &Impl{Args: []*vector.Type{t}, Result: t, NullIfAny: true, Fresh: true, Eval: strict(t, eval)}, nil
}

func absInts[T integer](t *vector.Type, checked bool, fail func() error) Eval {
	mode := CastLegacy
	if checked {
		mode = CastANSI
	}
	return func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) {
		out, err := mapValues(v[0].Arr, t, mode, func(x T) (T, bool) {
			if x < 0 {
				x = -x
			}
			return x, x >= 0 || !checked
		}, func(int) error { return fail() })
		return vector.Vec{Arr: out}, err
	}
}

func factorial(n int32) (int64, bool) {
	if n < 0 || n > 20 {
		return 0, false
	}
	r := int64(1)
	for i := int64(2); i <= int64(n); i++ {
		r *= i
	}
	return r, true
}

func evalBin(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	off, data := make([]int32, n+1), make([]byte, 0, 16*n)
	valid := Validity(n, v[0])
	for i, x := range vector.Values[int64](v[0].Arr) {
		if valid.Get(i) {
			data = strconv.AppendUint(data, uint64(x), 2)
		}
		off[i+1] = int32(len(data))
	}
	return vector.Vec{Arr: vector.NewString(vector.String, off, data, valid)}, nil
}

func evalBitGet(t *vector.Type) Eval {
	width := int32(8 * t.Width())
	cast := innerCast(t, vector.Long, CastANSI)
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		l, err := cast(ctx, v[0].Arr)
		if err != nil {
			return vector.Vec{}, err
		}
		bad := int32(0)
		return rows2(vector.Byte, []vector.Vec{{Arr: l, Const: v[0].Const}, v[1]}, n, CastANSI, func(x int64, pos int32) (int8, bool) {
			if pos < 0 || pos >= width {
				bad = pos
				return 0, false
			}
			return int8(x >> pos & 1), true
		}, func() error {
			return condition.New("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", "functionName", "`bit_get`",
				"parameter", "`pos`", "upper", width, "invalidValue", bad)
		})
	}
}

// bucketed are the values that width_bucket divides.
var bucketed = OneOf(Double, AnyYearMonth, AnyDayTime)

// widthBucketType checks that a value and its bounds are of one kind.
func widthBucketType(_ *Conf, args []Arg) (*vector.Type, error) {
	for i, a := range args[1:3] {
		if a.Type.Kind != args[0].Type.Kind {
			sql := callSQL("width_bucket", sqlOf(args))
			return nil, UnexpectedInput(sql, i+1, Exactly(args[0].Type), a)
		}
	}
	return vector.Long, nil
}

// doublesOf are numbers or intervals as doubles.
func doublesOf(v vector.Vec) []float64 {
	switch v.Arr.DataType().ID() {
	case arrow.FLOAT64:
		return vector.Values[float64](v.Arr)
	case arrow.INTERVAL_MONTHS:
		return toDoubles(vector.Values[int32](v.Arr))
	}
	return toDoubles(vector.Values[int64](v.Arr))
}

func toDoubles[T int32 | int64](in []T) []float64 {
	out := make([]float64, len(in))
	for i, x := range in {
		out[i] = float64(x)
	}
	return out
}

func evalWidthBucket(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	valid := OwnValidity(n, v...)
	out := make([]int64, n)
	x, low, high := doublesOf(v[0]), doublesOf(v[1]), doublesOf(v[2])
	buckets := vector.Values[int64](v[3].Arr)
	for i := range out {
		if !valid.Get(i) {
			continue
		}
		r, ok := widthBucket(x[i&v[0].Mask()], low[i&v[1].Mask()], high[i&v[2].Mask()], buckets[i&v[3].Mask()])
		if !ok {
			valid.Clear(i)
		}
		out[i] = r
	}
	return vector.Vec{Arr: vector.NewFixed(vector.Long, out, valid)}, nil
}

func widthBucket(x, low, high float64, n int64) (int64, bool) {
	if n <= 0 || n == math.MaxInt64 || x != x || low != low || high != high || math.IsInf(low, 0) || math.IsInf(high, 0) || low == high {
		return 0, false
	}
	if low > high {
		x, low, high = -x, -low, -high
	}
	switch {
	case x < low:
		return 0, true
	case x >= high:
		return n + 1, true
	}
	return int64(float64(n)*(x-low)/(high-low)) + 1, true
}
