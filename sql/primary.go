package sql

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
)

// postfix takes what may follow a primary expression any number of times.
func (p *parser) postfix(start int, x Expr) Expr {
	for {
		switch {
		case p.isOp(".") && p.isIdent(1):
			p.i++
			x = p.field(start, x)
		case p.op("["):
			i := p.value(precCompare)
			p.need("]")
			x = &Index{Span: p.from(start), X: x, I: i}
		case p.op("::"):
			t := p.dataType()
			x = &Cast{Span: p.from(start), X: x, Type: t}
		case p.is("COLLATE") && p.isIdent(1):
			p.i++
			name := p.multipart()
			x = &Collate{Span: p.from(start), X: x, Collation: name}
		case p.isOp(":") && (p.isIdent(1) || p.opAt(1, "[")):
			x = p.pathExtract(start, x)
		default:
			return x
		}
		p.grow()
	}
}

// field takes a name after a point: one more part of a plain name, or a field.
func (p *parser) field(start int, x Expr) Expr {
	name := p.simpleIdent()
	if n, ok := x.(*Name); ok && n.Start == start {
		return &Name{Span: p.from(start), Parts: append(n.Parts[:len(n.Parts):len(n.Parts)], name)}
	}
	return &Field{Span: p.from(start), X: x, Name: name}
}

// pathExtract takes x:a.b[0]['c'].
func (p *parser) pathExtract(start int, x Expr) Expr {
	p.i++
	n := &PathExtract{X: x}
	if p.isOp("[") {
		n.Path = append(n.Path, p.pathBracket())
	} else {
		n.Path = append(n.Path, PathStep{Name: p.simpleIdent().Name})
	}
	for {
		switch {
		case p.isOp(".") && p.isIdent(1):
			p.i++
			n.Path = append(n.Path, PathStep{Name: p.simpleIdent().Name})
		case p.isOp("["):
			n.Path = append(n.Path, p.pathBracket())
		default:
			n.Span = p.from(start)
			return n
		}
	}
}

func (p *parser) pathBracket() PathStep {
	p.need("[")
	var s PathStep
	switch {
	case p.cur().kind == tokString:
		s.Name = p.stringLit().Text
	case p.isIdent(0):
		s.Name = p.simpleIdent().Name
	default:
		s.Index, s.IsIndex = p.integer(), true
	}
	p.need("]")
	return s
}

func (p *parser) primary() Expr {
	t := p.cur()
	switch t.kind {
	case tokString:
		return p.stringLit()
	case tokNumber:
		return p.number()
	case tokOp:
		return p.operatorPrimary(t)
	case tokIdent, tokQuoted:
		return p.namePrimary(t)
	}
	p.fail()
	return nil
}

func (p *parser) operatorPrimary(t *token) Expr {
	switch {
	case t.text == "-" && p.at(1).kind == tokNumber:
		return p.number()
	case t.text == "*":
		p.i++
		return p.star(t.Start, nil)
	case t.text == "(":
		return p.paren()
	case t.text == "?":
		p.i++
		p.report(t.Span, condition.New("UNBOUND_SQL_PARAMETER", "name", "_"+strconv.Itoa(t.Start)))
		return &Name{Span: t.Span}
	case t.text == ":" && p.isIdent(1):
		p.i++
		name := p.simpleIdent()
		p.report(p.from(t.Start), condition.New("UNBOUND_SQL_PARAMETER", "name", name.Name))
		return &Name{Span: p.from(t.Start)}
	}
	p.fail()
	return nil
}

// paren takes a subquery, a lambda's parameters, a tuple or an expression in
// parentheses; the parentheses of the last are not part of its span.
func (p *parser) paren() Expr {
	start := p.cur().Start
	if params := p.lambdaParams(); params != nil {
		return p.lambda(start, params)
	}
	isQuery := p.isQuery(1)
	p.need("(")
	if isQuery {
		q := p.query()
		p.need(")")
		return &ScalarQuery{Span: p.from(start), Query: q}
	}
	first := p.aliased()
	if !p.isOp(",") {
		if a, ok := first.(*Aliased); ok { // only the elements of a tuple have names
			p.failAt(&token{kind: tokIdent, Span: a.Names[0].Span})
		}
		p.need(")")
		return first
	}
	elems := []Expr{first}
	for p.op(",") {
		elems = append(elems, p.aliased())
	}
	p.need(")")
	return &Tuple{Span: p.from(start), Elems: elems}
}

// lambdaParams takes (a, b) -> or returns nil.
func (p *parser) lambdaParams() []Ident {
	closing := p.match[p.i]
	if closing == 0 || closing+1 >= len(p.toks) || p.toks[closing+1].kind != tokOp || p.toks[closing+1].text != "->" {
		return nil
	}
	params := parens(p, p.simpleIdent)
	if len(params) < 2 {
		p.fail()
	}
	return params
}

func (p *parser) lambda(start int, params []Ident) Expr {
	p.need("->")
	body := p.expr()
	return &Lambda{Span: p.from(start), Params: params, Body: body}
}

func (p *parser) star(start int, target []Ident) Expr {
	s := &Star{Target: target}
	if p.is("EXCEPT") && p.identListAt(1, true) {
		p.i++
		s.Except = parens(p, p.multipart)
	}
	s.Span = p.from(start)
	return s
}

// identListAt tells whether tokens k… are a list of names in parentheses.
func (p *parser) identListAt(k int, dotted bool) bool {
	if !p.opAt(k, "(") {
		return false
	}
	for {
		if k++; !p.isIdent(k) {
			return false
		}
		for k++; dotted && p.opAt(k, ".") && p.isIdent(k+1); k += 2 {
		}
		if !p.opAt(k, ",") {
			return p.opAt(k, ")")
		}
	}
}

// namePrimary takes what starts with a word: a literal, a special form, a call, a
// lambda or a column.
func (p *parser) namePrimary(t *token) Expr {
	if p.at(1).kind == tokString && t.up != "INTERVAL" {
		return p.typedLiteral()
	}
	if p.opAt(1, "->") {
		param := p.simpleIdent()
		return p.lambda(t.Start, []Ident{param})
	}
	if t.kind == tokIdent {
		if e := p.keywordPrimary(t); e != nil {
			return e
		}
	}
	name := []Ident{p.simpleIdent()}
	if t.up == "IDENTIFIER" && p.isOp("(") && p.at(1).kind == tokString {
		if parts := p.identifierClause(); parts != nil {
			name = parts
		}
	}
	for p.isOp(".") {
		switch {
		case p.opAt(1, "*"):
			p.i += 2
			return p.star(t.Start, name)
		case p.isIdent(1):
			p.i++
			name = append(name, p.simpleIdent())
			continue
		}
		break
	}
	if p.isOp("(") {
		return p.call(t.Start, name)
	}
	return &Name{Span: p.from(t.Start), Parts: name}
}

// keywordPrimary takes the forms that start with a keyword; nil if the word is a
// name here.
func (p *parser) keywordPrimary(t *token) Expr {
	switch t.up {
	case "NULL", "TRUE", "FALSE":
		if p.opAt(1, ".") && p.isIdent(2) || p.opAt(1, "(") {
			return nil
		}
		p.i++
		return &Literal{Span: t.Span, Kind: strings.ToLower(t.up), Text: t.text}
	case "INTERVAL":
		return p.interval()
	case "CASE":
		if p.caseAt() {
			return p.caseExpr()
		}
	case "CAST", "TRY_CAST":
		if p.opAt(1, "(") {
			return p.cast(t)
		}
	}
	return nil
}

// caseAt tells whether CASE starts a CASE expression: WHEN has to follow it or a
// value.
func (p *parser) caseAt() bool {
	if p.isAt(1, "WHEN") {
		return p.startsExpr(2)
	}
	return p.startsExpr(1) && !p.isAnyAt(1, "END", "AS", "IS", "IN", "AND", "OR") && !p.opAt(1, "*") && !p.clauseAt(1)
}

func (p *parser) caseExpr() Expr {
	start := p.advance().Start
	c := &Case{}
	if !p.is("WHEN") {
		c.X = p.expr()
	}
	for p.is("WHEN") {
		from := p.advance().Start
		w := When{Cond: p.expr()}
		p.needKw("THEN")
		w.Then = p.expr()
		w.Span = p.from(from)
		c.Whens = append(c.Whens, w)
	}
	if len(c.Whens) == 0 {
		p.expected("WHEN", false)
	}
	if p.kw("ELSE") {
		c.Else = p.expr()
	}
	p.needKw("END")
	c.Span = p.from(start)
	return c
}

func (p *parser) cast(t *token) Expr {
	name := p.simpleIdent()
	if p.opAt(1, ")") || p.isAnyAt(1, "DISTINCT", "ALL") || p.opAt(2, "=>") {
		return p.arguments(t.Start, []Ident{name}, nil)
	}
	p.need("(")
	c := &Cast{X: p.expr(), Try: t.up == "TRY_CAST"}
	if p.isOp(",") || p.isOp(")") { // a function of that name
		return p.arguments(t.Start, []Ident{name}, c.X)
	}
	if !p.kw("AS") {
		p.fail()
	}
	c.Type = p.dataType()
	p.need(")")
	c.Span = p.from(t.Start)
	return c
}

// identifierClause takes the parentheses of IDENTIFIER('a.b').
func (p *parser) identifierClause() []Ident {
	closing := p.match[p.i]
	k := 1
	for p.at(k).kind == tokString {
		k++
	}
	if closing != p.i+k {
		return nil
	}
	p.i++
	lit := p.stringLit()
	p.i++
	inner, err := newParser(lit.Text)
	if err != nil {
		p.failAt(&token{kind: tokString, Span: lit.Span})
	}
	var parts []Ident
	if run(func() {
		parts = inner.multipart()
		if inner.cur().kind != tokEOF {
			inner.fail()
		}
	}) != nil {
		p.failAt(&token{kind: tokString, Span: lit.Span})
	}
	for i := range parts {
		parts[i].Span = lit.Span
	}
	return parts
}

// aliased takes an expression with or without a name, where names make the
// fields of a struct.
func (p *parser) aliased() Expr {
	start := p.cur().Start
	x := p.expr()
	names := p.alias("")
	if len(names) == 0 {
		return x
	}
	return &Aliased{Span: p.from(start), X: x, Names: names}
}
