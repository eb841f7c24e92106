package kernels

import (
	"math"
	"math/big"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// bindScale binds interval * number and interval / number; at is the position of the interval.
func (o arithOp) bindScale(args []Arg, interval *vector.Type, at int) (*Impl, error) {
	number := args[1-at]
	t := number.Type
	switch {
	case isString(t), isNull(t):
		t = vector.Double
	case t.Integral():
		t = vector.Long
	case t.Kind == vector.KindFloat:
		t = vector.Double
	case !t.Numeric():
		print := args[at].SQL + " " + o.symbol + " " + number.SQL
		return nil, UnexpectedInput("("+print+")", 1-at, AnyNumeric, number)
	}
	result := vector.DayTime
	if interval.Kind == vector.KindYearMonthInterval {
		result = vector.YearMonth
	}
	impl := &Impl{Args: []*vector.Type{interval, t}, Result: result, NullIfAny: true, Nullable: o.mode == CastTry}
	impl.Eval = strict(result, func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		return o.scaleIntervals(v, n, t, result)
	})
	if at == 1 {
		return swapped(impl), nil
	}
	return impl, nil
}

func (o arithOp) scaleIntervals(v []vector.Vec, n int, t, result *vector.Type) (vector.Vec, error) {
	if result.Kind == vector.KindDayTimeInterval {
		return scaled[int64](o, v, n, t, result)
	}
	return scaled[int32](o, v, n, t, result)
}

// scaled multiplies or divides intervals counted in I; fractions round half up.
func scaled[I int32 | int64](o arithOp, v []vector.Vec, n int, t, result *vector.Type) (vector.Vec, error) {
	divide := o.symbol == "/"
	zero := false
	fail := func() error {
		if zero {
			return errIntervalByZero()
		}
		return o.intervalOverflow()
	}
	fit := func(r int64, ok bool) (I, bool) { return I(r), ok && int64(I(r)) == r }
	switch {
	case t.Kind == vector.KindLong:
		return rows2(result, v, n, o.mode, func(a I, b int64) (I, bool) {
			if !divide {
				return fit(text.MulInt64(int64(a), b))
			}
			if zero = b == 0; zero || b == -1 && a == -a && a != 0 {
				return 0, false
			}
			return fit(divHalfUp(int64(a), b), true)
		}, fail)
	case isDecimal(t):
		return rows2(result, v, n, o.mode, func(a I, b Dec) (I, bool) {
			if zero = divide && b == (Dec{}); zero {
				return 0, false
			}
			return fit(scaleByDecimal(int64(a), b, t.Scale, divide))
		}, fail)
	}
	return rows2(result, v, n, o.mode, func(a I, b float64) (I, bool) {
		if zero = divide && b == 0; zero {
			return 0, false
		}
		r := float64(a) * b
		if divide {
			r = float64(a) / b
		}
		r = roundHalfUp(r)
		if math.IsNaN(r) || r < -1<<63 || r >= 1<<63 {
			return 0, false
		}
		return fit(int64(r), true)
	}, fail)
}

// divideIntervals is interval div interval: how often the second fits.
func (o arithOp) divideIntervals(t *vector.Type) *Impl {
	long := o.integralDivide(&Conf{}, vector.Long, vector.Long)
	impl := &Impl{Args: []*vector.Type{t, t}, Result: vector.Long, NullIfAny: true, Nullable: o.mode != CastANSI}
	impl.Eval = strict(vector.Long, func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		if t.Kind == vector.KindYearMonthInterval {
			v = []vector.Vec{widened(v[0]), widened(v[1])}
		}
		return long(ctx, v, n)
	})
	return impl
}

// widened is a column of months as longs.
func widened(v vector.Vec) vector.Vec {
	out := convert[int32, int64](nil, vector.Values[int32](v.Arr))
	return vector.Vec{Arr: vector.NewFixed(vector.Long, out, vector.Validity(v.Arr)), Const: v.Const}
}

func errIntervalByZero() error {
	return condition.New("INTERVAL_DIVIDED_BY_ZERO")
}

func roundHalfUp(v float64) float64 {
	if v < 0 {
		return -math.Floor(-v + 0.5)
	}
	return math.Floor(v + 0.5)
}

// divHalfUp is a/b rounded half away from zero.
func divHalfUp(a, b int64) int64 {
	q, r := a/b, a%b
	if r != 0 {
		// |2r| >= |b| without overflow
		if ar, ab := absUint(r), absUint(b); ar >= ab-ar {
			if (a < 0) != (b < 0) {
				return q - 1
			}
			return q + 1
		}
	}
	return q
}

func absUint(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func scaleByDecimal(a int64, b Dec, scale int, divide bool) (int64, bool) {
	num, den := big.NewInt(a), decimal.BigPow10(scale)
	if divide {
		num.Mul(num, den)
		den = b.BigInt()
	} else {
		num.Mul(num, b.BigInt())
	}
	neg := num.Sign()*den.Sign() < 0
	q := decimal.HalfUp(num.Abs(num), den.Abs(den))
	if neg {
		q.Neg(q)
	}
	if !q.IsInt64() {
		return 0, false
	}
	return q.Int64(), true
}
