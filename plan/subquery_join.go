package plan

import (
	"github.com/vstream/vstream/sql"
)

// subqueriesToJoins turns subqueries over static tables into joins, as Spark's
// RewritePredicateSubquery does: IN and EXISTS in a WHERE into semi joins, their negations
// into anti joins, and a scalar subquery that has one row into a left join with that row.
// Others stay and are refused when the query is compiled.
func subqueriesToJoins(n Node) Node {
	switch n := n.(type) {
	case *Filter:
		return filterSubqueries(n)
	case *Project:
		in, exprs := scalarSubqueries(n.Input, n.Exprs)
		if in == n.Input {
			return n
		}
		return &Project{Exprs: exprs, Input: in}
	}
	return n
}

func filterSubqueries(f *Filter) Node {
	in := f.Input
	var rest []Expr
	for _, c := range conjuncts(f.Cond) {
		q, not := predicateSubquery(c)
		if q == nil {
			rest = append(rest, c)
			continue
		}
		j, ok := subqueryJoin(in, q, not)
		if !ok {
			rest = append(rest, c)
			continue
		}
		in = j
	}
	out := f.Input.Output()
	scalar, rest := scalarSubqueries(in, rest)
	if scalar == f.Input {
		return f
	}
	filtered := filterOver(rest, scalar)
	if len(filtered.Output()) == len(out) {
		return filtered
	}
	return &Project{Exprs: asExprs(out), Input: filtered}
}

// predicateSubquery is the IN or EXISTS subquery that a condition consists of.
func predicateSubquery(e Expr) (q *Subquery, not bool) {
	if c, ok := e.(*Call); ok && c.Fn.Name == "not" {
		q, not = predicateSubquery(c.Args[0])
		return q, !not
	}
	if q, ok := e.(*Subquery); ok && q.Kind != "scalar" {
		return q, q.Not
	}
	return nil, false
}

func subqueryJoin(in Node, q *Subquery, not bool) (*Join, bool) {
	inner, conds, ok := pullUp(q.Plan, q.Outer)
	if !ok {
		return nil, false
	}
	j := &Join{Kind: "LEFT SEMI", Left: in, Right: inner}
	if not {
		j.Kind = "LEFT ANTI"
	}
	for i, x := range q.X {
		eq := must(plainAnalyser().call("=", []Expr{x, inner.Output()[i]}, sql.Span{}))
		if not && eq.Nullable() {
			// NOT IN is not true where a comparison is unknown.
			unknown := must(plainAnalyser().call("isnull", []Expr{eq}, sql.Span{}))
			eq = must(plainAnalyser().call("or", []Expr{eq, unknown}, sql.Span{}))
		}
		conds = append(conds, eq)
	}
	if len(conds) > 0 {
		j.Cond = conjunction(conds)
	}
	return j, true
}

// must is the call of an operator on operands that are known to suit it.
func must(e Expr, err error) Expr {
	if err != nil {
		panic("plan: " + err.Error())
	}
	return e
}

// pullUp takes the conditions that read columns of the outer query out of a subquery. They
// may stand in filters under projections; the columns of the subquery that they read
// become further columns of its output.
func pullUp(n Node, outer []*Attr) (Node, []Expr, bool) {
	if len(outer) == 0 {
		return n, nil, true
	}
	ids := map[ID]bool{}
	for _, a := range outer {
		ids[a.ID] = true
	}
	return pullFrom(n, ids)
}

func pullFrom(n Node, outer map[ID]bool) (Node, []Expr, bool) {
	correlated := func(e Expr) bool {
		for _, r := range References(e) {
			if outer[r.ID] {
				return true
			}
		}
		return false
	}
	switch n := n.(type) {
	case *Filter:
		in, conds, ok := pullFrom(n.Input, outer)
		up, stay := split(conjuncts(n.Cond), correlated)
		return filterOver(stay, in), append(conds, up...), ok
	case *SubqueryAlias:
		return pullFrom(n.Input, outer)
	case *Project:
		in, conds, ok := pullFrom(n.Input, outer)
		c := &Project{Exprs: n.Exprs, Input: in}
		there := all(c)
		for _, e := range n.Exprs {
			ok = ok && !correlated(e)
		}
		for _, cond := range conds {
			for _, r := range References(cond) {
				if !outer[r.ID] && !there[r.ID] {
					there[r.ID] = true
					c.Exprs = append(c.Exprs[:len(c.Exprs):len(c.Exprs)], r)
				}
			}
		}
		return c, conds, ok
	case *Relation:
		return n, nil, true
	}
	return n, nil, false
}

// scalarSubqueries replaces scalar subqueries of one row in expressions by a column that
// a join brings to the input.
func scalarSubqueries(in Node, exprs []Expr) (Node, []Expr) {
	out := make([]Expr, len(exprs))
	for i, e := range exprs {
		out[i] = Transform(e, func(x Expr) Expr {
			q, ok := x.(*Subquery)
			if !ok || q.Kind != "scalar" || len(q.Outer) > 0 || !oneRow(q.Plan) {
				return x
			}
			al := NewAlias(q.Plan.Output()[0], "scalar")
			al.Attr.Null = true
			in = &Join{Kind: "LEFT OUTER", Left: in, Right: &Project{Exprs: []Expr{al}, Input: q.Plan}}
			return al.Attr
		})
	}
	return in, out
}

// oneRow tells whether a plan has at most one row whatever is in its tables.
func oneRow(n Node) bool {
	switch n := n.(type) {
	case *Aggregate:
		return len(n.Keys) == 0
	case *Limit:
		return n.N >= 0 && n.N <= 1
	case *OneRow:
		return true
	case *Project, *Filter, *SubqueryAlias, *Sort:
		return oneRow(n.Inputs()[0])
	}
	return false
}
