package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// xorShift is Spark's XORShiftRandom: java.util.Random over a 64-bit xorshift.
type xorShift struct {
	state    uint64
	gaussian float64 // the second of a pair of normal numbers
	paired   bool
}

// newXORShift begins the sequence of a seed.
func newXORShift(seed int64) *xorShift {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(seed))
	const arraySeed = 0x3c074a61 // of Scala's MurmurHash3
	low := murmur3x86(b, arraySeed)
	return &xorShift{state: uint64(murmur3x86(b, low))<<32 | uint64(low)}
}

// murmur3x86 is the 32-bit MurmurHash3 of eight bytes.
func murmur3x86(b [8]byte, h uint32) uint32 {
	for i := 0; i < 8; i += 4 {
		k := binary.LittleEndian.Uint32(b[i:]) * 0xcc9e2d51
		h ^= bits.RotateLeft32(k, 15) * 0x1b873593
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	h ^= 8
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// next is the next number of at most 32 bits.
func (r *xorShift) next(n uint) int32 {
	s := r.state
	s ^= s << 21
	s ^= s >> 35
	s ^= s << 4
	r.state = s
	return int32(s & (1<<n - 1))
}

// float is evenly distributed in [0, 1).
func (r *xorShift) float() float64 {
	high := int64(r.next(26)) << 27
	return float64(high+int64(r.next(27))) * 0x1p-53
}

// normal is of the standard normal distribution, by the polar method of
// java.util.Random.
func (r *xorShift) normal() float64 {
	if r.paired {
		r.paired = false
		return r.gaussian
	}
	for {
		x, y := 2*r.float()-1, 2*r.float()-1
		s := x*x + y*y
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(s) / s)
		r.gaussian, r.paired = y*f, true
		return x * f
	}
}

// letter is a random digit or ASCII letter, as randstr draws it.
func (r *xorShift) letter() byte {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	v := int(r.next(32)) % len(letters)
	return letters[max(v, -v)]
}

// twister is the Mersenne twister MT19937 as Apache Commons Math seeds it.
type twister struct {
	mt [624]uint32
	at int
}

func newTwister(seed int64) *twister {
	r := &twister{}
	r.mt[0] = 19650218
	for i := 1; i < len(r.mt); i++ {
		r.mt[i] = 1812433253*(r.mt[i-1]^r.mt[i-1]>>30) + uint32(i)
	}
	key := [2]uint32{uint32(uint64(seed) >> 32), uint32(seed)}
	i := 1
	advance := func() {
		if i++; i == len(r.mt) {
			r.mt[0] = r.mt[len(r.mt)-1]
			i = 1
		}
	}
	for k := range r.mt {
		j := k % len(key)
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1664525) + key[j] + uint32(j)
		advance()
	}
	for range len(r.mt) - 1 {
		r.mt[i] = (r.mt[i] ^ (r.mt[i-1]^r.mt[i-1]>>30)*1566083941) - uint32(i)
		advance()
	}
	r.mt[0] = 1 << 31
	r.at = len(r.mt)
	return r
}

func (r *twister) next(n uint) int32 {
	const shift = 397
	if r.at == len(r.mt) {
		for i := range r.mt {
			y := r.mt[i]&(1<<31) | r.mt[(i+1)%len(r.mt)]&(1<<31-1)
			v := r.mt[(i+shift)%len(r.mt)] ^ y>>1
			if y&1 != 0 {
				v ^= 0x9908b0df
			}
			r.mt[i] = v
		}
		r.at = 0
	}
	y := r.mt[r.at]
	r.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	y ^= y >> 18
	return int32(y >> (32 - n))
}

// below is a random number from 0 to n-1, n > 0.
func (r *twister) below(n int32) int32 {
	if n&-n == n {
		return int32(int64(n) * int64(r.next(31)) >> 31)
	}
	for {
		v := r.next(31)
		if m := v % n; v-m+(n-1) >= 0 {
			return m
		}
	}
}

// permutation fills out with the numbers 0 to len(out)-1 in random order.
func (r *twister) permutation(out []int32) {
	for i := range out {
		j := r.below(int32(i) + 1)
		out[i] = out[j]
		out[j] = int32(i)
	}
}
