package session

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

const (
	// mergeRows is how many rows are merged together: few enough for their states to stay in
	// the cache between the aggregates.
	mergeRows = 4096
	// emitRows is the number of rows of an output batch, but for the last.
	emitRows = 8192
	// pageSpan is the first span of a page of the calendar, in microseconds.
	pageSpan = 1_000_000
)

// Final keeps the sessions of one partition. It gathers the rows of a micro-batch, so
// that all of a key meet its sessions in the order of their starts, and emits at the end: in
// append mode the sessions that the watermark closes, by their end and start, in complete
// mode all.
type Final struct {
	*layout
	task     *exec.Task
	parts    [][]arrow.Array // rows of this micro-batch
	rows     int
	open     *sessions
	calendar *exec.Calendar     // of the ends, if sessions are evicted
	late     *vector.GroupTable // groups dropped in this micro-batch
	changed  []change
	gone     []uint32 // sessions absorbed or evicted in this micro-batch
	cold     cold
}

// NewFinal makes the operator.
func NewFinal(cfg Config) (exec.Operator, error) {
	l, err := newLayout(cfg)
	if err != nil {
		return nil, err
	}
	f := &Final{layout: l}
	f.clear()
	return f, nil
}

func (f *Final) clear() {
	f.open, f.calendar = newSessions(f.Keys, f.Impls), exec.NewCalendar(pageSpan)
}

// Open begins a micro-batch.
func (f *Final) Open(t *exec.Task) error {
	f.task = t
	f.parts, f.rows = nil, 0
	f.changed, f.gone, f.cold.noted = nil, nil, nil
	if f.open.sparse() {
		return f.rebuild(f.open.all())
	}
	return nil
}

// Process keeps the rows that are not late.
func (f *Final) Process(_ int, in *vector.Batch, _ exec.Emit) error {
	in = f.dropLate(in)
	if in.Len() == 0 {
		return nil
	}
	f.parts = append(f.parts, in.Columns())
	f.rows += in.Len()
	return nil
}

// dropLate removes the rows whose own session the watermark has passed, and counts
// them: in groups, as Spark does, and in input rows.
func (f *Final) dropLate(in *vector.Batch) *vector.Batch {
	w := f.task.Watermark
	if !f.Watermark || !w.Set || in.Len() == 0 {
		return in
	}
	ends, bound := vector.Values[int64](in.Col(f.startColumn()+1)), watermark.Micros(w.Late)
	var rows, late []uint32
	for i, v := range ends {
		if v <= bound {
			late = append(late, uint32(i))
		}
	}
	if len(late) == 0 {
		return in
	}
	for i, v := range ends {
		if v > bound {
			rows = append(rows, uint32(i))
		}
	}
	if f.late == nil {
		f.late = vector.NewGroupTable(append(slices.Clone(f.Keys), vector.Timestamp, vector.Timestamp))
	}
	dropped := in.Select(late)
	cols := make([]arrow.Array, f.startColumn()+2)
	for i := range cols {
		cols[i] = dropped.Col(i)
	}
	f.late.Find(cols, make([]uint32, len(late)))
	for _, n := range vector.Values[int64](dropped.Col(in.NumCols() - 1)) {
		f.task.Metrics.LateRows += n
	}
	return in.Select(rows)
}

// EndBatch merges, emits by mode, evicts and counts.
func (f *Final) EndBatch(out exec.Emit) error {
	m := f.task.Metrics
	if f.rows > 0 {
		if err := f.fold(vector.ConcatColumns(f.parts), f.rows); err != nil {
			return err
		}
		f.parts = nil
	}
	if f.Mode == "complete" {
		if err := f.emitUpTo(math.MaxInt64, f.open.all(), out, nil); err != nil {
			return err
		}
	}
	if w := f.task.Watermark; f.evicts && w.Set {
		if err := f.evict(watermark.Micros(w.Evict), out); err != nil {
			return err
		}
	}
	m.NumRowsRemoved += int64(len(f.gone))
	m.NumRowsTotal += int64(f.open.live + f.cold.n)
	m.MemoryBytes += f.bytes()
	if f.late != nil {
		m.NumRowsDroppedByWatermark += int64(f.late.Len())
		f.late.Free()
		f.late = nil
	}
	return nil
}

// fold merges n rows into the sessions.
func (f *Final) fold(cols []arrow.Array, n int) error {
	nk := f.startColumn()
	kid, err := f.keysOf(cols[:nk], n)
	if err != nil {
		return err
	}
	merged := f.open.merge(kid, vector.Values[int64](cols[nk]), vector.Values[int64](cols[nk+1]))
	f.open.states.Grow(len(f.open.slots))
	states := cols[nk+2:]
	for i, im := range f.Impls {
		w := len(im.State)
		if err := f.mergeStates(i, merged, states[:w]); err != nil {
			return err
		}
		states = states[w:]
	}
	f.changed = merged.changed
	f.gone = append(f.gone, merged.absorbed...)
	f.task.Metrics.NumRowsUpdated += int64(merged.touched)
	if f.evicts {
		f.file(merged.changed)
	}
	return nil
}

// mergeStates merges the sources' states of aggregate i into their targets.
func (f *Final) mergeStates(i int, m *fold, input []arrow.Array) error {
	sorted := make([]arrow.Array, len(input))
	var absorbed []arrow.Array
	if len(m.absorbed) > 0 {
		absorbed = f.open.states.Export(i, m.absorbed)
	}
	for k, c := range input {
		if absorbed != nil {
			c = vector.Concat([]arrow.Array{c, absorbed[k]})
		}
		sorted[k] = vector.Take(c, m.source)
	}
	part := make([]arrow.Array, len(sorted))
	for lo := 0; lo < len(m.target); lo += mergeRows {
		hi := min(lo+mergeRows, len(m.target))
		for k, c := range sorted {
			part[k] = vector.SliceArray(c, lo, hi)
		}
		if err := f.open.states.Merge(i, m.target[lo:hi], part); err != nil {
			return err
		}
	}
	return nil
}

// file enters the new ends of sessions into the calendar.
func (f *Final) file(changed []change) {
	for _, c := range changed {
		end := f.open.slots[c.slot].end
		if c.fresh {
			f.calendar.Add([]uint32{c.slot}, []int64{end})
		} else {
			f.calendar.Move(c.slot, c.before, end)
		}
	}
}

// evict emits and removes the sessions that end at or before bound.
func (f *Final) evict(bound int64, out exec.Emit) error {
	var closed []uint32
	f.calendar.Due(bound, func(x uint32) (int64, bool) {
		s := &f.open.slots[x]
		return s.end, s.live
	}, func(x uint32) {
		f.open.end(x)
		closed = append(closed, x)
	})
	f.open.sweep(closed)
	f.gone = append(f.gone, closed...)
	left := 0
	nk := f.startColumn()
	err := f.emitUpTo(bound, closed, out, func(cols []arrow.Array, n int) error {
		left += n
		f.cold.noted = append(f.cold.noted, exec.Block(f.fields()[:nk+1], cols[:nk+1], n))
		return f.trim(cols[:nk], n, bound)
	})
	if err != nil || left == 0 {
		return err
	}
	f.task.Metrics.NumRowsRemoved += int64(left)
	f.cold.n -= left
	f.cold.first = bound + 1
	return f.cold.sessions.DeleteRange(statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: bound})
}

// emit hands out sessions with their results.
func (f *Final) emit(slots []uint32, out exec.Emit) error {
	for lo := 0; lo < len(slots); lo += emitRows {
		g := slots[lo:min(lo+emitRows, len(slots))]
		cols, err := f.results(g)
		if err != nil {
			return err
		}
		if err := out(vector.NewBatch(f.output, cols, len(g))); err != nil {
			return err
		}
	}
	return nil
}

// results are the output columns of sessions.
func (f *Final) results(slots []uint32) ([]arrow.Array, error) {
	cols := f.keyColumns(slots)
	for i := range f.Impls {
		c, err := f.open.states.Result(i, slots)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// keyColumns are keys, start and end of sessions.
func (f *Final) keyColumns(slots []uint32) []arrow.Array {
	kid, start, end := make([]uint32, len(slots)), make([]int64, len(slots)), make([]int64, len(slots))
	for i, x := range slots {
		s := &f.open.slots[x]
		kid[i], start[i], end[i] = s.key, s.start, s.end
	}
	return append(f.open.table.Columns(kid), vector.NewFixed(vector.Timestamp, start, nil), vector.NewFixed(vector.Timestamp, end, nil))
}

// stateColumns are keyColumns and the states.
func (f *Final) stateColumns(slots []uint32) []arrow.Array {
	cols := f.keyColumns(slots)
	for i := range f.Impls {
		cols = append(cols, f.open.states.Export(i, slots)...)
	}
	return cols
}

// rebuild keeps these sessions, which the state store has, and leaves other slots and keys behind.
func (f *Final) rebuild(slots []uint32) error {
	old := f.open
	cols, nk := f.stateColumns(slots), f.startColumn()
	numbers := make([]int64, len(slots))
	for i, x := range slots {
		numbers[i] = old.slots[x].number()
	}
	f.clear()
	f.open.next = old.next
	if err := f.insert(f.open.keysOf(cols[:nk], len(slots)), cols[nk:], numbers); err != nil {
		return err
	}
	old.free()
	return nil
}

// restore puts sessions in that recovery has read.
func (f *Final) restore(cols []arrow.Array, n int) error {
	nk := f.startColumn()
	kid, err := f.keysOf(cols[:nk], n)
	if err != nil {
		return err
	}
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = f.open.next
		f.open.next++
	}
	return f.insert(kid, cols[nk:], numbers)
}

// insert puts sessions of keys in; cols are their starts, ends and states.
func (f *Final) insert(kid []uint32, cols []arrow.Array, numbers []int64) error {
	start, end := vector.Values[int64](cols[0]), vector.Values[int64](cols[1])
	slots := make([]uint32, len(kid))
	for i, k := range kid {
		slots[i] = f.open.put(k, start[i], end[i], numbers[i])
		f.open.slots[slots[i]].stored = true
	}
	f.open.link(slots, kid, start, end)
	f.open.states.Grow(len(f.open.slots))
	if err := f.restoreStates(f.open.states, slots, cols[2:]); err != nil {
		return err
	}
	if f.evicts {
		f.calendar.Add(slots, end)
	}
	return nil
}

// restoreStates puts state columns into empty states.
func (f *Final) restoreStates(s *agg.States, groups []uint32, cols []arrow.Array) error {
	for i, im := range f.Impls {
		w := len(im.State)
		if err := s.Restore(i, groups, cols[:w]); err != nil {
			return err
		}
		cols = cols[w:]
	}
	return nil
}
