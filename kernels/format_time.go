package kernels

import (
	"strconv"

	"github.com/vstream/vstream/vector"
)

func append2(dst []byte, v int64) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

// AppendDate appends a day number as yyyy-MM-dd; years past 9999 get a plus sign.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := CivilFromDays(days)
	switch {
	case y > 9999:
		dst = append(dst, '+')
	case y < 0:
		dst = append(dst, '-')
		y = -y
	}
	if y < 1000 {
		dst = append(dst, "000"[:3-digitsOf(y)+1]...)
	}
	dst = strconv.AppendInt(dst, y, 10)
	dst = append2(append(dst, '-'), int64(m))
	return append2(append(dst, '-'), int64(d))
}

// digitsOf is the number of decimal digits of 0..999.
func digitsOf(v int64) int {
	switch {
	case v < 10:
		return 1
	case v < 100:
		return 2
	}
	return 3
}

// AppendTimestamp appends microseconds of a wall clock as yyyy-MM-dd HH:mm:ss[.f…]
// without trailing zeros in the fraction. For an instant pass Clock.Local(micros).
func AppendTimestamp(dst []byte, local int64) []byte { return appendDateTime(dst, local, ' ', false) }

// AppendTimestampISO is AppendTimestamp with a T and always six fraction digits.
func AppendTimestampISO(dst []byte, local int64) []byte {
	return appendDateTime(dst, local, 'T', true)
}

func appendDateTime(dst []byte, local int64, sep byte, full bool) []byte {
	days := FloorDiv(local, microsPerDay)
	t := local - days*microsPerDay
	dst = AppendDate(dst, days)
	dst = append2(append(dst, sep), t/microsPerHour)
	dst = append2(append(dst, ':'), t/microsPerMinute%60)
	dst = append2(append(dst, ':'), t/microsPerSecond%60)
	return appendFraction(dst, t%microsPerSecond, full)
}

// appendFraction appends .ffffff of microseconds, trimmed unless full.
func appendFraction(dst []byte, micros int64, full bool) []byte {
	if micros == 0 && !full {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(100_000); unit > 0 && (micros > 0 || full); unit /= 10 {
		dst = append(dst, byte('0'+micros/unit))
		micros %= unit
	}
	return dst
}

var fieldSQL = [...]string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

// AppendYearMonth appends a year-month interval as Spark's ANSI style prints it:
// INTERVAL '1-2' YEAR TO MONTH.
func AppendYearMonth(dst []byte, t *vector.Type, months int32) []byte {
	m := int64(months)
	dst = append(dst, "INTERVAL '"...)
	if m < 0 {
		dst = append(dst, '-')
		m = -m
	}
	switch {
	case t.Start == vector.FieldMonth:
		dst = strconv.AppendInt(dst, m, 10)
	case t.End == vector.FieldYear:
		dst = strconv.AppendInt(dst, m/12, 10)
	default:
		dst = strconv.AppendInt(dst, m/12, 10)
		dst = strconv.AppendInt(append(dst, '-'), m%12, 10)
	}
	return appendFields(append(dst, '\''), t)
}

func appendFields(dst []byte, t *vector.Type) []byte {
	dst = append(append(dst, ' '), fieldSQL[t.Start]...)
	if t.Start != t.End {
		dst = append(append(dst, " TO "...), fieldSQL[t.End]...)
	}
	return dst
}

// AppendDayTime appends a day-time interval as Spark's ANSI style prints it:
// INTERVAL '1 02:03:04.5' DAY TO SECOND.
func AppendDayTime(dst []byte, t *vector.Type, micros int64) []byte {
	dst = append(dst, "INTERVAL '"...)
	neg := micros < 0
	if neg {
		dst = append(dst, '-')
	}
	u := uint64(micros)
	if neg {
		u = -u
	}
	units := [...]uint64{uint64(microsPerDay), uint64(microsPerHour), uint64(microsPerMinute), uint64(microsPerSecond)}
	for f := t.Start; f <= t.End; f++ {
		unit := units[f-vector.FieldDay]
		v := u / unit
		if f > t.Start {
			v = u % units[f-vector.FieldDay-1] / unit
			if f == vector.FieldHour {
				dst = append(dst, ' ')
			} else {
				dst = append(dst, ':')
			}
		}
		if f > vector.FieldDay && v < 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendUint(dst, v, 10)
		if f == vector.FieldSecond {
			dst = appendFraction(dst, int64(u%uint64(microsPerSecond)), false)
		}
	}
	return appendFields(append(dst, '\''), t)
}

// AppendCalendarInterval appends a calendar interval: 1 years 2 months 3 days 4 hours.
func AppendCalendarInterval(dst []byte, months, days int32, micros int64) []byte {
	if months == 0 && days == 0 && micros == 0 {
		return append(dst, "0 seconds"...)
	}
	start := len(dst)
	unit := func(v int64, name string) {
		if v != 0 {
			dst = append(strconv.AppendInt(dst, v, 10), name...)
		}
	}
	unit(int64(months/12), " years ")
	unit(int64(months%12), " months ")
	unit(int64(days), " days ")
	unit(micros/microsPerHour, " hours ")
	unit(micros%microsPerHour/microsPerMinute, " minutes ")
	if rest := micros % microsPerMinute; rest != 0 {
		if rest < 0 {
			dst = append(dst, '-')
			rest = -rest
		}
		dst = strconv.AppendInt(dst, rest/microsPerSecond, 10)
		dst = append(appendFraction(dst, rest%microsPerSecond, false), " seconds "...)
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return dst
}
