package join

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// loaded is what recovery has read of one side, until the operator opens: rows lie in the
// side's columns already, without index; first matches and evictions are noted.
type loaded struct {
	rowsGone []eviction
	deleted  []deletion
	metGone  []eviction
	metTimes []int64
	metIDs   []int64
}

// eviction removed what is at or before bound from the first n entries.
type eviction struct {
	n     int
	bound int64
}

// deletion removed the row with an id among the first n.
type deletion struct {
	n  int
	id int64
}

func (l *loaded) rows(r *rows, c *statestore.Changes) error {
	if c.Clear {
		l.rowsGone = append(l.rowsGone, eviction{r.len(), math.MaxInt64})
	}
	if c.HasDeleteBelow {
		l.rowsGone = append(l.rowsGone, eviction{r.len(), c.DeleteBelow})
	}
	for _, b := range c.Deletes {
		_, ids, err := keysOf(b)
		if err != nil {
			return err
		}
		for _, id := range ids {
			l.deleted = append(l.deleted, deletion{r.len(), id})
		}
	}
	for _, b := range c.Puts {
		if err := r.load(b); err != nil {
			return err
		}
	}
	return nil
}

// load adds rows in the form of the store, without index.
func (r *rows) load(b statestore.Block) error {
	if len(b.Cols) != len(r.order)+3 {
		return fmt.Errorf("join: a block of %d columns for a table of %d", len(b.Cols), len(r.order)+3)
	}
	times, ids, err := keysOf(b)
	if err != nil {
		return err
	}
	met := b.Cols[len(b.Cols)-1].Data
	if len(met) != b.Rows {
		return fmt.Errorf("join: %d marks for %d rows", len(met), b.Rows)
	}
	for i, col := range r.order {
		if err := r.cols[col].load(b.Cols[2+i], b.Rows); err != nil {
			return fmt.Errorf("join: column %d: %w", i, err)
		}
	}
	for i, t := range times {
		r.push(t, ids[i], met[i]&matched)
		r.next = max(r.next, ids[i]+1)
	}
	return nil
}

func (l *loaded) matches(c *statestore.Changes) error {
	if c.Clear {
		l.metGone = append(l.metGone, eviction{len(l.metIDs), math.MaxInt64})
	}
	if c.HasDeleteBelow {
		l.metGone = append(l.metGone, eviction{len(l.metIDs), c.DeleteBelow})
	}
	for _, b := range c.Puts {
		times, ids, err := keysOf(b)
		if err != nil {
			return err
		}
		l.metTimes, l.metIDs = append(l.metTimes, times...), append(l.metIDs, ids...)
	}
	return nil
}

// keysOf are the times and ids of a block.
func keysOf(b statestore.Block) (times, ids []int64, err error) {
	if len(b.Cols) < 2 || len(b.Cols[0].Data) != 8*b.Rows || len(b.Cols[1].Data) != 8*b.Rows {
		return nil, nil, fmt.Errorf("join: a block without the keys of its %d rows", b.Rows)
	}
	return longs(b.Cols[0].Data), longs(b.Cols[1].Data), nil
}

func longs(b []byte) []int64 {
	out := make([]int64, len(b)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// bytesOf is the memory of values; machines are little endian.
func bytesOf(v []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}

// each calls fn for the entries, last first, with whether a later eviction has removed them.
func each(times []int64, gone []eviction, fn func(i int, gone bool)) {
	any, bound := false, int64(math.MinInt64)
	for i := len(times) - 1; i >= 0; i-- {
		for len(gone) > 0 && gone[len(gone)-1].n > i {
			any, bound = true, max(bound, gone[len(gone)-1].bound)
			gone = gone[:len(gone)-1]
		}
		fn(i, any && times[i] <= bound)
	}
}

// settle completes the rows: those that left are dead, those that were noted have a
// match, and keys are in the index.
func (l *loaded) settle(s *side) error {
	l.settleRows(s.kept)
	if len(l.metIDs) > 0 {
		last := s.kept.finder()
		var times, ids []int64
		each(l.metTimes, l.metGone, func(i int, gone bool) {
			if gone {
				return
			}
			if row, ok := last(l.metIDs[i], s.kept.len()); ok {
				s.kept.marks[row] |= matched
			} else if s.cold.n > 0 {
				times, ids = append(times, l.metTimes[i]), append(ids, l.metIDs[i])
			}
		})
		if err := s.markCold(times, ids); err != nil {
			return err
		}
	}
	s.kept.reindex()
	return nil
}

// settleRows makes the rows dead that left, and forgets why.
func (l *loaded) settleRows(r *rows) {
	each(r.times, l.rowsGone, func(i int, gone bool) {
		if gone {
			r.remove(uint32(i))
		}
	})
	if len(l.deleted) > 0 {
		last := r.finder()
		for _, d := range l.deleted {
			if row, ok := last(d.id, d.n); ok && r.marks[row]&dead == 0 {
				r.remove(row)
			}
		}
	}
	l.rowsGone, l.deleted = nil, nil
}

// finder gives a function that finds the last row with an id among the first n. An id may have been given again
// after its row had left.
func (r *rows) finder() func(id int64, n int) (uint32, bool) {
	byID := vector.AllGroups(r.len())
	slices.SortFunc(byID, func(a, b uint32) int { return cmp.Or(cmp.Compare(r.ids[a], r.ids[b]), cmp.Compare(a, b)) })
	return func(id int64, n int) (uint32, bool) {
		at, _ := slices.BinarySearchFunc(byID, id, func(row uint32, id int64) int {
			if r.ids[row] < id || r.ids[row] == id && int(row) < n {
				return -1
			}
			return 1
		})
		if at == 0 || r.ids[byID[at-1]] != id {
			return 0, false
		}
		return byID[at-1], true
	}
}

// reindex builds the index anew from the columns.
func (r *rows) reindex() {
	r.index = newIndex(r.cols, r.keys)
	var k keyBatch
	all := make([]uint32, 0, probeVector)
	own := make([]uint32, 0, probeVector)
	cols := make([]arrow.Array, len(r.keys))
	for lo := 0; lo < r.len(); lo += probeVector {
		all, own = all[:0], own[:0]
		for i := lo; i < min(lo+probeVector, r.len()); i++ {
			all, own = append(all, uint32(i)), append(own, uint32(i-lo))
		}
		for i, c := range r.keys {
			cols[i] = r.gather(c, all)
		}
		k.read(cols, r.types, len(all))
		r.index.add(&k, own, lo)
	}
}
