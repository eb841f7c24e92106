package sql

import "github.com/vstream/vstream/condition"

// tableFunction takes f(…) in FROM.
func (p *parser) tableFunction(start int, name []Ident, lateral bool) Relation {
	f := &TableFunction{Call: p.tableCall(start, name), Lateral: lateral}
	f.Watermark = p.watermark()
	f.Alias, f.Columns = p.tableAlias()
	f.Span = p.from(start)
	return f
}

func (p *parser) tableCall(start int, name []Ident) *Call {
	c := &Call{Name: name}
	p.need("(")
	if !p.isOp(")") {
		c.Args = list(p, func() Expr { return p.named(p.tableOrValue) })
	}
	p.need(")")
	c.Span = p.from(start)
	return c
}

func (p *parser) unnest(start int, lateral bool) Relation {
	p.i++
	u := &Unnest{Lateral: lateral, Args: parens(p, p.expr)}
	u.Ordinality = p.kw("WITH", "ORDINALITY")
	u.Alias, u.Columns = p.tableAlias()
	u.Span = p.from(start)
	return u
}

// tableOrValue takes TABLE (t) or TABLE (query), or else an expression. A table
// without parentheses is read too, and reported.
func (p *parser) tableOrValue() Expr {
	if !p.is("TABLE") || !p.isIdent(1) && !p.opAt(1, "(") {
		return p.expr()
	}
	if p.opAt(1, "(") && !p.isQuery(2) && !p.identListAt(1, true) {
		return p.expr()
	}
	start := p.advance().Start
	a := &TableArg{}
	inner := p.op("(")
	if inner && p.isQuery(0) {
		a.Query = p.query()
	} else {
		at := p.cur().Start
		a.Table = &Table{Name: p.multipart()}
		a.Table.Span = p.from(at)
		if !inner {
			p.report(p.from(start), condition.New("INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES",
				"argumentName", "`"+Text(a.Table, p.src)+"`"))
		}
	}
	if inner {
		p.need(")")
	}
	p.tablePartitioning(a)
	a.Span = p.from(start)
	return a
}

func (p *parser) tablePartitioning(a *TableArg) {
	switch {
	case p.kw("WITH", "SINGLE", "PARTITION"):
		a.SinglePartition = true
	case p.kw("PARTITION", "BY"), p.kw("DISTRIBUTE", "BY"):
		a.PartitionBy = oneOrParens(p, p.expr)
	default:
		return
	}
	if p.kw("ORDER", "BY") || p.kw("SORT", "BY") {
		a.OrderBy = oneOrParens(p, p.sortItem)
	}
}

// oneOrParens takes one item, or several in parentheses.
func oneOrParens[T any](p *parser, f func() T) []T {
	if p.isOp("(") {
		return parens(p, f)
	}
	return []T{f()}
}
