package groupby

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// Final keeps the groups of one partition. It takes Partial's output and emits
// key and result columns at the end of the micro-batch: in append mode the
// groups that the watermark closes, in update mode the changed ones, in complete
// mode all; in order of the window's end (of the event time), then as first seen.
type Final struct {
	*layout
	task      *exec.Task
	epoch     uint32 // of the micro-batch
	batch     uint64 // input batches so far
	tableKeys []*vector.Type
	live      *buckets
	forever   *bucket // of groups that are never evicted
	quantum   int64   // microseconds of a plain event time's bucket
	late      *vector.GroupTable
	evicted   evictions
	gid       []uint32
	tier      spill
}

// evictions are what the watermark took out of the state in this micro-batch.
type evictions struct {
	groups int
	below  int64
}

// NewFinal makes the operator.
func NewFinal(cfg Config) (exec.Operator, error) {
	l, err := newLayout(cfg)
	if err != nil {
		return nil, err
	}
	f := &Final{layout: l, live: newBuckets(), quantum: firstQuantum, gid: make([]uint32, mergeRows), tableKeys: l.Keys}
	if l.evicts() && l.WindowEnd {
		f.tableKeys = append(l.Keys[:l.EventTime-1:l.EventTime-1], l.Keys[l.EventTime+1:]...)
	}
	return f, nil
}

// Open begins a micro-batch.
func (f *Final) Open(t *exec.Task) error {
	f.task = t
	f.evicted = evictions{}
	f.tier.gathered, f.tier.rows = nil, 0
	f.epoch++
	if f.epoch == 0 {
		f.epoch = 1
	}
	for _, b := range f.every() {
		b.dirty = b.dirty[:0]
	}
	return f.widenBuckets()
}

// every is all buckets, the one without end last.
func (f *Final) every() []*bucket {
	all := f.live.all()
	if f.forever != nil {
		all = append(all[:len(all):len(all)], f.forever)
	}
	return all
}

// Process merges a batch of Partial's output.
func (f *Final) Process(_ int, in *vector.Batch, _ exec.Emit) error {
	in = f.dropLate(in)
	if in.Len() == 0 {
		return nil
	}
	cols := in.Columns()
	if f.tier.used {
		return f.gather(cols[:len(cols)-1], in.Len())
	}
	if err := f.mergeBatch(cols[:len(cols)-1], in.Len(), f.epoch); err != nil {
		return err
	}
	return f.shedWithin(in.Len())
}

// dropLate removes the rows that the watermark has passed, and counts them: in
// groups, as Spark does, and in input rows.
func (f *Final) dropLate(in *vector.Batch) *vector.Batch {
	w := f.task.Watermark
	if !f.evicts() || !w.Set || in.Len() == 0 {
		return in
	}
	times := in.Col(f.EventTime)
	ts, valid, bound := vector.Values[int64](times), vector.Validity(times), watermark.Micros(w.Late)
	var rows, late []uint32
	for i, v := range ts {
		if v <= bound && valid.Get(i) {
			late = append(late, uint32(i))
		}
	}
	if len(late) == 0 {
		return in
	}
	rows = make([]uint32, 0, len(ts)-len(late))
	for i, v := range ts {
		if v > bound || !valid.Get(i) {
			rows = append(rows, uint32(i))
		}
	}
	if f.late == nil {
		f.late = vector.NewGroupTable(f.Keys)
	}
	dropped := in.Select(late)
	gid := make([]uint32, len(late))
	f.late.Find(keyColumns(dropped, len(f.Keys)), gid)
	for _, n := range vector.Values[int64](dropped.Col(in.NumCols() - 1)) {
		f.task.Metrics.LateRows += n
	}
	return in.Select(rows)
}

// mergeBatch merges rows of key and state columns into their buckets; epoch as
// bucket.merge has it.
func (f *Final) mergeBatch(cols []arrow.Array, n int, epoch uint32) error {
	parts, rows := f.split(cols, n)
	if rows != nil {
		for i, c := range cols {
			cols[i] = vector.Take(c, rows)
		}
	}
	nk := len(f.Keys)
	lo := 0
	for _, p := range parts {
		part := slice(cols, lo, lo+p.rows)
		keys := part[:nk]
		if p.to != f.forever && f.WindowEnd {
			keys = append(keys[:f.EventTime-1:f.EventTime-1], keys[f.EventTime+1:]...)
		}
		known := p.to.cold.rows > 0
		if known {
			if err := f.fetch(p.to, keys, p.rows, epoch != 0); err != nil {
				return err
			}
		}
		if err := p.to.merge(f.impls, keys, part[nk:], p.rows, epoch, f.gid, known); err != nil {
			return err
		}
		lo += p.rows
	}
	return nil
}

// part is a number of consecutive rows that belong to one bucket.
type part struct {
	to   *bucket
	rows int
}

// split tells the buckets of n rows. If there are several, rows is the order that
// brings the rows of each bucket together.
func (f *Final) split(cols []arrow.Array, n int) (parts []part, rows []uint32) {
	if !f.evicts() {
		return []part{{f.eternal(), n}}, nil
	}
	f.batch++
	times := cols[f.EventTime]
	end, valid := vector.Values[int64](times), vector.Validity(times)
	start := end
	if f.WindowEnd {
		start = vector.Values[int64](cols[f.EventTime-1])
	}
	which := make([]uint32, n)
	var last *bucket
	for i, e := range end {
		switch {
		case !valid.Get(i):
			last = f.eternal()
		case f.WindowEnd:
			if last == nil || last.hi != e || last.lo != start[i] || last == f.forever {
				last = f.live.get(span{start[i], e}, f.tableKeys, f.impls)
			}
		default:
			if last == nil || e < last.lo || e > last.hi || last == f.forever {
				last = f.live.get(f.spanOf(e), f.tableKeys, f.impls)
			}
		}
		if last.batch != f.batch {
			last.batch, last.part = f.batch, len(parts)
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
	rows = make([]uint32, n)
	for i, p := range which {
		rows[at[p]] = uint32(i)
		at[p]++
	}
	return parts, rows
}

// eternal is the bucket of groups that are never evicted.
func (f *Final) eternal() *bucket {
	if f.forever == nil {
		f.forever = newBucket(span{math.MaxInt64, math.MaxInt64}, f.Keys, f.impls)
	}
	return f.forever
}

// EndBatch emits by mode, evicts and counts.
func (f *Final) EndBatch(out exec.Emit) error {
	if err := f.mergeGathered(); err != nil {
		return err
	}
	if len(f.Keys) == 0 {
		// An aggregation without keys has one row from the first batch on, which
		// counts as updated in every batch.
		b := f.eternal()
		g := []uint32{0}
		b.table.Find(nil, g)
		b.states.Grow(1)
		b.dirty = b.states.Touch(g, f.epoch, b.dirty)
	}
	m := f.task.Metrics
	e := &emitter{layout: f.layout, out: out}
	for _, b := range f.every() {
		m.NumRowsUpdated += int64(len(b.dirty))
		switch f.Mode {
		case modeUpdate:
			if err := f.emit(e, b, b.dirty); err != nil {
				return err
			}
		case modeComplete:
			if err := f.emitAll(e, b); err != nil {
				return err
			}
		}
	}
	if w := f.task.Watermark; f.evicts() && w.Set {
		removed := e
		if f.Mode == modeUpdate {
			removed = nil
		}
		if err := f.evict(watermark.Micros(w.Evict), removed); err != nil {
			return err
		}
	}
	if err := e.flush(); err != nil {
		return err
	}
	m.NumRowsRemoved += int64(f.evicted.groups)
	for _, b := range f.every() {
		m.NumRowsTotal += int64(b.groups())
		m.MemoryBytes += int64(b.bytes())
	}
	if f.late != nil {
		m.NumRowsDroppedByWatermark += int64(f.late.Len())
		f.late.Free()
		f.late = nil
	}
	return nil
}

// evict removes the groups whose event time is at or before bound, and emits
// them unless e is nil.
func (f *Final) evict(bound int64, e *emitter) error {
	f.evicted.below = bound
	whole, dropped := 0, false
	for _, b := range f.live.all() {
		if b.hi > bound {
			break
		}
		whole++
		f.evicted.groups += b.groups()
		if err := f.emitAll(e, b); err != nil {
			return err
		}
		dropped = dropped || b.cold.rows > 0
	}
	if dropped {
		if err := f.dropCold(f.live.order[whole-1].hi); err != nil {
			return err
		}
	}
	if whole > 0 {
		f.live.removeFirst(whole)
	}
	if f.WindowEnd || len(f.live.order) == 0 || f.live.order[0].lo > bound {
		return nil
	}
	b := f.live.order[0] // of a plain event time; the bound lies within
	all := vector.AllGroups(b.table.Len())
	var gone, stay []uint32
	for i, v := range vector.Values[int64](b.table.Column(f.EventTime, all)) {
		if v <= bound {
			gone = append(gone, uint32(i))
		} else {
			stay = append(stay, uint32(i))
		}
	}
	f.evicted.groups += len(gone)
	if err := f.emit(e, b, gone); err != nil {
		return err
	}
	if err := f.evictCold(b, bound, e); err != nil {
		return err
	}
	switch {
	case len(stay) == 0 && b.cold.rows == 0:
		f.live.removeFirst(1)
		return nil
	case len(gone) == 0:
		return nil
	}
	return b.keep(f.tableKeys, f.impls, stay)
}

// firstQuantum is the span of a plain event time's bucket to begin with.
const firstQuantum = 1_000_000

// widenBuckets gathers the groups of a plain event time in wider buckets when
// there are many buckets with few groups each.
func (f *Final) widenBuckets() error {
	if !f.evicts() || f.WindowEnd || len(f.live.order) < 1024 || f.quantum > math.MaxInt64/64 {
		return nil
	}
	n := 0
	for _, b := range f.live.order {
		n += b.groups()
	}
	if n > 16*len(f.live.order) {
		return nil
	}
	f.quantum *= 16
	old := f.live
	f.live = newBuckets()
	for _, b := range old.all() {
		if b.cold.rows > 0 {
			f.live.get(f.spanOf(b.lo), f.tableKeys, f.impls).cold.rows += b.cold.rows
		}
	}
	for _, b := range old.all() {
		if b.table.Len() == 0 {
			b.free()
			continue
		}
		all := vector.AllGroups(b.table.Len())
		cols := b.table.Columns(all)
		for i := range f.impls {
			cols = append(cols, b.states.Export(i, all)...)
		}
		if err := f.mergeBatch(cols, len(all), 0); err != nil {
			return err
		}
		b.free()
	}
	return nil
}

// spanOf is the span of the bucket of a plain event time.
func (f *Final) spanOf(ts int64) span {
	rem := ts % f.quantum
	if rem < 0 {
		rem += f.quantum
	}
	s := span{ts - rem, ts - rem + f.quantum - 1}
	if s.lo > ts {
		s.lo = math.MinInt64
	}
	if s.hi < ts {
		s.hi = math.MaxInt64
	}
	return s
}

// emit hands groups of a bucket to e; a nil e takes nothing.
func (f *Final) emit(e *emitter, b *bucket, groups []uint32) error {
	if e == nil {
		return nil
	}
	for lo := 0; lo < len(groups); lo += emitRows {
		g := groups[lo:min(lo+emitRows, len(groups))]
		cols := f.keysOf(b, g)
		for i := range f.impls {
			c, err := b.states.Result(i, g)
			if err != nil {
				return err
			}
			cols = append(cols, c)
		}
		if err := e.add(cols, len(g)); err != nil {
			return err
		}
	}
	return nil
}

// keysOf is all key columns of groups.
func (f *Final) keysOf(b *bucket, g []uint32) []arrow.Array {
	cols := make([]arrow.Array, 0, len(f.Keys)+len(f.impls))
	if b == f.forever || !f.WindowEnd || !f.evicts() {
		return append(cols, b.table.Columns(g)...)
	}
	for i, t := range f.Keys {
		switch {
		case i == f.EventTime-1:
			cols = append(cols, vector.NewFixed(t, repeat(b.lo, len(g)), nil))
		case i == f.EventTime:
			cols = append(cols, vector.NewFixed(t, repeat(b.hi, len(g)), nil))
		case i < f.EventTime:
			cols = append(cols, b.table.Column(i, g))
		default:
			cols = append(cols, b.table.Column(i-2, g))
		}
	}
	return cols
}

func repeat(v int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// emitRows is the least number of rows of an output batch, but for the last.
const emitRows = 8192

// emitter joins the output of small buckets into batches.
type emitter struct {
	*layout
	out   exec.Emit
	parts [][]arrow.Array
	rows  int
}

func (e *emitter) add(cols []arrow.Array, n int) error {
	e.parts = append(e.parts, cols)
	e.rows += n
	if e.rows >= emitRows {
		return e.flush()
	}
	return nil
}

func (e *emitter) flush() error {
	if e.rows == 0 {
		return nil
	}
	cols := e.parts[0]
	if len(e.parts) > 1 {
		col := make([]arrow.Array, len(e.parts))
		for i := range cols {
			for k, p := range e.parts {
				col[k] = p[i]
			}
			cols[i] = vector.Concat(col)
		}
	}
	b := vector.NewBatch(e.output, cols, e.rows)
	e.parts, e.rows = nil, 0
	return e.out(b)
}
