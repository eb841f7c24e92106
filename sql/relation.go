package sql

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// fromClause takes FROM relations, LATERAL VIEW and a trailing PIVOT or UNPIVOT.
func (p *parser) fromClause(s *Select) {
	p.needKw("FROM")
	s.From = list(p, p.relation)
	s.LateralViews = p.lateralViews()
	if len(s.From) == 1 && len(s.LateralViews) == 0 {
		if pv, ok := s.From[0].(*Pivoted); ok {
			s.From[0], s.Pivot, s.Unpivot = pv.Relation, pv.Pivot, pv.Unpivot
			return
		}
	}
	if p.pivotAt() {
		s.Pivot = p.pivot()
	}
	if p.unpivotAt() {
		s.Unpivot = p.unpivot()
	}
}

// fromBody takes FROM … SELECT …, also with several SELECTs, or without any.
func (p *parser) fromBody() Body {
	start := p.cur().Start
	from := &Select{}
	p.fromFirst = true
	p.fromClause(from)
	if !p.is("SELECT") || !p.startsClause(1) {
		from.Span = p.from(start)
		from.Items = []*SelectItem{{Span: from.Span, Expr: &Star{Span: from.Span}}}
		return from
	}
	var body Body
	for p.is("SELECT") && p.startsClause(1) {
		q := &Query{}
		s, windows := p.selectBody(from)
		s.Start = start
		q.Body, q.Windows = s, windows
		p.organization(q)
		q.Span = p.from(start)
		if body == nil {
			body = q
			continue
		}
		body = &SetOp{Span: p.from(start), Op: "UNION", All: true, Left: body, Right: q}
		p.grow()
	}
	return body
}

func (p *parser) lateralViews() []*LateralView {
	var views []*LateralView
	for p.words("LATERAL", "VIEW") {
		start := p.cur().Start
		p.i += 2
		v := &LateralView{Outer: p.is("OUTER") && p.isIdent(1) && p.kw("OUTER")}
		call := p.cur().Start
		v.Call = &Call{Name: p.multipart()}
		p.need("(")
		if !p.isOp(")") {
			v.Call.Args = list(p, p.expr)
		}
		p.need(")")
		v.Call.Span = p.from(call)
		if !p.isIdent(0) || p.clauseAt(0) {
			p.fail()
		}
		if !p.is("AS") {
			v.Alias = p.simpleIdent()
		}
		if p.is("AS") && p.isIdent(1) || v.Alias.Name != "" && p.isIdent(0) && !p.clauseAt(0) && !p.relationClauseAt(0) {
			p.kw("AS")
			v.Columns = list(p, p.simpleIdent)
		}
		v.Span = p.from(start)
		views = append(views, v)
	}
	return views
}

// relation takes one item of FROM with its joins.
func (p *parser) relation() Relation {
	defer p.leave(p.enter())
	start := p.cur().Start
	lateral := p.lateral()
	l := p.relationPrimary(lateral)
	for {
		switch {
		case p.pivotAt():
			l = &Pivoted{Relation: l, Pivot: p.pivot(), Span: p.from(start)}
		case p.unpivotAt():
			l = &Pivoted{Relation: l, Unpivot: p.unpivot(), Span: p.from(start)}
		default:
			j := p.join(start, l)
			if j == nil {
				return l
			}
			l = j
		}
		p.grow()
	}
}

// lateral takes LATERAL before a relation.
func (p *parser) lateral() bool {
	if p.is("LATERAL") && !p.isAt(1, "VIEW") && (p.isIdent(1) || p.opAt(1, "(")) {
		p.i++
		return true
	}
	return false
}

// joinKinds are the words before JOIN, longest first.
var joinKinds = []struct {
	words []string
	kind  string
}{
	{[]string{"INNER"}, "INNER"}, {[]string{"CROSS"}, "CROSS"},
	{[]string{"LEFT", "OUTER"}, "LEFT OUTER"}, {[]string{"LEFT", "SEMI"}, "LEFT SEMI"}, {[]string{"LEFT", "ANTI"}, "LEFT ANTI"},
	{[]string{"LEFT"}, "LEFT OUTER"}, {[]string{"RIGHT", "OUTER"}, "RIGHT OUTER"}, {[]string{"RIGHT"}, "RIGHT OUTER"},
	{[]string{"FULL", "OUTER"}, "FULL OUTER"}, {[]string{"FULL"}, "FULL OUTER"},
	{[]string{"SEMI"}, "LEFT SEMI"}, {[]string{"ANTI"}, "LEFT ANTI"},
}

// join takes a join to the right of l; nil if there is none.
func (p *parser) join(start int, l Relation) Relation {
	at := p.cur().Start
	natural := p.kw("NATURAL")
	kind, typed := "INNER", natural
	for _, j := range joinKinds {
		if p.kw(j.words...) {
			kind, typed = j.kind, true
			break
		}
	}
	if p.is("ASOF") && p.isAt(1, "JOIN") && !natural && (kind == "INNER" || kind == "LEFT OUTER") {
		p.i += 2
		return p.asofJoin(start, at, l)
	}
	if !p.kw("JOIN") {
		if typed {
			p.fail()
		}
		return nil
	}
	j := &Join{Kind: kind, Natural: natural, Left: l, Lateral: p.lateral()}
	j.Right = p.relationPrimary(j.Lateral)
	switch {
	case natural:
		if kind == "CROSS" {
			p.report(p.from(at), condition.New("INCOMPATIBLE_JOIN_TYPES", "joinType1", "NATURAL", "joinType2", "CROSS"))
		}
	case p.isAny("APPROX", "EXACT") && p.isAt(1, "NEAREST"):
		return p.nearestJoin(start, j)
	default:
		j.On, j.Using = p.joinCriteria()
	}
	j.Span = p.from(start)
	return j
}

func (p *parser) joinCriteria() (on Expr, using []Ident) {
	switch {
	case p.kw("ON"):
		return p.expr(), nil
	case p.kw("USING"):
		return nil, parens(p, p.ident)
	}
	return nil, nil
}

// asofJoin reads an ASOF join, which Spark refuses unless it is switched on.
func (p *parser) asofJoin(start, at int, l Relation) Relation {
	j := &Join{Left: l, Right: p.relationPrimary(false)}
	p.needKw("MATCH_CONDITION")
	p.need("(")
	p.expr()
	p.need(")")
	j.On, j.Using = p.joinCriteria()
	j.Span = p.from(start)
	p.report(p.from(at), condition.New("UNSUPPORTED_FEATURE.ASOF_JOIN", "config", `"spark.sql.join.asofJoin.enabled"`))
	return j
}

func (p *parser) nearestJoin(start int, j *Join) Relation {
	n := &NearestJoin{Kind: j.Kind, Left: j.Left, Right: j.Right, Exact: p.advance().up == "EXACT", Limit: 1}
	p.i++
	if p.cur().kind == tokNumber {
		n.Limit = p.integer()
	}
	p.needKw("BY")
	if !p.isAny("DISTANCE", "SIMILARITY") {
		p.fail()
	}
	n.Ranking = p.advance().up
	n.By = p.expr()
	n.Span = p.from(start)
	return n
}

// relationPrimary takes a relation without joins.
func (p *parser) relationPrimary(lateral bool) Relation {
	defer p.leave(p.enter())
	start := p.cur().Start
	switch {
	case p.isOp("("):
		if p.isQuery(1) {
			return p.subquery(start, lateral)
		}
		return p.parenRelation(start)
	case p.is("STREAM") && (p.opAt(1, "(") || p.isTableAlias(1) && !p.isAt(1, "AS")):
		return p.streamRelation(start)
	case p.is("VALUES") && p.inlineValuesAt():
		p.i++
		v := &InlineValues{Values: p.values(start)}
		v.Alias, v.Columns = p.tableAlias()
		v.Span = p.from(start)
		return v
	case p.is("UNNEST") && p.opAt(1, "("):
		return p.unnest(start, lateral)
	}
	if !p.isIdent(0) {
		p.fail()
	}
	name := p.tableName()
	if p.isOp("(") {
		return p.tableFunction(start, name, lateral)
	}
	return p.table(start, &Table{Name: name})
}

// inlineValuesAt tells whether VALUES is followed by rows and not by an alias.
func (p *parser) inlineValuesAt() bool {
	if p.isIdent(1) {
		return (p.opAt(2, "(") || p.opAt(2, ",")) && !p.clauseAt(1) || p.at(2).kind == tokString
	}
	return p.startsExpr(1)
}

func (p *parser) tableName() []Ident {
	if p.is("IDENTIFIER") && p.opAt(1, "(") && p.at(2).kind == tokString {
		at := p.i
		p.i++
		if parts := p.identifierClause(); parts != nil {
			return parts
		}
		p.i = at
	}
	return p.multipart()
}

func (p *parser) subquery(start int, lateral bool) Relation {
	p.need("(")
	s := &Subquery{Query: p.query(), Lateral: lateral}
	p.need(")")
	s.Sample = p.sample()
	s.Watermark = p.watermark()
	s.Alias, s.Columns = p.tableAlias()
	s.Span = p.from(start)
	return s
}

func (p *parser) parenRelation(start int) Relation {
	p.need("(")
	r := &ParenRelation{Relation: p.relation()}
	p.need(")")
	var out Relation = r
	sample := p.sample()
	r.Watermark = p.watermark()
	r.Alias, r.Columns = p.tableAlias()
	r.Span = p.from(start)
	if sample != nil {
		out = &Sampled{Span: r.Span, Relation: r, Sample: sample}
	}
	return out
}

// streamRelation takes STREAM t, STREAM (t) and STREAM of a table function.
func (p *parser) streamRelation(start int) Relation {
	p.i++
	inner := p.op("(")
	at := p.cur().Start
	name := p.multipart()
	if p.isOp("(") {
		f := &TableFunction{Stream: true, Call: p.tableCall(at, name)}
		if inner {
			p.need(")")
		}
		f.Watermark = p.watermark()
		f.Alias, f.Columns = p.tableAlias()
		f.Span = p.from(start)
		return f
	}
	if inner {
		p.need(")")
	}
	return p.table(start, &Table{Name: name, Stream: true})
}

// table takes what may follow a table's name.
func (p *parser) table(start int, t *Table) Relation {
	travel := &TimeTravel{Table: t}
	if !t.Stream && p.timeTravel(travel) {
		defer func() { travel.Span = t.Span }()
	} else {
		travel = nil
	}
	if p.is("WITH") && p.opAt(1, "(") {
		p.i++
		t.Options = p.options()
	}
	if !t.Stream {
		t.Sample = p.sample()
	}
	t.Watermark = p.watermark()
	t.Alias, t.Columns = p.tableAlias()
	t.Span = p.from(start)
	if travel != nil {
		return travel
	}
	return t
}

func (p *parser) timeTravel(n *TimeTravel) bool {
	k := 0
	if p.is("FOR") {
		k = 1
	}
	if !p.isAt(k+1, "AS") || !p.isAt(k+2, "OF") {
		return false
	}
	switch {
	case p.isAnyAt(k, "VERSION", "SYSTEM_VERSION"):
		p.i += k + 3
		switch p.cur().kind {
		case tokString:
			n.Version = p.stringLit().Text
		default:
			t := p.cur()
			p.integer()
			n.Version = t.text
		}
	case p.isAnyAt(k, "TIMESTAMP", "SYSTEM_TIME"):
		p.i += k + 3
		n.Timestamp = p.value(precCompare)
	default:
		return false
	}
	return true
}

// options takes (key = 'value', a.b 1).
func (p *parser) options() map[string]string {
	options := map[string]string{}
	p.need("(")
	for {
		var key string
		if p.cur().kind == tokString {
			key = p.stringLit().Text
		} else {
			parts := p.multipart()
			names := make([]string, len(parts))
			for i, id := range parts {
				names[i] = id.Name
			}
			key = strings.Join(names, ".")
		}
		p.op("=")
		switch t := p.cur(); {
		case t.kind == tokString:
			options[key] = p.stringLit().Text
		case t.kind == tokNumber && (t.num == "integer" || t.num == "decimal"), p.isAny("TRUE", "FALSE"):
			options[key] = strings.ToLower(p.advance().text)
		default:
			p.fail()
		}
		if !p.op(",") {
			break
		}
	}
	p.need(")")
	return options
}

// watermark takes WATERMARK expr [AS name] DELAY OF interval; nil if there is none.
func (p *parser) watermark() *Watermark {
	if !p.is("WATERMARK") || !p.relationClauseAt(0) {
		return nil
	}
	start := p.advance().Start
	item := p.selectItem("DELAY")
	w := &Watermark{Expr: item.Expr}
	if len(item.Aliases) > 1 {
		p.failAt(&token{kind: tokIdent, Span: item.Aliases[1].Span})
	}
	if len(item.Aliases) == 1 {
		w.Alias = item.Aliases[0]
	}
	p.needKw("DELAY", "OF")
	if !p.is("INTERVAL") {
		p.expected("INTERVAL", p.intervalValueAt(0) > 0)
	}
	if w.Delay = p.interval(); w.Delay == nil {
		p.i++
		p.fail()
	}
	w.Span = p.from(start)
	return w
}

// sample takes TABLESAMPLE (…); nil if there is none.
func (p *parser) sample() *Sample {
	if !p.is("TABLESAMPLE") || !p.relationClauseAt(0) {
		return nil
	}
	start := p.advance().Start
	if p.isAny("BERNOULLI", "SYSTEM") {
		p.i++
	}
	s := &Sample{}
	p.need("(")
	switch {
	case p.is("BUCKET") && p.at(1).kind == tokNumber:
		p.i++
		s.Bucket = p.integer()
		p.needKw("OUT", "OF")
		s.Of = p.integer()
	default:
		e := p.expr()
		switch {
		case p.kw("PERCENT"):
			s.Percent = e
		case p.kw("ROWS"):
			s.Rows = e
		default:
			p.fail()
		}
	}
	p.need(")")
	if p.is("REPEATABLE") && p.opAt(1, "(") {
		p.i += 2
		if t := p.cur(); t.kind != tokNumber || t.num != "integer" {
			p.fail()
		}
		s.Repeatable = p.number()
		p.need(")")
	}
	s.Span = p.from(start)
	return s
}
