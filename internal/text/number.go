package text

import (
	"math"
	"math/big"
	"strconv"
)

// AppendDouble prints a double as Java's Double.toString: "1.0", "1.0E7", "NaN".
func AppendDouble(b []byte, v float64) []byte { return appendFloat(b, v, 64) }

// AppendFloat prints a float as Java's Float.toString.
func AppendFloat(b []byte, v float32) []byte { return appendFloat(b, float64(v), 32) }

func appendFloat(b []byte, v float64, bits int) []byte {
	switch {
	case v != v:
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	case v == 0:
		if math.Signbit(v) {
			b = append(b, '-')
		}
		return append(b, "0.0"...)
	}
	abs := math.Abs(v)
	if abs == math.SmallestNonzeroFloat64 || bits == 32 && abs == math.SmallestNonzeroFloat32 {
		// Java prints two digits at least.
		if v < 0 {
			b = append(b, '-')
		}
		if bits == 32 {
			return append(b, "1.4E-45"...)
		}
		return append(b, "4.9E-324"...)
	}
	if abs >= 1e-3 && abs < 1e7 {
		start := len(b)
		b = strconv.AppendFloat(b, v, 'f', -1, bits)
		for _, c := range b[start:] {
			if c == '.' {
				return b
			}
		}
		return append(b, ".0"...)
	}
	var tmp [32]byte
	s := strconv.AppendFloat(tmp[:0], v, 'e', -1, bits) // d[.ddd]e±dd
	e := len(s) - 1
	for s[e] != 'e' {
		e--
	}
	mantissa, exp := s[:e], s[e+1:]
	b = append(b, mantissa...)
	if len(mantissa) < 3 { // one digit and perhaps a sign
		b = append(b, ".0"...)
	}
	b = append(b, 'E')
	if exp[0] == '-' {
		b = append(b, '-')
	}
	exp = exp[1:]
	for len(exp) > 1 && exp[0] == '0' {
		exp = exp[1:]
	}
	return append(b, exp...)
}

// Pow10 is 10 to the power of n, 0 <= n <= 76. The result must not be changed.
func Pow10(n int) *big.Int { return pow10[n] }

var pow10 = func() (p [77]*big.Int) {
	p[0] = big.NewInt(1)
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
}()

// maxExponent bounds the exponents that ParseBig takes, so that a short text
// cannot ask for a number of gigabytes; no decimal(38,38) comes near.
const maxExponent = 1000

// ParseBig reads what Java's BigDecimal(String) reads, as unscaled * 10^-scale:
// digits with an optional sign, point and exponent.
func ParseBig(s []byte) (unscaled *big.Int, scale int, ok bool) {
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		i++
	}
	var buf [64]byte
	digits := buf[:0]
	n, point := 0, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c-'0' > 9 {
			break
		}
		n++
		if point {
			scale++
		}
		if len(digits) > 0 || c != '0' {
			digits = append(digits, c)
		}
	}
	if n == 0 || n > maxExponent*2 {
		return nil, 0, false
	}
	if i < len(s) {
		if s[i] != 'e' && s[i] != 'E' {
			return nil, 0, false
		}
		e, err := strconv.Atoi(string(s[i+1:]))
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, 0, false
		}
		scale -= e
	}
	unscaled = new(big.Int)
	if len(digits) > 0 {
		unscaled.SetString(string(digits), 10)
	}
	if neg {
		unscaled.Neg(unscaled)
	}
	return unscaled, scale, true
}

// Rescale changes the scale of a decimal, rounding half away from zero.
func Rescale(v *big.Int, from, to int) *big.Int {
	switch {
	case from == to:
		return v
	case to > from:
		return new(big.Int).Mul(v, exp10(to-from))
	}
	p := exp10(from - to)
	q, r := new(big.Int).QuoRem(v, p, new(big.Int))
	if r.Abs(r).Lsh(r, 1).CmpAbs(p) >= 0 {
		q.Add(q, big.NewInt(int64(v.Sign())))
	}
	return q
}

func exp10(n int) *big.Int {
	if n < len(pow10) {
		return pow10[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// FitsPrecision tells whether a value has at most that many digits.
func FitsPrecision(v *big.Int, precision int) bool { return v.CmpAbs(pow10[precision]) < 0 }

// Decimal128 is the 16-byte little-endian form of a value of at most 38 digits.
func Decimal128(v *big.Int) (out [16]byte) {
	var be [16]byte
	v.FillBytes(be[:])
	if v.Sign() < 0 {
		carry := true
		for i := 15; i >= 0; i-- {
			be[i] = ^be[i]
			if carry {
				be[i]++
				carry = be[i] == 0
			}
		}
	}
	for i := range out {
		out[i] = be[15-i]
	}
	return out
}

// Big is the value of a 16-byte little-endian decimal.
func Big(d [16]byte) *big.Int {
	var be [16]byte
	neg := d[15]&0x80 != 0
	carry := neg
	for i := range d {
		b := d[i]
		if neg {
			b = ^b
			if carry {
				b++
				carry = b == 0
			}
		}
		be[15-i] = b
	}
	v := new(big.Int).SetBytes(be[:])
	if neg {
		v.Neg(v)
	}
	return v
}

// AppendDecimal prints a decimal with exactly scale digits after the point.
func AppendDecimal(b []byte, v *big.Int, scale int) []byte {
	if v.Sign() < 0 {
		b = append(b, '-')
	}
	s := new(big.Int).Abs(v).Append(nil, 10)
	if scale <= 0 {
		return append(b, s...)
	}
	if len(s) <= scale {
		b = append(b, '0', '.')
		for range scale - len(s) {
			b = append(b, '0')
		}
		return append(b, s...)
	}
	b = append(append(b, s[:len(s)-scale]...), '.')
	return append(b, s[len(s)-scale:]...)
}
