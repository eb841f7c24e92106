package plan

import (
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// relationAfter analyses a relation that follows n in FROM and joins it to n. A LATERAL
// one may read n's columns.
func (a *Analyser) relationAfter(n Node, r sql.Relation, kind string, cond func(right Node) (Expr, error), outer *Scope) (Node, error) {
	var refs []*Attr
	right, err := a.relation(r, &Scope{Columns: n.Output(), Outer: outer, outerRefs: &refs}, outer)
	if err != nil {
		return nil, err
	}
	right = ownColumns(right, refs)
	on, err := cond(right)
	if err != nil {
		return nil, err
	}
	if len(refs) == 0 {
		return &Join{Kind: kind, Cond: on, Left: n, Right: right}, nil
	}
	if kind != "INNER" && kind != "CROSS" && kind != "LEFT OUTER" {
		return nil, a.errorAt(r.Pos(), "INVALID_LATERAL_JOIN_TYPE", "joinType", kind)
	}
	return a.lateralJoin(n, right, refs, kind, on)
}

// lateralJoin joins each row of n with the rows that right, which reads its columns refs,
// has for it.
func (a *Analyser) lateralJoin(n, right Node, refs []*Attr, kind string, on Expr) (Node, error) {
	out := append(append([]*Attr{}, n.Output()...), right.Output()...)
	if kind == "LEFT OUTER" {
		for i := len(n.Output()); i < len(out); i++ {
			out[i] = nullableAttr(out[i])
		}
	}
	if joined := inlined(n, right, kind, on); joined != nil {
		return &SubqueryAlias{Attrs: out, Input: &Project{Exprs: asExprs(out), Input: joined}}, nil
	}
	table, conds, err := a.dependentTable(n, right, refs)
	if err != nil {
		return nil, err
	}
	if on != nil {
		conds = append(conds, on)
	}
	j := &Join{Kind: kind, Cond: conjunction(conds), Left: n, Right: table}
	if kind == "CROSS" {
		j.Kind = "INNER"
	}
	return &SubqueryAlias{Attrs: out, Input: &Project{Exprs: asExprs(out), Input: j}}, nil
}

// dependentTable is the right side of a lateral join and the conditions by which its rows
// belong to those of n. Over a stream only WHERE may read n's columns refs: the domain of a stream is not known.
func (a *Analyser) dependentTable(n, right Node, refs []*Attr) (Node, []Expr, error) {
	if right.Streaming() {
		return nil, nil, correlated()
	}
	if n.Streaming() {
		p := &puller{outer: refs}
		table, err := p.pull(right)
		return table, p.conds, err
	}
	d := a.newDependent(n, refs)
	table, cols, err := d.plan(right)
	if err != nil {
		return nil, nil, err
	}
	return table, d.matches(refs, cols), nil
}

// inlined is a lateral join without a join, where the right side only computes and
// generates: it does so over n's own rows, on a stream too. nil if that is not so.
func inlined(n, right Node, kind string, on Expr) Node {
	if kind == "LEFT OUTER" {
		switch {
		case on == nil:
			// Without ON, Spark loses the rows for which a generator makes none.
			if !filtered(right) {
				return computedOver(n, right)
			}
		case alwaysTrue(on):
			return outerInlined(n, right)
		}
		return nil
	}
	out := computedOver(n, right)
	if out == nil || on == nil {
		return out
	}
	return &Filter{Cond: on, Input: out}
}

func alwaysTrue(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Typ.Kind == vector.KindBool && !l.Value.IsNull(0) && vector.Bools(l.Value.Arr).Get(0)
}

// computedOver is a chain of projections, filters and generators of one row, over the rows
// of n instead, with n's columns; nil for another plan.
func computedOver(n, chain Node) Node {
	if _, ok := chain.(*OneRow); ok {
		return n
	}
	switch chain.(type) {
	case *Project, *Filter, *Generate, *SubqueryAlias:
	default:
		return nil
	}
	in := computedOver(n, chain.Inputs()[0])
	if in == nil {
		return nil
	}
	switch x := chain.(type) {
	case *SubqueryAlias:
		return in
	case *Project:
		return &Project{Exprs: append(asExprs(n.Output()), x.Exprs...), Input: in}
	}
	return chain.WithInputs([]Node{in})
}

// outerInlined is computedOver for a left outer join: of a chain that has one row for each
// of n's, or that only names the columns of a generator.
func outerInlined(n, chain Node) Node {
	for x := chain; ; x = x.Inputs()[0] {
		switch x := x.(type) {
		case *OneRow:
			return computedOver(n, chain)
		case *Project:
			continue
		case *SubqueryAlias:
			continue
		case *Generate:
			if _, ok := x.Input.(*OneRow); !ok || !onlyNames(chain, x) {
				return nil
			}
			return computedOver(n, withGenerator(chain, x))
		}
		return nil
	}
}

// onlyNames tells whether what stands above a generator only picks and names columns.
func onlyNames(n Node, g *Generate) bool {
	for n != Node(g) {
		if p, ok := n.(*Project); ok {
			for _, e := range p.Exprs {
				if _, ok := unalias(e).(*Attr); !ok {
					return false
				}
			}
		}
		n = n.Inputs()[0]
	}
	return true
}

// withGenerator is a chain whose generator makes a row of nulls where it makes none.
func withGenerator(n Node, g *Generate) Node {
	if n == Node(g) {
		c := *g
		c.Outer = true
		return &c
	}
	return n.WithInputs([]Node{withGenerator(n.Inputs()[0], g)})
}

// filtered tells whether a plan has a filter.
func filtered(n Node) bool {
	found := false
	walkNodes(n, func(n Node) {
		_, ok := n.(*Filter)
		found = found || ok
	})
	return found
}

// ownColumns gives the columns of a subquery that are columns of the rows outside of it
// identities of their own.
func ownColumns(n Node, outer []*Attr) Node {
	out := n.Output()
	exprs := asExprs(out)
	changed := false
	for i, c := range out {
		if hasAttr(outer, c) {
			al := NewAlias(c, c.Name)
			al.Hidden, al.Attr.Hidden, al.Attr.Qualifier = c.Hidden, c.Hidden, c.Qualifier
			exprs[i], changed = al, true
		}
	}
	if !changed {
		return n
	}
	return &Project{Exprs: exprs, Input: n}
}
