package groupby

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/vector"
)

const (
	// maxPartialGroups bounds a task's table; a full one is emitted and begun anew.
	maxPartialGroups = 1 << 16
	// probeRows is how many rows are aggregated before their reduction decides;
	// more groups than poorReduction of the rows are not worth the table. Each task
	// decides by its own rows only: a batch that is run again after a crash must add up
	// floating-point numbers in the same order.
	probeRows     = 1 << 13
	poorReduction = 0.75
)

// Partial aggregates a task's rows before the exchange. It emits key columns,
// state columns and the number of input rows per group. Where groups hardly
// repeat it turns rows into states one by one instead, without a table.
type Partial struct {
	exec.Stateless
	*layout
	withRows []*agg.Impl // impls and the row count
	table    *vector.GroupTable
	states   *agg.States
	gid      []uint32
	rows     int // aggregated since the probe began
	groups   int // emitted since then
	through  bool
	cheap    bool // states are of fixed width
}

// NewPartial makes the operator.
func NewPartial(cfg Config) (exec.Operator, error) {
	l, err := newLayout(cfg)
	if err != nil {
		return nil, err
	}
	p := &Partial{layout: l, withRows: append(append([]*agg.Impl(nil), l.impls...), agg.Rowcount()), cheap: true}
	for _, im := range l.impls {
		for _, f := range im.State {
			p.cheap = p.cheap && (f.Type.Width() > 0 || f.Type.Kind == vector.KindBool)
		}
	}
	p.table, p.states = vector.NewGroupTable(l.Keys), agg.NewStates(p.withRows)
	return p, nil
}

// Open begins a task; what a failed one has left is forgotten.
func (p *Partial) Open(t *exec.Task) error {
	p.through, p.rows, p.groups = false, 0, 0
	p.table.Reset()
	p.states.Truncate(p.withRows)
	return p.Stateless.Open(t)
}

// Process folds a batch in; it emits when the table is full or in pass-through.
func (p *Partial) Process(_ int, in *vector.Batch, out exec.Emit) error {
	n := in.Len()
	if n == 0 {
		return nil
	}
	if p.through {
		return p.pass(in, out)
	}
	gid := p.groupsOf(n)
	p.table.Find(keyColumns(in, len(p.Keys)), gid)
	p.states.Grow(p.table.Len())
	if err := p.update(p.states, in, gid); err != nil {
		return err
	}
	p.rows += n
	if p.cheap && len(p.Keys) > 0 && p.rows >= probeRows {
		if float64(p.groups+p.table.Len()) > poorReduction*float64(p.rows) {
			p.through = true
			return p.flush(out)
		}
		p.rows, p.groups = 0, -p.table.Len() // probe again with the groups that are yet to come
	}
	if p.table.Len() >= maxPartialGroups {
		return p.flush(out)
	}
	return nil
}

// EndBatch emits what is left.
func (p *Partial) EndBatch(out exec.Emit) error {
	return p.flush(out)
}

func (p *Partial) groupsOf(n int) []uint32 {
	if cap(p.gid) < n {
		p.gid = make([]uint32, n)
	}
	return p.gid[:n]
}

func keyColumns(in *vector.Batch, n int) []arrow.Array {
	cols := make([]arrow.Array, n)
	for i := range cols {
		cols[i] = in.Col(i)
	}
	return cols
}

// update folds the rows of a batch into every aggregate.
func (p *Partial) update(states *agg.States, in *vector.Batch, gid []uint32) error {
	for i, a := range p.Aggs {
		g, b := gid, in
		if a.Filter >= 0 {
			rows := exec.TrueRows(in.Col(a.Filter))
			g = make([]uint32, len(rows))
			for k, r := range rows {
				g[k] = gid[r]
			}
			b = in.Select(rows)
		}
		args := make([]arrow.Array, len(a.Args))
		for k, c := range a.Args {
			args[k] = b.Col(c)
		}
		if err := states.Update(i, g, args); err != nil {
			return err
		}
	}
	return states.Update(len(p.Aggs), gid, nil)
}

// pass emits one group per row.
func (p *Partial) pass(in *vector.Batch, out exec.Emit) error {
	n := in.Len()
	gid := p.groupsOf(n)
	for i := range gid {
		gid[i] = uint32(i)
	}
	p.states.Truncate(p.withRows)
	p.states.Grow(n)
	if err := p.update(p.states, in, gid); err != nil {
		return err
	}
	err := p.emit(keyColumns(in, len(p.Keys)), gid, out)
	p.states.Truncate(p.withRows)
	return err
}

// flush emits the groups of the table and empties it.
func (p *Partial) flush(out exec.Emit) error {
	n := p.table.Len()
	if n == 0 {
		return nil
	}
	gid := vector.AllGroups(n)
	err := p.emit(p.table.Columns(gid), gid, out)
	p.groups += n
	p.table.Reset()
	p.states.Truncate(p.withRows)
	return err
}

func (p *Partial) emit(keys []arrow.Array, gid []uint32, out exec.Emit) error {
	cols := keys
	for i := range p.withRows {
		cols = append(cols, p.states.Export(i, gid)...)
	}
	return out(vector.NewBatch(p.exchange, cols, len(gid)))
}
