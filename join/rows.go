package join

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// Marks of a kept row.
const (
	matched = 1 << iota // it has met a row of the other side that satisfies the condition
	dead                // it has left the state and waits for compaction
)

// forever is the time of a row that never leaves.
const forever = math.MaxInt64

// blockRows is the number of consecutive rows of which the earliest time is known,
// so that eviction reads only blocks that may have something to evict.
const blockRows = 1024

// rows are the kept rows of one side in one partition, in the order in which they
// came: columns, an index by key, times, marks and ids.
type rows struct {
	cols  []*column
	keys  []int // key columns
	order []int // all columns as the store has them: keys, then the others
	types []*vector.Type
	index index
	times []int64 // in microseconds
	ids   []int64 // unique for ever; ascending
	marks []uint8
	first []int64 // earliest time of a live row, by block
	gone  int     // dead rows
	next  int64   // id of the next row
}

func newRows(s *Side) *rows {
	r := &rows{keys: s.Keys}
	for _, k := range s.Keys {
		r.types = append(r.types, s.Schema.Fields[k].Type)
	}
	r.order = slices.Clone(s.Keys)
	for i, f := range s.Schema.Fields {
		r.cols = append(r.cols, newColumn(f.Type))
		if !slices.Contains(s.Keys, i) {
			r.order = append(r.order, i)
		}
	}
	r.index = newIndex(r.cols, s.Keys)
	return r
}

// len is the number of rows, dead ones included; live is without them.
func (r *rows) len() int  { return len(r.times) }
func (r *rows) live() int { return len(r.times) - r.gone }

func (r *rows) memory() int {
	n := r.index.memory() + 8*(cap(r.times)+cap(r.ids)+cap(r.first)) + cap(r.marks)
	for _, c := range r.cols {
		n += c.bytes()
	}
	return n
}

// append adds rows sel of a batch of n rows with columns cols and keys k. times is nil if
// rows never leave; met tells which rows of the batch have a match.
func (r *rows) append(cols []arrow.Array, n int, k *keyBatch, sel []uint32, times []int64, met []bool) error {
	if len(sel) == 0 {
		return nil
	}
	at := r.len()
	if at+len(sel) > math.MaxInt32 {
		return condition.New("VSTREAM_UNSUPPORTED", "feature", "more than 2^31 rows of a join in one state partition").
			WithHint("start the query on a new checkpoint with more spark.sql.shuffle.partitions")
	}
	for i, c := range r.cols {
		a := cols[i]
		if len(sel) < n {
			a = vector.Take(a, sel)
		}
		c.append(a)
	}
	for _, row := range sel {
		t, m := int64(forever), uint8(0)
		if times != nil {
			t = times[row]
		}
		if met[row] {
			m = matched
		}
		r.push(t, r.next, m)
		r.next++
	}
	r.index.add(k, sel, at)
	return nil
}

// push adds a row's time, id and mark.
func (r *rows) push(time, id int64, mark uint8) {
	if b := len(r.times) / blockRows; b == len(r.first) {
		r.first = append(r.first, time)
	} else if time < r.first[b] {
		r.first[b] = time
	}
	r.times, r.ids, r.marks = append(r.times, time), append(r.ids, id), append(r.marks, mark)
}

// evict marks the live rows whose time is at or before bound as dead and adds them to out.
func (r *rows) evict(bound int64, out []uint32) []uint32 {
	before := len(out)
	for b, t := range r.first {
		if t > bound {
			continue
		}
		lo := b * blockRows
		hi := min(lo+blockRows, len(r.times))
		earliest := int64(forever)
		for i := lo; i < hi; i++ {
			switch t := r.times[i]; {
			case r.marks[i]&dead != 0:
			case t <= bound:
				r.marks[i] |= dead
				out = append(out, uint32(i))
			default:
				earliest = min(earliest, t)
			}
		}
		r.first[b] = earliest
	}
	r.gone += len(out) - before
	return out
}

// remove marks a row as dead.
func (r *rows) remove(row uint32) {
	r.marks[row] |= dead
	r.gone++
}

// compact gives the memory of dead rows back when they are more than half as many as
// the others. Rows get new numbers.
func (r *rows) compact() {
	if r.gone == 0 || r.gone < blockRows && r.gone < r.len() || 2*r.gone < r.live() {
		return
	}
	stay := make([]uint32, 0, r.live())
	for i, m := range r.marks {
		if m&dead == 0 {
			stay = append(stay, uint32(i))
		}
	}
	r.reduce(stay)
}

// reduce drops all rows but those given, in ascending order, which live.
func (r *rows) reduce(stay []uint32) {
	for _, c := range r.cols {
		c.keep(stay)
	}
	r.index.keep(stay)
	times, ids, marks := r.times, r.ids, r.marks
	r.times, r.ids, r.marks, r.first = r.times[:0], r.ids[:0], r.marks[:0], r.first[:0]
	for _, i := range stay {
		r.push(times[i], ids[i], marks[i])
	}
	r.times, r.ids, r.marks = shrink(r.times), shrink(r.ids), shrink(r.marks)
	r.gone = 0
}

// fit gives memory back that is not in use.
func (r *rows) fit() {
	for _, c := range r.cols {
		c.words, c.off, c.data = fit(c.words), fit(c.off), fit(c.data)
	}
	r.index.entries = fit(r.index.entries)
	for i, w := range r.index.words {
		r.index.words[i] = fit(w)
	}
	r.times, r.ids, r.marks, r.first = fit(r.times), fit(r.ids), fit(r.marks), fit(r.first)
}

func fit[T any](s []T) []T {
	if cap(s) > len(s)+len(s)/4 {
		return append(make([]T, 0, len(s)), s...)
	}
	return s
}

// gather is column c of the given rows.
func (r *rows) gather(c int, rows []uint32) arrow.Array { return r.cols[c].gather(rows) }
