package exec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Project computes the columns of Schema, an expression each.
type Project struct {
	Stateless
	Exprs  []kernels.Expr
	Schema *vector.Schema

	passed bool
	pass   []int // column indexes, if every expression is a plain column
}

// Process emits one batch per input batch.
func (p *Project) Process(_ int, in *vector.Batch, out Emit) error {
	if cols := p.columnsOnly(); cols != nil {
		return out(in.Project(p.Schema, cols))
	}
	cols, err := evalAll(p.Task.Kernel, p.Exprs, in)
	if err != nil {
		return err
	}
	p.Task.Kernel.RowBase += int64(in.Len())
	return out(vector.NewBatch(p.Schema, cols, in.Len()))
}

// columnsOnly are the input columns that the expressions name, nil if one computes something.
func (p *Project) columnsOnly() []int {
	if p.passed {
		return p.pass
	}
	p.passed = true
	cols := make([]int, len(p.Exprs))
	for i, e := range p.Exprs {
		c, ok := e.(*kernels.Column)
		if !ok {
			return nil
		}
		cols[i] = c.Index
	}
	p.pass = cols
	return cols
}

func evalAll(ctx *kernels.Ctx, exprs []kernels.Expr, in *vector.Batch) ([]arrow.Array, error) {
	n := in.Len()
	cols := make([]arrow.Array, len(exprs))
	for i, e := range exprs {
		v, err := e.Eval(ctx, in)
		if err != nil {
			return nil, err
		}
		cols[i] = v.Dense(n)
	}
	return cols, nil
}

// Expand emits each input batch once per projection: sliding windows and grouping sets.
type Expand struct {
	Stateless
	Projections [][]kernels.Expr
	Schema      *vector.Schema
}

// Process emits len(Projections) batches per input batch.
func (e *Expand) Process(_ int, in *vector.Batch, out Emit) error {
	for _, p := range e.Projections {
		cols, err := evalAll(e.Task.Kernel, p, in)
		if err != nil {
			return err
		}
		if err := out(vector.NewBatch(e.Schema, cols, in.Len())); err != nil {
			return err
		}
	}
	return nil
}

// Rename passes batches on under another schema of the same types.
type Rename struct {
	Stateless
	Schema *vector.Schema
}

// Process emits the batch with the new names.
func (r *Rename) Process(_ int, in *vector.Batch, out Emit) error {
	return out(in.WithSchema(r.Schema))
}
