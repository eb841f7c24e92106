package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// cte is a named query of a WITH clause, analysed anew on each use.
type cte struct {
	def   *sql.CTE
	scope *cteScope // what the query itself may refer to
	// recursive: it may refer to itself. While it is analysed, self is what it becomes and
	// referred tells whether it has done so.
	recursive bool
	self      *Recursive
	referred  bool
}

// cteScope is a chain of WITH clauses.
type cteScope struct {
	outer *cteScope
	named map[string]*cte
}

func (s *cteScope) find(name string) *cte {
	for ; s != nil; s = s.outer {
		if c := s.named[strings.ToLower(name)]; c != nil {
			return c
		}
	}
	return nil
}

// Query analyses a statement. Errors carry Spark's condition and the position in the text.
func (a *Analyser) Query(stmt *sql.Statement) (Node, error) {
	return a.forText(stmt.Text).query(stmt.Query, nil)
}

// forText is an analyser of another text that counts on.
func (a *Analyser) forText(text string) *Analyser {
	return &Analyser{Catalog: a.Catalog, Conf: a.Conf, Text: text, watermarks: a.numbers()}
}

func (a *Analyser) query(q *sql.Query, outer *Scope) (Node, error) {
	saved := a.ctes
	defer func() { a.ctes = saved }()
	for _, c := range q.With {
		scope := a.ctes
		a.ctes = &cteScope{outer: scope, named: map[string]*cte{strings.ToLower(c.Name.Name): {def: c, scope: scope, recursive: q.Recursive}}}
	}
	order := append(append([]*sql.SortItem{}, q.OrderBy...), q.SortBy...)
	if orderAll(q) != nil {
		order = nil
	}
	n, err := a.body(q.Body, order, q.Windows, outer)
	if err != nil {
		return nil, err
	}
	return a.organised(n, q, outer)
}

// organised applies what follows a query's body: ORDER BY, SORT BY, DISTRIBUTE BY,
// CLUSTER BY, LIMIT and OFFSET.
func (a *Analyser) organised(n Node, q *sql.Query, outer *Scope) (Node, error) {
	n, err := a.sorted(n, q, outer)
	if err != nil {
		return nil, err
	}
	for i, keys := range [][]sql.Expr{q.DistributeBy, q.ClusterBy} {
		if len(keys) == 0 {
			continue
		}
		r := &Repartition{Input: n}
		var order []*SortKey
		for _, k := range keys {
			e, err := a.Expr(k, &Scope{Columns: n.Output(), Outer: outer})
			if err != nil {
				return nil, err
			}
			r.Keys = append(r.Keys, e)
			order = append(order, &SortKey{Expr: e})
		}
		if n = r; i == 1 { // CLUSTER BY sorts too
			n = &Sort{Keys: order, Local: true, Input: r}
		}
	}
	return a.limited(n, q)
}

// sorted applies ORDER BY and SORT BY to a finished body. The body has
// added the sort keys that are not among its columns as hidden columns "$order<i>".
func (a *Analyser) sorted(n Node, q *sql.Query, outer *Scope) (Node, error) {
	items, local := q.OrderBy, false
	if len(items) == 0 {
		items, local = q.SortBy, true
	}
	if len(items) == 0 {
		return n, nil
	}
	var keys []*SortKey
	hidden := false
	out := n.Output()
	visible := make([]Expr, 0, len(out))
	byItem := map[int]*Attr{}
	for _, c := range out {
		if i, ok := strings.CutPrefix(c.Name, sortColumn); ok {
			k, _ := strconv.Atoi(i)
			byItem[k] = c
			hidden = true
			continue
		}
		visible = append(visible, c)
	}
	if all := orderAll(q); all != nil {
		items = everyColumn(all, len(visible))
	}
	for i, item := range items {
		e, err := a.sortKey(item, i, byItem, visible, outer)
		if err != nil {
			return nil, err
		}
		if !kernels.Orderable(e.Type()) {
			return nil, a.unorderable(&SortKey{Expr: e, Desc: item.Desc, NullsLast: item.Nulls == "LAST" || item.Desc && item.Nulls == ""}, item.Expr.Pos())
		}
		nullsLast := item.Desc
		if item.Nulls != "" {
			nullsLast = item.Nulls == "LAST"
		}
		keys = append(keys, &SortKey{Expr: e, Desc: item.Desc, NullsLast: nullsLast})
	}
	n = &Sort{Keys: keys, Local: local, Input: n}
	if hidden {
		n = &Project{Exprs: visible, Input: n}
	}
	return n, nil
}

// unorderable is the error for a sort key of a type without an order.
func (a *Analyser) unorderable(k *SortKey, at sql.Span) error {
	return a.errorAt(at, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "functionName", "`sortorder`",
		"sqlExpr", `"`+k.SQL()+`"`, "dataType", quoteType(k.Expr.Type()))
}

// orderAll is the item of ORDER BY ALL; nil if that is not how the query is ordered.
func orderAll(q *sql.Query) *sql.SortItem {
	if len(q.OrderBy) != 1 {
		return nil
	}
	n, ok := q.OrderBy[0].Expr.(*sql.Name)
	if !ok || len(n.Parts) != 1 || n.Parts[0].Quoted || !strings.EqualFold(n.Parts[0].Name, "ALL") {
		return nil
	}
	return q.OrderBy[0]
}

// everyColumn are n columns by position, each ordered as ALL is.
func everyColumn(all *sql.SortItem, n int) []*sql.SortItem {
	out := make([]*sql.SortItem, n)
	for i := range out {
		item := *all
		item.Expr = &sql.Literal{Span: all.Span, Kind: "integer", Text: strconv.Itoa(i + 1)}
		out[i] = &item
	}
	return out
}

func (a *Analyser) sortKey(item *sql.SortItem, i int, byItem map[int]*Attr, visible []Expr, outer *Scope) (Expr, error) {
	if c := byItem[i]; c != nil {
		return c, nil
	}
	if p, ok := ordinal(item.Expr); ok {
		if p < 1 || p > len(visible) {
			return nil, a.errorAt(item.Expr.Pos(), "ORDER_BY_POS_OUT_OF_RANGE", "index", p, "size", len(visible))
		}
		return visible[p-1], nil
	}
	cols := make([]*Attr, len(visible))
	for i, v := range visible {
		cols[i] = v.(*Attr)
	}
	return a.Expr(item.Expr, &Scope{Columns: cols, Outer: outer})
}

// sortColumn is the prefix of hidden columns that carry sort keys.
const sortColumn = "$order"

// ordinal reads an integer literal that stands for a SELECT item.
func ordinal(e sql.Expr) (int, bool) {
	l, ok := e.(*sql.Literal)
	if !ok || l.Kind != "integer" {
		return 0, false
	}
	n, err := strconv.Atoi(l.Text)
	return n, err == nil
}

func (a *Analyser) limited(n Node, q *sql.Query) (Node, error) {
	limit, offset := int64(-1), int64(0)
	var err error
	if _, all := q.Limit.(*sql.AllRows); q.Limit != nil && !all {
		if limit, err = a.rowCount(q.Limit, "limit", n); err != nil {
			return nil, err
		}
	}
	if q.Offset != nil {
		if offset, err = a.rowCount(q.Offset, "offset", n); err != nil {
			return nil, err
		}
	}
	if limit < 0 && offset == 0 {
		return n, nil
	}
	return &Limit{N: limit, Offset: offset, Input: n}, nil
}

// rowCount evaluates the constant of the LIMIT or OFFSET of n.
func (a *Analyser) rowCount(e sql.Expr, name string, n Node) (int64, error) {
	x, err := a.Expr(e, &Scope{Columns: n.Output()})
	if err != nil {
		return 0, err
	}
	if nestedGenerator(x) != nil {
		return 0, a.errorAt(e.Pos(), "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "plan", "LocalLimit "+x.SQL())
	}
	if !Foldable(x) {
		return 0, a.errorAt(e.Pos(), "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "name", name, "expr", quoteSQL(x))
	}
	if x.Type().Kind != vector.KindInt {
		return 0, a.errorAt(e.Pos(), "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "name", name, "expr", quoteSQL(x), "dataType", quoteType(x.Type()))
	}
	k, err := Compile(x, nil)
	if err != nil {
		return 0, err
	}
	v, err := kernels.Fold(a.ctx(), k)
	if err != nil {
		return 0, a.place(err, e.Pos())
	}
	if v.IsNull(0) {
		return 0, a.errorAt(e.Pos(), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", "name", name, "expr", quoteSQL(x))
	}
	c := int64(vector.Values[int32](v.Arr)[0])
	if c < 0 {
		return 0, a.errorAt(e.Pos(), "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "name", name, "expr", quoteSQL(x), "v", c)
	}
	return c, nil
}

func quoteSQL(e Expr) string          { return `"` + e.SQL() + `"` }
func quoteType(t *vector.Type) string { return `"` + t.SQL() + `"` }

// body analyses what stands between WITH and ORDER BY. order are the sort items that
// will follow: a SELECT adds those that are not among its columns as hidden ones.
func (a *Analyser) body(b sql.Body, order []*sql.SortItem, windows []*sql.NamedWindow, outer *Scope) (Node, error) {
	switch b := b.(type) {
	case *sql.Select:
		return a.selectQuery(b, order, windows, outer)
	case *sql.Query:
		return a.query(b, outer)
	case *sql.SetOp:
		return a.setOp(b, outer)
	case *sql.Values:
		return a.values(b, outer)
	case *sql.TableBody:
		return a.table(b.Table, outer)
	case *sql.Pipe:
		n, err := a.pipe(b, outer)
		if err != nil {
			return nil, err
		}
		return dropHidden(n), nil
	}
	return nil, condition.New("INTERNAL_ERROR", "message", "unknown query body")
}

// inlineType is the common type of a column of VALUES, by the rules from before ANSI mode
// and without texts that become something else; nil if there is none.
func inlineType(types []*vector.Type) *vector.Type {
	out := vector.Null
	for _, t := range types {
		if out = kernels.WiderWithoutStrings(out, t); out == nil {
			return nil
		}
	}
	return out
}

// repeatable tells whether an expression has one value for a query.
func repeatable(e Expr) bool {
	return !Contains(e, func(x Expr) bool {
		c, ok := x.(*Call)
		return ok && c.Impl.Volatile && !strings.HasPrefix(c.Name, "current_") && c.Name != "now" && c.Name != "localtimestamp"
	})
}

// rowOf are the values of a row of VALUES: struct(1, 'a') is (1, 'a').
func rowOf(r []sql.Expr) []sql.Expr {
	if len(r) != 1 {
		return r
	}
	c, ok := r[0].(*sql.Call)
	if !ok || !strings.EqualFold(nameOf(c.Name), "struct") || len(c.Args) == 0 {
		return r
	}
	out := make([]sql.Expr, len(c.Args))
	for i, e := range c.Args {
		out[i] = withoutName(e)
	}
	return out
}

func (a *Analyser) values(v *sql.Values, outer *Scope) (Node, error) {
	rows := make([][]Expr, len(v.Rows))
	for i, r := range v.Rows {
		r = rowOf(r)
		for _, e := range r {
			x, err := a.Expr(e, &Scope{Outer: outer})
			if err != nil {
				return nil, err
			}
			if findAgg(x) != nil || nestedGenerator(x) != nil || hasOver(x) || !repeatable(x) {
				return nil, a.errorAt(e.Pos(), "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", "expr", quoteSQL(x))
			}
			if Contains(x, func(x Expr) bool { q, ok := x.(*Subquery); return ok && q.Kind == "scalar" }) {
				return nil, a.errorAt(v.Span, "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES")
			}
			rows[i] = append(rows[i], x)
		}
		if len(rows[i]) != len(rows[0]) {
			return nil, a.errorAt(v.Span, "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "expectedNumCols", len(rows[0]), "actualNumCols", len(rows[i]), "rowIndex", i)
		}
	}
	out := &Values{Rows: rows}
	for c := range rows[0] {
		types := make([]*vector.Type, len(rows))
		null := false
		for i := range rows {
			types[i] = rows[i][c].Type()
			null = null || rows[i][c].Nullable()
		}
		t := inlineType(types)
		if t == nil {
			return nil, a.errorAt(v.Span, "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", "colName", "`col"+strconv.Itoa(c+1)+"`")
		}
		for i := range rows {
			rows[i][c] = a.implicit(rows[i][c], t, rowOf(v.Rows[i])[c].Pos())
		}
		out.Attrs = append(out.Attrs, &Attr{ID: NewID(), Name: "col" + strconv.Itoa(c+1), Typ: t, Null: null})
	}
	return out, nil
}
