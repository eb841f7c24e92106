package join

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Build is the table with which a stream is joined. It is filled before a micro-batch
// and only read during it, by all instances of Static.
type Build struct {
	side Side
	rows *rows
	null bool // a row has a null key
}

// NewBuild makes an empty table of rows of a schema, found by the key columns.
func NewBuild(schema *vector.Schema, keys []int) *Build {
	b := &Build{side: Side{Schema: schema, Keys: keys}}
	b.rows = newRows(&b.side)
	return b
}

// Fill replaces the rows of the table.
func (b *Build) Fill(batches []*vector.Batch) error {
	b.rows, b.null = newRows(&b.side), false
	var k keyBatch
	for _, in := range batches {
		n := in.Len()
		key := make([]arrow.Array, len(b.side.Keys))
		for i, c := range b.side.Keys {
			key[i] = in.Col(c)
		}
		k.read(key, b.rows.types, n)
		b.null = b.null || k.null != nil
		if err := b.rows.append(in.Columns(), n, &k, vector.AllGroups(n), nil, make([]bool, n)); err != nil {
			return err
		}
	}
	return nil
}

// StaticConfig describes a join of a stream with a table. The stream is the left
// side of Kind, whichever side of the query it is: Inner, LeftOuter, LeftSemi or LeftAnti.
type StaticConfig struct {
	Kind  Kind
	Build *Build
	// Keys are columns of the stream's rows, of the types of the table's keys; none: every
	// row is a candidate. A row with a null key matches nothing.
	Keys []int
	// NullAware makes LeftAnti mean NOT IN: a null key on either side is equal to no key and
	// different from none, so that a row with one comes out only if the table is empty.
	NullAware bool
	// Residual, Reads, ReadSchema, Output and Schema as in Config; Right is the table.
	Residual   func() (kernels.Expr, error)
	Reads      []Column
	ReadSchema *vector.Schema
	Output     []Column
	Schema     *vector.Schema
}

// Barred tells whether the table, as it is filled, lets no row of the stream through.
// Spark's joins by hash do not read the stream then.
func (c *StaticConfig) Barred() bool {
	empty := c.Build.rows.len() == 0
	switch {
	case c.NullAware:
		return c.Build.null
	case len(c.Keys) > 0:
		return empty && (c.Kind == Inner || c.Kind == LeftSemi)
	case c.Residual == nil:
		return empty && c.Kind == LeftSemi || !empty && c.Kind == LeftAnti
	}
	return false
}

// Static joins each batch of a stream with a table that does not change meanwhile.
type Static struct {
	exec.Stateless
	StaticConfig
	residual kernels.Expr
	types    []*vector.Type
	keys     keyBatch
	pairs    pairs
	met      []bool
}

// NewStatic makes the operator.
func NewStatic(cfg StaticConfig) (exec.Operator, error) {
	s := &Static{StaticConfig: cfg, types: cfg.Build.rows.types}
	if cfg.Residual != nil {
		var err error
		if s.residual, err = cfg.Residual(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Process joins a batch.
func (s *Static) Process(_ int, in *vector.Batch, out exec.Emit) error {
	if s.NullAware && s.Build.null {
		return nil
	}
	n := in.Len()
	key := make([]arrow.Array, len(s.Keys))
	for i, k := range s.Keys {
		key[i] = in.Col(k)
	}
	s.keys.read(key, s.types, n)
	if cap(s.met) < n {
		s.met = make([]bool, n)
	}
	s.met = s.met[:n]
	clear(s.met)
	enough := s.met
	if s.NullAware && s.keys.null != nil && s.Build.rows.len() > 0 {
		for i := range n {
			s.met[i] = s.keys.null.Get(i)
		}
	}
	if s.Kind == Inner || s.Kind == LeftOuter {
		enough = nil
	}
	table := s.Build.rows
	err := s.pairs.probe(&table.index, table.marks, &s.keys, enough, enough != nil && s.residual == nil, func() error {
		return s.joined(in, table, out)
	})
	if err != nil || s.Kind == Inner {
		return err
	}
	var rows []uint32
	for i, m := range s.met {
		if m == (s.Kind == LeftSemi) {
			rows = append(rows, uint32(i))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	b := in.Select(rows)
	return out(withNulls(s.Schema, s.Output, Left, len(rows), b.Col))
}

func (s *Static) joined(in *vector.Batch, table *rows, out exec.Emit) error {
	p := &s.pairs
	if s.residual != nil {
		b := vector.NewBatch(s.ReadSchema, p.columns(s.Reads, Left, in, table), len(p.in))
		if err := p.filter(s.Task.Kernel, s.residual, b); err != nil {
			return err
		}
	}
	for _, i := range p.in {
		s.met[i] = true
	}
	if n := len(p.in); n > 0 && (s.Kind == Inner || s.Kind == LeftOuter) {
		return out(vector.NewBatch(s.Schema, p.columns(s.Output, Left, in, table), n))
	}
	return nil
}
