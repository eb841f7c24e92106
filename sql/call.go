package sql

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// datetimeUnits are the words that TIMESTAMPADD and its kin take as a unit.
var datetimeUnits = map[string]bool{
	"YEAR": true, "QUARTER": true, "MONTH": true, "WEEK": true, "DAY": true, "DAYOFYEAR": true,
	"HOUR": true, "MINUTE": true, "SECOND": true, "MILLISECOND": true, "MICROSECOND": true,
}

// call takes the arguments of a function and what may follow them.
func (p *parser) call(start int, name []Ident) Expr {
	if len(name) == 1 && !name[0].Quoted {
		if c := p.specialCall(start, name[0]); c != nil {
			return c
		}
	}
	return p.arguments(start, name, nil)
}

// specialCall takes the functions with a syntax of their own. It returns nil if
// the arguments are ordinary, with the parser before the parenthesis.
func (p *parser) specialCall(start int, name Ident) Expr {
	switch up := strings.ToUpper(name.Name); up {
	case "EXTRACT":
		if p.isIdent(1) && p.isAt(2, "FROM") && p.startsExpr(3) {
			p.i++
			field := p.simpleIdent()
			p.i++
			return p.special(start, name, "extract", &Literal{Span: field.Span, Kind: "string", Text: field.Name}, p.value(precCompare))
		}
	case "STRUCT":
		p.need("(")
		c := &Call{Name: []Ident{name}}
		if !p.isOp(")") {
			c.Args = list(p, p.aliased)
		}
		p.need(")")
		c.Span = p.from(start)
		return c
	case "TRIM":
		return p.trim(start, name)
	case "POSITION", "SUBSTR", "SUBSTRING", "OVERLAY":
		return p.keywordArguments(start, name, up)
	}
	return nil
}

// special closes a special form.
func (p *parser) special(start int, name Ident, function string, args ...Expr) Expr {
	p.need(")")
	return &Call{Span: p.from(start), Name: []Ident{{Span: name.Span, Name: function}}, Args: args}
}

// trim takes TRIM([BOTH|LEADING|TRAILING] [chars] FROM x).
func (p *parser) trim(start int, name Ident) Expr {
	function, k := "trim", 1
	if p.isAnyAt(1, "BOTH", "LEADING", "TRAILING") && (p.isAt(2, "FROM") || p.startsExpr(2)) {
		switch p.at(1).up {
		case "LEADING":
			function = "ltrim"
		case "TRAILING":
			function = "rtrim"
		}
		k = 2
	}
	if p.isAt(k, "FROM") && p.startsExpr(k+1) {
		p.i += k + 1
		return p.special(start, name, function, p.value(precCompare))
	}
	if k == 1 {
		return p.valueThen(start, name, func(first Expr) Expr {
			if !p.kw("FROM") {
				return nil
			}
			return p.special(start, name, function, first, p.value(precCompare))
		})
	}
	p.i += k
	chars := p.value(precCompare)
	p.needKw("FROM")
	return p.special(start, name, function, chars, p.value(precCompare))
}

// keywordArguments takes POSITION(a IN b), SUBSTRING(a FROM b FOR c) and
// OVERLAY(a PLACING b FROM c FOR d).
func (p *parser) keywordArguments(start int, name Ident, up string) Expr {
	return p.valueThen(start, name, func(first Expr) Expr {
		switch {
		case up == "POSITION" && p.kw("IN"):
			return p.special(start, name, "locate", first, p.value(precCompare))
		case up == "OVERLAY" && p.kw("PLACING"):
			args := []Expr{first, p.value(precCompare)}
			p.needKw("FROM")
			args = append(args, p.value(precCompare))
			if p.kw("FOR") {
				args = append(args, p.value(precCompare))
			}
			return p.special(start, name, "overlay", args...)
		case strings.HasPrefix(up, "SUBSTR") && p.kw("FROM"):
			args := []Expr{first, p.value(precCompare)}
			if p.kw("FOR") || p.op(",") {
				args = append(args, p.value(precCompare))
			}
			return p.special(start, name, "substring", args...)
		}
		return nil
	})
}

// valueThen takes the first argument of a call and lets f go on. If f does not,
// the argument is an ordinary one and so is the call.
func (p *parser) valueThen(start int, name Ident, f func(first Expr) Expr) Expr {
	if p.opAt(1, ")") || p.isAnyAt(1, "NOT", "EXISTS", "DISTINCT", "ALL") || p.opAt(1, "!") || p.opAt(2, "=>") || !p.startsExpr(1) {
		return nil
	}
	p.need("(")
	from := p.cur().Start
	first := p.value(precCompare)
	if c := f(first); c != nil {
		return c
	}
	return p.arguments(start, []Ident{name}, p.booleanFrom(from, first, precOr))
}

// arguments takes the rest of an ordinary call. first is the first argument if it
// is taken already; otherwise the parenthesis comes next.
func (p *parser) arguments(start int, name []Ident, first Expr) Expr {
	c := &Call{Name: name}
	if first != nil {
		c.Args = []Expr{first}
	} else {
		p.need("(")
		if !p.isOp(")") {
			if p.isAny("DISTINCT", "ALL") && p.startsExpr(1) {
				c.Distinct = p.advance().up == "DISTINCT"
			}
			c.Args = []Expr{p.argument()}
		}
	}
	for len(c.Args) > 0 && (p.op(",") || len(c.Args) == 2 && isSubstring(name) && p.kw("FOR")) {
		c.Args = append(c.Args, p.argument())
	}
	if len(c.Args) == 1 && len(name) == 1 && p.words("IGNORE", "NULLS") {
		switch strings.ToUpper(name[0].Name) {
		case "FIRST", "LAST", "ANY_VALUE":
			p.i += 2
			c.IgnoreNulls = "IGNORE"
		}
	}
	if !p.op(")") {
		afterName := false
		if n := len(c.Args); n > 0 {
			_, afterName = c.Args[n-1].(*Name)
		}
		p.expected(")", afterName && p.isIdent(0))
	}
	p.callSuffix(c)
	c.Span = p.from(start)
	p.datetimeUnit(c)
	return c
}

// isSubstring: SUBSTRING(a, 1 FOR 2) mixes both of its forms.
func isSubstring(name []Ident) bool {
	return len(name) == 1 && (strings.EqualFold(name[0].Name, "SUBSTRING") || strings.EqualFold(name[0].Name, "SUBSTR"))
}

// argument takes one argument of a call, positional or named.
func (p *parser) argument() Expr { return p.named(p.expr) }

// named takes name => value, or a value without a name.
func (p *parser) named(value func() Expr) Expr {
	start := p.cur().Start
	if !p.isIdent(0) || !p.opAt(1, "=>") {
		return value()
	}
	name := p.simpleIdent()
	p.i++
	v := value()
	return &Named{Span: p.from(start), Name: name, Value: v}
}

// callSuffix takes WITHIN GROUP, FILTER, IGNORE NULLS and OVER.
func (p *parser) callSuffix(c *Call) {
	if p.words("WITHIN", "GROUP") {
		p.i += 2
		p.need("(")
		p.needKw("ORDER", "BY")
		c.WithinGroup = list(p, p.sortItem)
		p.need(")")
	}
	if p.is("FILTER") && p.opAt(1, "(") && p.isAt(2, "WHERE") {
		p.i += 3
		c.Filter = p.expr()
		p.need(")")
	}
	if p.isAny("IGNORE", "RESPECT") && p.isAt(1, "NULLS") {
		c.IgnoreNulls = p.advance().up
		p.i++
	}
	if p.is("OVER") && (p.opAt(1, "(") || p.isIdent(1)) {
		p.i++
		c.Over = p.windowSpec()
	}
}

// datetimeUnit turns the unit of TIMESTAMPADD(UNIT, n, ts) and its kin into a
// string. A unit in quotes is refused, as Spark does.
func (p *parser) datetimeUnit(c *Call) {
	if len(c.Name) != 1 || len(c.Args) != 3 {
		return
	}
	switch strings.ToUpper(c.Name[0].Name) {
	case "TIMESTAMPADD", "DATEADD", "DATE_ADD", "TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF", "TIMEDIFF":
	default:
		return
	}
	switch unit := c.Args[0].(type) {
	case *Name:
		if up := strings.ToUpper(unit.Parts[0].Name); len(unit.Parts) == 1 && !unit.Parts[0].Quoted && datetimeUnits[up] {
			c.Args[0] = &Literal{Span: unit.Span, Kind: "string", Text: up}
		}
	case *Literal:
		if unit.Kind == "string" {
			p.report(c.Span, condition.New("INVALID_PARAMETER_VALUE.DATETIME_UNIT", "functionName", "`"+c.Name[0].Name+"`",
				"parameter", "`unit`", "invalidValue", "'"+unit.Text+"'").WithHint("write the unit without quotes"))
		}
	}
}

// windowSpec takes what follows OVER, or AS in WINDOW.
func (p *parser) windowSpec() *WindowSpec {
	defer p.leave(p.enter())
	start := p.cur().Start
	w := &WindowSpec{}
	if !p.isOp("(") {
		w.Ref = p.ident()
		w.Span = p.from(start)
		return w
	}
	p.need("(")
	if p.isIdent(0) && p.opAt(1, ")") {
		w.Ref = p.ident()
		p.need(")")
		w.Span = p.from(start)
		return w
	}
	if p.kw("CLUSTER", "BY") {
		w.PartitionBy = list(p, p.expr)
	} else {
		if p.kw("PARTITION", "BY") || p.kw("DISTRIBUTE", "BY") {
			w.PartitionBy = list(p, p.expr)
		}
		if p.kw("ORDER", "BY") || p.kw("SORT", "BY") {
			w.OrderBy = list(p, p.sortItem)
		}
	}
	if p.isAny("ROWS", "RANGE") {
		w.Frame = p.frame()
	}
	p.need(")")
	w.Span = p.from(start)
	return w
}

func (p *parser) frame() *Frame {
	t := p.advance()
	f := &Frame{Unit: t.up}
	if p.kw("BETWEEN") {
		f.Lo = p.frameBound()
		p.needKw("AND")
		f.Hi = p.frameBound()
	} else {
		f.Lo = p.frameBound()
		f.Hi = FrameBound{Kind: "CURRENT ROW"}
	}
	f.Span = p.from(t.Start)
	return f
}

func (p *parser) frameBound() FrameBound {
	switch {
	case p.kw("CURRENT", "ROW"):
		return FrameBound{Kind: "CURRENT ROW"}
	case p.kw("UNBOUNDED", "PRECEDING"):
		return FrameBound{Kind: "UNBOUNDED PRECEDING"}
	case p.kw("UNBOUNDED", "FOLLOWING"):
		return FrameBound{Kind: "UNBOUNDED FOLLOWING"}
	}
	start := p.cur().Start
	n := p.boolean(precNot) // AND separates the bounds
	if !p.isAny("PRECEDING", "FOLLOWING") {
		p.fail()
	}
	f := FrameBound{Kind: p.advance().up, N: n}
	if !constant(n) {
		p.report(p.from(start), condition.New("INVALID_SQL_SYNTAX.INVALID_WINDOW_FRAME_BOUND"))
	}
	return f
}

// constant tells whether e has a value without columns and functions.
func constant(e Expr) bool {
	switch e := e.(type) {
	case *Literal, *Interval:
		return true
	case *Unary:
		return constant(e.X)
	case *Binary:
		return constant(e.L) && constant(e.R)
	case *Cast:
		return constant(e.X)
	}
	return false
}
