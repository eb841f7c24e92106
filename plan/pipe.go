package plan

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// pipe analyses input |> operator.
func (a *Analyser) pipe(p *sql.Pipe, outer *Scope) (Node, error) {
	var n Node
	var err error
	if before, ok := p.Input.(*sql.Pipe); ok {
		n, err = a.pipe(before, outer)
	} else if n, err = a.body(p.Input, nil, nil, outer); err == nil {
		n = dropHidden(n)
	}
	if err != nil {
		return nil, err
	}
	switch p.Op {
	case "SELECT":
		return a.selectOver(n, p.Select, nil, p.Query.Windows, outer)
	case "WHERE":
		return a.where(n, p.Select.Where, &Scope{Columns: n.Output(), Outer: outer, Windows: p.Query.Windows})
	case "EXTEND":
		return a.extend(n, p, outer)
	case "SET":
		for _, it := range p.Items {
			if n, err = a.setColumn(n, it, outer); err != nil {
				return nil, err
			}
		}
		return n, nil
	case "DROP":
		star := &sql.Star{Span: p.Span, Except: p.Columns}
		cols, err := a.star(star, &Scope{Columns: n.Output(), Outer: outer})
		return &Project{Exprs: cols, Input: n}, err
	case "AS":
		return qualified(n, p.Alias.Name), nil
	case "PIVOT", "UNPIVOT":
		return a.reshaped(n, p.Select.Pivot, p.Select.Unpivot, outer)
	case "TABLESAMPLE":
		return a.sample(n, p.Sample)
	case "AGGREGATE":
		return a.pipeAggregate(n, p, outer)
	case "JOIN":
		j, ok := p.Join.(*sql.Join)
		if !ok {
			return nil, a.unsupported(p.Join)
		}
		return a.joinTo(n, j, outer)
	case "UNION", "EXCEPT", "INTERSECT":
		r, err := a.body(p.SetOp.Right, nil, nil, outer)
		if err != nil {
			return nil, err
		}
		return a.combine(n, r, p.SetOp)
	case "ORGANIZE":
		if len(p.Query.Windows) > 0 {
			return nil, a.errorAt(p.Span, "UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS", "clauses", "the WINDOW clause")
		}
		return a.organised(n, p.Query, outer)
	}
	return nil, a.unsupported(p)
}

// extend adds columns to those of n.
func (a *Analyser) extend(n Node, p *sql.Pipe, outer *Scope) (Node, error) {
	span := p.Items[0].Span
	s := &sql.Select{Span: span, Items: append([]*sql.SelectItem{{Span: span, Expr: &sql.Star{Span: span}}}, p.Items...)}
	items, err := a.SelectItems(s.Items, &Scope{Columns: n.Output(), Outer: outer})
	if err != nil {
		return nil, err
	}
	for _, e := range items {
		if g := findAgg(e); g != nil {
			return nil, a.errorAt(g.Span, "PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", "expr", g.SQL(), "clause", "EXTEND")
		}
	}
	return a.selectOver(n, s, nil, nil, outer)
}

// setColumn replaces a column of n by an expression over all of them.
func (a *Analyser) setColumn(n Node, it *sql.SelectItem, outer *Scope) (Node, error) {
	key := it.Aliases[0]
	sc := &Scope{Columns: n.Output(), Outer: outer}
	found, err := a.column([]string{key.Name}, key.Span, sc.Columns)
	if err != nil {
		return nil, err
	}
	old, ok := found.(*Attr)
	if !ok {
		return nil, a.unresolvedAmong([]string{key.Name}, key.Span, sc.Columns)
	}
	e, err := a.Expr(it.Expr, sc)
	if err != nil {
		return nil, err
	}
	if g := findAgg(e); g != nil {
		return nil, a.errorAt(g.Span, "PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", "expr", g.SQL(), "clause", "SET")
	}
	items := asExprs(n.Output())
	for i, c := range n.Output() {
		if c.ID == old.ID {
			items[i] = NewAlias(e, key.Name)
		}
	}
	n, items = lowerOver(n, items)
	return &Project{Exprs: items, Input: n}, nil
}

// pipeAggregate is AGGREGATE items GROUP BY keys: the keys come first in the result.
func (a *Analyser) pipeAggregate(n Node, p *sql.Pipe, outer *Scope) (Node, error) {
	s := &sql.Select{Span: p.Select.Span, GroupBy: &sql.GroupBy{}}
	if g := p.Select.GroupBy; g != nil {
		s.GroupBy.Span = g.Span
		if g.All {
			return nil, a.aggregateCase(g.Span, "GROUP BY ALL")
		}
		for _, e := range g.Exprs {
			if sets, ok := e.(*sql.GroupingSets); ok {
				return nil, a.aggregateCase(sets.Span, "GROUPING")
			}
			item := &sql.SelectItem{Span: e.Pos(), Expr: e}
			if al, ok := e.(*sql.Aliased); ok {
				item.Expr, item.Aliases = al.X, al.Names
			}
			if k, ok := ordinal(item.Expr); ok { // of the input's columns
				cols := visible(n.Output())
				if k < 1 || k > len(cols) {
					return nil, a.errorAt(e.Pos(), "GROUP_BY_POS_OUT_OF_RANGE", "index", k, "size", len(cols))
				}
				item.Expr = &sql.Name{Span: e.Pos(), Parts: []sql.Ident{{Span: e.Pos(), Name: cols[k-1].Name}}}
			}
			s.Items = append(s.Items, item)
			s.GroupBy.Exprs = append(s.GroupBy.Exprs, item.Expr)
		}
	}
	sc := &Scope{Columns: n.Output(), Outer: outer}
	for _, it := range p.Select.Items {
		e, err := a.Expr(it.Expr, sc)
		if err != nil {
			return nil, err
		}
		if findAgg(e) == nil {
			return nil, a.errorAt(it.Expr.Pos(), "PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION", "expr", e.SQL())
		}
	}
	s.Items = append(s.Items, p.Select.Items...)
	return a.selectOver(n, s, nil, nil, outer)
}

func (a *Analyser) aggregateCase(at sql.Span, what string) error {
	return condition.New("UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE", "case", what).WithPos(a.at(at))
}
