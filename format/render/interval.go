package render

import (
	"strconv"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

const (
	microsPerMinute = 60 * text.MicrosPerSecond
	microsPerHour   = 60 * microsPerMinute
)

var fieldNames = [...]string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

// AppendYearMonth prints a year-month interval of months: INTERVAL '1-2' YEAR TO MONTH.
func AppendYearMonth(b []byte, t *vector.Type, months int32) []byte {
	m := int64(months)
	b = append(b, "INTERVAL '"...)
	if m < 0 {
		b, m = append(b, '-'), -m
	}
	switch {
	case t.Start == vector.FieldMonth:
		b = strconv.AppendInt(b, m, 10)
	case t.End == vector.FieldYear:
		b = strconv.AppendInt(b, m/12, 10)
	default:
		b = strconv.AppendInt(append(strconv.AppendInt(b, m/12, 10), '-'), m%12, 10)
	}
	return appendFields(b, t)
}

// AppendDayTime prints a day-time interval of microseconds: INTERVAL '1 02:03:04.5' DAY TO SECOND.
func AppendDayTime(b []byte, t *vector.Type, micros int64) []byte {
	b = append(b, "INTERVAL '"...)
	rest := uint64(micros) // unsigned, as the least int64 has no positive counterpart
	if micros < 0 {
		b, rest = append(b, '-'), -rest
	}
	units := [...]uint64{text.MicrosPerDay, microsPerHour, microsPerMinute, text.MicrosPerSecond}
	for f := t.Start; f <= t.End; f++ {
		unit := units[f-vector.FieldDay]
		v := rest / unit
		rest %= unit
		switch {
		case f == t.Start:
		case f == vector.FieldHour:
			b = append(b, ' ')
		default:
			b = append(b, ':')
		}
		if f > vector.FieldDay && v < 10 {
			b = append(b, '0')
		}
		b = strconv.AppendUint(b, v, 10)
	}
	if t.End == vector.FieldSecond {
		b = appendFraction(b, int64(rest))
	}
	return appendFields(b, t)
}

func appendFields(b []byte, t *vector.Type) []byte {
	b = append(append(b, "' "...), fieldNames[t.Start]...)
	if t.Start != t.End {
		b = append(append(b, " TO "...), fieldNames[t.End]...)
	}
	return b
}

// AppendCalendarInterval prints a calendar interval: 1 years 2 months 3 days 4 hours.
func AppendCalendarInterval(b []byte, months, days int32, micros int64) []byte {
	start := len(b)
	unit := func(v int64, name string) {
		if v != 0 {
			b = append(append(strconv.AppendInt(b, v, 10), name...), ' ')
		}
	}
	unit(int64(months/12), " years")
	unit(int64(months%12), " months")
	unit(int64(days), " days")
	unit(micros/microsPerHour, " hours")
	unit(micros%microsPerHour/microsPerMinute, " minutes")
	if rest := micros % microsPerMinute; rest != 0 {
		if rest < 0 {
			b, rest = append(b, '-'), -rest
		}
		b = strconv.AppendInt(b, rest/text.MicrosPerSecond, 10)
		b = append(appendFraction(b, rest%text.MicrosPerSecond), " seconds "...)
	}
	if len(b) == start {
		return append(b, "0 seconds"...)
	}
	return b[:len(b)-1]
}

// AppendTime prints microseconds of the day: 12:34:56.789.
func AppendTime(b []byte, micros int64) []byte {
	b = append(append2(b, micros/microsPerHour), ':')
	b = append(append2(b, micros/microsPerMinute%60), ':')
	b = append2(b, micros/text.MicrosPerSecond%60)
	return appendFraction(b, micros%text.MicrosPerSecond)
}

func append2(b []byte, v int64) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }

// appendFraction prints microseconds below a second without trailing zeros.
func appendFraction(b []byte, micros int64) []byte {
	if micros == 0 {
		return b
	}
	b = append(b, '.')
	for unit := int64(100_000); micros > 0; unit /= 10 {
		b = append(b, byte('0'+micros/unit))
		micros %= unit
	}
	return b
}
