package kernels

import (
	"math"
	"math/bits"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// smallDigits is the greatest precision whose numbers are all below 2^63.
const smallDigits = 18

// words are a decimal's two's complement words as they lie in a column.
type words struct{ lo, hi int64 }

// smallDecimals is a loop for decimals whose types promise that both operands fit in
// 64 bits and that no result is out of range; nil for others. The loop returns false
// where a value breaks the promise of its type or a divisor is zero; then the rows have
// to be looked at one by one.
func (o arithOp) smallDecimals(a, b, result *vector.Type) func(out, x []words, am int, y []words, bm int) bool {
	pa, sa, pb, sb, p, s := a.Precision, a.Scale, b.Precision, b.Scale, result.Precision, result.Scale
	if pa > smallDigits || pb > smallDigits {
		return nil
	}
	switch o.symbol {
	case "+", "-":
		if s != max(sa, sb) || pa+s-sa > smallDigits || pb+s-sb > smallDigits || p <= s+max(pa-sa, pb-sb) {
			return nil
		}
		u, v := int64(decimal.Pow10[s-sa].Lo), int64(decimal.Pow10[s-sb].Lo)
		if o.symbol == "-" {
			v = -v
		}
		return func(out, x []words, am int, y []words, bm int) bool {
			if am != 0 && bm == 0 {
				return addSmallConstant(out, x, u, y[0], v)
			}
			return addSmall(out, x, am, u, y, bm, v)
		}
	case "*":
		if s != sa+sb || p < pa+pb {
			return nil
		}
		return mulSmall
	case "/":
		by := s - sa + sb
		if by < 0 || by > smallDigits || s == 0 || p < pa+by || pb > decimal.QuotientScale-s {
			return nil // of other divisors the result is rounded twice, see decimal.Div
		}
		scale := decimal.Pow10[by].Lo
		return func(out, x []words, am int, y []words, bm int) bool {
			if bm == 0 {
				if d, ok := divisorOf(y[0].lo); ok {
					return divSmallConstant(out, x, am, scale, y[0], d)
				}
			}
			return divSmall(out, x, am, scale, y, bm)
		}
	}
	return nil
}

// wide is not 0 for a decimal that is no int64.
func wide(d words) int64 { return d.hi ^ d.lo>>63 }

func addSmall(out, x []words, am int, u int64, y []words, bm int, v int64) bool {
	var odd int64
	for i := range out {
		a, b := x[i&am], y[i&bm]
		odd |= wide(a) | wide(b)
		r := a.lo*u + b.lo*v
		out[i] = words{r, r >> 63}
	}
	return odd == 0
}

func addSmallConstant(out, x []words, u int64, b words, v int64) bool {
	odd, c := wide(b), b.lo*v
	for i, a := range x[:len(out)] {
		odd |= wide(a)
		r := a.lo*u + c
		out[i] = words{r, r >> 63}
	}
	return odd == 0
}

func mulSmall(out, x []words, am int, y []words, bm int) bool {
	if am == 0 {
		x, am, y, bm = y, bm, x, am
	}
	var odd int64
	if bm == 0 {
		if c := y[0].lo; wide(y[0]) == 0 && c > 0 && mulSmallConstant(out, x, c) {
			return true
		}
	}
	for i := range out {
		a, b := x[i&am], y[i&bm]
		odd |= wide(a) | wide(b)
		hi, lo := bits.Mul64(uint64(a.lo), uint64(b.lo))
		out[i] = words{int64(lo), int64(hi) - a.lo>>63&b.lo - b.lo>>63&a.lo}
	}
	return odd == 0
}

// mulSmallConstant multiplies by c; false if a product may need more than 64 bits.
func mulSmallConstant(out, x []words, c int64) bool {
	var odd, over int64
	high := math.MaxInt64 / c
	for i, a := range x[:len(out)] {
		odd |= wide(a)
		over |= (high - a.lo) | (high + a.lo)
		p := a.lo * c
		out[i] = words{p, p >> 63}
	}
	return odd == 0 && over >= 0
}

// divSmallConstant is a*scale/b rounded half up, where d divides by the magnitude of b.
func divSmallConstant(out, x []words, am int, scale uint64, b words, d divisor) bool {
	odd, signB := wide(b), b.lo>>63
	for i := range out {
		a := x[i&am]
		odd |= wide(a)
		sign := a.lo >> 63
		hi, lo := bits.Mul64(uint64(a.lo^sign-sign), scale)
		sign ^= signB
		if hi != 0 || lo > 1<<63 {
			out[i] = quotient(hi, lo, d.by, sign)
			continue
		}
		q := d.quo(lo)
		r := lo - q*d.by
		q += 1 - (2*r-d.by)>>63 // rounds up where 2r is at least the divisor
		v := int64(q)
		out[i] = words{v ^ sign - sign, sign & -int64((q|-q)>>63)}
	}
	return odd == 0
}

func divSmall(out, x []words, am int, scale uint64, y []words, bm int) bool {
	var odd int64
	for i := range out {
		a, b := x[i&am], y[i&bm]
		if b.lo == 0 {
			return false
		}
		odd |= wide(a) | wide(b)
		signA, signB := a.lo>>63, b.lo>>63
		hi, lo := bits.Mul64(uint64(a.lo^signA-signA), scale)
		out[i] = quotient(hi, lo, uint64(b.lo^signB-signB), signA^signB)
	}
	return odd == 0
}

// quotient is two words over one, rounded half up, negated if sign is -1.
func quotient(hi, lo, by uint64, sign int64) words {
	q1 := hi / by
	q0, r := bits.Div64(hi-q1*by, lo, by)
	q0, carry := bits.Add64(q0, 1-(2*r-by)>>63, 0)
	q1 += carry
	q0, borrow := bits.Sub64(q0^uint64(sign), uint64(sign), 0)
	q1, _ = bits.Sub64(q1^uint64(sign), uint64(sign), borrow)
	return words{int64(q0), int64(q1)}
}
