package kernels

import "math/bits"

// u128 and u256 are unsigned integers for decimal arithmetic: products and
// scaled dividends of 38-digit decimals need up to 253 bits.
type u128 struct{ hi, lo uint64 }

type u256 [4]uint64 // least significant word first

// pow10[i] is 10^i for i up to 38.
var pow10 = func() (p [maxDecimalPrecision + 1]u128) {
	p[0] = u128{lo: 1}
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1].mul64(10)
	}
	return p
}()

func (a u128) add(b u128) u128 {
	lo, c := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, c)
	return u128{hi, lo}
}

func (a u128) sub(b u128) u128 {
	lo, c := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, c)
	return u128{hi, lo}
}

// mul64 is a*b modulo 2^128.
func (a u128) mul64(b uint64) u128 {
	hi, lo := bits.Mul64(a.lo, b)
	return u128{hi + a.hi*b, lo}
}

func (a u128) cmp(b u128) int {
	switch {
	case a.hi < b.hi || a.hi == b.hi && a.lo < b.lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func (a u128) isZero() bool { return a.hi|a.lo == 0 }

func (a u128) wide() u256 { return u256{a.lo, a.hi} }

// mul is the full product.
func (a u128) mul(b u128) (p u256) {
	h0, l0 := bits.Mul64(a.lo, b.lo)
	h1, l1 := bits.Mul64(a.hi, b.lo)
	h2, l2 := bits.Mul64(a.lo, b.hi)
	h3, l3 := bits.Mul64(a.hi, b.hi)
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

func (a u256) add(b u256) (s u256) {
	var c uint64
	for i := range a {
		s[i], c = bits.Add64(a[i], b[i], c)
	}
	return s
}

func (a u256) cmp(b u256) int {
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
func (a u256) narrow() (u128, bool) { return u128{a[1], a[0]}, a[2]|a[3] == 0 }

// divRem divides by a divisor that is not zero (Knuth's algorithm D with two words).
func (a u256) divRem(d u128) (q u256, r u128) {
	if d.hi == 0 {
		rem := uint64(0)
		for i := 3; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, a[i], d.lo)
		}
		return q, u128{lo: rem}
	}
	shift := uint(bits.LeadingZeros64(d.hi))
	dn := u128{d.hi<<shift | d.lo>>(64-shift), d.lo << shift}
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
	r = u128{n[1], n[0]}
	if shift > 0 {
		r = u128{r.hi >> shift, r.lo>>shift | r.hi<<(64-shift)}
	}
	return q, r
}

// divStep divides three words by two normalised ones, leaves the remainder in
// n and returns the quotient word. n[2:1] is at most d.
func divStep(n []uint64, d u128) uint64 {
	q := ^uint64(0)
	if n[2] < d.hi {
		q, _ = bits.Div64(n[2], n[1], d.hi)
	}
	for {
		// q*d
		h0, l0 := bits.Mul64(q, d.lo)
		h1, l1 := bits.Mul64(q, d.hi)
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
