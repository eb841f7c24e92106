package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func errIntervalFormat(to *vector.Type, a arrow.Array) func(int) error {
	name, kind := "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", "day-time"
	if to.Kind == vector.KindYearMonthInterval {
		name, kind = "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING", "year-month"
	}
	return func(i int) error {
		off, data := vector.Strings(a)
		format := intervalFormat(to)
		return condition.New(name, "input", string(data[off[i]:off[i+1]]), "intervalStr", kind,
			"supportedFormat", "`[+|-]"+format+"`, `INTERVAL [+|-]'[+|-]"+format+"' "+strings.TrimPrefix(to.SQL(), "INTERVAL ")+"`",
			"typeName", to.String())
	}
}

// intervalFormat is the form of an interval's text: d h:m:s.n.
func intervalFormat(t *vector.Type) string {
	format := ""
	for f := t.Start; f <= t.End; f++ {
		switch part := [...]string{"y", "m", "d", "h", "m", "s.n"}[f]; {
		case f == t.Start:
			format = part
		case f == vector.FieldMonth:
			format += "-" + part
		case f == vector.FieldHour:
			format += " " + part
		default:
			format += ":" + part
		}
	}
	return format
}

// intervalMode is the mode of a cast to an interval, which fails outside of ANSI mode too.
func intervalMode(mode CastMode) CastMode {
	if mode == CastLegacy {
		return CastANSI
	}
	return mode
}

// castToDayTime casts to a day-time interval; integers count its last field.
func castToDayTime(from, to *vector.Type, mode CastMode) castFn {
	unit := text.DayTimeUnit(to.End)
	switch from.Kind {
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, intervalMode(mode), func(s []byte) (int64, bool) { return text.ParseDayTime(s, to) }, errIntervalFormat(to, a))
		}
	case vector.KindDayTimeInterval:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			src := vector.Values[int64](a)
			if to.End == vector.FieldSecond {
				return vector.NewFixed(to, src, vector.Validity(a)), nil
			}
			out := make([]int64, len(src))
			for i, v := range src {
				out[i] = v / unit * unit
			}
			return vector.NewFixed(to, out, vector.Validity(a)), nil
		}
	case vector.KindDecimal:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, intervalMode(mode), func(d Dec) (int64, bool) {
				return roundedUnits(d, from.Scale, unit)
			}, castOverflow(from, to, a))
		}
	}
	return longsTo(from, func(l arrow.Array, a arrow.Array) (arrow.Array, error) {
		return mapValues(l, to, intervalMode(mode), func(v int64) (int64, bool) { return text.MulInt64(v, unit) }, castOverflow(from, to, a))
	})
}

// roundedUnits is a number of units, such as minutes of 60,000,000 microseconds, rounded
// half up; false if it is too great.
func roundedUnits(d Dec, scale int, unit int64) (int64, bool) {
	r, ok := decimal.Mul(d, decimal.FromInt(unit), scale, 0, decimal.MaxPrecision, 0)
	v, fits := decimal.Truncate(r, 0)
	return v, ok && fits
}

// castToYearMonth casts to a year-month interval; integers count its last field.
func castToYearMonth(from, to *vector.Type, mode CastMode) castFn {
	unit := int64(1)
	if to.End == vector.FieldYear {
		unit = 12
	}
	switch from.Kind {
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, intervalMode(mode), func(s []byte) (int32, bool) { return text.ParseYearMonth(s, to) }, errIntervalFormat(to, a))
		}
	case vector.KindYearMonthInterval:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			src := vector.Values[int32](a)
			out := make([]int32, len(src))
			for i, v := range src {
				out[i] = v / int32(unit) * int32(unit)
			}
			return vector.NewFixed(to, out, vector.Validity(a)), nil
		}
	case vector.KindDecimal:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, intervalMode(mode), func(d Dec) (int32, bool) {
				m, ok := roundedUnits(d, from.Scale, unit)
				return int32(m), ok && int64(int32(m)) == m
			}, castOverflow(from, to, a))
		}
	}
	return longsTo(from, func(l arrow.Array, a arrow.Array) (arrow.Array, error) {
		return mapValues(l, to, intervalMode(mode), func(v int64) (int32, bool) {
			m, ok := text.MulInt64(v, unit)
			return int32(m), ok && int64(int32(m)) == m
		}, castOverflow(from, to, a))
	})
}

// longsTo widens an integer column before f sees it; f also gets the original.
func longsTo(from *vector.Type, f func(longs, a arrow.Array) (arrow.Array, error)) castFn {
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		l, err := CastArray(ctx, a, from, vector.Long, CastLegacy)
		if err != nil {
			return nil, err
		}
		return f(l, a)
	}
}

// castToCalendar reads calendar intervals; what is none becomes null in every mode.
func castToCalendar(from, to *vector.Type, _ CastMode) castFn {
	if !isString(from) {
		return alwaysNull(to)
	}
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		return parseStrings(ctx, a, to, CastTry, func(s []byte) (arrow.MonthDayNanoInterval, bool) {
			m, d, us, ok := text.ParseInterval(s)
			ns, fits := text.MulInt64(us, 1000)
			return arrow.MonthDayNanoInterval{Months: m, Days: d, Nanoseconds: ns}, ok && fits
		}, nil)
	}
}
