package physical

import (
	"strconv"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// subqueries replaces the scalar subqueries of a plan by values that are computed from their
// tables before each micro-batch.
func (c *compiler) subqueries(n plan.Node) (plan.Node, error) {
	return plan.ReplaceValues(n, func(q *plan.Subquery) (plan.Expr, error) {
		build := &compiler{cfg: Config{Mode: "complete", Partitions: 1, Conf: c.cfg.Conf, Batch: true}, plan: &Plan{Graph: &exec.Graph{}}}
		table, err := build.subqueries(q.Plan)
		if err != nil {
			return nil, err
		}
		f, err := build.node(table)
		if err != nil {
			return nil, err
		}
		build.finish(f, nil)
		build.plan.Output = schemaOf(f.attrs)
		build.plan.Graph.Scans = len(build.plan.Scans)
		v := &tableValue{typ: q.Typ, text: q.Text, number: len(c.plan.Statics)}
		c.plan.Statics = append(c.plan.Statics, &Static{Plan: build.plan, Table: v, Varies: varies(table)})
		return v, nil
	})
}

// tableValue is the value of a scalar subquery.
type tableValue struct {
	typ    *vector.Type
	text   string
	number int        // of the Static
	value  vector.Vec // constant
}

// Fill takes the subquery's rows: none stand for null. The error is SCALAR_SUBQUERY_TOO_MANY_ROWS.
func (v *tableValue) Fill(rows []*vector.Batch) error {
	v.value = plan.NullLiteral(v.typ).Value
	n := 0
	for _, b := range rows {
		if b.Len() > 0 {
			v.value = vector.Vec{Arr: vector.SliceArray(b.Col(0), 0, 1), Const: true}
		}
		if n += b.Len(); n > 1 {
			return condition.New("SCALAR_SUBQUERY_TOO_MANY_ROWS")
		}
	}
	return nil
}

func (v *tableValue) Type() *vector.Type                 { return v.typ }
func (v *tableValue) Nullable() bool                     { return true }
func (v *tableValue) Children() []plan.Expr              { return nil }
func (v *tableValue) WithChildren([]plan.Expr) plan.Expr { return v }
func (v *tableValue) SQL() string                        { return v.text }

// Key tells the value from those of other subqueries.
func (v *tableValue) Key() string { return "value " + strconv.Itoa(v.number) }

// CompileNode makes the kernel.
func (v *tableValue) CompileNode([]kernels.Expr) (kernels.Expr, error) {
	return &kernels.Call{Typ: v.typ, Fn: func(*kernels.Ctx, []vector.Vec, int) (vector.Vec, error) { return v.value, nil }}, nil
}
