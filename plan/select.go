package plan

import (
	"errors"
	"slices"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// selectQuery analyses one SELECT. order are the sort items that follow it: those
// that are not among its columns become hidden columns.
func (a *Analyser) selectQuery(s *sql.Select, order []*sql.SortItem, windows []*sql.NamedWindow, outer *Scope) (Node, error) {
	n, err := a.from(s.From, outer)
	if err != nil {
		return nil, err
	}
	return a.selectOver(n, s, order, windows, outer)
}

// selectOver is a SELECT of the rows of n, which stand in place of its FROM relations.
func (a *Analyser) selectOver(n Node, s *sql.Select, order []*sql.SortItem, windows []*sql.NamedWindow, outer *Scope) (Node, error) {
	var err error
	for _, v := range s.LateralViews {
		if n, err = a.lateralView(n, v, outer); err != nil {
			return nil, err
		}
	}
	if n, err = a.reshaped(n, s.Pivot, s.Unpivot, outer); err != nil {
		return nil, err
	}
	if s.Where != nil {
		if n, err = a.where(n, s.Where, &Scope{Columns: n.Output(), Outer: outer, Windows: windows}); err != nil {
			return nil, err
		}
	}
	for i, w := range windows {
		if slices.ContainsFunc(windows[:i], func(x *sql.NamedWindow) bool { return a.same(x.Name.Name, w.Name.Name) }) {
			return nil, a.errorAt(w.Span, "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION", "windowName", quoteParts([]string{w.Name.Name}))
		}
	}
	b := &selectBuilder{a: a, s: s, order: order, windows: windows, outer: outer}
	if s.GroupBy != nil {
		n, err = b.grouped(n)
	} else {
		n, err = b.plain(n)
	}
	if err != nil {
		return nil, err
	}
	if s.Distinct {
		return a.distinct(n, s.Span)
	}
	return n, nil
}

func (a *Analyser) where(n Node, cond sql.Expr, sc *Scope) (Node, error) {
	e, err := a.Expr(cond, sc)
	if err != nil {
		return nil, err
	}
	if hasOver(e) {
		return nil, a.errorAt(sql.Span{}, "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", "clauseName", "WHERE")
	}
	if err := a.withoutGenerators(e, "Filter"); err != nil {
		return nil, err
	}
	if agg := findAgg(e); agg != nil {
		return nil, a.errorAt(cond.Pos(), "INVALID_WHERE_CONDITION", "condition", quoteSQL(e), "expressionList", agg.SQL())
	}
	if err := a.withoutGrouping(e); err != nil {
		return nil, err
	}
	return a.filter(n, e, cond.Pos())
}

// filter keeps the rows for which e is true; e must be boolean.
func (a *Analyser) filter(n Node, e Expr, at sql.Span) (Node, error) {
	switch e.Type().String() {
	case "boolean":
	default:
		return nil, a.errorAt(at, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "sqlExpr", quoteSQL(e), "filter", quoteSQL(e), "type", quoteType(e.Type()))
	}
	return &Filter{Cond: e, Input: n}, nil
}

// selectBuilder holds what the parts of one SELECT share.
type selectBuilder struct {
	a       *Analyser
	s       *sql.Select
	order   []*sql.SortItem
	windows []*sql.NamedWindow
	outer   *Scope
}

func (b *selectBuilder) scope(n Node) *Scope {
	return &Scope{Columns: n.Output(), Outer: b.outer, Windows: b.windows}
}

// plain is a SELECT without GROUP BY; aggregates in its items make it a global aggregation.
func (b *selectBuilder) plain(n Node) (Node, error) {
	a := b.a
	items, err := a.SelectItems(b.s.Items, b.scope(n))
	if err != nil {
		return nil, err
	}
	for _, e := range items {
		if findAgg(e) != nil {
			return b.grouped(n)
		}
	}
	if b.s.Having != nil {
		return b.grouped(n)
	}
	hidden, err := b.sortColumns(items, b.scope(n))
	if err != nil {
		return nil, err
	}
	for i, e := range hidden {
		if agg := findAgg(e); agg != nil {
			return nil, a.errorAt(b.order[i].Expr.Pos(), "UNSUPPORTED_EXPR_FOR_OPERATOR", "operator", "Sort", "invalidExprSqls", quoteSQL(agg))
		}
	}
	qualify, err := b.qualify(items, b.scope(n), false)
	if err != nil {
		return nil, err
	}
	items = append(append(items, hidden...), qualify...)
	if err := a.withoutGrouping(items...); err != nil {
		return nil, err
	}
	if n, items, err = a.lowerWindows(n, items); err != nil {
		return nil, err
	}
	return b.project(n, items)
}

// qualify is the condition of QUALIFY as one more item, if there is one. It may use the
// names of items; what it aggregates must be among these.
func (b *selectBuilder) qualify(items []Expr, below *Scope, grouped bool) ([]Expr, error) {
	if b.s.Qualify == nil {
		return nil, nil
	}
	sc := *below
	sc.Aliases = aliasesOf(items)
	e, err := b.a.Expr(b.s.Qualify, &sc)
	if err != nil {
		return nil, err
	}
	if agg := findAgg(e); agg != nil {
		return nil, b.aggregateInQualify(e, agg, items, grouped)
	}
	e = expandAliases(e, items)
	if !hasOver(e) && !slices.ContainsFunc(items, hasOver) {
		return nil, condition.New("QUALIFY_REQUIRES_WINDOW_FUNCTION")
	}
	return []Expr{NewAlias(e, "qualify")}, nil
}

// aggregateInQualify is the error for an aggregate in QUALIFY.
func (b *selectBuilder) aggregateInQualify(e Expr, agg *AggCall, items []Expr, grouped bool) error {
	if grouped {
		outputs := make([]*Attr, 0, len(items))
		for _, it := range items {
			if _, ok := it.(*MultiAlias); !ok {
				outputs = append(outputs, OutputOf(it))
			}
		}
		for _, c := range References(agg) {
			if !slices.ContainsFunc(outputs, func(o *Attr) bool { return b.a.same(o.Name, c.Name) }) {
				return b.a.unresolved(append(slices.Clone(c.Qualifier), c.Name), c.Span, outputs)
			}
		}
	}
	alone := false
	Walk(e, func(x Expr) bool {
		if _, over := x.(*WindowCall); over {
			return false
		}
		alone = alone || x == Expr(agg)
		return true
	})
	if alone {
		return b.a.errorAt(agg.Span, "QUALIFY_AGGREGATE_NOT_ALLOWED", "aggregateExpr", quoteSQL(agg))
	}
	return b.a.errorAt(b.s.Span, "MISSING_GROUP_BY")
}

// project computes the items over n: generators and OVER functions below a projection.
// The last item is the condition of QUALIFY, if there is one.
func (b *selectBuilder) project(n Node, items []Expr) (Node, error) {
	n, items, err := b.a.lowerGenerators(n, items)
	if err != nil {
		return nil, err
	}
	n, items = lowerOver(n, items)
	if b.s.Qualify != nil {
		last := len(items) - 1
		if n, err = b.a.filter(n, unalias(items[last]), b.s.Qualify.Pos()); err != nil {
			return nil, err
		}
		items = items[:last]
	}
	return &Project{Exprs: items, Input: n}, nil
}

// sortColumns are the sort items that are not columns of the SELECT, as hidden columns.
func (b *selectBuilder) sortColumns(items []Expr, below *Scope) ([]Expr, error) {
	var out []Expr
	var cols []*Attr
	for _, e := range items {
		if _, ok := e.(*MultiAlias); !ok {
			cols = append(cols, OutputOf(e))
		}
	}
	for i, item := range b.order {
		if _, ok := ordinal(item.Expr); ok {
			continue
		}
		e, err := b.a.Expr(item.Expr, &Scope{Columns: cols, Outer: b.outer})
		if err == nil && !ofGroups(e) && !hasOver(e) && nestedGenerator(e) == nil {
			continue
		}
		if b.s.Distinct { // the rows below DISTINCT are gone
			if err == nil {
				err = b.a.errorAt(item.Expr.Pos(), "UNSUPPORTED_EXPR_FOR_OPERATOR", "operator", "Sort", "invalidExprSqls", quoteSQL(findAgg(e)))
			}
			return nil, err
		}
		e, err2 := b.a.Expr(item.Expr, below)
		if err2 != nil {
			if err != nil && !errors.Is(err, condition.Name("AMBIGUOUS_REFERENCE")) {
				return nil, err
			}
			return nil, err2
		}
		if nestedGenerator(e) != nil {
			return nil, b.a.errorAt(item.Expr.Pos(), "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "plan", "Sort")
		}
		if hasOver(e) {
			return nil, b.a.errorAt(item.Expr.Pos(), "UNSUPPORTED_EXPR_FOR_OPERATOR", "operator", "Sort", "invalidExprSqls", quoteSQL(e))
		}
		al := NewAlias(e, sortColumn+itoa(i))
		al.Hidden, al.Attr.Hidden = true, true
		out = append(out, al)
	}
	return out, nil
}

// findAgg is an aggregate call in e that is not the function of an OVER; nil if there is none.
func findAgg(e Expr) *AggCall {
	var found *AggCall
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *WindowCall:
			for _, k := range x.Children() {
				parts := []Expr{k}
				if k == x.Fn {
					parts = k.Children()
				}
				for _, p := range parts {
					if found == nil {
						found = findAgg(p)
					}
				}
			}
			return false
		case *AggCall:
			found = x
		}
		return found == nil
	})
	return found
}

// ofGroups tells whether e has a meaning only over a grouping.
func ofGroups(e Expr) bool {
	return findAgg(e) != nil || Contains(e, func(x Expr) bool { _, ok := x.(*GroupingCall); return ok })
}

// withoutGrouping refuses grouping() and grouping_id() where rows are not grouped.
func (a *Analyser) withoutGrouping(es ...Expr) error {
	for _, e := range es {
		var found *GroupingCall
		if Contains(e, func(x Expr) (ok bool) { found, ok = x.(*GroupingCall); return ok }) {
			return a.errorAt(found.Span, "UNSUPPORTED_GROUPING_EXPRESSION")
		}
	}
	return nil
}

// hasOver tells whether there is an OVER call in e.
func hasOver(e Expr) bool {
	return Contains(e, func(x Expr) bool { _, ok := x.(*WindowCall); return ok })
}

// lowerOver moves OVER calls into WindowFn nodes below the projection, those within others
// below them.
func lowerOver(n Node, items []Expr) (Node, []Expr) {
	for {
		var calls []*Alias
		here := map[ID]bool{}
		reads := func(e Expr) bool { c, ok := e.(*Attr); return ok && here[c.ID] }
		out := make([]Expr, len(items))
		for i, e := range items {
			out[i] = Transform(e, func(x Expr) Expr {
				w, ok := x.(*WindowCall)
				if !ok || Contains(w, reads) {
					return x
				}
				al := NewAlias(w, w.SQL())
				calls, here[al.ID] = append(calls, al), true
				return al.Attr
			})
		}
		if len(calls) == 0 {
			return n, items
		}
		n, items = &WindowFn{Calls: calls, Input: n}, out
	}
}
