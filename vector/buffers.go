package vector

import "unsafe"

// Buffers is memory for the values of columns that live until its owner calls
// Reset, which makes all of it available again: one block per column, reused in the
// order of the requests. A nil *Buffers gives fresh memory that columns own. It is
// used by one goroutine at a time.
type Buffers struct {
	blocks [][]uint64
	next   int
}

// PoisonBuffers makes Reset overwrite what it takes back, so that tests notice a
// column that outlived its memory.
var PoisonBuffers = false

// Reset ends the life of all columns in the buffers.
func (b *Buffers) Reset() {
	if PoisonBuffers {
		for _, block := range b.blocks[:b.next] {
			for i := range block {
				block[i] = 0xa5a5a5a5a5a5a5a5
			}
		}
	}
	b.next = 0
}

// Make is room for n values of a fixed-width type without pointers. The caller
// writes all of them: reused memory is not zeroed.
func Make[T any](b *Buffers, n int) []T {
	if b == nil || n == 0 {
		return make([]T, n)
	}
	var z T
	words := (n*int(unsafe.Sizeof(z)) + 7) / 8
	if b.next == len(b.blocks) {
		b.blocks = append(b.blocks, nil)
	}
	block := b.blocks[b.next]
	if cap(block) < words {
		block = make([]uint64, words)
	}
	b.blocks[b.next] = block[:words]
	b.next++
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(block))), n)
}
