package join

import (
	"bytes"

	"github.com/vstream/vstream/vector"
)

// index finds the rows of a key: chains of row numbers by hash, newest row
// first. It also holds the keys' words.
type index struct {
	heads []uint32 // row + 1, 0 is the end; a power of two of them
	next  []uint32 // by row
	tags  []uint32 // by row: a part of the hash
	words [][]uint64
	// bytes are the columns of variable-width keys.
	bytes []*column
}

// minHeads is the size of a new index.
const minHeads = 64

// newIndex makes an index over keys of the given types; stored are the columns of the
// rows, keys the key columns among them.
func newIndex(stored []*column, keys []int) index {
	x := index{heads: make([]uint32, minHeads)}
	for _, k := range keys {
		c := stored[k]
		if variable(c.typ) {
			x.bytes = append(x.bytes, c)
			continue
		}
		for range vector.KeyWidth(c.typ) {
			x.words = append(x.words, nil)
		}
	}
	return x
}

// tag is the part of a hash that the index uses: not the low bits, by which the rows were partitioned.
func tag(hash uint64) uint32 { return uint32(hash >> 32) }

// add appends the keys of the given rows of a batch; they become rows from first on.
func (x *index) add(k *keyBatch, rows []uint32, first int) {
	x.reserve(first + len(rows))
	for i, r := range rows {
		t := tag(k.hash[r])
		x.tags, x.next = append(x.tags, t), append(x.next, 0)
		x.link(uint32(first+i), t, k.usable(int(r)))
	}
	for w := range x.words {
		src, dst := k.words[w], x.words[w]
		for _, r := range rows {
			dst = append(dst, src[r])
		}
		x.words[w] = dst
	}
}

// link puts row r at the head of its chain, or, without a usable key, in none: then
// the row points at itself.
func (x *index) link(r, tag uint32, usable bool) {
	if !usable {
		x.next[r] = r + 1
		return
	}
	h := &x.heads[tag&uint32(len(x.heads)-1)]
	x.next[r] = *h
	*h = r + 1
}

// linked tells whether row r is in a chain.
func (x *index) linked(r uint32) bool { return x.next[r] != r+1 }

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
	for r, t := range x.tags {
		x.link(uint32(r), t, x.linked(uint32(r)))
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
		t, linked := x.tags[r], x.linked(r)
		x.tags[i] = t
		x.link(uint32(i), t, linked)
	}
	x.tags, x.next = shrink(x.tags[:len(rows)]), shrink(x.next[:len(rows)])
}

func (x *index) memory() int {
	n := 4 * (cap(x.heads) + cap(x.next) + cap(x.tags))
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
