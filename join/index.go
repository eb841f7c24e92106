package join

import (
	"bytes"
	"slices"

	"github.com/vstream/vstream/vector"
)

// index finds the rows of a key: chains of row numbers by hash, newest row first.
type index struct {
	heads   []uint32 // row + 1, 0 is the end; a power of two of them
	entries []entry  // by row
	// single tells that an entry has the whole key; otherwise words and bytes have it.
	single bool
	words  [][]uint64 // of fixed-width keys, by row
	bytes  []*column  // of variable-width keys
	slots  []uint32   // scratch
	// fetched keeps the reads that bring memory near from being left out.
	fetched uint32
}

// entry is what a chain needs of a row, in one place: the key if it is one word, else
// its hash; the next row of the chain + 1; and the part of the hash that chose the chain.
type entry struct {
	key       uint64
	next, tag uint32
}

// minHeads is the size of a new index.
const minHeads = 64

// newIndex makes an index over keys of the given types; stored are the columns of the
// rows, keys the key columns among them.
func newIndex(stored []*column, keys []int) index {
	x := index{heads: make([]uint32, minHeads)}
	words := 0
	for _, k := range keys {
		c := stored[k]
		if variable(c.typ) {
			x.bytes = append(x.bytes, c)
			continue
		}
		words += vector.KeyWidth(c.typ)
	}
	if x.single = words == 1 && len(x.bytes) == 0; !x.single {
		x.words = make([][]uint64, words)
	}
	return x
}

// tag is the part of a hash that the index uses: not the low bits, by which the rows were partitioned.
func tag(hash uint64) uint32 { return uint32(hash >> 32) }

// ids are what entries keep of the keys of a batch.
func (x *index) ids(k *keyBatch) []uint64 {
	if x.single {
		return k.words[0]
	}
	return k.hash
}

// add appends the keys of the given rows of a batch; they become rows from first on.
func (x *index) add(k *keyBatch, rows []uint32, first int) {
	x.reserve(first + len(rows))
	ids := x.ids(k)
	mask := uint32(len(x.heads) - 1)
	x.slots = slices.Grow(x.slots[:0], probeVector)
	for lo := 0; lo < len(rows); lo += probeVector {
		part := rows[lo:min(lo+probeVector, len(rows))]
		// The chains' heads are far apart: fetch them all before the first is used.
		slots := x.slots[:len(part)]
		var fetched uint32
		for i, r := range part {
			slots[i] = tag(k.hash[r]) & mask
			fetched |= x.heads[slots[i]]
		}
		x.fetched = fetched
		for i, r := range part {
			row := uint32(first + lo + i)
			e := entry{key: ids[r], tag: tag(k.hash[r]), next: row + 1}
			if k.usable(int(r)) {
				h := &x.heads[slots[i]]
				e.next, *h = *h, row+1
			}
			x.entries = append(x.entries, e)
		}
	}
	for w := range x.words {
		src, dst := k.words[w], x.words[w]
		for _, r := range rows {
			dst = append(dst, src[r])
		}
		x.words[w] = dst
	}
}

// relink puts row r, which e describes, at the head of its chain; a row without a usable
// key is in none and points at itself.
func (x *index) relink(r uint32, e *entry, linked bool) {
	if !linked {
		e.next = r + 1
		return
	}
	h := &x.heads[e.tag&uint32(len(x.heads)-1)]
	e.next, *h = *h, r+1
}

// linked tells whether row r is in a chain.
func (x *index) linked(r uint32) bool { return x.entries[r].next != r+1 }

// reserve doubles the chains when there are more rows than chains.
func (x *index) reserve(rows int) {
	size := len(x.heads)
	for size < rows {
		size *= 2
	}
	if size == len(x.heads) {
		return
	}
	x.heads = make([]uint32, size)
	for r := range x.entries {
		x.relink(uint32(r), &x.entries[r], x.linked(uint32(r)))
	}
}

// keep reduces the index to the given rows, in ascending order, which get new numbers.
func (x *index) keep(rows []uint32) {
	for w, v := range x.words {
		for i, r := range rows {
			v[i] = v[r]
		}
		x.words[w] = shrink(v[:len(rows)])
	}
	size := minHeads
	for size < len(rows) {
		size *= 2
	}
	if size > len(x.heads) || 4*size < len(x.heads) {
		x.heads = make([]uint32, size)
	} else {
		clear(x.heads)
	}
	for i, r := range rows {
		linked := x.linked(r)
		x.entries[i] = x.entries[r]
		x.relink(uint32(i), &x.entries[i], linked)
	}
	x.entries = shrink(x.entries[:len(rows)])
}

func (x *index) memory() int {
	n := 4*cap(x.heads) + 16*cap(x.entries)
	for _, w := range x.words {
		n += 8 * cap(w)
	}
	return n
}

// equal compares the key of row i of a batch with that of row r.
func (x *index) equal(k *keyBatch, i int, r uint32) bool {
	for w, v := range x.words {
		if v[r] != k.words[w][i] {
			return false
		}
	}
	for c, col := range x.bytes {
		b := &k.bytes[c]
		if !bytes.Equal(b.data[b.off[i]:b.off[i+1]], col.data[col.off[r]:col.off[r+1]]) {
			return false
		}
	}
	return true
}
