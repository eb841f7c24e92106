package kernels

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// castToDecimal casts to DECIMAL, rounding half up.
func castToDecimal(from, to *vector.Type, mode CastMode) castFn {
	p, s := to.Precision, to.Scale
	switch from.Kind {
	case vector.KindByte:
		return intToDecimal[int8](from, to, mode)
	case vector.KindShort:
		return intToDecimal[int16](from, to, mode)
	case vector.KindInt:
		return intToDecimal[int32](from, to, mode)
	case vector.KindLong:
		return intToDecimal[int64](from, to, mode)
	case vector.KindFloat:
		return floatToDecimal[float32](to, mode)
	case vector.KindDouble:
		return floatToDecimal[float64](to, mode)
	case vector.KindBool:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			bits := vector.Bools(a)
			one, fits := decimal.Rescale(decimal128.New(0, 1), 0, p, s)
			out := make([]Dec, a.Len())
			valid := vector.Validity(a)
			var own vector.Bitmap
			for i := range out {
				switch {
				case !bits.Get(i) || valid != nil && !valid.Get(i):
				case fits:
					out[i] = one
				case mode == CastANSI:
					return nil, errDecimalRange("1", p, s)
				default:
					own = clearRow(own, valid, len(out), i)
				}
			}
			if own != nil {
				valid = own
			}
			return vector.NewFixed(to, out, valid), nil
		}
	case vector.KindDecimal:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			if s == from.Scale && p >= from.Precision {
				return vector.NewFixed(to, vector.Values[Dec](a), vector.Validity(a)), nil
			}
			return mapValues(a, to, mode, func(d Dec) (Dec, bool) { return decimal.Rescale(d, from.Scale, p, s) },
				func(i int) error {
					return errDecimalRange(string(decimal.Append(nil, vector.Values[Dec](a)[i], from.Scale)), p, s)
				})
		}
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, func(b []byte) (Dec, bool) {
				d, outcome := decimal.Parse(b, p, s)
				return d, outcome == decimal.OK
			}, func(i int) error {
				off, data := vector.Strings(a)
				b := data[off[i]:off[i+1]]
				switch _, outcome := decimal.Parse(b, p, s); outcome {
				case decimal.Unsupported:
					return condition.New("NUMERIC_OUT_OF_SUPPORTED_RANGE", "value", string(b))
				case decimal.TooLarge:
					return errDecimalRange(string(text.TrimBlank(b)), p, s)
				}
				return errCastInput(sqlValue(from, a, i), from, to)
			})
		}
	case vector.KindTimestamp:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int64) (Dec, bool) { return decimal.Rescale(decimal128.FromI64(v), 6, p, s) },
				func(i int) error {
					return errDecimalRange(string(decimal.Append(nil, decimal128.FromI64(vector.Values[int64](a)[i]), 6)), p, s)
				})
		}
	case vector.KindDayTimeInterval:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int64) (Dec, bool) { return dayTimeDecimal(v, from.End, p, s) },
				func(i int) error { return errDecimalRange(strconv.FormatInt(vector.Values[int64](a)[i], 10), p, s) })
		}
	case vector.KindYearMonthInterval:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int32) (Dec, bool) {
				if from.End == vector.FieldYear {
					v /= 12
				}
				return decimal.Rescale(decimal128.FromI64(int64(v)), 0, p, s)
			}, func(i int) error { return errDecimalRange(strconv.Itoa(int(vector.Values[int32](a)[i])), p, s) })
		}
	}
	return alwaysNull(to)
}

// dayTimeDecimal is a day-time interval in its last field; seconds have a fraction.
func dayTimeDecimal(micros int64, end uint8, p, s int) (Dec, bool) {
	if end == vector.FieldSecond {
		return decimal.Rescale(decimal128.FromI64(micros), 6, p, s)
	}
	return decimal.Rescale(decimal128.FromI64(micros/text.DayTimeUnit(end)), 0, p, s)
}

func intToDecimal[S integer](from, to *vector.Type, mode CastMode) castFn {
	p, s := to.Precision, to.Scale
	return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
		return mapValues(a, to, mode, func(v S) (Dec, bool) { return decimal.Rescale(decimal128.FromI64(int64(v)), 0, p, s) },
			func(i int) error {
				return errDecimalRange(printed(from, a, i), p, s)
			})
	}
}

// floatToDecimal goes through Java's decimal form of the double, as Spark does.
// NaN and the infinities become null in every mode.
func floatToDecimal[S float](to *vector.Type, mode CastMode) castFn {
	p, s := to.Precision, to.Scale
	return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
		src := vector.Values[S](a)
		out := make([]Dec, len(src))
		valid := vector.Validity(a)
		var own vector.Bitmap
		var buf [64]byte
		for i, v := range src {
			if valid != nil && !valid.Get(i) {
				continue
			}
			f := float64(v)
			outcome := decimal.Invalid
			if !math.IsNaN(f) && !math.IsInf(f, 0) {
				out[i], outcome = decimal.Parse(text.AppendDouble(buf[:0], f), p, s)
			}
			if outcome == decimal.OK {
				continue
			}
			if outcome != decimal.Invalid && mode == CastANSI {
				return nil, errDecimalRange(strconv.FormatFloat(f, 'f', -1, 64), p, s)
			}
			own = clearRow(own, valid, len(src), i)
		}
		if own != nil {
			valid = own
		}
		return vector.NewFixed(to, out, valid), nil
	}
}
