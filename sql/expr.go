package sql

import "github.com/vstream/vstream/condition"

// Precedences of the operators between values, from loose to tight. AND and OR
// stand above them in booleanFrom, and the predicates between the two.
const (
	precCompare = iota + 1
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precAdd
	precMultiply
	precUnary
)

var binaryOps = map[string]int{
	"=": precCompare, "==": precCompare, "<=>": precCompare, "<>": precCompare, "!=": precCompare, "<": precCompare,
	"<=": precCompare, "!>": precCompare, ">": precCompare, ">=": precCompare, "!<": precCompare,
	"|": precBitOr, "^": precBitXor, "&": precBitAnd, "<<": precShift, ">>": precShift, ">>>": precShift,
	"+": precAdd, "-": precAdd, "||": precAdd, "*": precMultiply, "/": precMultiply, "%": precMultiply, "DIV": precMultiply,
}

// sameOperator gives the spelling in the tree of operators that have several.
var sameOperator = map[string]string{"!>": "<=", "!<": ">="}

// Precedences of booleanFrom.
const (
	precOr  = 1
	precAnd = 2
	precNot = 3
)

// expr is Spark's expression: any boolean expression.
func (p *parser) expr() Expr { return p.boolean(precOr) }

func (p *parser) boolean(minPrec int) Expr {
	defer p.leave(p.enter())
	start := p.cur().Start
	switch {
	case p.isOp("!"), p.is("NOT") && p.startsExpr(1):
		p.i++
		x := p.boolean(precNot)
		return p.logical(start, &Unary{Span: p.from(start), Op: "NOT", X: x}, minPrec)
	case p.is("EXISTS") && p.opAt(1, "(") && p.isQuery(2):
		p.i += 2
		q := p.query()
		p.need(")")
		return p.logical(start, &Exists{Span: p.from(start), Query: q}, minPrec)
	}
	return p.booleanFrom(start, p.value(precCompare), minPrec)
}

// booleanFrom goes on after the value v: a predicate, then AND and OR.
func (p *parser) booleanFrom(start int, v Expr, minPrec int) Expr {
	return p.logical(start, p.predicate(start, v), minPrec)
}

func (p *parser) logical(start int, l Expr, minPrec int) Expr {
	for minPrec <= precAnd && p.is("AND") && p.startsExpr(1) {
		l = p.chain(start, l, "AND", precNot)
	}
	for minPrec <= precOr && p.is("OR") && p.startsExpr(1) {
		l = p.chain(start, l, "OR", precAnd)
	}
	return l
}

// chain takes x op x op … and builds a balanced tree of it, as Spark does. The
// shape shows in the name of a column without alias.
func (p *parser) chain(start int, first Expr, op string, operandPrec int) Expr {
	operands := []Expr{first}
	spans := []Span{p.from(start)} // with the parentheses around an operand
	for p.is(op) && p.startsExpr(1) {
		p.i++
		from := p.cur().Start
		operands = append(operands, p.boolean(operandPrec))
		spans = append(spans, p.from(from))
	}
	for n := len(operands); n > 1; n = (n + 1) / 2 {
		p.grow()
	}
	return balance(operands, spans, op)
}

func balance(xs []Expr, spans []Span, op string) Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	mid := (len(xs)-1)/2 + 1
	return &Binary{
		Span: Span{spans[0].Start, spans[len(spans)-1].End}, Op: op,
		L: balance(xs[:mid], spans[:mid], op), R: balance(xs[mid:], spans[mid:], op),
	}
}

// predicate takes what may follow a value once: IS, IN, BETWEEN, LIKE ….
func (p *parser) predicate(start int, v Expr) Expr {
	k, not := 0, false
	if p.is("NOT") || p.isOp("!") {
		k, not = 1, true
	}
	at := p.cur().Start
	switch {
	case p.isAt(k, "BETWEEN") && p.startsExpr(k+1):
	case p.isAt(k, "IN") && p.opAt(k+1, "("):
	case p.isAnyAt(k, "LIKE", "ILIKE", "RLIKE", "REGEXP") && p.startsExpr(k+1):
	case !not && p.is("IS") && (p.isAnyAt(1, "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT", "NOT") || p.opAt(1, "!")):
	default:
		return v
	}
	p.grow()
	if not {
		p.bangNot()
	}
	switch kw := p.advance(); kw.up {
	case "IS":
		return p.isPredicate(start, v)
	case "IN":
		return p.in(start, at, v, not)
	case "BETWEEN":
		lo := p.value(precCompare)
		if !p.kw("AND") {
			p.expected("AND", p.startsExpr(0))
		}
		hi := p.value(precCompare)
		return &Between{Span: p.from(start), X: v, Not: not, Lo: lo, Hi: hi}
	default:
		return p.like(start, at, kw.up, v, not)
	}
}

// bangNot takes NOT; its old spelling ! inside a predicate is discontinued.
func (p *parser) bangNot() {
	if t := p.advance(); t.kind == tokOp {
		p.report(t.Span, condition.New("SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", "clause", "!"))
	}
}

func (p *parser) isPredicate(start int, v Expr) Expr {
	n := &Is{X: v}
	if p.is("NOT") || p.isOp("!") {
		p.bangNot()
		n.Not = true
	}
	switch {
	case p.isAny("NULL", "TRUE", "FALSE", "UNKNOWN"):
		n.What = p.advance().up
	case p.kw("DISTINCT"):
		p.needKw("FROM")
		n.What, n.Y = "DISTINCT FROM", p.value(precCompare)
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

func (p *parser) in(start, at int, v Expr, not bool) Expr {
	n := &In{X: v, Not: not}
	p.need("(")
	switch {
	case p.isOp(")"):
		p.report(Span{at, p.cur().End}, condition.New("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE"))
	case p.isQuery(0) && !(p.is("VALUES") && p.opAt(1, "(")):
		n.Query = p.query()
	default:
		n.List = list(p, p.expr)
	}
	p.need(")")
	n.Span = p.from(start)
	return n
}

func (p *parser) like(start, at int, op string, v Expr, not bool) Expr {
	if op == "REGEXP" {
		op = "RLIKE"
	}
	n := &Like{X: v, Not: not, Op: op}
	if op != "RLIKE" && p.isAny("ANY", "SOME", "ALL") && p.opAt(1, "(") {
		n.Quantifier = p.advance().up
		p.i++
		if p.isOp(")") {
			p.report(Span{at, p.cur().End}, condition.New("INVALID_SQL_SYNTAX.EMPTY_QUANTIFIED_PATTERN"))
		} else {
			n.Patterns = list(p, p.expr)
		}
		p.need(")")
		n.Span = p.from(start)
		return n
	}
	n.Pattern = p.value(precCompare)
	if op != "RLIKE" && p.is("ESCAPE") && p.at(1).kind == tokString {
		p.i++
		esc := p.stringLit()
		if len([]rune(esc.Text)) != 1 {
			p.report(p.from(at), condition.New("INVALID_ESC", "invalidEscape", "'"+esc.Text+"'"))
		}
		n.Escape = esc
	}
	n.Span = p.from(start)
	return n
}

// value is Spark's valueExpression: operators on values down to comparisons.
func (p *parser) value(minPrec int) Expr {
	defer p.leave(p.enter())
	start := p.cur().Start
	l := p.unary()
	for {
		op := p.cur().text
		if p.cur().kind == tokIdent {
			op = p.cur().up
		} else if p.cur().kind != tokOp {
			return l
		}
		prec, ok := binaryOps[op]
		if !ok || prec < minPrec || op == "DIV" && !p.startsExpr(1) {
			return l
		}
		p.i++
		r := p.value(prec + 1)
		if same, ok := sameOperator[op]; ok {
			op = same
		}
		l = &Binary{Span: p.from(start), Op: op, L: l, R: r}
		p.grow()
	}
}

func (p *parser) unary() Expr {
	t := p.cur()
	if t.kind == tokOp && (t.text == "-" || t.text == "+" || t.text == "~") &&
		!(t.text == "-" && p.at(1).kind == tokNumber) {
		p.i++
		x := p.value(precUnary)
		return &Unary{Span: p.from(t.Start), Op: t.text, X: x}
	}
	return p.postfix(t.Start, p.primary())
}

// startsExpr tells whether token k can start an expression.
func (p *parser) startsExpr(k int) bool {
	t := p.at(k)
	switch t.kind {
	case tokIdent, tokQuoted, tokString, tokNumber:
		return true
	case tokOp:
		switch t.text {
		case "(", "-", "+", "~", "!", "*", "?", ":":
			return true
		}
	}
	return false
}

// isQuery tells whether a query starts at token k, be it in further parentheses.
// A parenthesis belongs to a query if a set operation or the like follows it.
func (p *parser) isQuery(k int) bool {
	for p.opAt(k, "(") && k <= maxDepth {
		closing := p.match[p.i+k]
		if closing == 0 {
			k++
			continue
		}
		after := closing - p.i + 1
		switch {
		case p.opAt(after, ")"), p.at(after).kind == tokEOF:
			k++
		case p.opAt(after, "|>"), p.clauseAt(after) && p.isAnyAt(after, "UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "SORT",
			"CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"):
			return true
		default:
			return false
		}
	}
	switch p.at(k).up {
	case "SELECT":
		return p.startsExpr(k+1) || p.opAt(k+1, "/*+") || p.at(k+1).kind == tokEOF
	case "WITH", "TABLE":
		return p.isIdent(k + 1)
	case "FROM":
		return p.isIdent(k+1) || p.opAt(k+1, "(")
	case "VALUES":
		return p.startsExpr(k + 1)
	}
	return false
}
