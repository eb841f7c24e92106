package kernels

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// ParseLong reads an integer as CAST(string AS BIGINT) does: blanks, an optional
// sign, digits. With truncate (ANSI mode off) a fraction is allowed and dropped.
func ParseLong(s []byte, truncate bool) (int64, bool) {
	s = trimBlank(s)
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
func ParseDouble(s []byte) (float64, bool) { return parseFloat(s, 64) }

// ParseFloat is ParseDouble for the type FLOAT.
func ParseFloat(s []byte) (float32, bool) {
	v, ok := parseFloat(s, 32)
	return float32(v), ok
}

func parseFloat(s []byte, size int) (float64, bool) {
	s = trimBlank(s)
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
	v, err := strconv.ParseFloat(bytesString(s), size)
	if err != nil && !math.IsInf(v, 0) && v != 0 {
		return 0, false
	}
	return v, true
}

func trimSuffix(s []byte) []byte {
	// A hexadecimal literal always has an exponent, so a last f or d is a suffix.
	if c := s[len(s)-1] | 0x20; c == 'f' || c == 'd' {
		return s[:len(s)-1]
	}
	return s
}

func parseSpecial(s, body []byte) (float64, bool) {
	switch {
	case equalFold(body, "infinity"), equalFold(body, "inf"):
		if s[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case equalFold(s, "nan"), string(body) == "NaN":
		return math.NaN(), true
	}
	return 0, false
}

// equalFold compares with lower-case ASCII text.
func equalFold(s []byte, lower string) bool {
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
	s = trimBlank(s)
	for _, w := range [...]string{"true", "t", "yes", "y", "1"} {
		if equalFold(s, w) {
			return true, true
		}
	}
	for _, w := range [...]string{"false", "f", "no", "n", "0"} {
		if equalFold(s, w) {
			return false, true
		}
	}
	return false, false
}

// DecimalParse is the outcome of ParseDecimal.
type DecimalParse uint8

// The outcomes.
const (
	DecimalOK       DecimalParse = iota
	DecimalInvalid               // not a number
	DecimalTooLarge              // more than 38 digits before the point, or not in the target type
)

// ParseDecimal reads a number as CAST(string AS DECIMAL(p,s)) does, with any
// Unicode decimal digits and an exponent, and rounds half up to scale digits.
func ParseDecimal(s []byte, precision, scale int) (Dec, DecimalParse) {
	// java.lang.String.trim removes what is up to a blank.
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	neg := len(s) > 0 && s[0] == '-'
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	mant, exp, ok := scanDecimal(s)
	if !ok {
		return Dec{}, DecimalInvalid
	}
	return mant.fit(neg, exp, precision, scale)
}

// digitRun collects up to 76 significant digits of a decimal string; further
// ones only count for the exponent and, as more, for rounding.
type digitRun struct {
	digits [76]byte
	n      int  // digits held
	more   bool // a dropped digit was not zero
}

// scanDecimal reads digits[.digits][e[sign]digits]; the value is the digit run
// times 10^exp.
func scanDecimal(s []byte) (run digitRun, exp int, ok bool) {
	point, digits := false, false
	for len(s) > 0 {
		b := s[0]
		d, size := -1, 1
		switch {
		case b >= '0' && b <= '9':
			d = int(b - '0')
		case b == '.' && !point:
			point = true
			s = s[1:]
			continue
		case b|0x20 == 'e' && digits:
			e, ok := scanExponent(s[1:])
			return run, exp + e, ok
		case b >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRune(s); unicode.IsDigit(r) {
				d = digitValue(r)
			}
		}
		if d < 0 {
			return run, 0, false
		}
		digits = true
		s = s[size:]
		switch {
		case run.n == 0 && d == 0:
			// A leading zero only moves the point.
		case run.n < len(run.digits):
			run.digits[run.n] = byte(d)
			run.n++
		default:
			run.more = run.more || d != 0
			exp++
		}
		if point {
			exp--
		}
	}
	return run, exp, digits
}

// digitValue is the value of a Unicode decimal digit: they come in runs of ten
// whose zero is the first that is a digit.
func digitValue(r rune) int {
	for z := r - 9; z <= r; z++ {
		if unicode.IsDigit(z) && (z == r || allDigits(z, r)) {
			return int(r-z) % 10
		}
	}
	return -1
}

func allDigits(from, to rune) bool {
	for r := from; r <= to; r++ {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

func scanExponent(s []byte) (int, bool) {
	neg := len(s) > 0 && s[0] == '-'
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 10 {
		return 0, false
	}
	e := 0
	for _, b := range s {
		if b < '0' || b > '9' {
			return 0, false
		}
		e = e*10 + int(b-'0')
	}
	if e > math.MaxInt32 {
		return 0, false
	}
	if neg {
		e = -e
	}
	return e, true
}

// fit is the value run*10^exp as a decimal(precision, scale).
func (run *digitRun) fit(neg bool, exp, precision, scale int) (Dec, DecimalParse) {
	if run.n == 0 {
		return Dec{}, DecimalOK
	}
	if run.n+exp > maxDecimalPrecision {
		return Dec{}, DecimalTooLarge
	}
	keep := run.n + exp + scale // digits that remain in front of the rounding
	if keep < 0 {
		return Dec{}, DecimalOK
	}
	if keep > maxDecimalPrecision {
		return Dec{}, DecimalTooLarge
	}
	var m u128
	for i := range keep {
		m = m.mul64(10)
		if i < run.n {
			m = m.add(u128{lo: uint64(run.digits[i])})
		}
	}
	if keep < run.n && run.digits[keep] >= 5 {
		m = m.add(u128{lo: 1})
	}
	if m.cmp(pow10[precision]) >= 0 {
		return Dec{}, DecimalTooLarge
	}
	return decOf(neg, m), DecimalOK
}
