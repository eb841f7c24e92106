package text

import (
	"math"
	"time"
	"unsafe"
)

// trim removes what Spark's casts take for blank at both ends: white space and
// control characters.
func trim(s []byte) []byte {
	for len(s) > 0 && (s[0] <= ' ' || s[0] == 0x7f) {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] <= ' ' || s[len(s)-1] == 0x7f) {
		s = s[:len(s)-1]
	}
	return s
}

// ParseDate reads a date as CAST(string AS DATE) does: [+-]yyyy[-m[m][-d[d]]],
// anything after a blank or a T behind the day; days since 1970-01-01.
func ParseDate(s []byte) (int32, bool) {
	s = trim(s)
	if len(s) == 0 {
		return 0, false
	}
	sign := 1
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	seg := [3]int{1, 1, 1}
	i, v, n, j := 0, 0, 0, 0
	valid := func() bool { return i == 0 && n >= 4 && n <= 7 || i > 0 && n > 0 && n <= 2 }
	for ; j < len(s) && s[j] != ' ' && s[j] != 'T'; j++ {
		if i < 2 && s[j] == '-' {
			if !valid() {
				return 0, false
			}
			seg[i], v, n = v, 0, 0
			i++
			continue
		}
		d := s[j] - '0'
		if d > 9 || n > 7 {
			return 0, false
		}
		v = v*10 + int(d)
		n++
	}
	if !valid() || i < 2 && j < len(s) {
		return 0, false
	}
	seg[i] = v
	year := sign * seg[0]
	if !ValidDate(year, seg[1], seg[2]) {
		return 0, false
	}
	return int32(Days(year, seg[1], seg[2])), true
}

// ParseTimestamp reads an instant as CAST(string AS TIMESTAMP) does, in
// microseconds since 1970-01-01T00:00:00Z. A text without a zone is in zone. A
// time without a date is not taken: it would depend on the clock.
func ParseTimestamp(s []byte, zone *time.Location) (int64, bool) {
	local, z, ok := parseTimestamp(s)
	if !ok {
		return 0, false
	}
	if z == nil {
		z = zone
	}
	return InstantMicros(local, z), true
}

// ParseTimestampNTZ reads a wall-clock time as CAST(string AS TIMESTAMP_NTZ)
// does. A zone in the text is ignored if allowZone is set, and is an error otherwise.
func ParseTimestampNTZ(s []byte, allowZone bool) (int64, bool) {
	local, z, ok := parseTimestamp(s)
	if !ok || z != nil && !allowZone {
		return 0, false
	}
	return local, true
}

// parseTimestamp splits "[+-]y…y[-m[m][-d[d][( |T)h[h]:m[m][:s[s][.f…]][zone]]]]".
func parseTimestamp(s []byte) (local int64, zone *time.Location, ok bool) {
	if s = trim(s); len(s) == 0 {
		return 0, nil, false
	}
	sign := 1
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	const fraction, done = 6, 7
	seg := [8]int{1, 1, 1}
	i, v, n, frac := 0, 0, 0, 0
	valid := func() bool {
		switch i {
		case 0:
			return n >= 4 && n <= 6
		case fraction:
			return true
		case done:
			return n <= 2
		}
		return n > 0 && n <= 2
	}
	for j := 0; j < len(s); j++ {
		b := s[j]
		if d := b - '0'; d <= 9 {
			if i == fraction {
				frac++
			}
			if i != fraction || n < 6 {
				if n > 6 {
					return 0, nil, false
				}
				v = v*10 + int(d)
			}
			n++
			continue
		}
		if !valid() {
			return 0, nil, false
		}
		switch {
		case i < 2 && b == '-', i == 2 && (b == ' ' || b == 'T'), (i == 3 || i == 4) && b == ':', i == 5 && b == '.':
			seg[i], v, n = v, 0, 0
			i++
		case i == 5 || i == fraction:
			seg[i], v, n = v, 0, 0
			i = done
			name := trim(s[j:])
			if zone, ok = ParseZone(unsafe.String(unsafe.SliceData(name), len(name))); !ok {
				return 0, nil, false
			}
			j = len(s)
		default:
			return 0, nil, false
		}
	}
	if !valid() {
		return 0, nil, false
	}
	seg[i] = v
	for ; frac < 6; frac++ {
		seg[fraction] *= 10
	}
	year := sign * seg[0]
	if !ValidDate(year, seg[1], seg[2]) || seg[3] > 23 || seg[4] > 59 || seg[5] > 59 {
		return 0, nil, false
	}
	local, ok = Micros(Days(year, seg[1], seg[2]), seg[3]*3600+seg[4]*60+seg[5], seg[fraction])
	return local, zone, ok
}

// Micros joins days, seconds of the day and microseconds of the second; false
// if the sum leaves the range of timestamps.
func Micros(days, secs, micros int) (int64, bool) {
	sec := int64(days)*86_400 + int64(secs)
	const limit = math.MaxInt64 / MicrosPerSecond
	if sec > limit || sec < -limit-1 {
		return 0, false
	}
	us := sec*MicrosPerSecond + int64(micros)
	if sec > 0 && us < 0 || sec == -limit-1 && us > 0 {
		return 0, false
	}
	return us, true
}

// AppendDate prints days since 1970-01-01 as Spark's cast to string does: "2024-02-29",
// "+12345-01-01", "-0001-12-31".
func AppendDate(b []byte, days int32) []byte {
	y, m, d := Civil(int(days))
	switch {
	case y > 9999:
		b = append(b, '+')
	case y < 0:
		b = append(b, '-')
		y = -y
	}
	b = append(appendPadded(b, y, 4), '-')
	b = append(appendPadded(b, m, 2), '-')
	return appendPadded(b, d, 2)
}

// AppendTimestamp prints wall-clock microseconds as Spark's cast to string does:
// "2024-02-29 12:34:56", with up to six digits of fraction without trailing zeros.
func AppendTimestamp(b []byte, local int64) []byte {
	days := FloorDiv(local, MicrosPerDay)
	us := int(local - days*MicrosPerDay)
	b = append(AppendDate(b, int32(days)), ' ')
	b = append(appendPadded(b, us/3_600_000_000, 2), ':')
	b = append(appendPadded(b, us/60_000_000%60, 2), ':')
	b = appendPadded(b, us/1_000_000%60, 2)
	if f := us % 1_000_000; f != 0 {
		b = appendPadded(append(b, '.'), f, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}
