package join

import (
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// SymmetricHash joins two streams: each row is joined with the kept rows of the other
// side and then kept itself until the watermark proves that nothing can match it any
// more, or, if it is a left row of a semi join, until it has a match. Of the input of a micro-batch the left side comes first, as port 0; in a semi
// join the right one, because left rows that find their match need not be kept.
//
// What is kept, emitted, dropped and counted follows Spark's
// StreamingSymmetricHashJoinExec (state format 2, with a mark on rows that had a match).
type SymmetricHash struct {
	Config
	sides    [2]*side
	residual kernels.Expr
	task     *exec.Task
	keys     keyBatch
	pairs    pairs
	met      []bool   // of the batch's rows: has a match
	sel      []uint32 // rows of the batch to keep
	loading  sync.Mutex
	tier     spill
}

// side is the state of one input.
type side struct {
	*Side
	kept *rows
	pre  kernels.Expr
	// bound is the state watermark of the micro-batch in microseconds, if evicts.
	bound   int64
	evicts  bool
	evicted int      // rows that left in the micro-batch
	since   int      // rows from here on came in the micro-batch
	dirty   []uint32 // rows from before it that got their first match, and so left a semi join
	loaded  *loaded
	// noted are the keys, in the state store, of rows that got their first match in the micro-batch and
	// may not be in memory any more.
	noted []statestore.Block
	cold  cold
}

// New makes the operator.
func New(cfg Config) (exec.Operator, error) {
	j := &SymmetricHash{Config: cfg}
	for i := range j.sides {
		s := &side{Side: &j.Config.Sides[i]}
		s.kept = newRows(s.Side)
		if s.Pre != nil {
			var err error
			if s.pre, err = s.Pre(); err != nil {
				return nil, err
			}
		}
		j.sides[i] = s
	}
	if cfg.Residual != nil {
		var err error
		if j.residual, err = cfg.Residual(); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// Open begins a micro-batch.
func (j *SymmetricHash) Open(t *exec.Task) error {
	j.task = t
	for _, s := range j.sides {
		if s.loaded != nil {
			if err := s.loaded.settle(s); err != nil {
				return err
			}
			s.loaded = nil
		}
		s.kept.compact()
		s.since, s.dirty, s.noted, s.evicted = s.kept.len(), s.dirty[:0], nil, 0
		s.evicts = s.Time >= 0 && s.Bound != nil && t.Watermark.Set
		if s.evicts {
			s.bound = watermark.Micros(s.Bound(t.Watermark.Evict))
		}
	}
	return j.shed()
}

// FirstSide is the side whose input is port 0 of the operator; the other is port 1.
func (k Kind) FirstSide() int {
	if k == LeftSemi {
		return Right
	}
	return Left
}

// Process joins a batch of one side with the kept rows of the other.
func (j *SymmetricHash) Process(port int, in *vector.Batch, out exec.Emit) error {
	port ^= j.Kind.FirstSide()
	s, other := j.sides[port], j.sides[1-port]
	in = exec.DropLate(j.task, s.Late, in)
	in, err := j.preFilter(port, in, out)
	if err != nil || in.Len() == 0 {
		return err
	}
	n := in.Len()
	key := make([]arrow.Array, len(s.Keys))
	for i, k := range s.Keys {
		key[i] = in.Col(k)
	}
	j.keys.read(key, s.kept.types, n)
	if cap(j.met) < n {
		j.met = make([]bool, n)
	}
	j.met = j.met[:n]
	clear(j.met)
	semi := j.Kind == LeftSemi
	var enough []bool
	if semi && port == Left {
		enough = j.met
	}
	err = j.pairs.probe(&other.kept.index, other.kept.marks, &j.keys, enough, enough != nil && j.residual == nil, func() error {
		return j.joined(port, in, other, out)
	})
	if err != nil {
		return err
	}
	if other.cold.n > 0 {
		if err := j.probeCold(port, in, key, out); err != nil {
			return err
		}
	}
	if semi && port == Left {
		if err := j.emitMet(in, out); err != nil {
			return err
		}
	}
	if err := j.keep(port, in); err != nil {
		return err
	}
	return j.shedWithin(n)
}

// preFilter takes out the rows that fail the condition on their own side.
func (j *SymmetricHash) preFilter(port int, in *vector.Batch, out exec.Emit) (*vector.Batch, error) {
	s := j.sides[port]
	if s.pre == nil || in.Len() == 0 {
		return in, nil
	}
	v, err := s.pre.Eval(j.task.Kernel, in)
	if err != nil {
		return nil, err
	}
	bits, valid, m := vector.Bools(v.Arr), vector.Validity(v.Arr), v.Mask()
	var pass, fail []uint32
	for i := range in.Len() {
		if k := i & m; bits.Get(k) && valid.Get(k) {
			pass = append(pass, uint32(i))
		} else {
			fail = append(fail, uint32(i))
		}
	}
	if len(fail) == 0 {
		return in, nil
	}
	if j.Kind.preserves(port) {
		alone := in.Select(fail)
		if err := out(withNulls(j.Schema, j.Output, port, len(fail), alone.Col)); err != nil {
			return nil, err
		}
	}
	return in.Select(pass), nil
}

// joined takes the pairs found of a batch and rows of the other side: it applies the rest of the
// condition, marks both rows and emits.
func (j *SymmetricHash) joined(port int, in *vector.Batch, other *side, out exec.Emit) error {
	p := &j.pairs
	if j.residual != nil {
		b := vector.NewBatch(j.ReadSchema, p.columns(j.Reads, port, in, other.kept), len(p.in))
		if err := p.filter(j.task.Kernel, j.residual, b); err != nil {
			return err
		}
	}
	fresh := p.kept[:0:0]
	for i, r := range p.kept {
		j.met[p.in[i]] = true
		if other.kept.marks[r]&matched != 0 {
			continue
		}
		other.kept.marks[r] |= matched
		if int(r) < other.since {
			other.dirty = append(other.dirty, r)
		}
		if j.Kind == LeftSemi && port == Right {
			fresh = append(fresh, r)
			other.kept.remove(r)
			j.task.Metrics.NumRowsRemoved++
		}
	}
	n := len(p.in)
	if j.Kind == LeftSemi {
		if port == Left || len(fresh) == 0 {
			return nil
		}
		cols := make([]arrow.Array, len(j.Output))
		for i, c := range j.Output {
			cols[i] = other.kept.gather(c.Index, fresh)
		}
		return out(vector.NewBatch(j.Schema, cols, len(fresh)))
	}
	if n == 0 {
		return nil
	}
	return out(vector.NewBatch(j.Schema, p.columns(j.Output, port, in, other.kept), n))
}

// emitMet emits the left rows of a semi join that have a match.
func (j *SymmetricHash) emitMet(in *vector.Batch, out exec.Emit) error {
	var rows []uint32
	for i, m := range j.met {
		if m {
			rows = append(rows, uint32(i))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	idx := make([]int, len(j.Output))
	for i, c := range j.Output {
		idx[i] = c.Index
	}
	return out(in.Select(rows).Project(j.Schema, idx))
}

// keep adds the rows of a batch to the state, but for those that cannot matter any
// more: left rows of a semi join that are out already, and rows of the second side that leave
// in this batch, for they have met the other side's input, unless they are to come out with nulls.
func (j *SymmetricHash) keep(port int, in *vector.Batch) error {
	s := j.sides[port]
	times := j.times(s, in)
	sel := j.sel[:0]
	for i, met := range j.met {
		switch {
		case port == Left && met && j.Kind == LeftSemi:
			continue
		case port != j.Kind.FirstSide() && s.evicts && times[i] <= s.bound && (met || !j.Kind.preserves(port)):
			continue
		}
		sel = append(sel, uint32(i))
	}
	j.sel = sel
	j.task.Metrics.NumRowsUpdated += int64(len(sel))
	return s.kept.append(in.Columns(), in.Len(), &j.keys, sel, times, j.met)
}

// times are the times by which the rows of a batch leave; nil: they stay.
func (j *SymmetricHash) times(s *side, in *vector.Batch) []int64 {
	if s.Time < 0 {
		return nil
	}
	col := in.Col(s.Time)
	ts, valid := vector.Values[int64](col), vector.Validity(col)
	if valid == nil {
		return ts
	}
	out := make([]int64, len(ts))
	for i, t := range ts {
		out[i] = forever
		if valid.Get(i) {
			out[i] = t
		}
	}
	return out
}

// EndBatch evicts, emits evicted rows that never had a match with nulls, and counts.
func (j *SymmetricHash) EndBatch(out exec.Emit) error {
	m := j.task.Metrics
	for i, s := range j.sides {
		if s.evicts {
			var alone func(r *rows, which []uint32) error
			if j.Kind.preserves(i) {
				alone = func(r *rows, which []uint32) error { return j.emitAlone(i, r, which, out) }
			}
			cold, err := s.evictCold(s.bound, alone)
			if err != nil {
				return err
			}
			gone := s.kept.evict(s.bound, nil)
			s.evicted = cold + len(gone)
			m.NumRowsRemoved += int64(s.evicted)
			if alone != nil {
				if err := alone(s.kept, gone); err != nil {
					return err
				}
			}
		}
		m.NumRowsTotal += int64(s.kept.live() + s.cold.n)
		m.MemoryBytes += int64(s.kept.memory())
	}
	return nil
}

// emitAlone emits those of the given rows of a side that have no match.
func (j *SymmetricHash) emitAlone(port int, kept *rows, gone []uint32, out exec.Emit) error {
	alone := gone[:0]
	for _, r := range gone {
		if kept.marks[r]&matched == 0 {
			alone = append(alone, r)
		}
	}
	for lo := 0; lo < len(alone); lo += pairRows {
		rows := alone[lo:min(lo+pairRows, len(alone))]
		b := withNulls(j.Schema, j.Output, port, len(rows), func(c int) arrow.Array { return kept.gather(c, rows) })
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}
