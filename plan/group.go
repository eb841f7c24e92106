package plan

import (
	"strings"

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
	items = append(items, hidden...)
	spans := make([]sql.Span, len(items))
	for i := range items {
		spans[i] = b.s.Span
		if len(b.s.Items) == len(items)-len(hidden) && i < len(b.s.Items) {
			spans[i] = b.s.Items[i].Expr.Pos()
		}
	}
	for i, e := range items {
		if items[i], err = g.over(e, spans[i]); err != nil {
			return nil, err
		}
	}
	var having Expr
	if b.s.Having != nil {
		hs := &Scope{Columns: scope.Columns, Outer: b.outer, Aliases: aliasesOf(items)}
		if having, err = b.a.Expr(b.s.Having, hs); err != nil {
			return nil, err
		}
		if having, err = g.over(expandAliases(having, items), b.s.Having.Pos()); err != nil {
			return nil, err
		}
	}
	n = &Aggregate{Keys: g.keys, Aggs: g.aggs, Input: n}
	if having != nil {
		if n, err = b.a.filter(n, having, b.s.Having.Pos()); err != nil {
			return nil, err
		}
	}
	if n, items, err = b.a.lowerGenerators(n, items); err != nil {
		return nil, err
	}
	n, items = lowerOver(n, items)
	return &Project{Exprs: items, Input: n}, nil
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
	f := Fingerprint(e)
	for i, k := range g.exprs {
		if Fingerprint(k) == f {
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

// bindSets are the grouping sets of one ROLLUP, CUBE or GROUPING SETS.
func (g *grouping) bindSets(gs *sql.GroupingSets, n Node) ([][]int, error) {
	elems := make([][]int, len(gs.Sets))
	for i, s := range gs.Sets {
		elems[i] = []int{}
		for _, e := range s {
			k, err := g.bindKey(e, n)
			if err != nil {
				return nil, err
			}
			elems[i] = append(elems[i], k)
		}
	}
	switch gs.Kind {
	case "ROLLUP":
		var sets [][]int
		for k := len(elems); k >= 0; k-- {
			sets = append(sets, concat(elems[:k]))
		}
		return sets, nil
	case "CUBE":
		var sets [][]int
		for mask := 1<<len(elems) - 1; mask >= 0; mask-- {
			var in [][]int
			for i, e := range elems {
				if mask&(1<<(len(elems)-1-i)) != 0 {
					in = append(in, e)
				}
			}
			sets = append(sets, concat(in))
		}
		return sets, nil
	}
	return elems, nil
}

func concat(parts [][]int) []int {
	out := []int{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

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
			al := NewAlias(e, windowed[i].SQL())
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
		g.keyOf[Fingerprint(windowed[i])] = g.keys[i]
		g.keyOf[Fingerprint(lowered[i])] = g.keys[i]
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

// expandSets emits each row once per grouping set, with NULL for the keys that are
// not in the set and the set's grouping id (a bit per key, 1: not in the set).
func (g *grouping) expandSets(n Node) Node {
	in := n.Output()
	x := &Expand{Input: n, Attrs: append([]*Attr{}, in...)}
	fresh := make([]*Attr, len(g.keys))
	for i, k := range g.keys {
		c := *k
		c.ID, c.Null = NewID(), true
		fresh[i] = &c
		x.Attrs = append(x.Attrs, &c)
	}
	g.id = &Attr{ID: NewID(), Name: "spark_grouping_id", Typ: LongLiteral(0).Typ}
	x.Attrs = append(x.Attrs, g.id)
	for _, set := range g.sets {
		member := map[int]bool{}
		for _, k := range set {
			member[k] = true
		}
		p := asExprs(in)
		id := int64(0)
		for i, k := range g.keys {
			id <<= 1
			if member[i] {
				p = append(p, k)
			} else {
				p = append(p, NullLiteral(k.Typ))
				id |= 1
			}
		}
		x.Projections = append(x.Projections, append(p, LongLiteral(id)))
	}
	g.keys = append(fresh, g.id)
	return x
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
	if k, ok := g.keyOf[Fingerprint(e)]; ok {
		return k, nil
	}
	switch x := e.(type) {
	case *AggCall:
		return g.aggregate(x)
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

func (g *grouping) aggregate(x *AggCall) (Expr, error) {
	for _, arg := range x.Args {
		if inner := findAgg(arg); inner != nil {
			return nil, g.a.errorAt(x.Span, "NESTED_AGGREGATE_FUNCTION")
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

func (g *grouping) missing(e Expr, at sql.Span) error {
	if g.b.s.GroupBy == nil {
		return g.a.errorAt(at, "MISSING_GROUP_BY")
	}
	name := e.SQL()
	return g.a.errorAt(at, "MISSING_AGGREGATION", "expression", `"`+name+`"`, "expressionAnyValue", `"any_value(`+name+`)"`)
}

// groupingID computes grouping(k) and grouping_id(…) from the grouping id column.
func (g *grouping) groupingID(x *GroupingCall, at sql.Span) (Expr, error) {
	if g.id == nil {
		return nil, g.a.errorAt(at, "UNSUPPORTED_GROUPING_EXPRESSION")
	}
	n := len(g.keys) - 1
	bit := func(e Expr) (int, error) {
		k := g.keyOf[Fingerprint(e)]
		for i, c := range g.keys[:n] {
			if c == k {
				return n - 1 - i, nil
			}
		}
		return 0, g.a.errorAt(at, "GROUPING_COLUMN_MISMATCH", "grouping", e.SQL(), "groupingColumns", keyList(g.exprs))
	}
	if x.ID && len(x.Args) == 0 {
		return g.id, nil
	}
	var out Expr = LongLiteral(0)
	for _, arg := range x.Args {
		b, err := bit(arg)
		if err != nil {
			return nil, err
		}
		shifted, err := g.a.call("shiftright", []Expr{g.id, IntLiteral(int32(b))}, at)
		if err != nil {
			return nil, err
		}
		one, err := g.a.call("&", []Expr{shifted, LongLiteral(1)}, at)
		if err != nil {
			return nil, err
		}
		double, err := g.a.call("shiftleft", []Expr{out, IntLiteral(1)}, at)
		if err != nil {
			return nil, err
		}
		if out, err = g.a.call("|", []Expr{double, one}, at); err != nil {
			return nil, err
		}
	}
	if !x.ID {
		return g.a.implicitCast(out, x.Type()), nil
	}
	return out, nil
}

func keyList(exprs []Expr) string {
	names := make([]string, len(exprs))
	for i, e := range exprs {
		names[i] = e.SQL()
	}
	return strings.Join(names, ", ")
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
