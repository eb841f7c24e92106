package session

import (
	"cmp"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// place is where a session comes out among others: by end, or by number if sessions are not evicted;
// then by start; then by number.
type place struct{ order, start, number int64 }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.order, q.order), cmp.Compare(p.start, q.start), cmp.Compare(p.number, q.number))
}

func (f *Final) place(x uint32) place {
	s := &f.open.slots[x]
	return place{f.order(s.end, s.number()), s.start, s.number()}
}

// compare compares the places of two sessions in memory.
func (f *Final) compare(a, b uint32) int {
	x, y := &f.open.slots[a], &f.open.slots[b]
	if f.evicts {
		if c := cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.start, y.start)); c != 0 {
			return c
		}
	}
	return cmp.Compare(x.number(), y.number())
}

// emitUpTo emits slots, which it sorts, together with the sessions of the tier whose order is at or before bound; visit sees these.
func (f *Final) emitUpTo(bound int64, slots []uint32, out exec.Emit, visit func(cols []arrow.Array, rows int) error) error {
	slices.SortFunc(slots, f.compare)
	if f.cold.n == 0 || f.cold.first > bound {
		return f.emit(slots, out)
	}
	m := &merger{f: f, hot: slots, out: out}
	r := statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: bound}
	err := f.cold.sessions.Scan(r, func(b statestore.Block) error {
		cols, err := exec.BlockColumns(f.tierFields(), b)
		if err != nil {
			return err
		}
		if visit != nil {
			if err := visit(cols[len(orderFields):], b.Rows); err != nil {
				return err
			}
		}
		return m.add(cols, b.Rows)
	})
	if err != nil {
		return err
	}
	return m.flush(math.MaxInt64)
}

// merger emits sessions of the memory and of the tier in one order.
type merger struct {
	f     *Final
	hot   []uint32 // in order
	parts [][]arrow.Array
	rows  int // in parts, by their order
	out   exec.Emit
}

func (m *merger) add(cols []arrow.Array, n int) error {
	m.parts = append(m.parts, cols)
	if m.rows += n; m.rows < emitRows {
		return nil
	}
	// More of the last order may follow, whose starts are not in order.
	last := vector.Values[int64](cols[0])[n-1]
	return m.flush(last)
}

// flush emits all that is before the order given; of the last, all.
func (m *merger) flush(until int64) error {
	f := m.f
	before := func(order int64) bool { return order < until || until == math.MaxInt64 }
	h := 0
	for h < len(m.hot) && before(f.place(m.hot[h]).order) {
		h++
	}
	hot := m.hot[:h]
	m.hot = m.hot[h:]
	if m.rows == 0 {
		return f.emit(hot, m.out)
	}
	cols := vector.ConcatColumns(m.parts)
	orders, n := vector.Values[int64](cols[0]), 0
	for n < m.rows && before(orders[n]) {
		n++
	}
	rest := make([]arrow.Array, len(cols))
	for i, c := range cols {
		rest[i], cols[i] = vector.SliceArray(c, n, m.rows), vector.SliceArray(c, 0, n)
	}
	m.parts, m.rows = [][]arrow.Array{rest}, m.rows-n
	return m.emit(cols, n, hot)
}

// emit emits n sessions of the tier and hot ones.
func (m *merger) emit(cols []arrow.Array, n int, hot []uint32) error {
	f := m.f
	if n == 0 {
		return f.emit(hot, m.out)
	}
	orders, numbers := vector.Values[int64](cols[0]), vector.Values[int64](cols[1])
	cols = cols[len(orderFields):]
	starts := vector.Values[int64](cols[f.startColumn()])
	places := make([]place, n, n+len(hot))
	for i := range places {
		places[i] = place{orders[i], starts[i], numbers[i]}
	}
	for _, x := range hot {
		places = append(places, f.place(x))
	}
	order := vector.AllGroups(len(places))
	slices.SortFunc(order, func(a, b uint32) int { return places[a].compare(places[b]) })
	states, groups := agg.NewStates(f.Impls), vector.AllGroups(n)
	defer states.Free()
	states.Grow(n)
	if err := f.restoreStates(states, groups, cols[f.startColumn()+2:]); err != nil {
		return err
	}
	result := cols[: f.startColumn()+2 : f.startColumn()+2]
	for i := range f.Impls {
		c, err := states.Result(i, groups)
		if err != nil {
			return err
		}
		result = append(result, c)
	}
	if len(hot) > 0 {
		h, err := f.results(hot)
		if err != nil {
			return err
		}
		result = vector.ConcatColumns([][]arrow.Array{result, h})
	}
	for lo := 0; lo < len(order); lo += emitRows {
		rows := order[lo:min(lo+emitRows, len(order))]
		part := make([]arrow.Array, len(result))
		for i, c := range result {
			part[i] = vector.Take(c, rows)
		}
		if err := m.out(vector.NewBatch(f.output, part, len(rows))); err != nil {
			return err
		}
	}
	return nil
}
