package exec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Generate appends the columns of a generator (explode, inline, …) to each row, as
// many rows as it makes. Outer keeps a row for which it makes none, with nulls.
type Generate struct {
	Stateless
	Args   []kernels.Expr
	Fn     func(ctx *kernels.Ctx, args []vector.Vec, n int) (rows []uint32, cols []arrow.Array, err error)
	Outer  bool
	Schema *vector.Schema // input columns, then the generator's
}

// Process emits one batch per input batch.
func (g *Generate) Process(_ int, in *vector.Batch, out Emit) error {
	args := make([]vector.Vec, len(g.Args))
	for i, a := range g.Args {
		v, err := a.Eval(g.Task.Kernel, in)
		if err != nil {
			return err
		}
		args[i] = v
	}
	rows, cols, err := g.Fn(g.Task.Kernel, args, in.Len())
	if err != nil {
		return err
	}
	if g.Outer {
		rows, cols = keepAll(rows, cols, in.Len())
	}
	if len(rows) == 0 {
		return nil
	}
	more := make([]vector.Vec, len(cols))
	for i, c := range cols {
		more[i] = vector.Vec{Arr: c}
	}
	return out(in.Select(rows).Extend(g.Schema, more))
}

// keepAll adds a row of nulls for each of n source rows that is not among rows,
// which are in ascending order.
func keepAll(rows []uint32, cols []arrow.Array, n int) ([]uint32, []arrow.Array) {
	all := make([]uint32, 0, len(rows)+n)
	at := make([]uint32, 0, len(rows)+n) // index into cols; len(rows) stands for nulls
	missing := uint32(len(rows))
	next := 0
	for r := uint32(0); int(r) < n; r++ {
		if next == len(rows) || rows[next] != r {
			all, at = append(all, r), append(at, missing)
			continue
		}
		for next < len(rows) && rows[next] == r {
			all, at = append(all, r), append(at, uint32(next))
			next++
		}
	}
	out := make([]arrow.Array, len(cols))
	for i, c := range cols {
		out[i] = vector.Take(vector.AppendNull(c), at)
	}
	return all, out
}
