package plan

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// singleRow is the value of a scalar subquery that had count rows: an error if there was
// more than one.
type singleRow struct {
	value, count Expr
	src          string
	span         sql.Span
}

func (s *singleRow) Type() *vector.Type { return s.value.Type() }
func (s *singleRow) Nullable() bool     { return true }
func (s *singleRow) Children() []Expr   { return []Expr{s.value, s.count} }
func (s *singleRow) SQL() string        { return s.value.SQL() }

// Key tells the node from others with the same children.
func (s *singleRow) Key() string { return "single" }

// WithChildren takes the value and the count.
func (s *singleRow) WithChildren(kids []Expr) Expr {
	return &singleRow{value: kids[0], count: kids[1], src: s.src, span: s.span}
}

// CompileNode makes the kernel.
func (s *singleRow) CompileNode(kids []kernels.Expr) (kernels.Expr, error) {
	e := &kernels.Call{Typ: s.Type(), Args: kids, Fn: func(_ *kernels.Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		count := args[1]
		values := vector.Values[int64](count.Arr)
		for i := range n {
			if !count.IsNull(i) && values[i&count.Mask()] > 1 {
				return vector.Vec{}, condition.New("SCALAR_SUBQUERY_TOO_MANY_ROWS")
			}
		}
		return args[0], nil
	}}
	return &placed{expr: e, src: s.src, span: s.span}, nil
}
