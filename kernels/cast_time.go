package kernels

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func castToDate(from, to *vector.Type, mode CastMode) castFn {
	switch from.Kind {
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, text.ParseDate, invalidInput(from, to, a))
		}
	case vector.KindTimestamp:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return timestampToDate(a, text.NewClock(ctx.Zone)), nil
		}
	case vector.KindTimestampNTZ:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) { return timestampToDate(a, text.NewClock(nil)), nil }
	}
	return alwaysNull(to)
}

func timestampToDate(a arrow.Array, clock *text.Clock) arrow.Array {
	src := vector.Values[int64](a)
	out := make([]int32, len(src))
	for i, v := range src {
		out[i] = int32(text.FloorDiv(clock.Local(v), text.MicrosPerDay))
	}
	return vector.NewFixed(vector.Date, out, vector.Validity(a))
}

func castToTimestamp(from, to *vector.Type, mode CastMode) castFn {
	switch from.Kind {
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, func(s []byte) (int64, bool) {
				return text.ParseTimestampAt(s, ctx.Zone, ctx.BatchTimeMicros)
			}, invalidInput(from, to, a))
		}
	case vector.KindDate:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return dateToMicros(a, to, text.NewClock(ctx.Zone)), nil
		}
	case vector.KindTimestampNTZ:
		return mapClock(to, (*text.Clock).Instant)
	case vector.KindBool:
		return boolTo(to, int64(1))
	case vector.KindDecimal:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(d Dec) (int64, bool) {
				neg, m := decimal.Magnitude(d)
				q, _ := m.Mul(decimal.Uint128{Lo: uint64(text.MicrosPerSecond)}).DivRem(decimal.Pow10[from.Scale])
				if neg {
					return -int64(q[0]), true
				}
				return int64(q[0]), true
			}, nil)
		}
	case vector.KindFloat, vector.KindDouble:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			d, err := CastArray(ctx, a, from, vector.Double, CastLegacy)
			if err != nil {
				return nil, err
			}
			return mapValues(d, to, mode, func(v float64) (int64, bool) { return secondsToMicros(v, mode) },
				func(i int) error { return errSeconds(from, to, d, a, i) })
		}
	}
	// Integers are seconds; what does not fit saturates.
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		l, err := CastArray(ctx, a, from, vector.Long, CastLegacy)
		if err != nil {
			return nil, err
		}
		src := vector.Values[int64](l)
		out := make([]int64, len(src))
		for i, v := range src {
			m, ok := text.MulInt64(v, text.MicrosPerSecond)
			switch {
			case ok:
				out[i] = m
			case v > 0:
				out[i] = math.MaxInt64
			default:
				out[i] = math.MinInt64
			}
		}
		return vector.NewFixed(to, out, vector.Validity(a)), nil
	}
}

func secondsToMicros(v float64, mode CastMode) (int64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	m := v * float64(text.MicrosPerSecond)
	if mode == CastLegacy {
		return saturate[int64](m), true
	}
	if m < -1<<63 || m >= 1<<63 {
		return 0, false
	}
	return int64(m), true
}

// errSeconds is the error of a number of seconds that is not a timestamp; d is
// a as doubles.
func errSeconds(from, to *vector.Type, d, a arrow.Array, i int) error {
	v := vector.Values[float64](d)[i]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return errCastInput(sqlValue(from, a, i), from, to)
	}
	micros := vector.NewFixed(vector.Double, []float64{v * float64(text.MicrosPerSecond)}, nil)
	return errCastOverflow(sqlValue(vector.Double, micros, 0), vector.Double, vector.Long)
}

func dateToMicros(a arrow.Array, to *vector.Type, clock *text.Clock) arrow.Array {
	src := vector.Values[int32](a)
	out := make([]int64, len(src))
	for i, v := range src {
		out[i] = clock.Instant(int64(v) * text.MicrosPerDay)
	}
	return vector.NewFixed(to, out, vector.Validity(a))
}

// mapClock converts between instants and wall clocks of the session's zone.
func mapClock(to *vector.Type, f func(*text.Clock, int64) int64) castFn {
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		src := vector.Values[int64](a)
		clock := text.NewClock(ctx.Zone)
		if clock.Fixed() {
			return vector.NewFixed(to, src, vector.Validity(a)), nil
		}
		out := make([]int64, len(src))
		for i, v := range src {
			out[i] = f(clock, v)
		}
		return vector.NewFixed(to, out, vector.Validity(a)), nil
	}
}

// ntzOf reads a timestamp without time zone; a zone in the text is ignored.
func ntzOf(s []byte) (int64, bool) { return text.ParseTimestampNTZ(s, true) }

func castToTimestampNTZ(from, to *vector.Type, mode CastMode) castFn {
	switch from.Kind {
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, ntzOf, invalidInput(from, to, a))
		}
	case vector.KindDate:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) { return dateToMicros(a, to, text.NewClock(nil)), nil }
	case vector.KindTimestamp:
		return mapClock(to, (*text.Clock).Local)
	}
	return alwaysNull(to)
}
