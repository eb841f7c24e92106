package plan

import (
	"slices"
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// reshaped applies a PIVOT or UNPIVOT, if there is one.
func (a *Analyser) reshaped(n Node, p *sql.Pivot, u *sql.Unpivot, outer *Scope) (Node, error) {
	switch {
	case p != nil:
		return a.pivot(n, p, outer)
	case u != nil:
		return a.unpivot(n, u, outer)
	}
	return n, nil
}

// pivot is PIVOT (aggregates FOR columns IN (values)): the rows are grouped by the
// columns that it does not name, with a column for each value and aggregate. As in Spark an
// aggregate over no rows is null, a count too unless groupedInOne.
func (a *Analyser) pivot(n Node, p *sql.Pivot, outer *Scope) (Node, error) {
	sc := &Scope{Columns: n.Output(), Outer: outer}
	columns, err := a.exprs(p.Columns, sc)
	if err != nil {
		return nil, err
	}
	used := map[ID]bool{}
	for _, c := range columns {
		need(used, c)
	}
	aggs := make([]Expr, len(p.Aggs))
	for i, it := range p.Aggs {
		if aggs[i], err = a.Expr(it.Expr, sc); err != nil {
			return nil, err
		}
		if findAgg(aggs[i]) == nil {
			return nil, a.errorAt(it.Span, "_LEGACY_ERROR_TEMP_1006", "sql", aggs[i].SQL())
		}
		need(used, aggs[i])
	}
	var keys []*Attr
	for _, c := range visible(n.Output()) {
		if !used[c.ID] {
			keys = append(keys, c)
		}
	}
	names := aggs
	inOne := slices.ContainsFunc(aggs, groupedInOne)
	if n.Streaming() && !inOne {
		if n, columns, aggs, err = a.pivotGroups(n, keys, columns, aggs); err != nil {
			return nil, err
		}
	}
	g := &Aggregate{Keys: keys, Input: n}
	items := asExprs(keys)
	for _, v := range p.Values {
		cond, name, err := a.pivotValue(columns, v, sc)
		if err != nil {
			return nil, err
		}
		rows, err := a.aggregateCall("count", BoolLiteral(true))
		if err != nil {
			return nil, err
		}
		rows.Filter = cond
		count := NewAlias(rows, "count")
		if !inOne {
			g.Aggs = append(g.Aggs, count)
		}
		for i, e := range aggs {
			b := &exprBuilder{a: a}
			value := g.pivoted(b, e, cond)
			if !inOne {
				value = b.call("if", b.call(">", count.Attr, LongLiteral(0)), value, NullLiteral(e.Type()))
			}
			if b.err != nil {
				return nil, b.err
			}
			items = append(items, NewAlias(value, pivotName(name, p.Aggs, i, names[i])))
		}
	}
	return aliased(&Project{Exprs: items, Input: g}, p.Alias), nil
}

// groupedInOne tells of an aggregate of a type for which Spark computes a PIVOT in one
// grouping. For the others it makes two, which shows on a stream: the rows are grouped by the
// pivot columns too, and the result is grouped again.
func groupedInOne(e Expr) bool {
	t := e.Type()
	return !t.Numeric() && t.Kind != vector.KindBool
}

// pivotGroups is the first grouping of a PIVOT of a stream: n by keys and columns, with the
// values of aggs. It returns the columns of the grouping and what to take of the one row of each value.
func (a *Analyser) pivotGroups(n Node, keys []*Attr, columns, aggs []Expr) (Node, []Expr, []Expr, error) {
	in := asExprs(n.Output())
	g := &Aggregate{Keys: keys[:len(keys):len(keys)]}
	for i, c := range columns {
		key, ok := c.(*Attr)
		if !ok {
			al := NewAlias(c, c.SQL())
			key, in = al.Attr, append(in, al)
		}
		g.Keys = append(g.Keys, key)
		columns[i] = key
	}
	g.Input = n
	if len(in) > len(n.Output()) {
		g.Input = &Project{Exprs: in, Input: n}
	}
	b := &exprBuilder{a: a}
	items := asExprs(g.Keys)
	firsts := make([]Expr, len(aggs))
	for i, e := range aggs {
		al := NewAlias(g.pivoted(b, e, nil), e.SQL())
		items = append(items, al)
		first, err := a.aggregateCall("first", al.Attr)
		if err != nil {
			return nil, nil, nil, err
		}
		firsts[i] = first
	}
	return &Project{Exprs: items, Input: g}, columns, firsts, b.err
}

// pivoted adds the aggregates of e, over the rows that meet cond (nil: all), to the
// grouping and is e over them.
func (n *Aggregate) pivoted(b *exprBuilder, e Expr, cond Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		call, ok := x.(*AggCall)
		if !ok {
			return x
		}
		c := *call
		switch {
		case call.Filter == nil:
			c.Filter = cond
		case cond != nil:
			c.Filter = b.call("and", call.Filter, cond)
		}
		al := NewAlias(&c, c.Text)
		n.Aggs = append(n.Aggs, al)
		return al.Attr
	})
}

// pivotName is the name of a value's column, with that of the aggregate if there are several.
func pivotName(value string, aggs []*sql.SelectItem, i int, e Expr) string {
	switch {
	case len(aggs) == 1:
		return value
	case len(aggs[i].Aliases) > 0:
		return value + "_" + aggs[i].Aliases[0].Name
	}
	return value + "_" + e.SQL()
}

// pivotValue is the condition for the rows of a value, and its name.
func (a *Analyser) pivotValue(columns []Expr, v *sql.SelectItem, sc *Scope) (Expr, string, error) {
	elems := []sql.Expr{v.Expr}
	if t, ok := v.Expr.(*sql.Tuple); ok && len(columns) > 1 {
		elems = t.Elems
	}
	values, err := a.exprs(elems, sc)
	if err != nil {
		return nil, "", err
	}
	if len(values) != len(columns) {
		return nil, "", a.errorAt(v.Span, "PIVOT_VALUE_DATA_TYPE_MISMATCH", "value", joinSQL(values), "valueType", "struct", "pivotType", "struct")
	}
	var cond Expr
	b := &exprBuilder{a: a}
	names := make([]string, len(values))
	for i, x := range values {
		if !Foldable(x) {
			return nil, "", a.errorAt(v.Span, "NON_LITERAL_PIVOT_VALUES", "expression", quoteSQL(x))
		}
		if names[i] = x.SQL(); x.Type().Kind == vector.KindNull {
			names[i] = "null"
		}
		eq := b.call("<=>", columns[i], x)
		if cond == nil {
			cond = eq
		} else {
			cond = b.call("and", cond, eq)
		}
	}
	name := strings.Join(names, "_")
	if len(names) > 1 {
		name = "{" + strings.Join(names, ", ") + "}"
	}
	if len(v.Aliases) > 0 {
		name = v.Aliases[0].Name
	}
	return cond, name, a.place(b.err, v.Span)
}

// unpivot is UNPIVOT (value FOR name IN (columns)): a row for each of the columns, or
// sets of columns.
func (a *Analyser) unpivot(n Node, u *sql.Unpivot, outer *Scope) (Node, error) {
	sets := make([][]Expr, len(u.Columns))
	names := make([]string, len(u.Columns))
	used := map[ID]bool{}
	for i, it := range u.Columns {
		elems := []sql.Expr{it.Expr}
		if t, ok := it.Expr.(*sql.Tuple); ok {
			elems = t.Elems
		}
		if len(elems) != len(u.Value) {
			return nil, a.errorAt(it.Span, "UNPIVOT_VALUE_SIZE_MISMATCH", "names", len(u.Value))
		}
		var err error
		if sets[i], err = a.exprs(elems, &Scope{Columns: n.Output(), Outer: outer}); err != nil {
			return nil, err
		}
		parts := make([]string, len(elems))
		for k, e := range sets[i] {
			c, ok := e.(*Attr)
			if !ok {
				return nil, a.errorAt(it.Span, "UNPIVOT_REQUIRES_ATTRIBUTES", "given", "value", "empty", "identifier", "expressions", quoteSQL(e))
			}
			parts[k], used[c.ID] = c.Name, true
		}
		names[i] = strings.Join(parts, "_")
		if len(it.Aliases) > 0 {
			names[i] = it.Aliases[0].Name
		}
	}
	x := &Expand{Input: n, Projections: make([][]Expr, len(sets))}
	for _, c := range visible(n.Output()) {
		if !used[c.ID] {
			x.Attrs = append(x.Attrs, c)
		}
	}
	for i := range sets {
		x.Projections[i] = append(asExprs(x.Attrs), StringLiteral(names[i]))
	}
	x.Attrs = append(x.Attrs, &Attr{ID: NewID(), Name: u.Name.Name, Typ: vector.String})
	values, err := a.unpivotValues(x, sets, u)
	if err != nil {
		return nil, err
	}
	if u.IncludeNulls {
		return aliased(x, u.Alias), nil
	}
	b := &exprBuilder{a: a}
	some := b.call("isnotnull", values[0])
	for _, v := range values[1:] {
		some = b.call("or", some, b.call("isnotnull", v))
	}
	return aliased(&Filter{Cond: some, Input: x}, u.Alias), b.err
}

// unpivotValues adds the value columns, each of the common type of its columns.
func (a *Analyser) unpivotValues(x *Expand, sets [][]Expr, u *sql.Unpivot) ([]*Attr, error) {
	out := make([]*Attr, len(u.Value))
	for k, name := range u.Value {
		types := make([]*vector.Type, len(sets))
		texts := make([]string, len(sets))
		for i, s := range sets {
			types[i], texts[i] = s[k].Type(), quoteType(s[k].Type())+" ("+s[k].SQL()+")"
		}
		t := a.withoutStrings(types)
		if t == nil {
			return nil, a.errorAt(u.Span, "UNPIVOT_VALUE_DATA_TYPE_MISMATCH", "types", strings.Join(texts, ", "))
		}
		out[k] = &Attr{ID: NewID(), Name: name.Name, Typ: t, Null: true}
		x.Attrs = append(x.Attrs, out[k])
		for i, s := range sets {
			x.Projections[i] = append(x.Projections[i], a.implicit(s[k], t, u.Span))
		}
	}
	return out, nil
}

func aliased(n Node, alias sql.Ident) Node {
	if alias.Name == "" {
		return n
	}
	return qualified(n, alias.Name)
}
