package physical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// oneRow is the input of a SELECT without FROM: one row without columns.
func (c *compiler) oneRow() *fragment {
	return c.constant(nil, func(*kernels.Ctx) (*vector.Batch, error) { return vector.NewBatch(vector.NewSchema(), nil, 1), nil })
}

// values are the rows of VALUES.
func (c *compiler) values(n *plan.Values) (*fragment, error) {
	rows := make([][]kernels.Expr, len(n.Rows))
	for i, r := range n.Rows {
		var err error
		if rows[i], err = plan.CompileAll(r, nil); err != nil {
			return nil, err
		}
	}
	schema := schemaOf(n.Attrs)
	return c.constant(n.Attrs, func(ctx *kernels.Ctx) (*vector.Batch, error) {
		cols := make([]arrow.Array, schema.Len())
		for k := range cols {
			parts := make([]arrow.Array, len(rows))
			for i, r := range rows {
				v, err := kernels.Fold(ctx, r[k])
				if err != nil {
					return nil, err
				}
				parts[i] = v.Arr
			}
			cols[k] = vector.Concat(parts)
		}
		return vector.NewBatch(schema, cols, len(rows)), nil
	}), nil
}

func (c *compiler) constant(attrs []*plan.Attr, rows func(ctx *kernels.Ctx) (*vector.Batch, error)) *fragment {
	c.plan.Scans = append(c.plan.Scans, &Scan{Rows: rows})
	return &fragment{pipes: []*exec.Pipeline{{Scan: len(c.plan.Scans) - 1}}, attrs: attrs}
}
