package tier

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/vstream/vstream/statestore"
)

// Places of keys that a lookup has not found yet, and of those that were deleted.
const (
	unknown = 1<<32 - 1 - iota
	gone
)

const (
	// readBytes is the most of a file that is read at once for a lookup.
	readBytes = 256 << 10
	// gapBytes is how much that is not needed may lie in between.
	gapBytes = 8 << 10
)

// lookup is one call of Get; the next one uses its memory again.
type lookup struct {
	l       *layout
	keys    []byte
	pending []ref    // keys that were not found yet, in order
	place   []uint32 // by row: where its value begins in values
	values  []byte

	maybe  []ref    // pending keys that the filter of a run lets through
	blocks []uint32 // and the block where each would be
	buf    []byte
}

// Get looks keys up.
func (t *Table) Get(b statestore.Block) ([]uint32, statestore.Block, error) {
	if len(t.runs) == 0 || b.Rows == 0 {
		return nil, statestore.Block{}, nil
	}
	k := &t.lookup
	k.l, k.values, k.place = &t.layout, k.values[:0], k.place[:0]
	k.keys, k.pending = t.encoder.encode(&t.layout, b.Cols, b.Rows, toLookUp)
	for range b.Rows {
		k.place = append(k.place, unknown)
	}
	for _, r := range t.runs {
		if err := k.in(r); err != nil {
			return nil, statestore.Block{}, err
		}
	}
	hits := 0
	for _, p := range k.place {
		if p < gone {
			hits++
		}
	}
	rows, places := make([]uint32, 0, hits), make([]uint32, 0, hits)
	for row, p := range k.place {
		if p < gone {
			rows, places = append(rows, uint32(row)), append(places, p)
		}
	}
	values := statestore.Block{Rows: hits, Cols: make([]statestore.ColumnData, t.layout.value.Columns())}
	t.layout.value.Get(k.values, places, values.Cols)
	return rows, values, nil
}

// in looks the pending keys up in a run.
func (k *lookup) in(r *run) error {
	k.maybe = k.maybe[:0]
	if r.filter == nil {
		k.maybe = append(k.maybe, k.pending...)
	} else {
		for i := range k.pending {
			if r.filter.has(k.pending[i].hash) {
				k.maybe = append(k.maybe, k.pending[i])
			}
		}
	}
	if len(k.maybe) == 0 {
		return nil
	}
	maybe := k.findBlocks(r)
	for lo := 0; lo < len(maybe); {
		hi := lo + 1
		from, to := r.off[k.blocks[lo]], r.off[k.blocks[lo]+1]
		for ; hi < len(maybe); hi++ {
			b := k.blocks[hi]
			if r.off[b]-to > gapBytes || r.off[b+1]-from > readBytes {
				break
			}
			to = r.off[b+1]
		}
		if cap(k.buf) < int(to-from) {
			k.buf = make([]byte, max(int(to-from), readBytes))
		}
		buf := k.buf[:to-from]
		if err := r.read(buf, from); err != nil {
			return err
		}
		for lo < hi {
			b, n := k.blocks[lo], lo+1
			for n < hi && k.blocks[n] == b {
				n++
			}
			rows, err := r.rowsOf(buf[r.off[b]-from : r.off[b+1]-from])
			if err != nil {
				return err
			}
			k.find(rows, maybe[lo:n])
			lo = n
		}
	}
	left := k.pending[:0]
	for _, x := range k.pending {
		if k.place[x.row] == unknown {
			left = append(left, x)
		}
	}
	k.pending = left
	return nil
}

// findBlocks sets blocks for the keys that it returns: those that do not lie before the first block.
func (k *lookup) findBlocks(r *run) []ref {
	maybe := k.maybe[sort.Search(len(k.maybe), func(i int) bool { return k.maybe[i].hash >= r.first[0] }):]
	k.blocks = k.blocks[:0]
	b, first := 0, r.first
	for _, x := range maybe {
		// The last block that does not begin behind x: by steps that double, then by halves.
		step := 1
		for b+step < len(first) && first[b+step] <= x.hash {
			b += step
			step *= 2
		}
		for ; step > 0; step /= 2 {
			if b+step < len(first) && first[b+step] <= x.hash {
				b += step
			}
		}
		k.blocks = append(k.blocks, uint32(b))
	}
	return maybe
}

// find looks keys up in the rows of a block.
func (k *lookup) find(rows []byte, keys []ref) {
	l := k.l
	for _, x := range keys {
		for len(rows) > 0 && binary.LittleEndian.Uint64(rows)&^deletedBit < x.hash {
			_, n := l.lengths(rows)
			rows = rows[n:]
		}
		key := l.keyAt(k.keys, x.at)
		for p := rows; len(p) > 0; {
			word := binary.LittleEndian.Uint64(p)
			if word&^deletedBit != x.hash {
				break
			}
			nk, n := l.lengths(p)
			if bytes.Equal(p[l.head:l.head+nk], key) {
				if word&deletedBit != 0 {
					k.place[x.row] = gone
				} else {
					k.place[x.row] = uint32(len(k.values))
					k.values = append(k.values, p[l.head+nk:n]...)
				}
				break
			}
			p = p[n:]
		}
	}
}
