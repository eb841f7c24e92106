package plan

import "github.com/vstream/vstream/condition"

// subqueriesAsJoins turns the subqueries in conditions into joins, as Spark's
// RewritePredicateSubquery does: EXISTS and IN into a left semi join, their negations into a left
// anti join; and a scalar subquery that reads columns of the query around it into a left outer
// join. What is left are subqueries that are computed once.
func (a *Analyser) subqueriesAsJoins(n Node) (Node, error) {
	return rewriteNodes(n, a.nodeSubqueries)
}

func (a *Analyser) nodeSubqueries(n Node) (Node, error) {
	switch n := n.(type) {
	case *Filter:
		return a.filterAsJoin(n)
	case *Project:
		return a.projectSubqueries(n)
	}
	return n, nil
}

func (a *Analyser) projectSubqueries(n *Project) (Node, error) {
	c := *n
	m := &scalarJoiner{a: a, input: n.Input}
	c.Exprs = m.list(n.Exprs)
	c.Input = m.input
	return &c, m.err
}

func (a *Analyser) filterAsJoin(n *Filter) (Node, error) {
	in := n.Input
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
		in = j
	}
	if len(rest) == 0 {
		return in, nil
	}
	m := &scalarJoiner{a: a, input: in}
	rest = m.list(rest)
	if m.err != nil {
		return nil, m.err
	}
	out := filterOver(rest, m.input)
	if m.input != in { // without the subqueries' columns
		out = &Project{Exprs: asExprs(n.Output()), Input: out}
	}
	return out, nil
}

// predicateJoin joins the rows of in with those of an EXISTS or IN subquery.
func (a *Analyser) predicateJoin(in Node, q *Subquery, not bool) (Node, error) {
	plan, err := a.subqueriesAsJoins(q.Plan)
	if err != nil {
		return nil, err
	}
	values := plan.Output()
	p := &puller{outer: q.Outer}
	table, err := p.pull(plan)
	if err != nil {
		if in.Streaming() {
			return nil, err
		}
		d := a.newDependent(in, q.Outer)
		var cols []*Attr
		if table, cols, err = d.plan(plan); err != nil {
			return nil, err
		}
		p.conds = d.matches(q.Outer, cols)
	}
	b := &exprBuilder{a: a}
	conds := p.conds
	for i, x := range q.X {
		eq := b.call("=", x, values[i])
		if not { // x NOT IN (…, NULL) is not true
			eq = b.call("or", eq, b.call("isnull", eq))
		}
		conds = append(conds, eq)
	}
	if b.err != nil {
		return nil, b.err
	}
	j := &Join{Kind: "LEFT SEMI", Left: in, Right: table}
	if not {
		j.Kind = "LEFT ANTI"
	}
	if len(conds) > 0 {
		j.Cond = conjunction(conds)
	}
	return j, nil
}

// puller takes the conditions on outer columns out of a subquery's plan.
type puller struct {
	outer []*Attr
	conds []Expr
}

func (p *puller) reads(e Expr) bool {
	for _, r := range References(e) {
		if hasAttr(p.outer, r) {
			return true
		}
	}
	return false
}

// pull is the plan without the conditions, which may read its columns.
func (p *puller) pull(n Node) (Node, error) {
	if len(p.outer) == 0 {
		return n, nil
	}
	switch n := n.(type) {
	case *SubqueryAlias:
		return p.pull(n.Input)
	case *Filter:
		in, err := p.pull(n.Input)
		up, down := split(conjuncts(n.Cond), p.reads)
		p.conds = append(p.conds, up...)
		return filterOver(down, in), err
	case *Project:
		in, err := p.pull(n.Input)
		if err != nil {
			return nil, err
		}
		c := *n
		c.Input, c.Exprs = in, n.Exprs[:len(n.Exprs):len(n.Exprs)]
		for _, e := range c.Exprs {
			if p.reads(e) {
				return nil, correlated()
			}
		}
		for _, r := range p.innerColumns() {
			if !hasAttr(c.Output(), r) {
				c.Exprs = append(c.Exprs, r)
			}
		}
		return &c, nil
	case *Distinct:
		return p.pull(n.Input)
	}
	bad := false
	walkNodes(n, func(n Node) {
		_, _ = mapExpressions(n, func(e Expr) (Expr, error) {
			bad = bad || p.reads(e)
			return e, nil
		})
	})
	if bad {
		return nil, correlated()
	}
	return n, nil
}

// innerColumns are the subquery's columns that the conditions read.
func (p *puller) innerColumns() []*Attr {
	var out []*Attr
	for _, e := range p.conds {
		for _, r := range References(e) {
			if !hasAttr(p.outer, r) && !hasAttr(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

func correlated() error {
	return condition.New("VSTREAM_UNSUPPORTED", "feature", "a subquery that reads columns of the query around it other than in WHERE").
		WithHint("write it as a join")
}

// scalarJoiner joins the subqueries of expressions to the input that read outer columns: scalar
// ones and, over a table, EXISTS and IN.
type scalarJoiner struct {
	a     *Analyser
	input Node
	err   error
}

func (m *scalarJoiner) list(es []Expr) []Expr {
	return joinSubqueries(es, &m.err, m.join, func(q *Subquery) bool {
		return len(q.Outer) > 0 && (q.Kind == "scalar" || !m.input.Streaming())
	})
}

// joinSubqueries replaces the wanted subqueries in expressions by what join gives for them, until one fails.
func joinSubqueries(es []Expr, failed *error, join func(*Subquery) (Expr, error), wanted func(*Subquery) bool) []Expr {
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = Transform(e, func(x Expr) Expr {
			q, ok := x.(*Subquery)
			if !ok || *failed != nil || !wanted(q) {
				return x
			}
			v, err := join(q)
			if err != nil {
				*failed = q.place(err)
				return x
			}
			return v
		})
	}
	return out
}

// join adds a left outer join with the subquery.
func (m *scalarJoiner) join(q *Subquery) (Expr, error) {
	plan, err := m.a.subqueriesAsJoins(q.Plan)
	if err != nil {
		return nil, err
	}
	if q.Kind != "scalar" {
		return m.existence(q, plan)
	}
	v, err := m.grouped(q, plan)
	if err == nil || m.input.Streaming() {
		return v, err
	}
	return m.perValue(q, plan)
}

// perValue joins the rows that the subquery has for each value of the outer columns.
func (m *scalarJoiner) perValue(q *Subquery, plan Node) (Expr, error) {
	d := m.a.newDependent(m.input, q.Outer)
	out := plan.Output()[0]
	table, cols, err := d.plan(plan)
	if err != nil {
		return nil, err
	}
	g := &Aggregate{Keys: cols, Input: table}
	for _, name := range []string{"first", "count"} {
		arg := Expr(out)
		if name == "count" {
			arg = BoolLiteral(true)
		}
		call, err := m.a.aggregateCall(name, arg)
		if err != nil {
			return nil, err
		}
		g.Aggs = append(g.Aggs, NewAlias(call, name))
	}
	m.input = &Join{Kind: "LEFT OUTER", Cond: conjunction(d.matches(q.Outer, cols)), Left: m.input, Right: g}
	return &singleRow{value: nullableAttr(g.Aggs[0].Attr), count: nullableAttr(g.Aggs[1].Attr), src: q.src, span: q.Span}, nil
}

// existence is whether the subquery has a row, or one equal to q.X; as in Spark it is
// never null.
func (m *scalarJoiner) existence(q *Subquery, plan Node) (Expr, error) {
	outer := q.Outer
	for i, x := range q.X {
		for _, r := range References(x) {
			if !hasAttr(outer, r) {
				outer = append(outer[:len(outer):len(outer)], r)
			}
		}
		plan = &Filter{Cond: must(m.a.call("=", []Expr{x, plan.Output()[i]}, q.Span)), Input: plan}
	}
	d := m.a.newDependent(m.input, outer)
	table, cols, err := d.plan(plan)
	if err != nil {
		return nil, err
	}
	met := NewAlias(BoolLiteral(true), "met")
	some := &Project{Exprs: append(asExprs(cols), met), Input: &Aggregate{Keys: cols, Input: table}}
	m.input = &Join{Kind: "LEFT OUTER", Cond: conjunction(d.matches(outer, cols)), Left: m.input, Right: some}
	return m.a.call("isnotnull", []Expr{nullableAttr(met.Attr)}, q.Span)
}

// grouped joins an aggregation without keys, grouped by the columns that it compares with
// outer ones.
func (m *scalarJoiner) grouped(q *Subquery, plan Node) (Expr, error) {
	top, ok := plan.(*Project)
	if !ok || len(top.Exprs) != 1 {
		return nil, correlated()
	}
	g, ok := top.Input.(*Aggregate)
	if !ok || len(g.Keys) > 0 {
		return nil, correlated()
	}
	p := &puller{outer: q.Outer}
	in, err := p.pull(g.Input)
	if err != nil {
		return nil, err
	}
	keys := p.innerColumns()
	for _, e := range p.conds {
		if c, ok := e.(*Call); !ok || c.Name != "=" && c.Name != "<=>" {
			return nil, correlated()
		}
	}
	grouped := *g
	grouped.Keys, grouped.Input = keys, in
	value := NewAlias(unalias(top.Exprs[0]), "value")
	met := NewAlias(BoolLiteral(true), "met")
	j := &Join{Kind: "LEFT OUTER", Left: m.input, Right: &Project{Exprs: append(asExprs(keys), value, met), Input: &grouped}}
	if len(p.conds) > 0 {
		j.Cond = conjunction(p.conds)
	}
	for _, al := range g.Aggs {
		if t := al.Attr.Typ; !al.Child.Nullable() && !t.Numeric() {
			return nil, correlated()
		}
	}
	m.input = j
	b := &exprBuilder{a: m.a}
	out := b.call("if", b.call("isnull", nullableAttr(met.Attr)), m.onNoRows(value.Child, g), nullableAttr(value.Attr))
	return out, b.err
}

func nullableAttr(c *Attr) *Attr {
	out := *c
	out.Null = true
	return &out
}

// onNoRows is the value of an expression over aggregates of no rows: counts are 0, other
// aggregates null.
func (m *scalarJoiner) onNoRows(e Expr, g *Aggregate) Expr {
	defs := map[ID]Expr{}
	for _, al := range g.Aggs {
		if al.Child.Nullable() {
			defs[al.ID] = NullLiteral(al.Attr.Typ)
		} else {
			defs[al.ID] = m.a.implicit(LongLiteral(0), al.Attr.Typ, al.Child.(*AggCall).Span)
		}
	}
	return Substitute(e, defs)
}
