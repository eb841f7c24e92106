package agg

import (
	"bytes"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// counts keeps how often each distinct non-null value comes in each group: the
// state of the exact percentiles and of mode.
type counts struct {
	t    *vector.Type
	seen *entries
	n    []int64 // by entry
}

func newCounts(t *vector.Type) counts {
	return counts{t: t, seen: newEntries([]*vector.Type{t})}
}

// countsState is the exchanged state of counts.
func countsState() []vector.Field { return []vector.Field{field("buf", vector.Binary, false)} }

func (c *counts) exchange() []*vector.Type { return []*vector.Type{c.t, vector.Long} }

func (c *counts) Width() int { return 0 }
func (c *counts) Bytes() int { return c.seen.bytes() + 8*cap(c.n) }

func (c *counts) Init(_ Rows, lo, hi int) { c.seen.init(lo, hi) }

// add counts values; times is how often each comes, nil for once.
func (c *counts) add(g []uint32, values arrow.Array, times []int64) {
	ids, _ := c.seen.add(g, []arrow.Array{values})
	for len(c.n) < len(c.seen.next) {
		c.n = append(c.n, 0)
	}
	for i, id := range ids {
		if times == nil {
			c.n[id]++
		} else {
			c.n[id] += times[i]
		}
	}
}

func (c *counts) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	g, cols, err := decodeLists(c.exchange(), g, state[0])
	if err != nil {
		return err
	}
	c.add(g, cols[0], vector.Values[int64](cols[1]))
	return nil
}

func (c *counts) Export(_ Rows, g []uint32) []arrow.Array {
	off, ids := c.seen.of(g)
	n := make([]int64, len(ids))
	for i, id := range ids {
		n[i] = c.n[id]
	}
	cols := append(c.seen.values(ids), vector.NewFixed(vector.Long, n, nil))
	return []arrow.Array{encodeLists(c.exchange(), off, cols)}
}

// ordered sorts entries by value; the values come along, aligned with ids.
func (c *counts) ordered(ids []uint32, descending bool) ([]uint32, arrow.Array) {
	col := c.seen.values(ids)[0]
	off, data := vector.Strings(vector.EncodeKey(c.t, col))
	at := vector.AllGroups(len(ids))
	slices.SortFunc(at, func(a, b uint32) int {
		x := bytes.Compare(data[off[a]:off[a+1]], data[off[b]:off[b+1]])
		if descending {
			return -x
		}
		return x
	})
	sorted := make([]uint32, len(ids))
	for i, a := range at {
		sorted[i] = ids[a]
	}
	return sorted, vector.Take(col, at)
}
