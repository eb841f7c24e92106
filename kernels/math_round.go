package kernels

import (
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// rounding is how digits are dropped.
type rounding uint8

const (
	roundUp      rounding = iota // half away from zero
	roundEven                    // half to even
	roundFloor                   // towards negative infinity
	roundCeiling                 // towards positive infinity
)

func init() {
	for _, f := range []struct {
		name, summary string
		how           rounding
	}{
		{"round", "Rounds half up to a number of fraction digits (0 by default).", roundUp},
		{"bround", "Rounds half to even to a number of fraction digits (0 by default).", roundEven},
	} {
		s := Scalar{Name: f.name, Signature: f.name + "(x[, digits])", Summary: f.summary, MinArgs: 1, MaxArgs: 2,
			Examples: []Example{{f.name + "(3.5)", "4"}},
			SQL: func(a []string) string {
				if len(a) == 1 {
					a = append(a, "0")
				}
				return f.name + "(" + a[0] + ", " + a[1] + ")"
			}}
		print := s.print
		s.Bind = func(conf *Conf, args []Arg) (*Impl, error) { return bindRound(conf, f.how, print, AnyNumeric, args) }
		Register(s)
	}
	for _, f := range []struct {
		name, alias, shown string
		how                rounding
	}{
		{"floor", "", "FLOOR", roundFloor}, {"ceil", "", "CEIL", roundCeiling}, {"ceiling", "", "ceiling", roundCeiling},
	} {
		s := Scalar{Name: f.name, Signature: f.name + "(x[, digits])", MinArgs: 1, MaxArgs: 2,
			Summary: "Rounds down (floor) or up (ceil); without digits a DOUBLE gives a BIGINT.",
			SQL: func(a []string) string {
				if len(a) == 1 {
					return f.shown + "(" + a[0] + ")"
				}
				return f.name + "(" + a[0] + ", " + a[1] + ")"
			}}
		print := s.print
		s.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
			if len(args) == 2 {
				if args[1].Const == nil || args[1].Type.Kind != vector.KindInt {
					return nil, condition.New("NON_FOLDABLE_ARGUMENT", "funcName", "`"+f.name+"`", "paramName", "`scale`", "paramType", `"INT"`)
				}
				return bindRound(conf, f.how, print, AnyDecimal, args)
			}
			return bindFloor(conf, f.how, print, args[0])
		}
		Register(s)
	}
}

// bindRound binds round, bround and the two-argument floor and ceil.
func bindRound(conf *Conf, how rounding, print func([]Arg) string, accept Accept, args []Arg) (*Impl, error) {
	t, ok := ImplicitCast(conf, args[0].Type, accept)
	if !ok {
		return nil, UnexpectedInput(print(args), 0, accept, args[0])
	}
	types := []*vector.Type{t, vector.Int}[:len(args)]
	digits, null := 0, false
	if len(args) == 2 {
		if _, ok := ImplicitCast(conf, args[1].Type, Int); !ok {
			return nil, UnexpectedInput(print(args), 1, Int, args[1])
		}
		if args[1].Const == nil {
			return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(print(args)),
				"inputName", "`scale`", "inputType", `"INT"`, "inputExpr", quoteSQL(args[1].SQL))
		}
		v, err := CastArray(&Ctx{Zone: conf.Zone, ANSI: conf.ANSI}, args[1].Const.Arr, args[1].Type, vector.Int, ModeOf(conf.ANSI))
		if err != nil {
			return nil, err
		}
		if null = isNullAt(v, 0); !null {
			// Beyond 400 digits nothing changes, as no number has that many.
			digits = min(max(int(vector.Values[int32](v)[0]), -400), 400)
		}
	}
	result := roundedType(t, digits)
	impl := &Impl{Args: types, Result: result, NullIfAny: true, Nullable: !conf.ANSI && isDecimal(t)}
	switch {
	case null:
		impl.Eval = func(*Ctx, []vector.Vec, int) (vector.Vec, error) { return vector.ConstNull(result), nil }
		return impl, nil
	case isDecimal(t):
		impl.Eval = roundDecimals(conf, how, t, result, digits)
	case t.Fractional():
		impl.Eval = roundFloats(t, how, digits)
	default:
		impl.Eval = roundInts(conf, t, how, digits)
	}
	impl.Eval = strict(result, impl.Eval)
	return impl, nil
}

// roundedType is the type of a rounded number: a decimal gets a digit more in front.
func roundedType(t *vector.Type, digits int) *vector.Type {
	if !isDecimal(t) {
		return t
	}
	front := t.Precision - t.Scale + 1
	if digits < 0 {
		return vector.Decimal(min(max(front, -digits+1), decimal.MaxPrecision), 0)
	}
	s := min(t.Scale, digits)
	return vector.Decimal(min(front+s, decimal.MaxPrecision), s)
}

// roundQuotient is a/d for d > 0 with a rounding.
func roundQuotient(a, d *big.Int, how rounding) *big.Int {
	q, r := new(big.Int).DivMod(a, d, new(big.Int)) // floor, r >= 0
	up := false
	switch twice := new(big.Int).Lsh(r, 1).Cmp(d); how {
	case roundCeiling:
		up = r.Sign() > 0
	case roundUp:
		up = twice > 0 || twice == 0 && a.Sign() > 0
	case roundEven:
		up = twice > 0 || twice == 0 && q.Bit(0) == 1
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func roundDecimals(conf *Conf, how rounding, t, result *vector.Type, digits int) Eval {
	drop := t.Scale - digits
	mode := ModeOf(conf.ANSI)
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		a := v[0].Arr
		out, err := mapValues(a, result, mode, func(d Dec) (Dec, bool) {
			if drop <= 0 {
				return d, true
			}
			if how == roundUp && digits >= 0 {
				return decimal.Rescale(d, t.Scale, result.Precision, result.Scale)
			}
			q := roundQuotient(d.BigInt(), decimal.BigPow10(drop), how)
			if digits < 0 {
				q.Mul(q, decimal.BigPow10(-digits))
			}
			if q.CmpAbs(decimal.Pow10[result.Precision].Big()) >= 0 {
				return Dec{}, false
			}
			return decimal128.FromBigInt(q), true
		}, func(i int) error {
			return errDecimalRange(string(decimal.Append(nil, vector.Values[Dec](a)[i], t.Scale)), result.Precision, result.Scale)
		})
		return vector.Vec{Arr: out}, err
	}
}

func roundFloats(t *vector.Type, how rounding, digits int) Eval {
	if t.Kind == vector.KindFloat {
		return mapFloat32(func(x float32) float32 { return float32(roundDouble(float64(x), how, digits)) })
	}
	return mapDouble(vector.Double, func(x float64) (float64, bool) { return roundDouble(x, how, digits), true })
}

// roundDouble rounds the shortest decimal form of x, as Spark does.
func roundDouble(x float64, how rounding, digits int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	if how == roundUp && digits >= 0 && digits <= 15 {
		if r, ok := roundFast(x, digits); ok {
			return r
		}
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], x, 'e', -1, 64)
	mantissa, exp, n := splitScientific(e)
	if -exp <= digits {
		return x + 0 // -0.0 becomes 0.0
	}
	m := big.NewInt(mantissa)
	drop := -exp - digits
	if drop > n+1 {
		if how == roundFloor || how == roundCeiling {
			drop = n + 1
		} else {
			return 0
		}
	}
	q := roundQuotient(m, decimal.BigPow10(drop), how)
	r, _ := strconv.ParseFloat(q.String()+"e"+strconv.Itoa(-digits), 64)
	return r
}

// roundFast rounds half up where x scaled is not close to a tie, so that the
// binary value and its shortest decimal form round alike.
func roundFast(x float64, digits int) (float64, bool) {
	unit := math.Pow10(digits)
	scaled := math.Abs(x) * unit
	whole := math.Floor(scaled)
	if fraction := scaled - whole; !(scaled < 1<<30) || math.Abs(fraction-0.5) < 1e-6 {
		return 0, false
	} else if fraction > 0.5 {
		whole++
	}
	return math.Copysign(whole/unit, x) + 0, true
}

// splitScientific reads [-]d[.ddd]e±dd as n mantissa digits times 10^exp.
func splitScientific(s []byte) (mantissa int64, exp, n int) {
	point := false
	for i, b := range s {
		switch {
		case b == 'e':
			e, _ := strconv.Atoi(string(s[i+1:]))
			if s[0] == '-' {
				mantissa = -mantissa
			}
			return mantissa, exp + e, n
		case b == '.':
			point = true
		case b != '-':
			mantissa = mantissa*10 + int64(b-'0')
			n++
			if point {
				exp--
			}
		}
	}
	return mantissa, exp, n
}

func roundInts(conf *Conf, t *vector.Type, how rounding, digits int) Eval {
	switch t.Kind {
	case vector.KindByte:
		return roundInt[int8](conf, t, how, digits)
	case vector.KindShort:
		return roundInt[int16](conf, t, how, digits)
	case vector.KindInt:
		return roundInt[int32](conf, t, how, digits)
	}
	return roundInt[int64](conf, t, how, digits)
}

func roundInt[T integer](conf *Conf, t *vector.Type, how rounding, digits int) Eval {
	if digits >= 0 {
		return func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) { return v[0], nil }
	}
	unit := decimal.BigPow10(-digits)
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		out, err := mapValues(v[0].Arr, t, ModeOf(conf.ANSI), func(x T) (T, bool) {
			q := roundQuotient(big.NewInt(int64(x)), unit, how)
			q.Mul(q, unit)
			r := T(new(big.Int).And(q, maxUint64).Uint64())
			return r, !conf.ANSI || q.IsInt64() && int64(T(q.Int64())) == q.Int64()
		}, func(int) error { return errOverflow("Overflow", "") })
		return vector.Vec{Arr: out}, err
	}
}

var maxUint64 = new(big.Int).SetUint64(math.MaxUint64)

// bindFloor binds the one-argument floor and ceil.
func bindFloor(conf *Conf, how rounding, print func([]Arg) string, arg Arg) (*Impl, error) {
	accept := OneOf(Double, AnyDecimal, Long)
	t, ok := ImplicitCast(conf, arg.Type, accept)
	if !ok {
		return nil, UnexpectedInput(print([]Arg{arg}), 0, accept, arg)
	}
	if arg.Type.Integral() {
		t = vector.Long
	}
	impl := &Impl{Args: []*vector.Type{t}, Result: vector.Long, NullIfAny: true}
	switch {
	case t.Kind == vector.KindLong:
		impl.Eval = func(_ *Ctx, v []vector.Vec, _ int) (vector.Vec, error) { return v[0], nil }
	case isDecimal(t):
		impl.Result = t
		if t.Scale > 0 {
			impl.Result = boundedDecimal(t.Precision-t.Scale+1, 0)
		}
		impl.Eval = roundDecimals(conf, how, t, impl.Result, 0)
	default:
		impl.Eval = func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			out, err := mapValues(v[0].Arr, vector.Long, ModeOf(conf.ANSI), func(x float64) (int64, bool) {
				r := math.Floor(x)
				if how == roundCeiling {
					r = math.Ceil(x)
				}
				return saturate[int64](r), !conf.ANSI || r != r || r >= -1<<63 && r < 1<<63
			}, func(int) error { return errOverflow("overflow", "") })
			return vector.Vec{Arr: out}, err
		}
	}
	impl.Eval = strict(impl.Result, impl.Eval)
	return impl, nil
}
