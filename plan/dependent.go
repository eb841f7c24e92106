package plan

import (
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// A dependent plan reads columns of rows outside of it: that of a LATERAL relation those of
// the relations before it, that of a correlated subquery those of the query around it. It is
// computed for all outer rows at once: for the distinct values of the outer columns, the
// domain, which each of its nodes carries along ("Unnesting Arbitrary Queries", Neumann and
// Kemper 2015).
type dependent struct {
	a      *Analyser
	outer  []*Attr
	domain Node // the distinct values of outer
}

// newDependent is for plans that read the columns outer of the rows of n.
func (a *Analyser) newDependent(n Node, outer []*Attr) *dependent {
	return &dependent{a: a, outer: outer, domain: &Distinct{Input: &Project{Exprs: asExprs(outer), Input: n}}}
}

// values is the domain under identities of its own.
func (d *dependent) values() (Node, []*Attr) {
	p := &Project{Input: d.domain}
	for _, c := range d.outer {
		p.Exprs = append(p.Exprs, NewAlias(c, c.Name))
	}
	return p, p.Output()
}

// matches is the condition that the columns of two copies of the domain are the same.
func (d *dependent) matches(x, y []*Attr) []Expr {
	out := make([]Expr, len(x))
	for i := range x {
		out[i] = must(d.a.call("<=>", []Expr{x[i], y[i]}, sql.Span{}))
	}
	return out
}

// reads tells whether a plan reads outer columns.
func (d *dependent) reads(n Node) bool {
	p := &puller{outer: d.outer}
	found := false
	walkNodes(n, func(n Node) {
		_, _ = mapExpressions(n, func(e Expr) (Expr, error) {
			found = found || p.reads(e)
			return e, nil
		})
	})
	return found
}

// plan is n for each value of the domain: its columns and those of the domain.
func (d *dependent) plan(n Node) (Node, []*Attr, error) {
	if _, ok := n.(*OneRow); ok {
		out, cols := d.values()
		return out, cols, nil
	}
	if !d.reads(n) {
		values, cols := d.values()
		return &Join{Kind: "INNER", Left: n, Right: values}, cols, nil
	}
	switch n := n.(type) {
	case *SubqueryAlias:
		return d.plan(n.Input)
	case *Sort:
		return d.plan(n.Input)
	case *Limit:
		return d.limit(n)
	case *Aggregate:
		return d.aggregate(n)
	case *Join:
		return d.join(n)
	case *Union:
		return d.union(n)
	case *SetOp:
		c := *n
		l, cols, err := d.side(n.Left)
		if err != nil {
			return nil, nil, err
		}
		c.Left = l
		c.Right, _, err = d.side(n.Right)
		return &c, cols, err
	}
	in, cols, err := d.plan(n.Inputs()[0])
	if err != nil {
		return nil, nil, err
	}
	n, err = mapExpressions(n.WithInputs([]Node{in}), d.substitution(cols))
	if err != nil {
		return nil, nil, err
	}
	switch n := n.(type) {
	case *Project:
		c := *n
		c.Exprs = append(n.Exprs[:len(n.Exprs):len(n.Exprs)], asExprs(cols)...)
		return &c, cols, nil
	case *WindowFn:
		return &WindowFn{Calls: partitionedBy(n.Calls, cols), Input: n.Input}, cols, nil
	case *Filter, *Generate, *Distinct:
		return n, cols, nil
	}
	return nil, nil, correlated()
}

// substitution replaces the outer columns by those of a copy of the domain.
func (d *dependent) substitution(cols []*Attr) func(Expr) (Expr, error) {
	defs := map[ID]Expr{}
	for i, c := range d.outer {
		defs[c.ID] = cols[i]
	}
	return func(e Expr) (Expr, error) { return Substitute(e, defs), nil }
}

// side is a plan with the domain's columns behind its own.
func (d *dependent) side(n Node) (Node, []*Attr, error) {
	own := n.Output()
	out, cols, err := d.plan(n)
	if err != nil {
		return nil, nil, err
	}
	return &Project{Exprs: append(asExprs(own), asExprs(cols)...), Input: out}, cols, nil
}

func (d *dependent) union(n *Union) (Node, []*Attr, error) {
	u := &Union{Attrs: n.Attrs[:len(n.Attrs):len(n.Attrs)]}
	var cols []*Attr
	for _, p := range n.Parts {
		part, of, err := d.side(p)
		if err != nil {
			return nil, nil, err
		}
		u.Parts = append(u.Parts, part)
		if cols == nil {
			for _, c := range of {
				col := *c
				col.ID, col.Null = NewID(), true
				cols = append(cols, &col)
			}
		}
	}
	u.Attrs = append(u.Attrs, cols...)
	return u, cols, nil
}

// join matches the sides' values of the domain.
func (d *dependent) join(n *Join) (Node, []*Attr, error) {
	l, left, err := d.plan(n.Left)
	if err != nil {
		return nil, nil, err
	}
	r, right, err := d.plan(n.Right)
	if err != nil {
		return nil, nil, err
	}
	cols, sub := left, d.substitution(left)
	switch n.Kind {
	case "RIGHT OUTER":
		cols, sub = right, d.substitution(right)
	case "FULL OUTER":
		return nil, nil, correlated()
	}
	conds := d.matches(left, right)
	if n.Cond != nil {
		cond, _ := sub(n.Cond)
		conds = append(conds, cond)
	}
	return &Join{Kind: n.Kind, Cond: conjunction(conds), Left: l, Right: r}, cols, nil
}

// aggregate groups by the domain too. An aggregation without keys has a row for each of
// its values, met or not.
func (d *dependent) aggregate(n *Aggregate) (Node, []*Attr, error) {
	in, cols, err := d.plan(n.Input)
	if err != nil {
		return nil, nil, err
	}
	moved, err := mapExpressions(n.WithInputs([]Node{in}), d.substitution(cols))
	if err != nil {
		return nil, nil, err
	}
	g := *moved.(*Aggregate)
	g.Keys = append(append([]*Attr{}, g.Keys...), cols...)
	if len(n.Keys) > 0 {
		return &g, cols, nil
	}
	inner := make([]*Alias, len(g.Aggs))
	met := NewAlias(BoolLiteral(true), "met")
	items := append(asExprs(cols), met)
	for i, al := range g.Aggs {
		inner[i] = NewAlias(al.Child, al.Name)
		items = append(items, inner[i].Attr)
	}
	g.Aggs = inner
	values, of := d.values()
	j := &Join{Kind: "LEFT OUTER", Cond: conjunction(d.matches(of, cols)), Left: values, Right: &Project{Exprs: items, Input: &g}}
	b := &exprBuilder{a: d.a}
	out := asExprs(of)
	for i, al := range n.Aggs {
		c := *al
		c.Child = b.call("if", b.call("isnull", nullableAttr(met.Attr)), noRows(d.a, al), nullableAttr(inner[i].Attr))
		out = append(out, &c)
	}
	return &Project{Exprs: out, Input: j}, of, b.err
}

// noRows is the value of an aggregate over no rows: 0 of a count, else null.
func noRows(a *Analyser, al *Alias) Expr {
	if al.Child.Nullable() || !al.Attr.Typ.Numeric() {
		return NullLiteral(al.Attr.Typ)
	}
	return a.implicit(LongLiteral(0), al.Attr.Typ, sql.Span{})
}

// limit numbers the rows of each value of the domain in the order that ORDER BY gives.
func (d *dependent) limit(n *Limit) (Node, []*Attr, error) {
	in, keys := n.Input, []*SortKey(nil)
	var above []*Project
	for below, done := in, false; !done; {
		switch x := below.(type) {
		case *Project:
			above, below = append(above, x), x.Input
		case *SubqueryAlias:
			below = x.Input
		case *Sort:
			in, keys, done = x.Input, x.Keys, true
		default:
			above, done = nil, true
		}
	}
	in, cols, err := d.plan(in)
	if err != nil {
		return nil, nil, err
	}
	f, err := d.a.windowFunction("row_number", &sql.Call{}, &Scope{})
	if err != nil {
		return nil, nil, err
	}
	row := NewAlias(&WindowCall{Fn: f, OrderBy: keys, Text: "row_number"}, "row")
	numbered := &WindowFn{Calls: partitionedBy([]*Alias{row}, cols), Input: in}
	row = numbered.Calls[0]
	b := &exprBuilder{a: d.a}
	number := d.a.implicit(row.Attr, vector.Long, sql.Span{})
	cond := b.call(">", number, LongLiteral(n.Offset))
	if n.N >= 0 {
		cond = b.call("and", cond, b.call("<=", number, LongLiteral(n.Offset+n.N)))
	}
	var out Node = &Filter{Cond: cond, Input: numbered}
	for i := len(above) - 1; i >= 0; i-- {
		p, err := mapExpressions(above[i].WithInputs([]Node{out}), d.substitution(cols))
		if err != nil {
			return nil, nil, err
		}
		c := *p.(*Project)
		c.Exprs = append(c.Exprs[:len(c.Exprs):len(c.Exprs)], asExprs(cols)...)
		out = &c
	}
	return out, cols, b.err
}

// partitionedBy are OVER calls with more partition columns.
func partitionedBy(calls []*Alias, cols []*Attr) []*Alias {
	out := make([]*Alias, len(calls))
	for i, al := range calls {
		w := *al.Child.(*WindowCall)
		w.PartitionBy = append(asExprs(cols), w.PartitionBy...)
		c := *al
		c.Child = &w
		out[i] = &c
	}
	return out
}
