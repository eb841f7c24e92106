package decimal

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Outcome is how Parse ends.
type Outcome uint8

// The outcomes.
const (
	OK          Outcome = iota
	Invalid             // not a number
	TooLarge            // not in the target type
	Unsupported         // more than 38 digits before the point
)

// Parse reads a number as CAST(string AS DECIMAL(p,s)) does, with any
// Unicode decimal digits and an exponent, and rounds half up to scale digits.
func Parse(s []byte, precision, scale int) (Num, Outcome) {
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
		return Num{}, Invalid
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
func (run *digitRun) fit(neg bool, exp, precision, scale int) (Num, Outcome) {
	if run.n == 0 {
		return Num{}, OK
	}
	if run.n+exp > MaxPrecision {
		return Num{}, Unsupported
	}
	keep := run.n + exp + scale // digits that remain in front of the rounding
	if keep < 0 {
		return Num{}, OK
	}
	if keep > MaxPrecision {
		return Num{}, TooLarge
	}
	var m Uint128
	for i := range keep {
		m = m.Mul64(10)
		if i < run.n {
			m = m.Add(Uint128{Lo: uint64(run.digits[i])})
		}
	}
	if keep < run.n && run.digits[keep] >= 5 {
		m = m.Add(Uint128{Lo: 1})
	}
	if m.Cmp(Pow10[precision]) >= 0 {
		return Num{}, TooLarge
	}
	return FromMagnitude(neg, m), OK
}

// Append appends the plain form with exactly scale digits after the point.
func Append(dst []byte, d Num, scale int) []byte {
	neg, m := Magnitude(d)
	if neg {
		dst = append(dst, '-')
	}
	var buf [40]byte
	i := len(buf)
	for n := 0; !m.IsZero() || n <= scale; n++ {
		if n == scale && scale > 0 {
			i--
			buf[i] = '.'
		}
		if m.Hi == 0 {
			i--
			buf[i] = byte('0' + m.Lo%10)
			m.Lo /= 10
			continue
		}
		q, r := m.Wide().DivRem(Uint128{Lo: 10})
		m, _ = q.Narrow()
		i--
		buf[i] = byte('0' + r.Lo)
	}
	return append(dst, buf[i:]...)
}

// AppendJava appends BigDecimal.toString: the plain form, or scientific
// notation where the exponent is below -6.
func AppendJava(dst []byte, d Num, scale int) []byte {
	neg, m := Magnitude(d)
	var digits [40]byte
	s := Append(digits[:0], FromMagnitude(false, m), 0)
	exp := len(s) - 1 - scale
	if exp >= -6 {
		return Append(dst, d, scale)
	}
	if neg {
		dst = append(dst, '-')
	}
	dst = append(dst, s[0])
	if len(s) > 1 {
		dst = append(append(dst, '.'), s[1:]...)
	}
	return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
}

// ParseExact reads digits[.digits][e[sign]digits] with an optional sign as Java's
// BigDecimal does: the value is d·10^-scale, and digits is its precision. It fails
// for more than 38 digits and for a scale beyond ±38.
func ParseExact(s []byte) (d Num, digits, scale int, ok bool) {
	neg := len(s) > 0 && s[0] == '-'
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	run, exp, ok := scanDecimal(s)
	if !ok || run.more || run.n > MaxPrecision || exp < -MaxPrecision || exp > MaxPrecision {
		return Num{}, 0, 0, false
	}
	var m Uint128
	for _, c := range run.digits[:run.n] {
		m = m.Mul64(10).Add(Uint128{Lo: uint64(c)})
	}
	return FromMagnitude(neg, m), max(run.n, 1), -exp, true
}
