package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

func (a *Analyser) binary(e *sql.Binary, sc *Scope) (Expr, error) {
	l, err := a.Expr(e.L, sc)
	if err != nil {
		return nil, err
	}
	r, err := a.Expr(e.R, sc)
	if err != nil {
		return nil, err
	}
	switch op := strings.ToLower(e.Op); op {
	case "<>", "!=":
		out, err := a.equal(l, r, e.Span)
		return a.notIf(true, out, err, e.Span)
	case "=", "==":
		return a.equal(l, r, e.Span)
	case "||":
		return a.call("concat", []Expr{l, r}, e.Span)
	case "+":
		if l.Type().Kind == vector.KindDate && r.Type().Kind == vector.KindDate {
			return a.call("date_add", []Expr{l, r}, e.Span) // which refuses it
		}
		return a.call(op, []Expr{l, r}, e.Span)
	default:
		return a.call(op, []Expr{l, r}, e.Span)
	}
}

// equal is l = r. Without ANSI mode a boolean beside the number 1 or 0 is the
// boolean itself or its negation, as Spark's BooleanEquality has it.
func (a *Analyser) equal(l, r Expr, span sql.Span) (Expr, error) {
	if !a.Conf.ANSI {
		x, n := l, r
		if l.Type().Kind != vector.KindBool {
			x, n = r, l
		}
		lit, ok := n.(*Literal)
		if ok && x.Type().Kind == vector.KindBool && lit.Typ.Numeric() && !lit.Value.IsNull(0) {
			switch v, _ := strconv.ParseFloat(lit.Text, 64); v {
			case 1:
				return x, nil
			case 0:
				return a.not(x, span)
			}
		}
	}
	return a.call("=", []Expr{l, r}, span)
}
