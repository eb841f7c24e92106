package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

func itoa(i int) string { return strconv.Itoa(i) }

// from analyses a FROM clause: the relations, joined by commas.
func (a *Analyser) from(rels []sql.Relation, outer *Scope) (Node, error) {
	if len(rels) == 0 {
		return &OneRow{}, nil
	}
	n, err := a.relation(rels[0], outer, outer)
	for _, r := range rels[1:] {
		if err != nil {
			return nil, err
		}
		n, err = a.relationAfter(n, r, "INNER", func(Node) (Expr, error) { return nil, nil }, outer)
	}
	return n, err
}

// relation analyses one relation. lateral is the scope that a LATERAL one may use.
func (a *Analyser) relation(r sql.Relation, lateral, outer *Scope) (Node, error) {
	switch r := r.(type) {
	case *sql.Table:
		return a.table(r, outer)
	case *sql.Subquery:
		scope := outer
		if r.Lateral {
			scope = lateral
		}
		n, err := a.query(r.Query, scope)
		if err != nil {
			return nil, err
		}
		return a.named(dropHidden(n), r.Watermark, r.Alias, r.Columns, r.Span)
	case *sql.ParenRelation:
		n, err := a.relation(r.Relation, lateral, outer)
		if err != nil {
			return nil, err
		}
		return a.named(n, r.Watermark, r.Alias, r.Columns, r.Span)
	case *sql.InlineValues:
		n, err := a.values(r.Values, outer)
		if err != nil {
			return nil, err
		}
		if got := len(n.Output()); len(r.Columns) > 0 && len(r.Columns) != got {
			return nil, a.errorAt(r.Span, "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "expectedNumCols", len(r.Columns), "actualNumCols", got, "rowIndex", 0)
		}
		return a.named(n, nil, r.Alias, r.Columns, r.Span)
	case *sql.Join:
		return a.join(r, lateral, outer)
	case *sql.Pivoted:
		n, err := a.relation(r.Relation, lateral, outer)
		if err != nil {
			return nil, err
		}
		return a.reshaped(n, r.Pivot, r.Unpivot, outer)
	case *sql.TableFunction:
		if r.Lateral {
			return a.tableFunction(r, lateral)
		}
		return a.tableFunction(r, outer)
	case *sql.Sampled:
		n, err := a.relation(r.Relation, lateral, outer)
		if err != nil {
			return nil, err
		}
		return a.sample(n, r.Sample)
	}
	return nil, condition.New("INTERNAL_ERROR", "message", "unknown relation")
}

// dropHidden removes sort columns and hidden columns from a finished subquery.
func dropHidden(n Node) Node {
	out := n.Output()
	v := visible(out)
	if len(v) == len(out) {
		return n
	}
	exprs := make([]Expr, len(v))
	for i, c := range v {
		exprs[i] = c
	}
	return &Project{Exprs: exprs, Input: n}
}

func nameOf(parts []sql.Ident) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return strings.Join(names, ".")
}

// table finds a CTE, a view or a relation by name.
func (a *Analyser) table(t *sql.Table, outer *Scope) (Node, error) {
	parts := make([]string, len(t.Name))
	for i, p := range t.Name {
		parts[i] = p.Name
	}
	n, err := a.lookupTable(t, parts)
	if err != nil {
		return nil, err
	}
	if t.Sample != nil {
		if n, err = a.sample(n, t.Sample); err != nil {
			return nil, err
		}
	}
	alias := t.Alias
	if alias.Name == "" {
		alias = t.Name[len(t.Name)-1]
	}
	return a.named(n, t.Watermark, alias, t.Columns, t.Span)
}

func (a *Analyser) lookupTable(t *sql.Table, parts []string) (Node, error) {
	if len(parts) == 1 {
		if c := a.ctes.find(parts[0]); c != nil {
			if c.self != nil {
				return c.reference()
			}
			saved := a.ctes
			defer func() { a.ctes = saved }()
			if c.recursive {
				return a.recursiveCTE(c)
			}
			a.ctes = c.scope
			n, err := a.query(c.def.Query, nil)
			if err != nil {
				return nil, err
			}
			return a.named(dropHidden(n), nil, sql.Ident{}, c.def.Columns, c.def.Span)
		}
	}
	if v, ok := a.Catalog.View(parts); ok {
		return a.buildView(v)
	}
	if r, ok := a.Catalog.Relation(parts); ok {
		return r, nil
	}
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	span := sql.Span{Start: t.Name[0].Start, End: t.Name[len(t.Name)-1].End}
	if len(parts) > 2 && !strings.EqualFold(parts[0], "spark_catalog") {
		return nil, a.errorAt(span, "REQUIRES_SINGLE_PART_NAMESPACE", "sessionCatalog", "spark_catalog", "identifier", strings.Join(quoted, "."))
	}
	err := condition.New("TABLE_OR_VIEW_NOT_FOUND", "relationName", strings.Join(quoted, "."), "searchPath", "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]").WithPos(a.at(span))
	if near := condition.Nearest(parts[len(parts)-1], a.Catalog.Names()); near != "" {
		err.WithHint("did you mean %s?", near)
	}
	return nil, err
}

// named applies a relation's watermark, alias and column aliases.
func (a *Analyser) named(n Node, w *sql.Watermark, alias sql.Ident, columns []sql.Ident, span sql.Span) (Node, error) {
	if w != nil {
		var err error
		if n, err = a.watermarkClause(n, w); err != nil {
			return nil, err
		}
	}
	if len(columns) > 0 {
		out := visible(n.Output())
		if len(columns) != len(out) {
			return nil, a.errorAt(span, "ASSIGNMENT_ARITY_MISMATCH", "numTarget", len(columns), "numExpr", len(out))
		}
		exprs := make([]Expr, len(out))
		for i, c := range out {
			exprs[i] = NewAlias(c, columns[i].Name)
		}
		n = &Project{Exprs: exprs, Input: n}
	}
	if alias.Name != "" {
		n = qualified(n, alias.Name)
	}
	return n, nil
}

// qualified gives all columns of a node one qualifier. It is a renaming of
// columns only: the node below is left as it is.
func qualified(n Node, alias string) Node {
	out := n.Output()
	attrs := make([]*Attr, len(out))
	for i, c := range out {
		q := *c
		q.Qualifier = []string{alias}
		attrs[i] = &q
	}
	return &SubqueryAlias{Name: alias, Attrs: attrs, Input: n}
}

// sample is TABLESAMPLE. A number of rows is a limit, as in Spark.
func (a *Analyser) sample(n Node, s *sql.Sample) (Node, error) {
	switch {
	case s.Rows != nil:
		rows, err := a.rowCount(s.Rows, "limit", n)
		return &Limit{N: rows, Input: n}, err
	case s.Percent == nil:
		return nil, a.errorAt(s.Span, "VSTREAM_UNSUPPORTED", "feature", "TABLESAMPLE (BUCKET …)")
	}
	l, ok := s.Percent.(*sql.Literal)
	if !ok {
		return nil, a.errorAt(s.Span, "VSTREAM_UNSUPPORTED", "feature", "TABLESAMPLE with an expression")
	}
	p, err := strconv.ParseFloat(l.Text, 64)
	switch {
	case err != nil:
		return nil, a.errorAt(s.Percent.Pos(), "PARSE_SYNTAX_ERROR", "error", "'"+l.Text+"'", "hint", "")
	case p < 0 || p > 100:
		return nil, a.errorAt(s.Span, "INVALID_TABLESAMPLE_FRACTION", "fraction", strconv.FormatFloat(p/100, 'g', -1, 64))
	case p == 0:
		return &Limit{Input: n}, nil
	}
	return &Sample{Fraction: p / 100, Input: n}, nil
}

// join analyses a JOIN with ON, USING, NATURAL or nothing.
func (a *Analyser) join(j *sql.Join, lateral, outer *Scope) (Node, error) {
	l, err := a.relation(j.Left, lateral, outer)
	if err != nil {
		return nil, err
	}
	return a.joinTo(l, j, outer)
}

// joinTo joins an analysed left side with the right side of j.
func (a *Analyser) joinTo(l Node, j *sql.Join, outer *Scope) (Node, error) {
	if !j.Natural && len(j.Using) == 0 {
		return a.relationAfter(l, j.Right, j.Kind, func(r Node) (Expr, error) { return a.joinCondition(j, l, r, outer) }, outer)
	}
	if j.Lateral {
		return nil, a.errorAt(j.Span, "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING")
	}
	r, err := a.relation(j.Right, nil, outer)
	if err != nil {
		return nil, err
	}
	n := &Join{Kind: j.Kind, Left: l, Right: r}
	using := j.Using
	if j.Natural {
		for _, c := range visible(l.Output()) {
			if a.findColumn(visible(r.Output()), c.Name) != nil {
				using = append(using, sql.Ident{Span: j.Span, Name: c.Name})
			}
		}
	}
	if len(using) == 0 {
		return n, nil
	}
	return a.usingJoin(n, using)
}

// joinCondition is the ON of j; nil if there is none.
func (a *Analyser) joinCondition(j *sql.Join, l, r Node, outer *Scope) (Expr, error) {
	if j.On == nil {
		return nil, nil
	}
	both := append(append([]*Attr{}, l.Output()...), r.Output()...)
	cond, err := a.Expr(j.On, &Scope{Columns: both, Outer: outer})
	if err != nil {
		return nil, err
	}
	if Contains(cond, func(x Expr) bool { _, ok := x.(*TimeWindow); return ok }) {
		return nil, a.place(condition.New("VSTREAM_UNSUPPORTED", "feature", "a window in the condition of a join").
			WithHint("compute the windows in subqueries and join on them: FROM (SELECT *, window(ts, '5 seconds') AS w FROM l) l JOIN … ON l.w = r.w"), j.On.Pos())
	}
	if err := a.withoutGenerators(cond, "Join"); err != nil {
		return nil, err
	}
	if t := cond.Type(); t.Kind != vector.KindBool {
		return nil, a.errorAt(j.On.Pos(), "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", "joinCondition", quoteSQL(cond), "conditionType", quoteType(t))
	}
	if g := findAgg(cond); g != nil || hasOver(cond) {
		return nil, a.errorAt(j.On.Pos(), "UNSUPPORTED_EXPR_FOR_OPERATOR", "operator", "Join", "invalidExprSqls", quoteSQL(cond))
	}
	if !Deterministic(cond) {
		return nil, a.errorAt(j.On.Pos(), "INVALID_NON_DETERMINISTIC_EXPRESSIONS", "sqlExprs", quoteSQL(cond))
	}
	return cond, nil
}

func (a *Analyser) findColumn(cols []*Attr, name string) *Attr {
	for _, c := range cols {
		if c.Name == name || !a.caseSensitive() && strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// unresolvedUsing is the error for a column of USING that one side doesn't have.
func (a *Analyser) unresolvedUsing(u sql.Ident, side string, n Node) error {
	var names []string
	for _, x := range visible(n.Output()) {
		names = append(names, quoteParts([]string{x.Name}))
	}
	return a.errorAt(u.Span, "UNRESOLVED_USING_COLUMN_FOR_JOIN", "colName", "`"+u.Name+"`", "side", side, "suggestion", strings.Join(names, ", "))
}

// usingJoin joins on columns of the same name, which appear once in the result: of
// the side that is kept whole, or the first that is not null in a full outer join.
func (a *Analyser) usingJoin(n *Join, using []sql.Ident) (Node, error) {
	var merged, hidden []Expr
	drop := map[ID]bool{}
	hide := func(c *Attr) {
		al := NewAlias(c, c.Name)
		al.Hidden, al.Attr.Hidden, al.Attr.Merged, al.Attr.Qualifier = true, true, true, c.Qualifier
		hidden = append(hidden, al)
	}
	semi := n.Kind == "LEFT SEMI" || n.Kind == "LEFT ANTI"
	for _, u := range using {
		l, r := a.findColumn(visible(n.Left.Output()), u.Name), a.findColumn(visible(n.Right.Output()), u.Name)
		if l == nil {
			return nil, a.unresolvedUsing(u, "left", n.Left)
		}
		if r == nil {
			return nil, a.unresolvedUsing(u, "right", n.Right)
		}
		eq, err := a.call("=", []Expr{l, r}, u.Span)
		if err != nil {
			return nil, err
		}
		if n.Cond == nil {
			n.Cond = eq
		} else if n.Cond, err = a.call("and", []Expr{n.Cond, eq}, u.Span); err != nil {
			return nil, err
		}
		drop[l.ID], drop[r.ID] = true, true
		switch n.Kind {
		case "RIGHT OUTER":
			merged = append(merged, r)
			hide(l)
		case "FULL OUTER":
			hide(l)
			hide(r)
			both, err := a.call("coalesce", []Expr{l, r}, u.Span)
			if err != nil {
				return nil, err
			}
			merged = append(merged, NewAlias(both, l.Name))
		default:
			merged = append(merged, l)
			if !semi {
				hide(r)
			}
		}
	}
	for _, c := range n.Output() {
		switch {
		case c.Merged:
			hidden = append(hidden, c)
		case !drop[c.ID] && !c.Hidden:
			merged = append(merged, c)
		}
	}
	return &Project{Exprs: append(merged, hidden...), Input: n}, nil
}
