// Package decimal computes with Spark's decimals: unscaled integers of at most
// 38 digits at a scale that their type gives. Results are rounded half up.
package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// MaxPrecision is the greatest number of digits of a decimal.
const MaxPrecision = 38

// Num is an unscaled decimal as a decimal128 column holds it.
type Num = decimal128.Num

// FromMagnitude is the decimal of a sign and a magnitude below 2^127.
func FromMagnitude(neg bool, m Uint128) Num {
	if neg {
		m = Uint128{}.Sub(m)
	}
	return decimal128.New(int64(m.Hi), m.Lo)
}

// Magnitude splits a decimal into sign and magnitude.
func Magnitude(d Num) (neg bool, m Uint128) {
	m = Uint128{uint64(d.HighBits()), d.LowBits()}
	if int64(m.Hi) < 0 {
		return true, Uint128{}.Sub(m)
	}
	return false, m
}

// roundedDiv is a/d rounded half away from zero.
func roundedDiv(a Uint256, d Uint128) Uint256 {
	q, r := a.DivRem(d)
	if r.Cmp(d.Sub(r)) >= 0 {
		q = q.Add(Uint256{1})
	}
	return q
}

// Rescale is a decimal of scale from as one of decimal(precision, scale), rounded
// half up; false if it does not fit.
func Rescale(d Num, from, precision, scale int) (Num, bool) {
	neg, m := Magnitude(d)
	return Fit(neg, m.Wide(), from, precision, scale)
}

func Fit(neg bool, m Uint256, from, precision, scale int) (Num, bool) {
	switch by := scale - from; {
	case by < 0 && by >= -MaxPrecision:
		m = roundedDiv(m, Pow10[-by])
	case by < 0:
		q, _ := m.DivRem(Pow10[MaxPrecision])
		m = roundedDiv(q, Pow10[-by-MaxPrecision])
	case by > 0:
		n, ok := m.Narrow()
		if !ok {
			return Num{}, false
		}
		m = n.Mul(Pow10[by])
	}
	n, ok := m.Narrow()
	if !ok || n.Cmp(Pow10[precision]) >= 0 {
		return Num{}, false
	}
	return FromMagnitude(neg, n), true
}

// Add is a+b for scales sa and sb as decimal(p, s).
func Add(a, b Num, sa, sb, p, s int) (Num, bool) {
	if sa == sb && sa == s {
		// Two 38-digit numbers add up to less than 2^127.
		r := a.Add(b)
		return r, below(r, p)
	}
	scale := max(sa, sb)
	na, ma := Magnitude(a)
	nb, mb := Magnitude(b)
	wa, wb := ma.Mul(Pow10[scale-sa]), mb.Mul(Pow10[scale-sb])
	if na == nb {
		return Fit(na, wa.Add(wb), scale, p, s)
	}
	if wa.Cmp(wb) < 0 {
		na, wa, wb = nb, wb, wa
	}
	return Fit(na, wa.Add(wb.Negate()), scale, p, s)
}

// negate is the two's complement.
func (a Uint256) Negate() Uint256 {
	for i := range a {
		a[i] = ^a[i]
	}
	return a.Add(Uint256{1})
}

// Mul is a*b for scales sa and sb as decimal(p, s).
func Mul(a, b Num, sa, sb, p, s int) (Num, bool) {
	if sa+sb == s {
		x, fitsX := small(a)
		y, fitsY := small(b)
		if fitsX && fitsY {
			r := mulSmall(x, y)
			return r, below(r, p)
		}
	}
	na, ma := Magnitude(a)
	nb, mb := Magnitude(b)
	return Fit(na != nb, ma.Mul(mb), sa+sb, p, s)
}

// QuotientScale is the scale to which Spark rounds a quotient before it rounds
// to the scale of the result type.
const QuotientScale = MaxPrecision + 1

// Div is a/b (b not zero) for scales sa and sb as decimal(p, s).
func Div(a, b Num, sa, sb, p, s int) (Num, bool) {
	na, ma := Magnitude(a)
	nb, mb := Magnitude(b)
	by := s - sa + sb
	if by < 0 || by > MaxPrecision || s == 0 {
		return divBig(na != nb, ma, mb, sa, sb, p, s)
	}
	dividend := ma.Mul(Pow10[by])
	if n, ok := dividend.Narrow(); ok && mb.Hi == 0 && mb.Lo < 1<<63 && mb.Cmp(Pow10[QuotientScale-s]) < 0 {
		// For so small a divisor both roundings agree with one.
		n, r := n.divRem64(mb.Lo)
		if 2*r >= mb.Lo {
			n = n.Add(Uint128{Lo: 1})
		}
		return FromMagnitude(na != nb, n), n.Cmp(Pow10[p]) < 0
	}
	q, r := dividend.DivRem(mb)
	// Rounding to 39 digits first turns .4999… into .5: up if 2r·10^k ≥ b·(10^k − 1).
	k := Pow10[QuotientScale-s]
	up := r.Mul(k)
	up = up.Add(up)
	if up.Cmp(mb.Mul(k.Sub(Uint128{Lo: 1}))) >= 0 {
		q = q.Add(Uint256{1})
	}
	n, ok := q.Narrow()
	if !ok || n.Cmp(Pow10[p]) >= 0 {
		return Num{}, false
	}
	return FromMagnitude(na != nb, n), true
}

func (a Uint128) Big() *big.Int {
	v := new(big.Int).SetUint64(a.Hi)
	v.Lsh(v, 64)
	return v.Or(v, new(big.Int).SetUint64(a.Lo))
}

func BigPow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func HalfUp(a, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, d, new(big.Int))
	if r.Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// divBig is Div where the numbers that it compares do not fit in 256 bits.
func divBig(neg bool, a, b Uint128, sa, sb, p, s int) (Num, bool) {
	num, den := a.Big(), b.Big()
	if by := QuotientScale - sa + sb; by >= 0 {
		num.Mul(num, BigPow10(by))
	} else {
		den.Mul(den, BigPow10(-by))
	}
	q := HalfUp(HalfUp(num, den), BigPow10(QuotientScale-s))
	if q.Cmp(BigPow10(p)) >= 0 {
		return Num{}, false
	}
	if neg {
		q.Neg(q)
	}
	return decimal128.FromBigInt(q), true
}

// QuoRem is the integer quotient and the remainder (at scale max(sa, sb)) of
// magnitudes with the sign rules of Java; b is not zero.
func QuoRem(a, b Num, sa, sb int) (quo, rem *big.Int) {
	s := max(sa, sb)
	x, y := a.BigInt(), b.BigInt()
	if s > sa {
		x.Mul(x, BigPow10(s-sa))
	}
	if s > sb {
		y.Mul(y, BigPow10(s-sb))
	}
	return x.QuoRem(x, y, new(big.Int))
}

// Rem is a % b (b not zero) for scales sa and sb as decimal(p, s).
func Rem(a, b Num, sa, sb, p, s int) (Num, bool) {
	scale := max(sa, sb)
	na, ma := Magnitude(a)
	_, mb := Magnitude(b)
	if d, ok := mb.Mul(Pow10[scale-sb]).Narrow(); ok {
		_, r := ma.Mul(Pow10[scale-sa]).DivRem(d)
		return Fit(na, r.Wide(), scale, p, s)
	}
	_, r := QuoRem(a, b, sa, sb)
	m := decimal128.FromBigInt(r)
	neg, mm := Magnitude(m)
	return Fit(neg, mm.Wide(), scale, p, s)
}

// Truncate is the integral part; false if it is not an int64, and then the
// value is its low 64 bits as Java's longValue has it.
func Truncate(d Num, scale int) (int64, bool) {
	neg, m := Magnitude(d)
	if m.Hi == 0 && scale <= 19 {
		q := m.Lo / Pow10[scale].Lo
		if neg {
			return -int64(q), int64(q) >= 0
		}
		return int64(q), int64(q) >= 0
	}
	q, _ := m.Wide().DivRem(Pow10[scale])
	v := int64(q[0])
	if neg {
		v = -v
	}
	return v, q[1] == 0 && (v < 0) == (neg && q[0] != 0)
}

// Float is the nearest float of a size to a
func Float(d Num, scale, size int) float64 {
	neg, m := Magnitude(d)
	if m.Hi == 0 && m.Lo < 1<<53 && scale <= 22 && size == 64 {
		// Both operands are exact, so the quotient is rounded once.
		f := float64(m.Lo) / math.Pow10(scale)
		if neg {
			return -f
		}
		return f
	}
	var buf [64]byte
	f, _ := strconv.ParseFloat(string(Append(buf[:0], d, scale)), size)
	return f
}

// Doubles is Float of size 64 for numbers of a column that all are below 2^53; false if
// one is not.
func Doubles[T float32 | float64](out []T, src []Num, scale int) bool {
	if scale > 22 {
		return false
	}
	unit, odd := math.Pow10(scale), int64(0)
	for i, d := range src[:len(out)] {
		v := int64(d.LowBits())
		odd |= d.HighBits() ^ v>>63 | (v+1<<53)>>54
		out[i] = T(float64(v) / unit)
	}
	return odd == 0
}

// FromInt is a whole number.
func FromInt(v int64) Num { return decimal128.FromI64(v) }

// FromWords is the number of two's complement words.
func FromWords(high int64, low uint64) Num { return decimal128.New(high, low) }

// FromBig is a number below 2^127.
func FromBig(v *big.Int) Num { return decimal128.FromBigInt(v) }

// Digits is the number of decimal digits, 1 for zero.
func Digits(d Num) int {
	_, m := Magnitude(d)
	n := 1
	for n < len(Pow10) && m.Cmp(Pow10[n]) >= 0 {
		n++
	}
	return n
}

// small is a number as an int64, if it is one.
func small(d Num) (int64, bool) {
	v := int64(d.LowBits())
	return v, d.HighBits() == v>>63
}

func mulSmall(x, y int64) Num {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	high := int64(hi)
	if x < 0 {
		high -= y
	}
	if y < 0 {
		high -= x
	}
	return decimal128.New(high, lo)
}

// below tells whether a number has at most p digits.
func below(d Num, p int) bool {
	hi, lo := d.HighBits(), d.LowBits()
	if hi == int64(lo)>>63 && p >= 19 {
		return true
	}
	_, m := Magnitude(d)
	return m.Cmp(Pow10[p]) < 0
}
