package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// Expr binds an expression: it resolves names, picks functions for the types of
// their arguments and adds implicit casts. Aggregates, generators, time windows
// and OVER functions stay where they are written; who calls moves them into the
// nodes that compute them. Errors are *condition.Error with a position.
func (a *Analyser) Expr(e sql.Expr, sc *Scope) (Expr, error) {
	switch e := e.(type) {
	case *sql.Name:
		return a.name(e, sc)
	case *sql.Literal:
		return a.literal(e)
	case *sql.Interval:
		return a.interval(e)
	case *sql.Unary:
		return a.unary(e, sc)
	case *sql.Binary:
		return a.binary(e, sc)
	case *sql.Is:
		return a.is(e, sc)
	case *sql.In:
		return a.in(e, sc)
	case *sql.Between:
		return a.between(e, sc)
	case *sql.Like:
		return a.like(e, sc)
	case *sql.Case:
		return a.caseWhen(e, sc)
	case *sql.Cast:
		return a.cast(e, sc)
	case *sql.Call:
		return a.functionCall(e, sc)
	case *sql.Field:
		x, err := a.Expr(e.X, sc)
		if err != nil {
			return nil, err
		}
		return a.extract(x, StringLiteral(e.Name.Name), e.Span)
	case *sql.Index:
		es, err := a.exprs([]sql.Expr{e.X, e.I}, sc)
		if err != nil {
			return nil, err
		}
		return a.extract(es[0], es[1], e.Span)
	case *sql.Tuple:
		return a.structOf("named_struct", e.Elems, sc, e.Span)
	case *sql.ScalarQuery:
		return a.scalarQuery(e, sc)
	case *sql.Exists:
		return a.exists(e, sc)
	case *sql.Collate:
		return a.collate(e, sc)
	case *sql.PathExtract:
		return a.pathExtract(e, sc)
	case *sql.Star:
		return nil, a.errorAt(e.Span, "INVALID_USAGE_OF_STAR_OR_REGEX", "elem", "'*'", "prettyName", "expression `expression`")
	case *sql.Lambda:
		return nil, a.errorAt(e.Span, "INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION")
	}
	return nil, a.unsupported(e)
}

// unsupported refuses syntax that Spark parses and vstream does not run.
func (a *Analyser) unsupported(n sql.Node) error {
	what := strings.TrimPrefix(fmt.Sprintf("%T", n), "*sql.")
	return condition.New("VSTREAM_UNSUPPORTED", "feature", what).WithPos(a.at(n.Pos()))
}

func (a *Analyser) exprs(es []sql.Expr, sc *Scope) ([]Expr, error) {
	out := make([]Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = a.Expr(e, sc); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pathExtract is x:a.b[0], a path into a variant.
func (a *Analyser) pathExtract(e *sql.PathExtract, sc *Scope) (Expr, error) {
	x, err := a.Expr(e.X, sc)
	if err != nil {
		return nil, err
	}
	if x.Type().Kind != vector.KindVariant {
		return nil, a.errorAt(e.Span, "COLUMN_IS_NOT_VARIANT_TYPE")
	}
	path := "$"
	for _, s := range e.Path {
		if s.IsIndex {
			path += "[" + strconv.Itoa(s.Index) + "]"
		} else {
			path += "['" + strings.ReplaceAll(s.Name, "'", "\\'") + "']"
		}
	}
	return a.call("variant_get", []Expr{x, StringLiteral(path), StringLiteral("variant")}, e.Span)
}

// collate takes the collation that strings have anyway; others are refused.
func (a *Analyser) collate(e *sql.Collate, sc *Scope) (Expr, error) {
	x, err := a.Expr(e.X, sc)
	if err != nil {
		return nil, err
	}
	if name := e.Collation[len(e.Collation)-1].Name; !strings.EqualFold(name, "UTF8_BINARY") {
		return nil, a.unsupported(e)
	}
	return x, nil
}

var unaryFunctions = map[string]string{"NOT": "not", "-": "u-", "+": "u+", "~": "~"}

func (a *Analyser) unary(e *sql.Unary, sc *Scope) (Expr, error) {
	x, err := a.Expr(e.X, sc)
	if err != nil {
		return nil, err
	}
	return a.call(unaryFunctions[e.Op], []Expr{x}, e.Span)
}

// not negates a condition.
func (a *Analyser) not(x Expr, span sql.Span) (Expr, error) { return a.call("not", []Expr{x}, span) }

// notIf negates x if neg is true.
func (a *Analyser) notIf(neg bool, x Expr, err error, span sql.Span) (Expr, error) {
	if err != nil || !neg {
		return x, err
	}
	return a.not(x, span)
}

// call binds a built-in scalar function or operator by name.
func (a *Analyser) call(name string, args []Expr, span sql.Span) (Expr, error) {
	f, ok := kernels.Lookup(name)
	if !ok {
		return nil, a.unresolvedRoutine([]string{name}, span)
	}
	return a.bind(f, name, args, span)
}

func (a *Analyser) is(e *sql.Is, sc *Scope) (Expr, error) {
	x, err := a.Expr(e.X, sc)
	if err != nil {
		return nil, err
	}
	span := a.predicate(e.X, e.Span)
	switch e.What {
	case "TRUE", "FALSE":
		out, err := a.call("<=>", []Expr{x, BoolLiteral(e.What == "TRUE")}, span)
		return a.notIf(e.Not, out, err, span)
	case "DISTINCT FROM":
		y, err := a.Expr(e.Y, sc)
		if err != nil {
			return nil, err
		}
		out, err := a.call("<=>", []Expr{x, y}, span)
		return a.notIf(!e.Not, out, err, span)
	}
	if e.Not {
		return a.call("isnotnull", []Expr{x}, span)
	}
	return a.call("isnull", []Expr{x}, span)
}

func (a *Analyser) in(e *sql.In, sc *Scope) (Expr, error) {
	if e.Query != nil {
		out, err := a.inQuery(e, sc)
		return a.notIf(e.Not, out, err, e.Span)
	}
	args, err := a.exprs(append([]sql.Expr{e.X}, e.List...), sc)
	if err != nil {
		return nil, err
	}
	span := a.predicate(e.X, e.Span)
	out, err := a.call("in", args, span)
	return a.notIf(e.Not, out, err, span)
}

// predicate is the part of a span that follows its value: Spark's predicates start
// at their keyword.
func (a *Analyser) predicate(value sql.Expr, span sql.Span) sql.Span {
	rest := sql.Text(sql.Span{Start: value.Pos().End, End: span.End}, a.Text)
	span.Start = span.End - len(strings.TrimLeft(rest, " \t\r\n)"))
	return span
}

func (a *Analyser) between(e *sql.Between, sc *Scope) (Expr, error) {
	args, err := a.exprs([]sql.Expr{e.X, e.Lo, e.Hi}, sc)
	if err != nil {
		return nil, err
	}
	span := a.predicate(e.X, e.Span)
	out, err := a.call("between", args, span)
	return a.notIf(e.Not, out, err, span)
}

func (a *Analyser) like(e *sql.Like, sc *Scope) (Expr, error) {
	if e.Quantifier != "" {
		return a.likeQuantified(e, sc)
	}
	parts := []sql.Expr{e.X, e.Pattern}
	if e.Escape != nil {
		parts = append(parts, e.Escape)
	}
	args, err := a.exprs(parts, sc)
	if err != nil {
		return nil, err
	}
	span := a.predicate(e.X, e.Span)
	out, err := a.call(strings.ToLower(e.Op), args, span)
	return a.notIf(e.Not, out, err, span)
}

// likeQuantified is LIKE ANY (…) or LIKE ALL (…): an OR or AND of LIKEs.
func (a *Analyser) likeQuantified(e *sql.Like, sc *Scope) (Expr, error) {
	args, err := a.exprs(append([]sql.Expr{e.X}, e.Patterns...), sc)
	if err != nil {
		return nil, err
	}
	name, join := "likeany", "or"
	if e.Quantifier == "ALL" {
		name, join = "likeall", "and"
	}
	if e.Not {
		name = "not" + name
	}
	var out Expr
	for _, p := range args[1:] {
		one, err := a.call(strings.ToLower(e.Op), []Expr{args[0], p}, e.Span)
		if one, err = a.notIf(e.Not, one, err, e.Span); err != nil {
			return nil, err
		}
		if out == nil {
			out = one
		} else if out, err = a.call(join, []Expr{out, one}, e.Span); err != nil {
			return nil, err
		}
	}
	x := args[0].SQL()
	if e.Op == "ILIKE" {
		x = "lower(" + x + ")"
	}
	for _, p := range args[1:] {
		if _, ok := p.(*Literal); !ok {
			return out, nil
		}
	}
	return withText(out, name+"("+x+")"), nil
}

// caseWhen binds CASE as the function case(condition, value, …, else).
func (a *Analyser) caseWhen(e *sql.Case, sc *Scope) (Expr, error) {
	var x Expr
	var err error
	if e.X != nil {
		if x, err = a.Expr(e.X, sc); err != nil {
			return nil, err
		}
	}
	var args []Expr
	for _, w := range e.Whens {
		cond, err := a.Expr(w.Cond, sc)
		if err != nil {
			return nil, err
		}
		if x != nil {
			if cond, err = a.call("=", []Expr{x, cond}, e.Span); err != nil {
				return nil, err
			}
		}
		then, err := a.Expr(w.Then, sc)
		if err != nil {
			return nil, err
		}
		args = append(args, cond, then)
	}
	if e.Else != nil {
		other, err := a.Expr(e.Else, sc)
		if err != nil {
			return nil, err
		}
		args = append(args, other)
	}
	return a.call("case", args, e.Span)
}

func (a *Analyser) cast(e *sql.Cast, sc *Scope) (Expr, error) {
	x, err := a.Expr(e.X, sc)
	if err != nil {
		return nil, err
	}
	t, err := a.Type(e.Type)
	if err != nil {
		return nil, err
	}
	mode := kernels.ModeOf(a.Conf.ANSI)
	if e.Try {
		mode = kernels.CastTry
	}
	if t.Kind == vector.KindTime && x.Type().Kind != vector.KindTime {
		return nil, a.errorAt(e.Span, "UNSUPPORTED_TIME_TYPE")
	}
	c := &Cast{Child: x, To: t, Mode: mode, Span: e.Span, src: a.Text}
	if err := kernels.CheckCast(x.Type(), t, mode, c.SQL()); err != nil {
		return nil, a.place(err, e.Span)
	}
	return c, nil
}

// implicit casts x to t, if it is of another type, for an expression at span.
func (a *Analyser) implicit(x Expr, t *vector.Type, span sql.Span) Expr {
	if t == nil || x.Type().Equal(t) {
		return x
	}
	return &Cast{Child: x, To: t, Mode: kernels.ModeOf(a.Conf.ANSI), Implicit: true, Span: span, src: a.Text}
}
