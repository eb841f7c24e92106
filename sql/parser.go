package sql

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// maxDepth bounds the height of the tree, and with it the recursion of the
// parser and of everything that walks the tree afterwards.
const maxDepth = 2000

// parser reads tokens by recursive descent; expressions by operator precedence.
//
// Spark reserves no keyword: a word is a keyword where a clause with that word
// can start, and a name elsewhere. Its generated parser decides that with
// unbounded lookahead; here clauseAt and its callers look at the next few tokens.
type parser struct {
	src   string
	toks  []token
	i     int
	match []int // per "(" token the index of its ")"; 0 if there is none

	depth  int // open recursions
	height int // height of the highest subtree below the node being built

	fromFirst  bool             // in the FROM clause of FROM … SELECT …
	keyAliases bool             // in the GROUP BY of |> AGGREGATE, whose keys may have names
	found      *condition.Error // the first error that report noted
}

func newParser(text string) (*parser, error) {
	toks, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{src: text, toks: toks, match: make([]int, len(toks))}
	var open []int
	for i, t := range toks {
		if t.kind != tokOp {
			continue
		}
		switch t.text {
		case "(":
			open = append(open, i)
		case ")":
			if n := len(open); n > 0 {
				p.match[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return p, nil
}

// parseAll parses the whole of text with f, which must leave nothing over but
// semicolons where those are allowed.
func parseAll(text string, semicolons bool, f func(p *parser)) error {
	p, err := newParser(text)
	if err != nil {
		return err
	}
	return run(func() {
		if p.cur().kind == tokEOF {
			p.raise(p.cur().Span, condition.New("PARSE_EMPTY_STATEMENT"))
		}
		f(p)
		for semicolons && p.op(";") {
		}
		if p.cur().kind != tokEOF {
			if p.at(1).kind == tokEOF {
				t := p.cur()
				p.raise(t.Span, p.syntaxError(t, ": extra input '"+p.src[t.Start:t.End]+"'"))
			}
			p.fail()
		}
		if p.found != nil {
			panic(bail{p.found})
		}
	})
}

// ParseQuery parses one query, which may end in semicolons. Errors are
// *condition.Error with a position: Spark's parse conditions. Statements that are
// not queries are syntax errors.
func ParseQuery(text string) (*Statement, error) {
	s := &Statement{Text: text}
	err := parseAll(text, true, func(p *parser) { s.Query = p.statement() })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ParseExpression parses one expression; with an alias, as in "a + 1 AS b", it is
// an *Aliased.
func ParseExpression(text string) (e Expr, err error) {
	err = parseAll(text, false, func(p *parser) { e = p.aliased() })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ParseType parses a data type: "decimal(10,2)", "STRUCT<a: INT>".
func ParseType(text string) (t *TypeName, err error) {
	err = parseAll(text, false, func(p *parser) { t = p.dataType() })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ParseSchema parses the columns of a table, "k STRING, v BIGINT NOT NULL COMMENT 'x'",
// also with a colon before the type, or the fields of a struct type's text.
func ParseSchema(ddl string) (fields []*TypeField, err error) {
	err = parseAll(ddl, false, func(p *parser) {
		if p.is("STRUCT") && (p.opAt(1, "<") || p.opAt(1, "<>")) {
			fields = p.dataType().Fields
			return
		}
		fields = list(p, p.typeField)
	})
	if err != nil {
		return nil, err
	}
	return fields, nil
}

// Text is the source text of n, which was parsed from src.
func Text(n Node, src string) string {
	s := n.Pos()
	start := min(max(s.Start, 0), len(src))
	return src[start:min(max(s.End, start), len(src))]
}

func (p *parser) at(k int) *token { return &p.toks[min(p.i+k, len(p.toks)-1)] }
func (p *parser) cur() *token     { return p.at(0) }

func (p *parser) advance() *token {
	t := p.cur()
	if t.kind != tokEOF {
		p.i++
	}
	return t
}

// from is the span from start to the end of the last token taken.
func (p *parser) from(start int) Span {
	end := start
	if p.i > 0 {
		end = max(start, p.toks[p.i-1].End)
	}
	return Span{start, end}
}

func (p *parser) isAt(k int, kw string) bool { return p.at(k).kind == tokIdent && p.at(k).up == kw }
func (p *parser) is(kw string) bool          { return p.isAt(0, kw) }
func (p *parser) opAt(k int, o string) bool  { return p.at(k).kind == tokOp && p.at(k).text == o }
func (p *parser) isOp(o string) bool         { return p.opAt(0, o) }

func (p *parser) isAny(kws ...string) bool { return p.isAnyAt(0, kws...) }

func (p *parser) isAnyAt(k int, kws ...string) bool {
	for _, kw := range kws {
		if p.isAt(k, kw) {
			return true
		}
	}
	return false
}

// words tells whether the next words are kws.
func (p *parser) words(kws ...string) bool {
	for k, kw := range kws {
		if !p.isAt(k, kw) {
			return false
		}
	}
	return true
}

// kw takes the words kws if they come next.
func (p *parser) kw(kws ...string) bool {
	if !p.words(kws...) {
		return false
	}
	p.i += len(kws)
	return true
}

func (p *parser) op(o string) bool {
	if !p.isOp(o) {
		return false
	}
	p.i++
	return true
}

// need takes the operator o. A closing square bracket counts as missing if the
// rest could follow it.
func (p *parser) need(o string) {
	if !p.op(o) {
		p.expected(o, o == "]" && p.followsOperand())
	}
}

// needKw takes the words kws.
func (p *parser) needKw(kws ...string) {
	for _, kw := range kws {
		if !p.kw(kw) {
			p.expected(kw, false)
		}
	}
}

// followsOperand tells whether the current token may follow a complete operand.
func (p *parser) followsOperand() bool {
	t := p.cur()
	switch t.kind {
	case tokIdent, tokQuoted:
		return true
	case tokOp:
		_, binary := binaryOps[t.text]
		return binary || strings.Contains("),.;[]", t.text)
	}
	return false
}

// enter and leave bracket each recursive rule.
func (p *parser) enter() (height int) {
	if p.depth++; p.depth > maxDepth {
		p.tooComplex()
	}
	height, p.height = p.height, 0
	return height
}

func (p *parser) leave(height int) {
	p.depth--
	p.grow()
	p.height = max(p.height, height)
}

// grow notes that a node stands above what was built so far.
func (p *parser) grow() {
	if p.height++; p.height > maxDepth {
		p.tooComplex()
	}
}

func list[T any](p *parser, f func() T) []T {
	out := []T{f()}
	for p.op(",") {
		out = append(out, f())
	}
	return out
}

// parens parses ( item, … ).
func parens[T any](p *parser, f func() T) []T {
	p.need("(")
	out := list(p, f)
	p.need(")")
	return out
}

func (p *parser) isIdent(k int) bool {
	t := p.at(k)
	return t.kind == tokIdent || t.kind == tokQuoted
}

// simpleIdent takes a word or a quoted identifier.
func (p *parser) simpleIdent() Ident {
	t := p.cur()
	if !p.isIdent(0) {
		p.fail()
	}
	if t.kind == tokIdent {
		for i := range len(t.text) {
			if t.text[i] >= 0x80 {
				p.raise(t.Span, condition.New("INVALID_IDENTIFIER", "ident", t.text))
			}
		}
	}
	p.i++
	return Ident{Span: t.Span, Name: t.text, Quoted: t.kind == tokQuoted}
}

// ident takes an identifier where no expression can follow, so that a-b is a
// name that lacks its backticks.
func (p *parser) ident() Ident {
	id := p.simpleIdent()
	if p.isOp("-") && p.isIdent(1) {
		dash, name := p.cur().Span, id.Name
		for p.isOp("-") && p.isIdent(1) {
			name += "-" + p.at(1).text
			p.i += 2
		}
		p.raise(dash, condition.New("INVALID_IDENTIFIER", "ident", name))
	}
	return id
}

// multipart takes a.b.c.
func (p *parser) multipart() []Ident {
	parts := []Ident{p.ident()}
	for p.isOp(".") && p.isIdent(1) {
		p.i++
		parts = append(parts, p.ident())
	}
	return parts
}
