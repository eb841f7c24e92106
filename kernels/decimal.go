package kernels

import (
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// Dec is an unscaled decimal as a decimal128 column holds it.
type Dec = decimal128.Num

// decOf is the decimal of a sign and a magnitude below 2^127.
func decOf(neg bool, m u128) Dec {
	if neg {
		m = u128{}.sub(m)
	}
	return decimal128.New(int64(m.hi), m.lo)
}

// magnitude splits a decimal into sign and magnitude.
func magnitude(d Dec) (neg bool, m u128) {
	m = u128{uint64(d.HighBits()), d.LowBits()}
	if int64(m.hi) < 0 {
		return true, u128{}.sub(m)
	}
	return false, m
}

// roundedDiv is a/d rounded half away from zero.
func roundedDiv(a u256, d u128) u256 {
	q, r := a.divRem(d)
	if r.cmp(d.sub(r)) >= 0 {
		q = q.add(u256{1})
	}
	return q
}

// Rescale is a decimal of scale from as one of decimal(precision, scale), rounded
// half up; false if it does not fit.
func Rescale(d Dec, from, precision, scale int) (Dec, bool) {
	neg, m := magnitude(d)
	return fitDec(neg, m.wide(), from, precision, scale)
}

func fitDec(neg bool, m u256, from, precision, scale int) (Dec, bool) {
	switch by := scale - from; {
	case by < 0 && by >= -maxDecimalPrecision:
		m = roundedDiv(m, pow10[-by])
	case by < 0:
		q, _ := m.divRem(pow10[maxDecimalPrecision])
		m = roundedDiv(q, pow10[-by-maxDecimalPrecision])
	case by > 0:
		n, ok := m.narrow()
		if !ok {
			return Dec{}, false
		}
		m = n.mul(pow10[by])
	}
	n, ok := m.narrow()
	if !ok || n.cmp(pow10[precision]) >= 0 {
		return Dec{}, false
	}
	return decOf(neg, n), true
}

// decAdd is a+b for scales sa and sb as decimal(p, s).
func decAdd(a, b Dec, sa, sb, p, s int) (Dec, bool) {
	if sa == sb && sa == s {
		// Two 38-digit numbers add up to less than 2^127.
		r := a.Add(b)
		_, m := magnitude(r)
		return r, m.cmp(pow10[p]) < 0
	}
	scale := max(sa, sb)
	na, ma := magnitude(a)
	nb, mb := magnitude(b)
	wa, wb := ma.mul(pow10[scale-sa]), mb.mul(pow10[scale-sb])
	if na == nb {
		return fitDec(na, wa.add(wb), scale, p, s)
	}
	if wa.cmp(wb) < 0 {
		na, wa, wb = nb, wb, wa
	}
	return fitDec(na, wa.add(wb.negate()), scale, p, s)
}

// negate is the two's complement.
func (a u256) negate() u256 {
	for i := range a {
		a[i] = ^a[i]
	}
	return a.add(u256{1})
}

// decMul is a*b for scales sa and sb as decimal(p, s).
func decMul(a, b Dec, sa, sb, p, s int) (Dec, bool) {
	na, ma := magnitude(a)
	nb, mb := magnitude(b)
	return fitDec(na != nb, ma.mul(mb), sa+sb, p, s)
}

// quotientScale is the scale to which Spark rounds a quotient before it rounds
// to the scale of the result type.
const quotientScale = maxDecimalPrecision + 1

// decDiv is a/b (b not zero) for scales sa and sb as decimal(p, s).
func decDiv(a, b Dec, sa, sb, p, s int) (Dec, bool) {
	na, ma := magnitude(a)
	nb, mb := magnitude(b)
	by := s - sa + sb
	if by < 0 || by > maxDecimalPrecision || s == 0 {
		return decDivBig(na != nb, ma, mb, sa, sb, p, s)
	}
	q, r := ma.mul(pow10[by]).divRem(mb)
	// Rounding to 39 digits first turns .4999… into .5: up if 2r·10^k ≥ b·(10^k − 1).
	k := pow10[quotientScale-s]
	up := r.mul(k)
	up = up.add(up)
	if up.cmp(mb.mul(k.sub(u128{lo: 1}))) >= 0 {
		q = q.add(u256{1})
	}
	n, ok := q.narrow()
	if !ok || n.cmp(pow10[p]) >= 0 {
		return Dec{}, false
	}
	return decOf(na != nb, n), true
}

func (a u128) big() *big.Int {
	v := new(big.Int).SetUint64(a.hi)
	v.Lsh(v, 64)
	return v.Or(v, new(big.Int).SetUint64(a.lo))
}

func bigPow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func halfUp(a, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, d, new(big.Int))
	if r.Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// decDivBig is decDiv where the numbers that it compares do not fit in 256 bits.
func decDivBig(neg bool, a, b u128, sa, sb, p, s int) (Dec, bool) {
	num, den := a.big(), b.big()
	if by := quotientScale - sa + sb; by >= 0 {
		num.Mul(num, bigPow10(by))
	} else {
		den.Mul(den, bigPow10(-by))
	}
	q := halfUp(halfUp(num, den), bigPow10(quotientScale-s))
	if q.Cmp(bigPow10(p)) >= 0 {
		return Dec{}, false
	}
	if neg {
		q.Neg(q)
	}
	return decimal128.FromBigInt(q), true
}

// decQuoRem is the integer quotient and the remainder (at scale max(sa, sb)) of
// magnitudes with the sign rules of Java; b is not zero.
func decQuoRem(a, b Dec, sa, sb int) (quo, rem *big.Int) {
	s := max(sa, sb)
	x, y := a.BigInt(), b.BigInt()
	if s > sa {
		x.Mul(x, bigPow10(s-sa))
	}
	if s > sb {
		y.Mul(y, bigPow10(s-sb))
	}
	return x.QuoRem(x, y, new(big.Int))
}

// decRem is a % b (b not zero) for scales sa and sb as decimal(p, s).
func decRem(a, b Dec, sa, sb, p, s int) (Dec, bool) {
	scale := max(sa, sb)
	na, ma := magnitude(a)
	_, mb := magnitude(b)
	if d, ok := mb.mul(pow10[scale-sb]).narrow(); ok {
		_, r := ma.mul(pow10[scale-sa]).divRem(d)
		return fitDec(na, r.wide(), scale, p, s)
	}
	_, r := decQuoRem(a, b, sa, sb)
	m := decimal128.FromBigInt(r)
	neg, mm := magnitude(m)
	return fitDec(neg, mm.wide(), scale, p, s)
}

// AppendDecimal appends the plain form with exactly scale digits after the point.
func AppendDecimal(dst []byte, d Dec, scale int) []byte {
	neg, m := magnitude(d)
	if neg {
		dst = append(dst, '-')
	}
	var buf [40]byte
	i := len(buf)
	for n := 0; !m.isZero() || n <= scale; n++ {
		if n == scale && scale > 0 {
			i--
			buf[i] = '.'
		}
		if m.hi == 0 {
			i--
			buf[i] = byte('0' + m.lo%10)
			m.lo /= 10
			continue
		}
		q, r := m.wide().divRem(u128{lo: 10})
		m, _ = q.narrow()
		i--
		buf[i] = byte('0' + r.lo)
	}
	return append(dst, buf[i:]...)
}

// appendDecimalJava appends BigDecimal.toString: the plain form, or scientific
// notation where the exponent is below -6.
func appendDecimalJava(dst []byte, d Dec, scale int) []byte {
	neg, m := magnitude(d)
	var digits [40]byte
	s := AppendDecimal(digits[:0], decOf(false, m), 0)
	exp := len(s) - 1 - scale
	if exp >= -6 {
		return AppendDecimal(dst, d, scale)
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
