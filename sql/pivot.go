package sql

func (p *parser) pivotAt() bool { return p.is("PIVOT") && p.opAt(1, "(") }

func (p *parser) unpivotAt() bool {
	return p.is("UNPIVOT") && (p.opAt(1, "(") || p.isAnyAt(1, "INCLUDE", "EXCLUDE"))
}

// pivot takes PIVOT (aggregates FOR columns IN (values)) [AS name].
func (p *parser) pivot() *Pivot {
	start := p.advance().Start
	n := &Pivot{}
	p.need("(")
	n.Aggs = list(p, func() *SelectItem { return p.selectItem("FOR") })
	p.needKw("FOR")
	column := func() Expr {
		id := p.ident()
		return &Name{Span: id.Span, Parts: []Ident{id}}
	}
	if p.isOp("(") {
		n.Columns = parens(p, column)
	} else {
		n.Columns = []Expr{column()}
	}
	p.needKw("IN")
	n.Values = parens(p, func() *SelectItem { return p.selectItem("") })
	p.need(")")
	n.Alias = p.pivotAlias()
	n.Span = p.from(start)
	return n
}

// unpivot takes UNPIVOT [INCLUDE NULLS] (value FOR name IN (columns)) [AS name]. A
// set of several columns is a *Tuple.
func (p *parser) unpivot() *Unpivot {
	start := p.advance().Start
	n := &Unpivot{}
	if p.isAny("INCLUDE", "EXCLUDE") {
		n.IncludeNulls = p.advance().up == "INCLUDE"
		p.needKw("NULLS")
	}
	p.need("(")
	several := p.isOp("(")
	if several {
		n.Value = parens(p, p.simpleIdent)
	} else {
		n.Value = []Ident{p.simpleIdent()}
	}
	p.needKw("FOR")
	n.Name = p.simpleIdent()
	p.needKw("IN")
	n.Columns = parens(p, func() *SelectItem {
		start := p.cur().Start
		s := &SelectItem{}
		if several {
			elems := parens(p, p.columnName)
			s.Expr = &Tuple{Span: p.from(start), Elems: elems}
		} else {
			s.Expr = p.columnName()
		}
		if p.kw("AS") || p.isIdent(0) {
			s.Aliases = []Ident{p.ident()}
		}
		s.Span = p.from(start)
		return s
	})
	p.need(")")
	n.Alias = p.pivotAlias()
	n.Span = p.from(start)
	return n
}

func (p *parser) columnName() Expr {
	start := p.cur().Start
	parts := p.multipart()
	return &Name{Span: p.from(start), Parts: parts}
}

func (p *parser) pivotAlias() Ident {
	if p.is("AS") && p.isIdent(1) {
		p.i++
		return p.ident()
	}
	if p.isTableAlias(0) {
		return p.ident()
	}
	return Ident{}
}
