package text

import (
	"math"
	"math/bits"
	"time"
	"unsafe"
)

// IsBlank is what Spark trims around numbers, dates and timestamps: white space
// and ISO control characters of ASCII.
func IsBlank(b byte) bool { return b <= ' ' || b == 0x7f }

// TrimBlank removes blanks and control characters at both ends.
func TrimBlank(s []byte) []byte {
	for len(s) > 0 && IsBlank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && IsBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// View views bytes as a string for a call that does not keep it.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ParseDate reads a date as CAST(string AS DATE) does: [+-]yyyy[-m[m][-d[d]]]
// between blanks, and after a full date anything that follows a blank or a T.
// The result counts days from 1970-01-01.
func ParseDate(s []byte) (int32, bool) {
	s = TrimBlank(s)
	if len(s) == 0 {
		return 0, false
	}
	sign := int64(1)
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	seg := [3]int64{1, 1, 1}
	i, j, value, digits := 0, 0, int64(0), 0
	for ; j < len(s) && s[j] != ' ' && s[j] != 'T'; j++ {
		b := s[j]
		if i < 2 && b == '-' {
			if !dateDigits(i, digits) {
				return 0, false
			}
			seg[i] = value
			value, digits = 0, 0
			i++
			continue
		}
		if b < '0' || b > '9' {
			return 0, false
		}
		if digits++; digits > 7 {
			return 0, false
		}
		value = value*10 + int64(b-'0')
	}
	if !dateDigits(i, digits) || i < 2 && j < len(s) {
		return 0, false
	}
	seg[i] = value
	days, ok := civilDays(sign*seg[0], seg[1], seg[2])
	if !ok || days < math.MinInt32 || days > math.MaxInt32 {
		return 0, false
	}
	return int32(days), true
}

func dateDigits(segment, digits int) bool {
	if segment == 0 {
		return digits >= 4 && digits <= 7
	}
	return digits == 1 || digits == 2
}

// civilDays is DaysFromCivil of a date that is checked.
func civilDays(y, m, d int64) (int64, bool) {
	if m < 1 || m > 12 || d < 1 || d > int64(DaysInMonth(y, int(m))) {
		return 0, false
	}
	return DaysFromCivil(y, int(m), int(d)), true
}

// timeParts is a timestamp string taken apart.
type timeParts struct {
	seg      [7]int64 // year, month, day, hour, minute, second, microsecond
	zone     []byte   // trimmed; nil if the string has none
	justTime bool     // the string has no date
}

// splitTimestamp takes apart [+-]yyyy[-m[m][-d[d][ |T][h]h:[m]m:[s]s[.f…][zone]]]
// and T[h]h:…; digits of the fraction after the sixth are dropped.
func splitTimestamp(s []byte) (p timeParts, ok bool) {
	s = TrimBlank(s)
	if len(s) == 0 {
		return p, false
	}
	p.seg[0], p.seg[1], p.seg[2] = 1, 1, 1
	sign := int64(0)
	start := 0
	if s[0] == '-' || s[0] == '+' {
		sign = 1
		if s[0] == '-' {
			sign = -1
		}
		start = 1
	}
	i, value, digits, fraction := 0, int64(0), 0, 0
	next := func(segment int) bool {
		if !timestampDigits(i, digits) {
			return false
		}
		p.seg[i] = value
		i, value, digits = segment, 0, 0
		return true
	}
loop:
	for j := start; j < len(s); j++ {
		b := s[j]
		if b >= '0' && b <= '9' {
			if i == 6 {
				if fraction < 6 {
					value = value*10 + int64(b-'0')
				}
				fraction++
			} else {
				if digits >= 6 {
					return p, false
				}
				value = value*10 + int64(b-'0')
			}
			digits++
			continue
		}
		switch {
		case j == 0 && b == 'T':
			p.justTime = true
			i = 3
		case i < 2 && b == '-':
			if !next(i + 1) {
				return p, false
			}
		case i == 0 && b == ':' && sign == 0:
			p.justTime = true
			i = 3
			if !next(4) {
				return p, false
			}
		case i == 2 && (b == ' ' || b == 'T'), (i == 3 || i == 4) && b == ':', i == 5 && b == '.':
			if !next(i + 1) {
				return p, false
			}
		case i == 5 || i == 6:
			if !timestampDigits(i, digits) {
				return p, false
			}
			p.zone = TrimBlank(s[j:])
			break loop
		default:
			return p, false
		}
	}
	if !timestampDigits(i, digits) {
		return p, false
	}
	p.seg[i] = value
	for ; fraction < 6; fraction++ {
		p.seg[6] *= 10
	}
	if sign < 0 {
		p.seg[0] = -p.seg[0]
	}
	return p, true
}

func timestampDigits(segment, digits int) bool {
	switch segment {
	case 0:
		return digits >= 4 && digits <= 6
	case 6:
		return true
	}
	return digits == 1 || digits == 2
}

// local is the wall clock of the parts in microseconds.
func (p *timeParts) local(today int64) (int64, bool) {
	days, ok := today, true
	if !p.justTime {
		days, ok = civilDays(p.seg[0], p.seg[1], p.seg[2])
	}
	if !ok || p.seg[3] > 23 || p.seg[4] > 59 || p.seg[5] > 59 {
		return 0, false
	}
	return MulAdd(days, MicrosPerDay, p.seg[3]*MicrosPerHour+p.seg[4]*MicrosPerMinute+p.seg[5]*MicrosPerSecond+p.seg[6])
}

// MulAdd is a*b+c, where it fits; c is not negative.
func MulAdd(a, b, c int64) (int64, bool) {
	p, ok := MulInt64(a, b)
	if !ok {
		// The product alone may be out of range by less than c.
		p, ok = MulInt64(a+1, b)
		if !ok {
			return 0, false
		}
		r := p - (b - c)
		return r, r <= p
	}
	r := p + c
	return r, r >= p
}

func MulInt64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// The signed high word follows from the unsigned one.
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return int64(lo), int64(hi) == int64(lo)>>63
}

// ParseTimestamp reads a timestamp as CAST(string AS TIMESTAMP) does; loc (nil
// is UTC) is the zone of a string without one. The result counts microseconds.
// A string of a time only is refused, since its date would be the current one.
func ParseTimestamp(s []byte, loc *time.Location) (int64, bool) {
	if micros, zulu, ok := plainTimestamp(s); ok {
		return plainInstant(micros, zulu, loc), true
	}
	p, ok := splitTimestamp(s)
	if !ok || p.justTime {
		return 0, false
	}
	return p.instant(loc, 0)
}

// ParseTimestampAt is ParseTimestamp that takes a time only for that time today.
func ParseTimestampAt(s []byte, loc *time.Location, now int64) (int64, bool) {
	if micros, zulu, ok := plainTimestamp(s); ok {
		return plainInstant(micros, zulu, loc), true
	}
	p, ok := splitTimestamp(s)
	if !ok {
		return 0, false
	}
	return p.instant(loc, now)
}

// plainInstant is the instant of a wall clock of UTC (zulu) or of the zone loc.
func plainInstant(micros int64, zulu bool, loc *time.Location) int64 {
	if zulu || loc == nil || loc == time.UTC {
		return micros
	}
	return NewClock(loc).Instant(micros)
}

func (p *timeParts) instant(loc *time.Location, now int64) (int64, bool) {
	if p.zone != nil {
		switch {
		case len(p.zone) == 1 && p.zone[0] == 'Z':
			loc = nil
		default:
			z, ok := ParseZone(View(p.zone))
			if !ok {
				return 0, false
			}
			loc = z
		}
	}
	if loc == nil || loc == time.UTC {
		return p.local(FloorDiv(now, MicrosPerDay))
	}
	c := NewClock(loc)
	today := int64(0)
	if p.justTime {
		today = FloorDiv(c.Local(now), MicrosPerDay)
	}
	l, ok := p.local(today)
	if !ok {
		return 0, false
	}
	return c.Instant(l), true
}

// ParseTimestampNTZ reads a wall-clock time as CAST(string AS TIMESTAMP_NTZ)
// does, in microseconds. A zone in the text is checked and ignored if allowZone
// is set; otherwise the text is refused.
func ParseTimestampNTZ(s []byte, allowZone bool) (int64, bool) {
	if micros, zulu, ok := plainTimestamp(s); ok {
		return micros, allowZone || !zulu
	}
	p, ok := splitTimestamp(s)
	if !ok || p.justTime {
		return 0, false
	}
	if p.zone != nil {
		if _, ok := ParseZone(View(p.zone)); !ok || !allowZone {
			return 0, false
		}
	}
	return p.local(0)
}
