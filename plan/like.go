package plan

import (
	"strings"

	"github.com/vstream/vstream/vector"
)

// simplifyLike writes LIKE with a simple constant pattern as a comparison, as Spark's
// LikeSimplification does: readers can check that before a row counts as input.
func simplifyLike(n Node) (Node, error) {
	return mapExpressions(n, func(e Expr) (Expr, error) {
		var err error
		out := Transform(e, func(x Expr) Expr {
			c, ok := x.(*Call)
			if !ok || c.Fn.Name != "like" || err != nil {
				return x
			}
			pattern, ok := c.Args[1].(*Literal)
			if !ok || pattern.Value.IsNull(0) || len(c.Args) > 2 {
				return x
			}
			var simple Expr
			if simple, err = c.simplerLike(literalText(pattern)); simple == nil {
				return x
			}
			return simple
		})
		return out, err
	})
}

func literalText(l *Literal) string {
	off, data := vector.Strings(l.Value.Arr)
	return string(data[off[0]:off[1]])
}

// simplerLike is nil if the pattern is not simple.
func (e *Call) simplerLike(pattern string) (Expr, error) {
	if strings.ContainsAny(pattern, `_\`) {
		return nil, nil
	}
	b := &exprBuilder{a: plainAnalyser()}
	x := e.Args[0]
	parts := strings.Split(pattern, "%")
	var out Expr
	switch {
	case len(parts) == 1:
		out = b.call("=", x, StringLiteral(pattern))
	case len(parts) == 2 && parts[0] != "" && parts[1] != "":
		room := int64(len([]rune(parts[0])) + len([]rune(parts[1])))
		long := b.call(">=", b.call("length", x), b.a.implicit(LongLiteral(room), vector.Int, e.Span))
		out = b.call("and", long, b.call("and", b.call("startswith", x, StringLiteral(parts[0])), b.call("endswith", x, StringLiteral(parts[1]))))
	case len(parts) == 2 && parts[0] != "":
		out = b.call("startswith", x, StringLiteral(parts[0]))
	case len(parts) == 2 && parts[1] != "":
		out = b.call("endswith", x, StringLiteral(parts[1]))
	case len(parts) == 3 && parts[0] == "" && parts[1] != "" && parts[2] == "":
		out = b.call("contains", x, StringLiteral(parts[1]))
	}
	return out, b.err
}
