package plan

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// computeSubqueries replaces the subqueries of an expression by their values.
func (a *Analyser) computeSubqueries(e Expr, run func(Node) ([]*vector.Batch, error)) (Expr, error) {
	e = Transform(e, func(x Expr) Expr {
		if c, ok := x.(*Call); ok && c.Name == "not" {
			if q, ok := c.Args[0].(*Subquery); ok && q.Kind == "in" && !q.Not {
				negated := *q
				negated.Not = true
				return &negated
			}
		}
		return x
	})
	var err error
	out := Transform(e, func(x Expr) Expr {
		q, ok := x.(*Subquery)
		if !ok || err != nil {
			return x
		}
		v, qerr := a.computeSubquery(q, run)
		if qerr != nil {
			err = q.place(qerr)
			return x
		}
		return v
	})
	return out, err
}

func (a *Analyser) computeSubquery(q *Subquery, run func(Node) ([]*vector.Batch, error)) (Expr, error) {
	if len(q.Outer) > 0 {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "a subquery that reads columns of the query around it").
			WithHint("write it as a join")
	}
	n, err := a.FinishBatch(q.Plan, run)
	if err != nil {
		return nil, err
	}
	if q.Kind == "exists" {
		n = &Limit{N: 1, Input: n}
	}
	batches, err := run(n)
	if err != nil {
		return nil, err
	}
	rows := 0
	for _, b := range batches {
		rows += b.Len()
	}
	switch {
	case q.Kind == "exists":
		return BoolLiteral(rows > 0), nil
	case q.Kind == "in":
		return a.among(q, batches)
	case rows == 0:
		return NullLiteral(q.Typ), nil
	case rows > 1:
		return nil, condition.New("SCALAR_SUBQUERY_TOO_MANY_ROWS")
	}
	for _, b := range batches {
		if b.Len() > 0 {
			return constantOf(q.Typ, b.Col(0), 0), nil
		}
	}
	return nil, nil
}

// among is x IN (the rows): of one column as an IN list, of several as
// x = a AND y = b OR …, which treats nulls as SQL wants it.
func (a *Analyser) among(q *Subquery, batches []*vector.Batch) (Expr, error) {
	b := &exprBuilder{a: a}
	var out Expr = BoolLiteral(false)
	list := []Expr{q.X[0]}
	for _, batch := range batches {
		cols := batch.Columns()
		for i := range batch.Len() {
			if len(cols) == 1 {
				list = append(list, constantOf(q.X[0].Type(), cols[0], i))
				continue
			}
			var row Expr
			for k, x := range q.X {
				eq := b.call("=", x, constantOf(x.Type(), cols[k], i))
				if row == nil {
					row = eq
				} else {
					row = b.call("and", row, eq)
				}
			}
			out = b.call("or", out, row)
		}
	}
	if len(list) > 1 {
		out = b.call("in", list...)
	}
	if q.Not {
		out = b.call("not", out)
	}
	// As in Spark, which joins, neither IN nor NOT IN of a query is null.
	return b.call("coalesce", out, BoolLiteral(false)), b.err
}

// constantOf is value i of a column as a literal. Its text tells it from others.
func constantOf(t *vector.Type, a arrow.Array, i int) *Literal {
	return &Literal{Typ: t, Value: vector.Vec{Arr: vector.SliceArray(a, i, i+1), Const: true}, Text: fmt.Sprint(kernels.ValueAt(t, a, i))}
}
