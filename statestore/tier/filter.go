package tier

import "math/bits"

// filter tells for most hashes that are not in a file that they are not: one word for each hash, so that
// hashes in order go through it in order. A nil filter tells nothing.
type filter []uint64

// filterBits is the memory for each row; with less than leastFilterBits a filter is worth nothing.
const (
	filterBits      = 10
	leastFilterBits = 4
)

func (f filter) word(h uint64) *uint64 {
	i, _ := bits.Mul64(h, uint64(len(f)))
	return &f[i]
}

// mask has the bits of a hash in its word; they come from its low part, and the word from the high one.
func mask(h uint64) uint64 {
	return 1<<(h>>1&63) | 1<<(h>>7&63) | 1<<(h>>13&63) | 1<<(h>>19&63)
}

func (f filter) add(h uint64) {
	if f != nil {
		*f.word(h) |= mask(h)
	}
}

// has is false if the hash was never added.
func (f filter) has(h uint64) bool {
	if f == nil {
		return true
	}
	m := mask(h)
	return *f.word(h)&m == m
}
