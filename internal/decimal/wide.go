package decimal

import "math/bits"

// Uint128 and Uint256 are unsigned integers for decimal arithmetic: products and
// scaled dividends of 38-digit decimals need up to 253 bits.
type Uint128 struct{ Hi, Lo uint64 }

type Uint256 [4]uint64 // least significant word first

// Pow10[i] is 10^i for i up to 38.
var Pow10 = func() (p [MaxPrecision + 1]Uint128) {
	p[0] = Uint128{Lo: 1}
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1].Mul64(10)
	}
	return p
}()

func (a Uint128) Add(b Uint128) Uint128 {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(a.Hi, b.Hi, c)
	return Uint128{hi, lo}
}

func (a Uint128) Sub(b Uint128) Uint128 {
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	hi, _ := bits.Sub64(a.Hi, b.Hi, c)
	return Uint128{hi, lo}
}

// mul64 is a*b modulo 2^128.
func (a Uint128) Mul64(b uint64) Uint128 {
	hi, lo := bits.Mul64(a.Lo, b)
	return Uint128{hi + a.Hi*b, lo}
}

// divRem64 divides by a divisor that is not zero.
func (a Uint128) divRem64(d uint64) (q Uint128, r uint64) {
	q.Hi, r = a.Hi/d, a.Hi%d
	q.Lo, r = bits.Div64(r, a.Lo, d)
	return q, r
}

func (a Uint128) Cmp(b Uint128) int {
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func (a Uint128) IsZero() bool { return a.Hi|a.Lo == 0 }

func (a Uint128) Wide() Uint256 { return Uint256{a.Lo, a.Hi} }

// mul is the full product.
func (a Uint128) Mul(b Uint128) (p Uint256) {
	h0, l0 := bits.Mul64(a.Lo, b.Lo)
	h1, l1 := bits.Mul64(a.Hi, b.Lo)
	h2, l2 := bits.Mul64(a.Lo, b.Hi)
	h3, l3 := bits.Mul64(a.Hi, b.Hi)
	p[0] = l0
	var c, d uint64
	p[1], c = bits.Add64(h0, l1, 0)
	p[2], c = bits.Add64(h1, l3, c)
	p[3] = h3 + c
	p[1], d = bits.Add64(p[1], l2, 0)
	p[2], d = bits.Add64(p[2], h2, d)
	p[3] += d
	return p
}

func (a Uint256) Add(b Uint256) (s Uint256) {
	var c uint64
	for i := range a {
		s[i], c = bits.Add64(a[i], b[i], c)
	}
	return s
}

func (a Uint256) Cmp(b Uint256) int {
	for i := 3; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// narrow is the value as 128 bits, if it fits.
func (a Uint256) Narrow() (Uint128, bool) { return Uint128{a[1], a[0]}, a[2]|a[3] == 0 }

// divRem divides by a divisor that is not zero (Knuth's algorithm D with two words).
func (a Uint256) DivRem(d Uint128) (q Uint256, r Uint128) {
	if d.Hi == 0 {
		rem := uint64(0)
		for i := 3; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, a[i], d.Lo)
		}
		return q, Uint128{Lo: rem}
	}
	shift := uint(bits.LeadingZeros64(d.Hi))
	dn := Uint128{d.Hi<<shift | d.Lo>>(64-shift), d.Lo << shift}
	if shift == 0 {
		dn = d
	}
	var n [5]uint64
	for i := range a {
		n[i] |= a[i] << shift
		if shift > 0 {
			n[i+1] = a[i] >> (64 - shift)
		}
	}
	for j := 2; j >= 0; j-- {
		q[j] = divStep(n[j:j+3], dn)
	}
	r = Uint128{n[1], n[0]}
	if shift > 0 {
		r = Uint128{r.Hi >> shift, r.Lo>>shift | r.Hi<<(64-shift)}
	}
	return q, r
}

// divStep divides three words by two normalised ones, leaves the remainder in
// n and returns the quotient word. n[2:1] is at most d.
func divStep(n []uint64, d Uint128) uint64 {
	q := ^uint64(0)
	if n[2] < d.Hi {
		q, _ = bits.Div64(n[2], n[1], d.Hi)
	}
	for {
		// q*d
		h0, l0 := bits.Mul64(q, d.Lo)
		h1, l1 := bits.Mul64(q, d.Hi)
		m1, c := bits.Add64(h0, l1, 0)
		m2 := h1 + c
		s0, b := bits.Sub64(n[0], l0, 0)
		s1, b := bits.Sub64(n[1], m1, b)
		s2, b := bits.Sub64(n[2], m2, b)
		if b == 0 {
			n[0], n[1], n[2] = s0, s1, s2
			return q
		}
		q-- // the estimate is at most two too large
	}
}
