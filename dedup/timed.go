package dedup

import (
	"cmp"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// timed are keys with a time among them, in sets by spans of that time: what the
// watermark passes is dropped a set at a time.
type timed struct {
	types []*vector.Type
	time  int // key column
	// sets by their lo; order has them sorted when sorted is true.
	sets    map[int64]*keyset
	order   []*keyset
	sorted  bool
	recent  [64]*keyset // by hash of lo, for rows that come interleaved
	forever *keyset     // keys with a null time
	span    int64       // microseconds of a set's span
	batch   uint64      // input batches so far
	// crowded tells that the sets take too much memory even without keys.
	crowded bool

	grown []growth // of the last input batch
	first []uint32 // its rows that are the first of their key, in the order of grown
}

// firstSpan is the span of a set to begin with.
const firstSpan = 1_000_000

// crowd is the least number of sets that may be too many for the memory.
const crowd = 64

func newTimed(types []*vector.Type, time int) *timed {
	return &timed{types: types, time: time, sets: map[int64]*keyset{}, sorted: true, span: firstSpan}
}

// every is all sets, the one of null times last.
func (t *timed) every() []*keyset {
	all := t.inOrder()
	if t.forever != nil {
		all = append(all[:len(all):len(all)], t.forever)
	}
	return all
}

func (t *timed) inOrder() []*keyset {
	if !t.sorted {
		slices.SortFunc(t.order, func(a, b *keyset) int { return cmp.Compare(a.lo, b.lo) })
		t.sorted = true
	}
	return t.order
}

// at is the set of a time.
func (t *timed) at(ts int64) *keyset {
	rem := ts % t.span
	if rem < 0 {
		rem += t.span
	}
	lo := ts - rem
	if lo > ts {
		lo = math.MinInt64
	}
	slot := &t.recent[uint64(lo)*0x9E3779B97F4A7C15>>58]
	if *slot != nil && (*slot).lo == lo {
		return *slot
	}
	s := t.sets[lo]
	if s == nil {
		hi := ts - rem + (t.span - 1)
		if hi < ts {
			hi = math.MaxInt64
		}
		s = newKeyset(lo, hi, t.types)
		t.sets[lo] = s
		t.order = append(t.order, s)
		t.sorted = false
	}
	*slot = s
	return s
}

// eternal is the set of null times.
func (t *timed) eternal() *keyset {
	if t.forever == nil {
		t.forever = newKeyset(math.MaxInt64, math.MaxInt64, t.types)
	}
	return t.forever
}

// part is a number of rows that belong to one set.
type part struct {
	to   *keyset
	rows int
}

// split tells the sets of the rows. If there are several, rows is the order that brings
// the rows of each set together; it keeps their order within a set.
func (t *timed) split(times arrow.Array) (parts []part, rows []uint32) {
	t.batch++
	ts, valid := vector.Values[int64](times), vector.Validity(times)
	which := make([]uint32, len(ts))
	var last *keyset
	for i, v := range ts {
		switch {
		case !valid.Get(i):
			last = t.eternal()
		case last == nil || last == t.forever || v < last.lo || v > last.hi:
			last = t.at(v)
		}
		if last.batch != t.batch {
			last.batch, last.part = t.batch, len(parts)
			parts = append(parts, part{to: last})
		}
		parts[last.part].rows++
		which[i] = uint32(last.part)
	}
	if len(parts) == 1 {
		return parts, nil
	}
	at := make([]int, len(parts))
	for i := 1; i < len(parts); i++ {
		at[i] = at[i-1] + parts[i-1].rows
	}
	rows = make([]uint32, len(ts))
	for i, p := range which {
		rows[at[p]] = uint32(i)
		at[p]++
	}
	return parts, rows
}

// add puts rows of keys in and notes which are the first of their key.
func (t *timed) add(cols []arrow.Array, gid []uint32) {
	parts, rows := t.split(cols[t.time])
	t.grown, t.first = t.grown[:0], t.first[:0]
	if rows == nil {
		t.grown = append(t.grown, growth{parts[0].to, len(parts[0].to.added)})
		t.first = parts[0].to.add(cols, gid, t.first)
		return
	}
	sorted := make([]arrow.Array, len(cols))
	for i, c := range cols {
		sorted[i] = vector.Take(c, rows)
	}
	lo := 0
	for _, p := range parts {
		hi := lo + p.rows
		k := make([]arrow.Array, len(sorted))
		for i, c := range sorted {
			k[i] = vector.SliceArray(c, lo, hi)
		}
		t.grown = append(t.grown, growth{p.to, len(p.to.added)})
		before := len(t.first)
		t.first = p.to.add(k, gid[:p.rows], t.first)
		for i, r := range t.first[before:] {
			t.first[before+i] = rows[lo+int(r)]
		}
		lo = hi
	}
}

// ascending puts distinct rows of an input batch of n in order. The rows of one set are already.
func ascending(rows []uint32, n int) []uint32 {
	is := vector.NewBitmap(n)
	for _, r := range rows {
		is.Set(int(r))
	}
	out := make([]uint32, 0, len(rows))
	for i := range n {
		if is.Get(i) {
			out = append(out, uint32(i))
		}
	}
	return out
}

// evict drops the keys whose time is at or before bound and returns their number and, if sets went whose
// keys the tier has, too, the end of the last of them.
func (t *timed) evict(bound int64) (n int, cold bool, end int64) {
	whole := 0
	for _, s := range t.inOrder() {
		if s.hi > bound {
			break
		}
		whole++
		n += s.live()
		if s.cold.wrote {
			cold, end = true, s.hi
		}
		delete(t.sets, s.lo)
		s.table.Free()
	}
	if whole > 0 {
		t.order = append(t.order[:0:0], t.order[whole:]...)
		t.recent = [64]*keyset{}
	}
	return n, cold, end
}

// partly is the set in which bound lies, if there is one: the first, once evict has dropped those before.
func (t *timed) partly(bound int64) *keyset {
	if len(t.order) > 0 && t.order[0].lo <= bound {
		return t.order[0]
	}
	return nil
}

// widen gathers the keys in wider sets when there are many sets with few keys each, or too many for
// the memory. No set may have keys that were added in the current micro-batch.
func (t *timed) widen() {
	if t.span > math.MaxInt64/64 {
		return
	}
	switch {
	case t.crowded && len(t.order) >= crowd:
	case len(t.order) < 1024:
		return
	default:
		n := 0
		for _, s := range t.order {
			n += s.table.Len() + s.cold.alone
		}
		if n > 16*len(t.order) {
			return
		}
	}
	t.crowded = false
	old := t.inOrder()
	bound := old[0].bound
	t.span *= 16
	t.sets, t.order, t.recent = map[int64]*keyset{}, nil, [64]*keyset{}
	for _, s := range old {
		cols := s.table.Columns(vector.AllGroups(s.table.Len()))
		t.add(cols, make([]uint32, s.table.Len()))
		// What the tier has of keys in memory is not noted any more: they would be given to it once more.
		c := &t.at(s.lo).cold
		c.wrote = c.wrote || s.cold.wrote
		c.alone += s.cold.alone
		s.table.Free()
	}
	for _, s := range t.inOrder() {
		s.added = s.added[:0]
	}
	// What the tier had of the keys up to bound is gone already.
	if s := t.partly(bound); s != nil {
		s.pass(t.time, bound)
	}
}
