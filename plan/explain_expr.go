package plan

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// show draws an expression as it is computed: constants by their values, the casts that the
// analyser added, calls by the names of their functions. SQL, in contrast, keeps the text by
// which Spark names a column, whatever became of the expression.
func show(e Expr) string {
	switch e := e.(type) {
	case *Literal:
		return showLiteral(e)
	case *Attr:
		return e.Name
	case *Alias:
		return show(e.Child) + " AS " + vector.QuoteIfNeeded(e.Name)
	case *Cast:
		return "CAST(" + show(e.Child) + " AS " + e.To.SQL() + ")"
	case *FieldAccess:
		return show(e.Child) + "." + e.Name
	case *Lambda:
		names := make([]string, len(e.Params))
		for i, p := range e.Params {
			names[i] = p.Name
		}
		return "(" + strings.Join(names, ", ") + ") -> " + show(e.Body)
	case *Call:
		args := showAll(e.Args)
		if e.Fn.SQL != nil {
			return e.Fn.SQL(args)
		}
		return e.Name + "(" + strings.Join(args, ", ") + ")"
	case *AggCall:
		s := plainShown(e.Name, e.Args, e.Distinct)
		if e.Filter != nil {
			s += " FILTER (WHERE " + show(e.Filter) + ")"
		}
		return s
	case *GeneratorCall:
		return plainShown(e.Name, e.Args, false)
	}
	return e.SQL()
}

func plainShown(name string, args []Expr, distinct bool) string {
	if distinct {
		name += " DISTINCT"
	}
	return name + "(" + strings.Join(showAll(args), ", ") + ")"
}

func showAll(es []Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = show(e)
	}
	return out
}

// shownRunes bounds how much of a constant is shown.
const shownRunes = 40

func showLiteral(l *Literal) string {
	v := kernels.ValueAt(l.Typ, l.Value.Arr, 0)
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		if l.Typ.Kind == vector.KindString {
			return shortened("'" + strings.ReplaceAll(v, "'", "''") + "'")
		}
		return v
	}
	return shortened(fmt.Sprint(v))
}

func shortened(s string) string {
	r := []rune(s)
	if len(r) <= shownRunes {
		return s
	}
	return string(r[:shownRunes]) + "…"
}

// Shared are the expressions that occur more than once among exprs and that CompileAll
// evaluates once for a batch, drawn as in Explain.
func Shared(exprs []Expr) []string {
	c := &compiler{count: map[string]int{}}
	for _, e := range exprs {
		c.countCommon(e)
	}
	var out []string
	seen := map[string]bool{}
	var visit func(e Expr)
	visit = func(e Expr) {
		if _, ok := e.(*Lambda); ok {
			return
		}
		if key := c.key(e); key != "" && c.count[key] > 1 {
			if !seen[key] {
				seen[key] = true
				out = append(out, show(e))
			}
			return
		}
		for _, k := range e.Children() {
			visit(k)
		}
	}
	for _, e := range exprs {
		visit(e)
	}
	return out
}
