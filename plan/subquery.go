package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// subquery analyses a query inside an expression; it returns the columns of sc
// that the query uses.
func (a *Analyser) subquery(q *sql.Query, sc *Scope) (Node, []*Attr, error) {
	outer := *sc
	var refs []*Attr
	outer.outerRefs = &refs
	n, err := a.query(q, &outer)
	if err == nil && n.Streaming() {
		err = a.errorAt(q.Span, "INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY")
	}
	if err == nil {
		err = a.outerAggregates(n, refs, q.Span)
	}
	if err == nil {
		n = ownColumns(n, refs)
	}
	return n, refs, err
}

// outerAggregates refuses aggregates of outer columns alone, which belong to the query around.
func (a *Analyser) outerAggregates(n Node, outer []*Attr, at sql.Span) error {
	ids := map[ID]bool{}
	for _, c := range outer {
		ids[c.ID] = true
	}
	var err error
	walkNodes(n, func(n Node) {
		g, ok := n.(*Aggregate)
		if !ok || err != nil {
			return
		}
		for _, al := range g.Aggs {
			refs := References(al.Child)
			if len(refs) > 0 && !slices.ContainsFunc(refs, func(c *Attr) bool { return !ids[c.ID] }) {
				err = a.errorAt(at, "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE", "sqlExprs", quoteSQL(al.Child))
			}
		}
	})
	return err
}

func (a *Analyser) scalarQuery(e *sql.ScalarQuery, sc *Scope) (Expr, error) {
	n, refs, err := a.subquery(e.Query, sc)
	if err != nil {
		return nil, err
	}
	out := n.Output()
	if len(out) != 1 {
		return nil, a.errorAt(e.Span, "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "number", strconv.Itoa(len(out)))
	}
	return &Subquery{Kind: "scalar", Plan: n, Outer: refs, Typ: out[0].Typ, Text: subqueryText("scalarsubquery", refs), Span: e.Span, src: a.Text}, nil
}

func (a *Analyser) exists(e *sql.Exists, sc *Scope) (Expr, error) {
	n, refs, err := a.subquery(e.Query, sc)
	if err != nil {
		return nil, err
	}
	return &Subquery{Kind: "exists", Plan: n, Outer: refs, Typ: vector.Bool, Text: subqueryText("exists", refs), Span: e.Span, src: a.Text}, nil
}

func subqueryText(name string, refs []*Attr) string {
	parts := make([]string, len(refs))
	for i, r := range refs {
		parts[i] = r.SQL()
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// inQuery is x IN (query) or (x, y) IN (query). Both sides are cast to their
// common types; NOT is the caller's.
func (a *Analyser) inQuery(e *sql.In, sc *Scope) (Expr, error) {
	elems := []sql.Expr{e.X}
	if t, ok := e.X.(*sql.Tuple); ok {
		elems = t.Elems
	}
	x, err := a.exprs(elems, sc)
	if err != nil {
		return nil, err
	}
	n, refs, err := a.subquery(e.Query, sc)
	if err != nil {
		return nil, err
	}
	span := a.predicate(e.X, e.Span)
	right := n.Output()
	text := "(" + joinSQL(x) + " IN (" + subqueryText("listquery", refs) + "))"
	if len(x) != len(right) {
		return nil, a.errorAt(span, "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "sqlExpr", `"`+text+`"`,
			"leftLength", strconv.Itoa(len(x)), "leftColumns", quoteAll(x),
			"rightLength", strconv.Itoa(len(right)), "rightColumns", quoteAttrs(right))
	}
	casts := make([]Expr, len(right))
	changed := false
	for i := range x {
		t := kernels.Wider(a.Conf, x[i].Type(), right[i].Typ)
		if t == nil {
			return nil, a.errorAt(span, "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "sqlExpr", `"`+text+`"`,
				"mismatchedColumns", "(`"+x[i].SQL()+"`:"+x[i].Type().String()+", `"+right[i].Name+"`:"+right[i].Typ.String()+")",
				"leftType", quoteType(x[i].Type()), "rightType", quoteType(right[i].Typ))
		}
		x[i] = a.implicit(x[i], t, span)
		casts[i] = right[i]
		if !right[i].Typ.Equal(t) {
			casts[i], changed = NewAlias(a.implicit(right[i], t, span), right[i].Name), true
		}
	}
	if changed {
		n = &Project{Exprs: casts, Input: n}
	}
	return &Subquery{Kind: "in", X: x, Plan: n, Outer: refs, Typ: vector.Bool, Text: text, Span: e.Span, src: a.Text}, nil
}

func quoteAll(es []Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = quoteSQL(e)
	}
	return strings.Join(parts, ", ")
}

func quoteAttrs(as []*Attr) string {
	parts := make([]string, len(as))
	for i, c := range as {
		parts[i] = quoteSQL(c)
	}
	return strings.Join(parts, ", ")
}

// place gives err the position of the subquery, if it has none yet.
func (q *Subquery) place(err error) error {
	return (&Analyser{Text: q.src}).place(err, q.Span)
}
