package text

import (
	"math"
	"strconv"
)

// ParseLong reads an integer as CAST(string AS BIGINT) does: blanks, an optional
// sign, digits. With truncate (ANSI mode off) a fraction is allowed and dropped.
func ParseLong(s []byte, truncate bool) (int64, bool) {
	if n := len(s); n > 0 && n <= 18 { // mostly there are but digits
		v, i := int64(0), 0
		for i < n && s[i]-'0' <= 9 {
			v = v*10 + int64(s[i]-'0')
			i++
		}
		if i == n {
			return v, true
		}
	}
	s = TrimBlank(s)
	if len(s) == 0 {
		return 0, false
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		if s = s[1:]; len(s) == 0 {
			return 0, false
		}
	}
	v := int64(0) // negative, as the negative range is the larger one
	i := 0
	for ; i < len(s); i++ {
		b := s[i]
		if b == '.' && truncate {
			i++
			break
		}
		d := int64(b) - '0'
		if d < 0 || d > 9 || v < math.MinInt64/10 {
			return 0, false
		}
		if v = v*10 - d; v > 0 {
			return 0, false
		}
	}
	for ; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	if neg {
		return v, true
	}
	return -v, v != math.MinInt64
}

// ParseDouble reads a number as CAST(string AS DOUBLE) does: Java's decimal and
// hexadecimal syntax with an optional f or d behind, and inf, infinity and nan in any case.
func ParseDouble(s []byte) (float64, bool) { return ParseFloating(s, 64) }

// ParseFloat is ParseDouble for the type FLOAT.
func ParseFloat(s []byte) (float32, bool) {
	v, ok := ParseFloating(s, 32)
	return float32(v), ok
}

// ParseFloating is ParseDouble (size 64) or ParseFloat (size 32).
func ParseFloating(s []byte, size int) (float64, bool) {
	if size == 64 {
		if v, ok := ShortDecimal(s); ok {
			return v, true
		}
	}
	s = TrimBlank(s)
	body := s
	if len(body) > 0 && (body[0] == '-' || body[0] == '+') {
		body = body[1:]
	}
	if len(body) == 0 {
		return 0, false
	}
	if b := body[0] | 0x20; b == 'i' || b == 'n' {
		return parseSpecial(s, body)
	}
	n := len(body)
	if len(body) > 2 && body[0] == '0' && body[1]|0x20 == 'x' {
		if !hexFloat(body) {
			return 0, false
		}
		s = trimSuffix(s)
	} else {
		if c := body[n-1] | 0x20; c == 'f' || c == 'd' {
			body, s = body[:n-1], s[:len(s)-1]
		}
		if !decimalSyntax(body) {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(View(s), size)
	if err != nil && !math.IsInf(v, 0) && v != 0 {
		return 0, false
	}
	return v, true
}

// ShortDecimal reads digits with at most one point among them, and a minus sign before
// them: the texts that a DOUBLE mostly has; false for all others.
func ShortDecimal(s []byte) (float64, bool) {
	if len(s) > 0 && s[0] == '-' {
		v, ok := unsignedDecimal(s[1:])
		return -v, ok
	}
	return unsignedDecimal(s)
}

// unsignedDecimal takes texts whose digits as a whole number are below 2^53. They and the
// power of ten that divides them are exact doubles, so that the quotient is rounded once.
func unsignedDecimal(s []byte) (float64, bool) {
	if len(s) > 19 {
		return 0, false
	}
	m, point, digits := uint64(0), len(s), 0
	for i, c := range s {
		if d := c - '0'; d <= 9 {
			m = m*10 + uint64(d)
			digits++
			continue
		}
		if c != '.' || point < len(s) {
			return 0, false
		}
		point = i
	}
	if digits == 0 {
		return 0, false
	}
	return Scaled(m, len(s)-min(point+1, len(s)))
}

// Scaled is m divided by ten to the power of scale, at most 18, rounded once; false if m is
// no exact double.
func Scaled(m uint64, scale int) (float64, bool) {
	if m >= 1<<53 {
		return 0, false
	}
	return float64(m) / powersOfTen[scale], true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

func trimSuffix(s []byte) []byte {
	// A hexadecimal literal always has an exponent, so a last f or d is a suffix.
	if c := s[len(s)-1] | 0x20; c == 'f' || c == 'd' {
		return s[:len(s)-1]
	}
	return s
}

func parseSpecial(s, body []byte) (float64, bool) {
	switch {
	case EqualFold(body, "infinity"), EqualFold(body, "inf"):
		if s[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case EqualFold(s, "nan"), string(body) == "NaN":
		return math.NaN(), true
	}
	return 0, false
}

// EqualFold compares with lower-case ASCII text.
func EqualFold(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i, b := range s {
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// decimalSyntax checks digits[.digits][e[sign]digits] with at least one digit.
func decimalSyntax(s []byte) bool {
	i, digits := 0, 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			digits++
		}
	}
	if digits == 0 {
		return false
	}
	if i == len(s) {
		return true
	}
	if s[i]|0x20 != 'e' {
		return false
	}
	if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	start := i
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
	}
	return i > start && i == len(s)
}

// hexFloat checks 0x hex[.hex] p [sign] digits [fd].
func hexFloat(s []byte) bool {
	s = s[2:]
	i, digits, point := 0, 0, false
	for ; i < len(s); i++ {
		b := s[i]
		switch {
		case b >= '0' && b <= '9', b|0x20 >= 'a' && b|0x20 <= 'f':
			digits++
		case b == '.' && !point:
			point = true
		case b|0x20 == 'p':
			rest := s[i+1:]
			if len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
				rest = rest[1:]
			}
			if n := len(rest); n > 0 && (rest[n-1]|0x20 == 'f' || rest[n-1]|0x20 == 'd') {
				rest = rest[:n-1]
			}
			for _, c := range rest {
				if c < '0' || c > '9' {
					return false
				}
			}
			return digits > 0 && len(rest) > 0
		default:
			return false
		}
	}
	return false
}

// ParseBool reads t, true, y, yes, 1 and f, false, n, no, 0 in any case between blanks.
func ParseBool(s []byte) (value, ok bool) {
	s = TrimBlank(s)
	for _, w := range [...]string{"true", "t", "yes", "y", "1"} {
		if EqualFold(s, w) {
			return true, true
		}
	}
	for _, w := range [...]string{"false", "f", "no", "n", "0"} {
		if EqualFold(s, w) {
			return false, true
		}
	}
	return false, false
}
