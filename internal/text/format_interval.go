package text

import (
	"strconv"

	"github.com/vstream/vstream/vector"
)

var fieldNames = [...]string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

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
	dst = append(append(dst, ' '), fieldNames[t.Start]...)
	if t.Start != t.End {
		dst = append(append(dst, " TO "...), fieldNames[t.End]...)
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
	units := [...]uint64{uint64(MicrosPerDay), uint64(MicrosPerHour), uint64(MicrosPerMinute), uint64(MicrosPerSecond)}
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
			dst = appendFraction(dst, int64(u%uint64(MicrosPerSecond)), false)
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
	unit(micros/MicrosPerHour, " hours ")
	unit(micros%MicrosPerHour/MicrosPerMinute, " minutes ")
	if rest := micros % MicrosPerMinute; rest != 0 {
		if rest < 0 {
			dst = append(dst, '-')
			rest = -rest
		}
		dst = strconv.AppendInt(dst, rest/MicrosPerSecond, 10)
		dst = append(appendFraction(dst, rest%MicrosPerSecond, false), " seconds "...)
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return dst
}
