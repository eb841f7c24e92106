package text

import "strconv"

func append2(dst []byte, v int64) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

// pairs are the texts of 0 to 99 as two digits.
var pairs = func() (p [100][2]byte) {
	for i := range p {
		p[i] = [2]byte{byte('0' + i/10), byte('0' + i%10)}
	}
	return p
}()

// put2 writes v as two digits.
func put2(b []byte, v uint32) { *(*[2]byte)(b) = pairs[v] }

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

// AppendTimestampMillis is AppendTimestamp with a T and always three fraction
// digits; microseconds are cut off.
func AppendTimestampMillis(dst []byte, local int64) []byte {
	dst = AppendTimestampISO(dst, local)
	return dst[:len(dst)-3]
}

func appendDateTime(dst []byte, local int64, sep byte, full bool) []byte {
	days := FloorDiv(local, MicrosPerDay)
	t := local - days*MicrosPerDay
	if y, m, d := CivilFromDays(days); y >= 0 && y <= 9999 {
		var b [26]byte // yyyy-MM-dd HH:mm:ss.ffffff
		seconds, micros := uint32(t/MicrosPerSecond), uint32(t%MicrosPerSecond)
		put2(b[0:], uint32(y)/100)
		put2(b[2:], uint32(y)%100)
		put2(b[5:], uint32(m))
		put2(b[8:], uint32(d))
		put2(b[11:], seconds/3600)
		put2(b[14:], seconds/60%60)
		put2(b[17:], seconds%60)
		put2(b[20:], micros/10_000)
		put2(b[22:], micros/100%100)
		put2(b[24:], micros%100)
		b[4], b[7], b[10], b[13], b[16], b[19] = '-', '-', sep, ':', ':', '.'
		n := len(b)
		if !full {
			for b[n-1] == '0' && n > 20 {
				n--
			}
			if n == 20 {
				n--
			}
		}
		return append(dst, b[:n]...)
	}
	dst = AppendDate(dst, days)
	return appendFraction(appendClock(append(dst, sep), t), t%MicrosPerSecond, full)
}

// AppendTime appends nanoseconds of a day as HH:mm:ss[.f…] with at most six
// digits of the fraction.
func AppendTime(dst []byte, nanos int64) []byte {
	micros := nanos / 1000
	return appendFraction(appendClock(dst, micros), micros%MicrosPerSecond, false)
}

// AppendTimeNanos is AppendTime with always nine digits of the fraction.
func AppendTimeNanos(dst []byte, nanos int64) []byte {
	dst = append(appendClock(dst, nanos/1000), '.')
	f := strconv.AppendInt(nil, 1_000_000_000+nanos%1_000_000_000, 10)
	return append(dst, f[1:]...)
}

// appendClock appends microseconds of a day as HH:mm:ss.
func appendClock(dst []byte, micros int64) []byte {
	dst = append2(dst, micros/MicrosPerHour)
	dst = append2(append(dst, ':'), micros/MicrosPerMinute%60)
	return append2(append(dst, ':'), micros/MicrosPerSecond%60)
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
