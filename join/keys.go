package join

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// keyBatch are the keys of a batch of rows: their hashes and, to compare them, the
// words of fixed-width keys and the bytes of others.
type keyBatch struct {
	hash  []uint64
	words [][]uint64
	bytes []byteKey
	null  vector.Bitmap // rows with a null key, if there is one
}

type byteKey struct {
	off  []int32
	data []byte
}

// read takes the key columns of n rows, into memory that is used again.
func (k *keyBatch) read(cols []arrow.Array, types []*vector.Type, n int) {
	if cap(k.hash) < n {
		k.hash = make([]uint64, n)
	}
	k.hash = k.hash[:n]
	vector.HashColumns(cols, k.hash)
	k.null, k.bytes = nil, k.bytes[:0]
	w := 0
	for c, a := range cols {
		if valid := vector.Validity(a); valid != nil {
			if k.null == nil {
				k.null = vector.NewBitmap(n)
			}
			for i := range n {
				if !valid.Get(i) {
					k.null.Set(i)
				}
			}
		}
		if variable(types[c]) {
			off, data := vector.Strings(a)
			k.bytes = append(k.bytes, byteKey{off, data})
			continue
		}
		for half := range vector.KeyWidth(types[c]) {
			if w == len(k.words) {
				k.words = append(k.words, nil)
			}
			if cap(k.words[w]) < n {
				k.words[w] = make([]uint64, n)
			}
			k.words[w] = k.words[w][:n]
			vector.KeyWords(a, half, k.words[w])
			w++
		}
	}
	k.words = k.words[:w]
}

// variable tells whether keys of a type are compared as bytes.
func variable(t *vector.Type) bool {
	return t.Kind == vector.KindString || t.Kind == vector.KindBinary
}

// usable tells whether row i has no null key.
func (k *keyBatch) usable(i int) bool { return k.null == nil || !k.null.Get(i) }

// dropNulls takes the rows with a null key off a list of rows and their chains.
func (k *keyBatch) dropNulls(rows, next []uint32) int {
	n := 0
	for i, r := range rows {
		if !k.null.Get(int(r)) {
			rows[n], next[n] = r, next[i]
			n++
		}
	}
	return n
}
