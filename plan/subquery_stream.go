package plan

import "slices"

// streamSubqueries prepares the subqueries of a streaming query for Optimise. A scalar one that
// reads columns of the query becomes a join. One that reads none is a value, known before
// each micro-batch; so is EXISTS of one (Spark's RewriteNonCorrelatedExists). The others wait for
// predicatesAsJoins.
func (a *Analyser) streamSubqueries(n Node) (Node, error) {
	return rewriteNodes(n, func(n Node) (Node, error) {
		if !n.Streaming() {
			return a.tableNode(n)
		}
		n, err := mapExpressions(n, func(e Expr) (Expr, error) { return Transform(e, a.someRow), nil })
		if err != nil {
			return nil, err
		}
		switch n := n.(type) {
		case *Filter:
			m := &scalarJoiner{a: a, input: n.Input}
			conds := m.list(conjuncts(n.Cond))
			if m.input == n.Input || m.err != nil {
				return n, m.err
			}
			return &Project{Exprs: asExprs(n.Output()), Input: filterOver(conds, m.input)}, nil
		case *Project:
			return a.projectSubqueries(n)
		}
		return n, nil
	})
}

// tableNode rewrites a node over tables within a streaming query.
func (a *Analyser) tableNode(n Node) (Node, error) {
	switch n := n.(type) {
	case *SetOp:
		return a.setOpAsGrouping(n)
	case *Join:
		if n.Kind == "FULL OUTER" {
			return fullOuterAsUnion(n), nil
		}
	}
	return a.nodeSubqueries(n)
}

// ReplaceValues replaces the scalar subqueries of an optimised streaming query, whose plans
// are optimised too.
func ReplaceValues(n Node, f func(*Subquery) (Expr, error)) (Node, error) {
	return rewriteNodes(n, func(n Node) (Node, error) {
		return mapExpressions(n, func(e Expr) (Expr, error) {
			var err error
			out := Transform(e, func(x Expr) Expr {
				q, ok := x.(*Subquery)
				if !ok || err != nil {
					return x
				}
				var v Expr
				if v, err = f(q); err != nil {
					err = q.place(err)
					return x
				}
				return v
			})
			return out, err
		})
	})
}

// valuePlans optimises the plans of the scalar subqueries of a node.
func (a *Analyser) valuePlans(n Node) (Node, error) {
	return mapExpressions(n, func(e Expr) (Expr, error) {
		var err error
		out := Transform(e, func(x Expr) Expr {
			q, ok := x.(*Subquery)
			if !ok || q.Kind != "scalar" || err != nil {
				return x
			}
			c := *q
			if c.Plan, err = rewriteNodes(q.Plan, a.tableNode); err == nil {
				c.Plan, err = Optimise(c.Plan, a.Conf)
			}
			return &c
		})
		return out, err
	})
}

// someRow tests for the first row of an EXISTS that reads no outer columns.
func (a *Analyser) someRow(e Expr) Expr {
	q, ok := e.(*Subquery)
	if !ok || q.Kind != "exists" || len(q.Outer) > 0 {
		return e
	}
	one := NewAlias(LongLiteral(1), "one")
	first := *q
	first.Kind, first.Typ = "scalar", one.Attr.Typ
	first.Plan = &Limit{N: 1, Input: &Project{Exprs: []Expr{one}, Input: q.Plan}}
	return must(a.call("isnotnull", []Expr{&first}, q.Span))
}

// predicatesAsJoins turns IN and EXISTS of a streaming query into joins with tables, where
// pushDown has put them: as in Spark they move like any condition first, below a watermark
// for example, and nothing is inferred from the joins afterwards.
func (a *Analyser) predicatesAsJoins(n Node) (Node, error) {
	return rewriteNodes(n, func(n Node) (Node, error) {
		n, err := a.valuePlans(n)
		if err != nil || !n.Streaming() {
			return n, err
		}
		switch n := n.(type) {
		case *Filter:
			return a.predicatesOf(n)
		case *Project:
			m := &existenceJoiner{a: a, input: n.Input}
			exprs := m.list(n.Exprs)
			return &Project{Exprs: exprs, Input: m.input}, m.err
		}
		return n, nil
	})
}

func (a *Analyser) predicatesOf(n *Filter) (Node, error) {
	in, out := n.Input, n.Output()
	var rest []Expr
	for _, e := range conjuncts(n.Cond) {
		q, not := e, false
		if c, ok := e.(*Call); ok && c.Name == "not" {
			q, not = c.Args[0], true
		}
		sub, ok := q.(*Subquery)
		if !ok || sub.Kind == "scalar" {
			rest = append(rest, e)
			continue
		}
		j, err := a.predicateJoin(in, sub, not)
		if err != nil {
			return nil, sub.place(err)
		}
		if in, err = a.oneSided(j.(*Join)); err != nil {
			return nil, err
		}
	}
	m := &existenceJoiner{a: a, input: in}
	if rest = m.list(rest); m.err != nil {
		return nil, m.err
	}
	if m.input == in {
		return filterOver(rest, in), nil
	}
	return &Project{Exprs: asExprs(out), Input: filterOver(rest, m.input)}, nil
}

// oneSided checks what concerns one side of a semi or anti join on that side, and optimises the table.
func (a *Analyser) oneSided(j *Join) (Node, error) {
	c := *j
	if j.Cond != nil {
		left, right := all(j.Left), all(j.Right)
		var on, toLeft, toRight []Expr
		for _, e := range conjuncts(j.Cond) {
			switch {
			case len(References(e)) == 0:
				on = append(on, e)
			case readsOnly(e, left) && j.Kind == "LEFT SEMI":
				toLeft = append(toLeft, e)
			case readsOnly(e, right):
				toRight = append(toRight, e)
			default:
				on = append(on, e)
			}
		}
		c.Cond, c.Left, c.Right = nil, filterOver(toLeft, j.Left), filterOver(toRight, j.Right)
		if len(on) > 0 {
			c.Cond = conjunction(on)
		}
	}
	table, err := rewriteNodes(c.Right, a.tableNode)
	if err == nil {
		c.Right, err = Optimise(table, a.Conf)
	}
	return &c, err
}

// existenceJoiner makes columns of IN and EXISTS that are not conditions of their own: left
// outer joins with the distinct rows of their tables.
type existenceJoiner struct {
	a     *Analyser
	input Node
	err   error
}

func (m *existenceJoiner) list(es []Expr) []Expr {
	return joinSubqueries(es, &m.err, m.join, func(q *Subquery) bool { return q.Kind != "scalar" })
}

// join adds the join for a subquery whose conditions are equalities. As in Spark its value
// is never null.
func (m *existenceJoiner) join(q *Subquery) (Expr, error) {
	joined, err := m.a.predicateJoin(m.input, q, false)
	if err != nil {
		return nil, err
	}
	j := joined.(*Join)
	k := EquiKeys(j)
	if len(k.Other) > 0 {
		return nil, correlated()
	}
	b := &exprBuilder{a: m.a}
	met := NewAlias(BoolLiteral(true), "met")
	var inner, on []Expr
	for i, e := range k.Right {
		key := NewAlias(e, "key")
		inner = append(inner, key)
		op := "="
		if k.NullSafe[i] {
			op = "<=>"
		}
		on = append(on, b.call(op, k.Left[i], key.Attr))
	}
	if b.err != nil {
		return nil, b.err
	}
	var rows Node = &Distinct{Input: &Project{Exprs: inner, Input: j.Right}}
	exprs := append(asExprs(rows.Output()), met)
	table, err := Optimise(&Project{Exprs: exprs, Input: rows}, m.a.Conf)
	if err != nil {
		return nil, err
	}
	m.input = &Join{Kind: "LEFT OUTER", Cond: conjunction(on), Left: m.input, Right: table}
	return m.a.call("isnotnull", []Expr{nullableAttr(met.Attr)}, q.Span)
}

// correlatedWith tells whether e has a subquery that reads one of the columns.
func correlatedWith(e Expr, cols func(ID) bool) bool {
	return Contains(e, func(x Expr) bool {
		q, ok := x.(*Subquery)
		return ok && slices.ContainsFunc(q.Outer, func(c *Attr) bool { return cols(c.ID) })
	})
}
