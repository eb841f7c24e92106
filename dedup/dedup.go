package dedup

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// Dedup is the operator on one partition. It emits each batch's first rows of their keys
// in the order in which they come.
type Dedup struct {
	Config
	task *exec.Task
	keys []*vector.Type
	// Exactly one of these holds the keys.
	plain    *keyset   // keys that never leave
	timed    *timed    // KeyTime
	expiring *expiring // Within

	emitted []int // columns
	removed bool  // the watermark took keys out in this micro-batch
	below   int64
	gid     []uint32
	tier    spill
}

// New makes the operator.
func New(cfg Config) (exec.Operator, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &Dedup{Config: cfg}
	for _, k := range cfg.Keys {
		d.keys = append(d.keys, k.Type)
	}
	for i := range cfg.Output.Len() {
		d.emitted = append(d.emitted, i)
	}
	d.clear()
	return d, nil
}

func (d *Dedup) clear() {
	switch {
	case d.Within:
		d.expiring = newExpiring(d.keys)
	case d.KeyTime >= 0:
		d.timed = newTimed(d.keys, d.KeyTime)
	default:
		d.plain = newKeyset(math.MinInt64, math.MaxInt64, d.keys)
	}
}

// Open begins a micro-batch.
func (d *Dedup) Open(t *exec.Task) error {
	d.task, d.removed = t, false
	switch {
	case d.Within:
		d.expiring.added = d.expiring.added[:0]
		d.expiring.compact()
	case d.KeyTime >= 0:
		for _, s := range d.timed.every() {
			s.added = s.added[:0]
		}
		d.timed.widen()
	default:
		d.plain.added = d.plain.added[:0]
	}
	return nil
}

// Process emits the rows whose keys are new.
func (d *Dedup) Process(_ int, in *vector.Batch, out exec.Emit) error {
	in = exec.DropLate(d.task, d.EventTime, in)
	if in.Len() == 0 {
		return nil
	}
	keys := make([]arrow.Array, len(d.Keys))
	for i, k := range d.Keys {
		keys[i] = in.Col(k.Column)
	}
	var times arrow.Array
	if d.Within {
		times = in.Col(d.EventTime)
	}
	rows, err := d.add(keys, times, in.Len())
	if err != nil {
		return err
	}
	d.task.Metrics.NumRowsUpdated += int64(len(rows))
	d.task.Metrics.DuplicateRows += int64(in.Len() - len(rows))
	if len(rows) == 0 {
		return nil
	}
	if len(rows) < in.Len() {
		in = in.Select(rows)
	}
	if in.NumCols() > len(d.emitted) {
		in = in.Project(d.Output, d.emitted)
	}
	return out(in)
}

// add puts keys in and returns the rows that are the first of their key.
func (d *Dedup) add(keys []arrow.Array, times arrow.Array, n int) ([]uint32, error) {
	if cap(d.gid) < n {
		d.gid = make([]uint32, n)
	}
	gid := d.gid[:n]
	var rows []uint32
	var err error
	switch {
	case d.Within:
		rows, err = d.addExpiring(keys, d.expiry(times), gid)
	case d.KeyTime >= 0:
		d.timed.add(keys, gid)
		if rows, err = d.known(d.timed.grown, d.timed.first); len(d.timed.grown) > 1 {
			rows = ascending(rows, n)
		}
	default:
		before := len(d.plain.added)
		rows, err = d.known([]growth{{d.plain, before}}, d.plain.add(keys, gid, nil))
	}
	if err != nil {
		return nil, err
	}
	return rows, d.shedWithin(n)
}

// expiry is when the keys of rows with these event times leave.
func (d *Dedup) expiry(times arrow.Array) []int64 {
	ts, valid := vector.Values[int64](times), vector.Validity(times)
	out := make([]int64, len(ts))
	for i, v := range ts {
		if !valid.Get(i) {
			v = 0
		}
		if out[i] = v + d.Delay; out[i] < v {
			out[i] = math.MaxInt64
		}
	}
	return out
}

// EndBatch evicts and counts.
func (d *Dedup) EndBatch(exec.Emit) error {
	m := d.task.Metrics
	if w := d.task.Watermark; w.Set {
		n, err := d.evict(watermark.Micros(w.Evict))
		if err != nil {
			return err
		}
		m.NumRowsRemoved += int64(n)
		d.removed, d.below = n > 0, watermark.Micros(w.Evict)
	}
	switch {
	case d.Within:
		m.NumRowsTotal += int64(d.expiring.live())
	default:
		for _, s := range d.sets() {
			m.NumRowsTotal += int64(s.live())
		}
	}
	m.MemoryBytes += int64(d.bytes())
	return nil
}

// evict lets the keys go that leave at or before bound, and returns their number.
func (d *Dedup) evict(bound int64) (int, error) {
	switch {
	case d.Within:
		n, err := d.evictCold(bound)
		return n + d.expiring.evict(bound), err
	case d.KeyTime < 0:
		return 0, nil
	}
	n, cold, end := d.timed.evict(bound)
	if cold {
		r := statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: end}
		if err := d.tier.table.DeleteRange(r); err != nil {
			return 0, err
		}
	}
	if s := d.timed.partly(bound); s != nil {
		gone, err := d.passCold(s, bound)
		if err != nil {
			return 0, err
		}
		n += gone + s.pass(d.KeyTime, bound)
	}
	return n, nil
}
