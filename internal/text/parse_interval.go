package text

import (
	"bytes"
	"strings"

	"github.com/vstream/vstream/vector"
)

// DayTimeUnit is a field of a day-time interval in microseconds.
func DayTimeUnit(field uint8) int64 {
	switch field {
	case vector.FieldDay:
		return MicrosPerDay
	case vector.FieldHour:
		return MicrosPerHour
	case vector.FieldMinute:
		return MicrosPerMinute
	}
	return MicrosPerSecond
}

// intervalBody strips INTERVAL [+-]'…' FIELD [TO FIELD], if the string has that
// form, and reports the sign in front of the quotes.
func intervalBody(s []byte, t *vector.Type) (body []byte, neg, ok bool) {
	s = TrimBlank(s)
	if len(s) < 8 || !EqualFold(s[:8], "interval") {
		return s, false, true
	}
	s = TrimBlank(s[8:])
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = TrimBlank(s[1:])
	}
	if len(s) < 2 || s[0] != '\'' {
		return nil, false, false
	}
	end := bytes.IndexByte(s[1:], '\'')
	if end < 0 {
		return nil, false, false
	}
	want := fieldNames[t.Start]
	if t.Start != t.End {
		want += " TO " + fieldNames[t.End]
	}
	tail := strings.Join(strings.Fields(strings.ToUpper(string(s[end+2:]))), " ")
	return s[1 : end+1], neg, tail == want
}

func signOf(s []byte, neg bool) ([]byte, bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		return s[1:], neg != (s[0] == '-')
	}
	return s, neg
}

// intervalNumber reads up to max digits in front of s.
func intervalNumber(s []byte, most int) (v int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(s) && i < most && s[i] >= '0' && s[i] <= '9'; i++ {
		v = v*10 + int64(s[i]-'0')
	}
	return v, s[i:], i > 0
}

// ParseYearMonth reads a year-month interval of the fields of t: 1-2, 14,
// INTERVAL '1-2' YEAR TO MONTH. The result counts months.
func ParseYearMonth(s []byte, t *vector.Type) (int32, bool) {
	body, neg, ok := intervalBody(s, t)
	if !ok {
		return 0, false
	}
	body, neg = signOf(TrimBlank(body), neg)
	v, rest, ok := intervalNumber(body, 10)
	if !ok {
		return 0, false
	}
	if t.Start == vector.FieldYear {
		v *= 12
		if t.End == vector.FieldMonth {
			if len(rest) == 0 || rest[0] != '-' {
				return 0, false
			}
			var m int64
			if m, rest, ok = intervalNumber(rest[1:], 2); !ok || m > 11 {
				return 0, false
			}
			v += m
		}
	}
	if neg {
		v = -v
	}
	return int32(v), len(rest) == 0 && int64(int32(v)) == v
}

// ParseDayTime reads a day-time interval of the fields of t: 1 02:03:04.5, 36,
// INTERVAL '1 2' DAY TO HOUR. The result counts microseconds.
func ParseDayTime(s []byte, t *vector.Type) (int64, bool) {
	body, neg, ok := intervalBody(s, t)
	if !ok {
		return 0, false
	}
	rest, neg := signOf(TrimBlank(body), neg)
	total := int64(0)
	for f := t.Start; f <= t.End; f++ {
		most := 2
		if f == t.Start {
			most = 18
		} else {
			sep := byte(':')
			if f == vector.FieldHour {
				sep = ' '
			}
			if len(rest) == 0 || rest[0] != sep {
				return 0, false
			}
			rest = rest[1:]
		}
		var v int64
		if v, rest, ok = intervalNumber(rest, most); !ok {
			return 0, false
		}
		if f > t.Start && (f == vector.FieldHour && v > 23 || f > vector.FieldHour && v > 59) {
			return 0, false
		}
		if total, ok = MulAdd(v, DayTimeUnit(f), total); !ok {
			return 0, false
		}
	}
	if t.End == vector.FieldSecond && len(rest) > 0 && rest[0] == '.' {
		unit := MicrosPerSecond / 10
		rest = rest[1:]
		for ; len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'; rest = rest[1:] {
			total += int64(rest[0]-'0') * unit
			unit /= 10
		}
	}
	if neg {
		total = -total
	}
	return total, len(rest) == 0
}

// ParseInterval reads a calendar interval as CAST(string AS INTERVAL) and the
// durations of window() do: [interval] {[+-]number unit}, units from years to
// microseconds; only seconds may have a fraction.
func ParseInterval(s []byte) (months, days int32, micros int64, ok bool) {
	words := strings.Fields(strings.ToLower(string(s)))
	if len(words) > 0 && words[0] == "interval" {
		words = words[1:]
	}
	if len(words) == 0 {
		return 0, 0, 0, false
	}
	var m, d int64
	for len(words) > 0 {
		number := words[0]
		words = words[1:]
		if (number == "+" || number == "-") && len(words) > 0 {
			number += words[0]
			words = words[1:]
		}
		digits, neg := signOf([]byte(number), false)
		v, rest, ok := intervalNumber(digits, 19)
		if v < 0 {
			return 0, 0, 0, false
		}
		fraction, hasFraction := int64(0), false
		if len(rest) > 0 && rest[0] == '.' {
			hasFraction = true
			unit := MicrosPerSecond / 10
			for rest = rest[1:]; len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'; rest = rest[1:] {
				fraction += int64(rest[0]-'0') * unit
				unit /= 10
			}
			ok = true
		}
		if !ok {
			return 0, 0, 0, false
		}
		unit := string(rest)
		if unit == "" {
			if len(words) == 0 {
				return 0, 0, 0, false
			}
			unit, words = words[0], words[1:]
		} else {
			return 0, 0, 0, false
		}
		if neg {
			v, fraction = -v, -fraction
		}
		small := int64(int32(v)) == v
		unit = strings.TrimSuffix(unit, "s")
		if hasFraction && unit != "second" {
			return 0, 0, 0, false
		}
		scale := int64(0)
		switch unit {
		case "year":
			m += v * 12
		case "month":
			m += v
		case "week":
			d += v * 7
		case "day":
			d += v
		case "hour":
			scale = MicrosPerHour
		case "minute":
			scale = MicrosPerMinute
		case "second":
			scale = MicrosPerSecond
		case "millisecond":
			scale = 1000
		case "microsecond":
			scale = 1
		default:
			return 0, 0, 0, false
		}
		p, fits := MulInt64(v, scale)
		sum, over := AddInt64(micros, p+fraction)
		if !fits || over || scale == 0 && !small || int64(int32(m)) != m || int64(int32(d)) != d {
			return 0, 0, 0, false
		}
		micros = sum
	}
	return int32(m), int32(d), micros, true
}

// AddInt64 is a+b and whether it overflowed.
func AddInt64(a, b int64) (sum int64, over bool) {
	sum = a + b
	return sum, (sum^a)&(sum^b) < 0
}
