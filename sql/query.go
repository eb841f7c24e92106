package sql

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// statement is a query; other statements are refused.
func (p *parser) statement() *Query {
	if !p.isOp("(") && !p.isAny("SELECT", "WITH", "FROM", "VALUES", "TABLE") {
		p.notAQuery()
	}
	return p.query()
}

// query takes [WITH …] body [ORDER BY …] [LIMIT …] ….
func (p *parser) query() *Query {
	defer p.leave(p.enter())
	defer func(outer bool) { p.fromFirst = outer }(p.fromFirst)
	p.fromFirst = false
	start := p.cur().Start
	q := &Query{}
	if p.kw("WITH") {
		q.Recursive = p.kw("RECURSIVE")
		q.With = list(p, p.cte)
	}
	q.Body, q.Windows = p.body(precPipe)
	p.organization(q)
	q.Span = p.from(start)
	p.checkCTENames(q)
	return q
}

func (p *parser) cte() *CTE {
	start := p.cur().Start
	c := &CTE{Name: p.ident()}
	if p.isOp("(") && p.identListAt(0, false) {
		c.Columns = parens(p, p.ident)
	}
	if p.kw("MAX", "RECURSION", "LEVEL") {
		n := p.integer()
		c.MaxRecursion = &n
	}
	p.kw("AS")
	p.need("(")
	c.Query = p.query()
	p.need(")")
	c.Span = p.from(start)
	return c
}

func (p *parser) checkCTENames(q *Query) {
	seen := map[string]bool{}
	var twice []string
	for _, c := range q.With {
		name := strings.ToLower(c.Name.Name)
		if seen[name] {
			twice = append(twice, "`"+c.Name.Name+"`")
		}
		seen[name] = true
	}
	if len(twice) > 0 {
		p.report(q.Span, condition.New("DUPLICATED_CTE_NAMES", "duplicateNames", strings.Join(twice, ", ")))
	}
}

// organization takes the clauses after a body.
func (p *parser) organization(q *Query) {
	start := p.cur().Start
	if p.kw("ORDER", "BY") {
		q.OrderBy = list(p, p.sortItem)
	}
	if p.kw("CLUSTER", "BY") {
		q.ClusterBy = list(p, p.expr)
	}
	if p.kw("DISTRIBUTE", "BY") {
		q.DistributeBy = list(p, p.expr)
	}
	if p.kw("SORT", "BY") {
		q.SortBy = list(p, p.sortItem)
	}
	if n := len(q.OrderBy) + len(q.SortBy) + len(q.DistributeBy) + len(q.ClusterBy); n > 0 {
		sortOrDistribute := len(q.SortBy)+len(q.DistributeBy) > 0
		if len(q.OrderBy) > 0 && n > len(q.OrderBy) || len(q.ClusterBy) > 0 && sortOrDistribute {
			p.report(p.from(start), condition.New("UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES"))
		}
	}
	q.Windows = append(q.Windows, p.windowClause()...)
	if p.is("LIMIT") && p.startsClause(1) {
		p.i++
		if p.is("ALL") && (!p.startsExpr(1) || p.clauseAt(1)) {
			q.Limit = &AllRows{p.advance().Span}
		} else {
			q.Limit = p.expr()
		}
	}
	if p.is("OFFSET") && p.startsClause(1) {
		p.i++
		q.Offset = p.expr()
	}
}

// startsClause is startsExpr, or true at the end of the input, where a clause is
// incomplete rather than absent.
func (p *parser) startsClause(k int) bool { return p.startsExpr(k) || p.at(k).kind == tokEOF }

func (p *parser) windowClause() []*NamedWindow {
	if !p.is("WINDOW") || !p.isIdent(1) {
		return nil
	}
	p.i++
	return list(p, func() *NamedWindow {
		start := p.cur().Start
		w := &NamedWindow{Name: p.ident()}
		p.needKw("AS")
		w.Spec = p.windowSpec()
		w.Span = p.from(start)
		return w
	})
}

func (p *parser) sortItem() *SortItem {
	start := p.cur().Start
	s := &SortItem{Expr: p.expr()}
	if p.kw("DESC") {
		s.Desc = true
	} else {
		p.kw("ASC")
	}
	if p.is("NULLS") && p.isAnyAt(1, "FIRST", "LAST") {
		p.i++
		s.Nulls = p.advance().up
	}
	s.Span = p.from(start)
	return s
}

// Precedences of the operators between bodies.
const (
	precPipe = iota + 1
	precUnion
	precIntersect
	precBody
)

// body takes set operations and pipes. The windows of a lone SELECT are returned
// apart: they belong to the query. Elsewhere a Query is put around such a SELECT.
func (p *parser) body(minPrec int) (Body, []*NamedWindow) {
	defer p.leave(p.enter())
	start := p.cur().Start
	l, windows := p.bodyPrimary()
	for {
		op, prec := p.setOperator()
		if op == "" || prec < minPrec {
			return l, windows
		}
		l, windows = withWindows(l, windows), nil
		p.i++
		if op == "|>" {
			l = p.pipe(start, l)
			p.grow()
			continue
		}
		n := &SetOp{Op: op, Left: l, All: p.setQuantifier()}
		n.Right = withWindows(p.body(prec + 1))
		n.Span = p.from(start)
		l = n
		p.grow()
	}
}

func (p *parser) setOperator() (op string, prec int) {
	switch {
	case p.isOp("|>"):
		return "|>", precPipe
	case p.is("INTERSECT"):
		return "INTERSECT", precIntersect
	case p.is("UNION"):
		return "UNION", precUnion
	case p.isAny("EXCEPT", "MINUS"):
		return "EXCEPT", precUnion
	}
	return "", 0
}

// setQuantifier takes ALL or DISTINCT and tells whether it was ALL.
func (p *parser) setQuantifier() bool {
	all := p.kw("ALL")
	if !all {
		p.kw("DISTINCT")
	}
	return all
}

func withWindows(b Body, windows []*NamedWindow) Body {
	if len(windows) == 0 {
		return b
	}
	return &Query{Span: b.Pos(), Body: b, Windows: windows}
}

func (p *parser) bodyPrimary() (Body, []*NamedWindow) {
	start := p.cur().Start
	switch {
	case p.op("("):
		q := p.query()
		p.need(")")
		return q, nil
	case p.is("SELECT"):
		return p.selectBody(nil)
	case p.is("FROM"):
		return p.fromBody(), nil
	case p.kw("VALUES"):
		v := p.values(start)
		alias, columns := p.tableAlias()
		if alias.Name == "" {
			return v, nil
		}
		span := p.from(start)
		return &Select{
			Span:  span,
			Items: []*SelectItem{{Span: span, Expr: &Star{Span: span}}},
			From:  []Relation{&InlineValues{Span: span, Values: v, Alias: alias, Columns: columns}},
		}, nil
	case p.kw("TABLE"):
		t := &Table{Name: p.multipart()}
		t.Span = t.Name[0].Span
		t.End = p.from(t.Start).End
		return &TableBody{Span: p.from(start), Table: t}, nil
	}
	p.fail()
	return nil, nil
}

// values takes the rows of VALUES: a row in parentheses has several columns.
func (p *parser) values(start int) *Values {
	v := &Values{Rows: list(p, func() []Expr {
		e := p.expr()
		if t, ok := e.(*Tuple); ok {
			return t.Elems
		}
		return []Expr{e}
	})}
	v.Span = p.from(start)
	for i, row := range v.Rows {
		if len(row) != len(v.Rows[0]) {
			p.report(v.Span, condition.New("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
				"expectedNumCols", len(v.Rows[0]), "actualNumCols", len(row), "rowIndex", i))
			break
		}
	}
	return v
}

// selectBody takes SELECT … up to QUALIFY. from is the FROM clause that stood
// before the SELECT, if one did.
func (p *parser) selectBody(from *Select) (*Select, []*NamedWindow) {
	start := p.cur().Start
	s := &Select{}
	p.selectClause(s)
	switch {
	case from != nil:
		s.From, s.LateralViews, s.Pivot, s.Unpivot = from.From, from.LateralViews, from.Pivot, from.Unpivot
	case p.is("FROM"):
		p.fromClause(s)
	}
	s.LateralViews = append(s.LateralViews, p.lateralViews()...)
	if p.is("WHERE") && p.startsClause(1) {
		p.i++
		s.Where = p.expr()
	}
	if p.words("GROUP", "BY") {
		s.GroupBy = p.groupBy()
	}
	if p.is("HAVING") && p.startsClause(1) {
		p.i++
		s.Having = p.expr()
	}
	windows := p.windowClause()
	if p.is("QUALIFY") && p.startsClause(1) {
		p.i++
		s.Qualify = p.expr()
	}
	s.Span = p.from(start)
	return s, windows
}

// selectClause takes SELECT [hints] [DISTINCT] items.
func (p *parser) selectClause(s *Select) {
	p.needKw("SELECT")
	for p.op("/*+") {
		s.Hints = append(s.Hints, p.hints()...)
	}
	if p.is("ALL") && p.startsExpr(1) && !p.opAt(1, "*") || p.is("DISTINCT") && p.startsExpr(1) {
		s.Distinct = p.advance().up == "DISTINCT"
	} else if p.is("ALL") && p.opAt(1, "*") && !p.startsExpr(2) {
		p.i++
	}
	s.Items = list(p, func() *SelectItem { return p.selectItem("") })
}

// hints takes the hints up to */.
func (p *parser) hints() []*Hint {
	var hs []*Hint
	for {
		start := p.cur().Start
		h := &Hint{Name: p.simpleIdent().Name}
		if p.op("(") {
			h.Args = list(p, func() Expr { return p.postfix(p.cur().Start, p.primary()) })
			p.need(")")
		}
		h.Span = p.from(start)
		hs = append(hs, h)
		comma := p.op(",")
		if !comma && p.op("*/") {
			return hs
		}
	}
}

// selectItem takes an expression with its alias. The word stop is no alias.
func (p *parser) selectItem(stop string) *SelectItem {
	start := p.cur().Start
	s := &SelectItem{Expr: p.expr()}
	s.Aliases = p.alias(stop)
	s.Span = p.from(start)
	return s
}

// alias takes [AS] name or [AS] (a, b), if there is one.
func (p *parser) alias(stop string) []Ident {
	if p.is("AS") {
		if p.opAt(1, "(") || p.isIdent(1) && !p.clauseAt(1) && !(stop != "" && p.isAt(1, stop)) {
			p.i++
		} else if p.opAt(1, "-") {
			p.i++
			p.fail()
		}
	}
	switch {
	case p.isOp("(") && p.identListAt(0, false):
		return parens(p, p.ident)
	case p.isIdent(0) && !(stop != "" && p.is(stop)) && !p.clauseAt(0):
		return []Ident{p.ident()}
	}
	return nil
}

// groupBy takes GROUP BY with its grouping sets. The old forms, a, b WITH ROLLUP,
// WITH CUBE and GROUPING SETS (…), become the new ones.
func (p *parser) groupBy() *GroupBy {
	start := p.cur().Start
	p.i += 2
	if p.is("ALL") && (!p.startsExpr(1) || p.clauseAt(1) || p.setOperatorAt(1)) && !p.opAt(1, "(") {
		p.i++
		return &GroupBy{Span: p.from(start), All: true}
	}
	g := &GroupBy{Exprs: list(p, p.groupItem)}
	at := p.cur().Start
	switch {
	case p.kw("WITH", "ROLLUP"):
		g.Exprs = []Expr{p.trailingSets(at, "ROLLUP", g.Exprs)}
	case p.kw("WITH", "CUBE"):
		g.Exprs = []Expr{p.trailingSets(at, "CUBE", g.Exprs)}
	case p.words("GROUPING", "SETS") && p.opAt(2, "("):
		p.i += 2
		sets := parens(p, p.groupingSet)
		g.Exprs = []Expr{&GroupingSets{Span: p.from(at), Kind: "GROUPING SETS", Sets: sets}}
	case p.isIdent(0) && !p.clauseAt(0) && !p.setOperatorAt(0):
		p.groupAlias()
	}
	g.Span = p.from(start)
	return g
}

// groupAlias reports a name after a grouping expression; Spark does so without a
// position.
func (p *parser) groupAlias() {
	if p.is("AS") && p.isIdent(1) {
		p.i++
	}
	t := p.cur()
	p.report(t.Span, p.syntaxError(t, ": extra input '"+p.src[t.Start:t.End]+"'"))
	p.i++
}

func (p *parser) setOperatorAt(k int) bool {
	return p.isAnyAt(k, "UNION", "EXCEPT", "INTERSECT", "MINUS") || p.opAt(k, "|>")
}

func (p *parser) trailingSets(at int, kind string, exprs []Expr) *GroupingSets {
	sets := make([][]Expr, len(exprs))
	for i, e := range exprs {
		sets[i] = []Expr{e}
	}
	return &GroupingSets{Span: p.from(at), Kind: kind, Sets: sets}
}

func (p *parser) groupItem() Expr {
	if g := p.groupingSets(); g != nil {
		return g
	}
	if !p.keyAliases {
		return p.expr()
	}
	it := p.selectItem("")
	if len(it.Aliases) == 0 {
		return it.Expr
	}
	return &Aliased{Span: it.Span, X: it.Expr, Names: it.Aliases}
}

// groupingSets takes ROLLUP (…), CUBE (…) or GROUPING SETS (…); nil if there is none.
func (p *parser) groupingSets() Expr {
	start := p.cur().Start
	g := &GroupingSets{}
	switch {
	case p.isAny("ROLLUP", "CUBE") && p.opAt(1, "("):
		g.Kind = p.advance().up
		g.Sets = parens(p, p.groupingSet)
	case p.words("GROUPING", "SETS") && p.opAt(2, "("):
		defer p.leave(p.enter())
		p.i += 2
		g.Kind = "GROUPING SETS"
		for _, e := range parens(p, p.groupingElement) {
			g.Sets = append(g.Sets, e...)
		}
	default:
		return nil
	}
	g.Span = p.from(start)
	return g
}

// groupingElement is one set of GROUPING SETS. Nested analytics contribute the
// sets that they stand for.
func (p *parser) groupingElement() [][]Expr {
	if e := p.groupingSets(); e != nil {
		g := e.(*GroupingSets)
		if g.Kind == "CUBE" && len(g.Sets) > maxCube {
			p.report(g.Span, condition.New("GROUPING_SIZE_LIMIT_EXCEEDED", "maxSize", maxCube))
			return nil
		}
		return expandSets(g)
	}
	return [][]Expr{p.groupingSet()}
}

// groupingSet takes (a, b), () or a.
func (p *parser) groupingSet() []Expr {
	if p.opAt(0, "(") && p.opAt(1, ")") {
		p.i += 2
		return []Expr{}
	}
	e := p.expr()
	if t, ok := e.(*Tuple); ok {
		return t.Elems
	}
	return []Expr{e}
}
