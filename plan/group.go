package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// grouped is a SELECT with GROUP BY, or with aggregates and no keys:
//
//	Project (items over keys and aggregates)
//	  [Filter (HAVING)]
//	    Aggregate (keys, aggregates)
//	      [Expand (grouping sets)]
//	        Project (input columns, computed keys)
func (b *selectBuilder) grouped(n Node) (Node, error) {
	g := &grouping{a: b.a, b: b, keyOf: map[string]*Attr{}, aggOf: map[string]*Attr{}}
	if err := g.bindKeys(n); err != nil {
		return nil, err
	}
	n, err := g.computeKeys(n)
	if err != nil {
		return nil, err
	}
	scope := &Scope{Columns: append(append([]*Attr{}, g.input.Output()...), g.windows...), Outer: b.outer, Windows: b.windows}
	items, err := b.a.SelectItems(b.s.Items, scope)
	if err != nil {
		return nil, err
	}
	hidden, err := b.sortColumns(items, scope)
	if err != nil {
		return nil, err
	}
	qualify, err := b.qualify(items, scope, true)
	if err != nil {
		return nil, err
	}
	written := items
	items = append(append(slices.Clone(items), hidden...), qualify...)
	spans := make([]sql.Span, len(items))
	for i := range items {
		spans[i] = b.s.Span
		if len(b.s.Items) == len(written) && i < len(b.s.Items) {
			spans[i] = b.s.Items[i].Expr.Pos()
		}
	}
	for i, e := range items {
		items[i], err = g.over(e, spans[i])
		if i >= len(written) {
			err = g.unresolved(err, e, written)
		}
		if err != nil {
			return nil, err
		}
	}
	var having Expr
	if b.s.Having != nil {
		hs := &Scope{Columns: scope.Columns, Outer: b.outer, Aliases: aliasesOf(written)}
		if having, err = b.a.Expr(b.s.Having, hs); err != nil {
			return nil, err
		}
		if back := g.fallsBack(expandAliases(having, written), written); len(back) > 0 {
			hs.Columns = slices.DeleteFunc(slices.Clone(scope.Columns), func(c *Attr) bool { return back[c.ID] })
			if having, err = b.a.Expr(b.s.Having, hs); err != nil {
				return nil, err
			}
		}
		if err := b.a.withoutGenerators(having, "UnresolvedHaving"); err != nil {
			return nil, err
		}
		if hasOver(having) {
			return nil, b.a.errorAt(sql.Span{}, "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", "clauseName", "HAVING")
		}
		full := expandAliases(having, written)
		if having, err = g.over(full, b.s.Having.Pos()); err != nil {
			return nil, g.unresolved(err, full, written)
		}
	}
	n = &Aggregate{Keys: g.keys, Aggs: g.aggs, Input: n}
	if having != nil {
		if n, err = b.a.filter(n, having, b.s.Having.Pos()); err != nil {
			return nil, err
		}
	}
	return b.project(n, items)
}

// fallsBack are the columns of the input that HAVING cannot read, for they are no keys, and
// whose names SELECT items have: these are what is meant.
func (g *grouping) fallsBack(e Expr, items []Expr) map[ID]bool {
	out := map[ID]bool{}
	Walk(e, func(x Expr) bool {
		if _, ok := x.(*AggCall); ok || g.keyOf[canonicalKey(x)] != nil {
			return false
		}
		c, ok := x.(*Attr)
		if ok && !c.Param {
			out[c.ID] = slices.ContainsFunc(items, func(it Expr) bool {
				al, ok := it.(*Alias)
				return ok && al.ID != c.ID && g.a.same(al.Name, c.Name)
			})
		}
		return true
	})
	return out
}

// grouping is the state of analysing one GROUP BY.
type grouping struct {
	a       *Analyser
	b       *selectBuilder
	exprs   []Expr   // the keys as bound, windows not yet lowered
	sets    [][]int  // grouping sets as indexes into exprs; nil: one set of all
	input   Node     // what the SELECT reads
	windows []*Attr  // columns made of the keys' time windows
	keys    []*Attr  // the Aggregate's keys
	aggs    []*Alias // its aggregates
	keyOf   map[string]*Attr
	aggOf   map[string]*Attr
	id      *Attr // the grouping id column; nil without grouping sets
}

// bindKeys binds the GROUP BY list: ordinals and aliases stand for SELECT items, an
// input column of the same name comes before an alias.
func (g *grouping) bindKeys(n Node) error {
	g.input = n
	gb := g.b.s.GroupBy
	if gb == nil {
		return nil
	}
	if gb.All {
		return g.bindAll(n)
	}
	plain := true
	sets := [][]int{{}}
	for _, e := range gb.Exprs {
		gs, ok := e.(*sql.GroupingSets)
		if !ok {
			i, err := g.bindKey(e, n)
			if err != nil {
				return err
			}
			for k := range sets {
				sets[k] = append(sets[k], i)
			}
			continue
		}
		plain = false
		alternatives, err := g.bindSets(gs, n)
		if err != nil {
			return err
		}
		var product [][]int
		for _, s := range sets {
			for _, alt := range alternatives {
				product = append(product, append(append([]int{}, s...), alt...))
			}
		}
		sets = product
	}
	if !plain {
		g.sets = sets
	}
	return nil
}

// bindAll is GROUP BY ALL: every item without an aggregate.
func (g *grouping) bindAll(n Node) error {
	items, err := g.a.SelectItems(g.b.s.Items, g.b.scope(n))
	if err != nil {
		return err
	}
	for _, e := range items {
		if al, ok := e.(*Alias); ok {
			e = al.Child
		}
		if findAgg(e) == nil {
			g.addKey(e)
		}
	}
	return nil
}

func (g *grouping) addKey(e Expr) int {
	f := canonicalKey(e)
	for i, k := range g.exprs {
		if canonicalKey(k) == f {
			return i
		}
	}
	g.exprs = append(g.exprs, e)
	return len(g.exprs) - 1
}

func (g *grouping) bindKey(e sql.Expr, n Node) (int, error) {
	x, err := g.resolveKey(e, n)
	if err != nil {
		return 0, err
	}
	if agg := findAgg(x); agg != nil {
		return 0, g.a.errorAt(e.Pos(), "GROUP_BY_AGGREGATE", "sqlExpr", agg.SQL())
	}
	if call := nestedGenerator(x); call != nil {
		return 0, g.a.errorAt(e.Pos(), "UNSUPPORTED_EXPR_FOR_OPERATOR", "operator", "Aggregate", "invalidExprSqls", quoteSQL(x))
	}
	return g.addKey(x), nil
}

func (g *grouping) resolveKey(e sql.Expr, n Node) (Expr, error) {
	a, items := g.a, g.b.s.Items
	if p, ok := ordinal(e); ok {
		bound, err := a.SelectItems(items, g.b.scope(n))
		if err != nil {
			return nil, err
		}
		if p < 1 || p > len(bound) {
			return nil, a.errorAt(e.Pos(), "GROUP_BY_POS_OUT_OF_RANGE", "index", p, "size", len(bound))
		}
		x := unalias(bound[p-1])
		if agg := findAgg(x); agg != nil {
			return nil, a.errorAt(e.Pos(), "GROUP_BY_POS_AGGREGATE", "index", p, "aggExpr", bound[p-1].SQL())
		}
		return x, nil
	}
	x, err := a.Expr(e, g.b.scope(n))
	if err == nil {
		return x, nil
	}
	if name, ok := e.(*sql.Name); ok && len(name.Parts) == 1 {
		for _, item := range items {
			for _, al := range item.Aliases {
				if len(item.Aliases) == 1 && strings.EqualFold(al.Name, name.Parts[0].Name) {
					bound, berr := a.Expr(item.Expr, g.b.scope(n))
					if berr != nil {
						return nil, berr
					}
					return bound, nil
				}
			}
		}
	}
	return nil, err
}

func unalias(e Expr) Expr {
	if al, ok := e.(*Alias); ok {
		return al.Child
	}
	return e
}

// computedKey names a key that is computed for the grouping, as in Spark's state.
const computedKey = "_groupingexpression"

// computeKeys puts the keys into columns below the Aggregate.
func (g *grouping) computeKeys(n Node) (Node, error) {
	windowed := g.exprs
	n, lowered, err := g.a.lowerWindows(n, g.exprs)
	if err != nil {
		return nil, err
	}
	for i, e := range lowered {
		if w, ok := e.(*Attr); ok && e != windowed[i] && w.Window {
			g.windows = append(g.windows, w)
		}
	}
	var computed []Expr
	keys := make([]*Attr, len(lowered))
	for i, e := range lowered {
		if c, ok := e.(*Attr); ok {
			keys[i] = c
		} else {
			al := NewAlias(e, computedKey)
			computed = append(computed, al)
			keys[i] = al.Attr
		}
	}
	if len(computed) > 0 {
		n = &Project{Exprs: append(asExprs(n.Output()), computed...), Input: n}
	}
	g.keys = keys
	if g.sets != nil {
		n = g.expandSets(n)
	}
	for i := range windowed {
		g.keyOf[canonicalKey(windowed[i])] = g.keys[i]
		g.keyOf[canonicalKey(lowered[i])] = g.keys[i]
	}
	return n, nil
}

func asExprs(attrs []*Attr) []Expr {
	out := make([]Expr, len(attrs))
	for i, c := range attrs {
		out[i] = c
	}
	return out
}

// over rewrites an item so that it reads keys and aggregates only.
func (g *grouping) over(e Expr, at sql.Span) (Expr, error) {
	if al, ok := e.(*Alias); ok {
		kid, err := g.over(al.Child, at)
		if err != nil {
			return nil, err
		}
		c := *al
		c.Child = kid
		attr := *al.Attr
		attr.Null = kid.Nullable()
		c.Attr = &attr
		return &c, nil
	}
	if k, ok := g.keyOf[canonicalKey(e)]; ok {
		return k, nil
	}
	switch x := e.(type) {
	case *AggCall:
		return g.aggregate(x)
	case *WindowCall:
		if fn, ok := x.Fn.(*AggCall); ok { // over the groups: its arguments may be aggregates
			return g.overGroups(x, fn, at)
		}
	case *Call:
		if x.Name == "window_time" { // Spark puts it below the grouping, where it is no key
			return nil, g.missing(x, at)
		}
	case *Attr:
		if x.Param {
			return x, nil
		}
		return nil, g.missing(x, at)
	case *TimeWindow:
		return nil, g.missing(x, at)
	case *GroupingCall:
		return g.groupingID(x, at)
	}
	kids := e.Children()
	if len(kids) == 0 {
		return e, nil
	}
	out := make([]Expr, len(kids))
	for i, k := range kids {
		var err error
		if out[i], err = g.over(k, at); err != nil {
			return nil, err
		}
	}
	return e.WithChildren(out), nil
}

// overGroups rewrites an aggregate with OVER, which reads the rows of the grouping.
func (g *grouping) overGroups(w *WindowCall, fn *AggCall, at sql.Span) (Expr, error) {
	rewritten := func(e Expr) (Expr, error) {
		kids := e.Children()
		out := make([]Expr, len(kids))
		for i, k := range kids {
			if k == Expr(fn) {
				out[i] = k
				continue
			}
			var err error
			if out[i], err = g.over(k, at); err != nil {
				return nil, err
			}
		}
		return e.WithChildren(out), nil
	}
	call, err := rewritten(fn)
	if err != nil {
		return nil, err
	}
	out, err := rewritten(w)
	if err != nil {
		return nil, err
	}
	c := *out.(*WindowCall)
	c.Fn = call
	return &c, nil
}

func (g *grouping) aggregate(x *AggCall) (Expr, error) {
	for _, arg := range x.Args {
		if inner := findAgg(arg); inner != nil {
			return nil, g.a.errorAt(inner.Span, "NESTED_AGGREGATE_FUNCTION")
		}
		if hasOver(arg) {
			return nil, g.a.errorAt(x.Span, "_LEGACY_ERROR_TEMP_1031")
		}
	}
	f := Fingerprint(x)
	if c := g.aggOf[f]; c != nil {
		return c, nil
	}
	al := NewAlias(x, x.SQL())
	g.aggs = append(g.aggs, al)
	g.aggOf[f] = al.Attr
	return al.Attr, nil
}

// unresolved is the error for a HAVING or ORDER BY that names a column of the input:
// after the grouping only its own columns are there, so Spark does not find the name.
func (g *grouping) unresolved(err error, e Expr, items []Expr) error {
	if !errors.Is(err, condition.Name("MISSING_AGGREGATION")) && !errors.Is(err, condition.Name("MISSING_GROUP_BY")) {
		return err
	}
	var column *Attr
	Walk(e, func(x Expr) bool {
		if _, ok := x.(*AggCall); ok || g.keyOf[canonicalKey(x)] != nil {
			return false
		}
		if c, ok := x.(*Attr); ok && !c.Param && column == nil && c.Span != (sql.Span{}) {
			column = c
		}
		return true
	})
	if column == nil {
		return err
	}
	var out []*Attr
	for _, it := range items {
		if _, ok := it.(*MultiAlias); !ok {
			out = append(out, OutputOf(it))
		}
	}
	return g.a.unresolved([]string{column.Name}, column.Span, out)
}

func (g *grouping) missing(e Expr, at sql.Span) error {
	if g.b.s.GroupBy == nil {
		return g.a.errorAt(at, "MISSING_GROUP_BY")
	}
	name := e.SQL()
	return g.a.errorAt(at, "MISSING_AGGREGATION", "expression", `"`+name+`"`, "expressionAnyValue", `"any_value(`+name+`)"`)
}

// aliasesOf are the named items, to which HAVING may refer.
func aliasesOf(items []Expr) []*Alias {
	var out []*Alias
	for _, e := range items {
		if al, ok := e.(*Alias); ok {
			out = append(out, al)
		}
	}
	return out
}

// expandAliases replaces references to items by what they compute.
func expandAliases(e Expr, items []Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		if c, ok := x.(*Attr); ok {
			for _, it := range items {
				if al, ok := it.(*Alias); ok && al.ID == c.ID {
					return al.Child
				}
			}
		}
		return x
	})
}
