package kernels

import "math/bits"

// divisor divides by a number that is the same for all rows, by a multiplication with
// its reciprocal. The reciprocal is rounded up, with 63 significant bits behind the
// point, which gives the exact quotient of everything up to 2^63 (Granlund and
// Montgomery, Division by Invariant Integers using Multiplication).
type divisor struct {
	by         uint64
	reciprocal uint64
	shift      uint
}

// divisorOf is the divisor of a number's magnitude; false for magnitudes that need
// none (0 and 1) or that are beyond 2^62.
func divisorOf(n int64) (divisor, bool) {
	d := uint64(max(n, -n))
	if d < 2 || d > 1<<62 {
		return divisor{}, false
	}
	log := uint(bits.Len64(d - 1))
	reciprocal, r := bits.Div64(1<<(log-1), 0, d)
	if r != 0 {
		reciprocal++
	}
	return divisor{d, reciprocal, log - 1}, true
}

// unitDivisor is the divisor of a constant of at least 2.
func unitDivisor(n int64) divisor {
	d, ok := divisorOf(n)
	if !ok {
		panic("kernels: no divisor of a unit below 2")
	}
	return d
}

// quo is u divided, for u up to 2^63.
func (d divisor) quo(u uint64) uint64 {
	q, _ := bits.Mul64(d.reciprocal, u)
	return q >> (d.shift & 63)
}

// floorDiv is the quotient rounded towards negative infinity.
func (d divisor) floorDiv(v int64) int64 {
	sign := v >> 63
	return int64(d.quo(uint64(v^sign))) ^ sign
}

// floorMod is the remainder of floorDiv, never negative.
func (d divisor) floorMod(v int64) int64 {
	return v - d.floorDiv(v)*int64(d.by)
}
