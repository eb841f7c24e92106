package plan

import (
	"strings"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
)

// lowerGenerators moves the generators of a SELECT list, explode() and the like,
// into Generate nodes below it.
func (a *Analyser) lowerGenerators(n Node, items []Expr) (Node, []Expr, error) {
	var out []Expr
	for _, e := range items {
		m, ok := e.(*MultiAlias)
		if !ok {
			if g := nestedGenerator(e); g != nil {
				return nil, nil, a.errorAt(g.Span, "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "expression", quoteSQL(unalias(e)))
			}
			out = append(out, e)
			continue
		}
		g := a.generate(n, m.Child, m.Names, false)
		n = g
		out = append(out, asExprs(g.Attrs)...)
	}
	return n, out, nil
}

func nestedGenerator(e Expr) *GeneratorCall {
	var found *GeneratorCall
	Walk(e, func(x Expr) bool {
		if g, ok := x.(*GeneratorCall); ok {
			found = g
		}
		return found == nil
	})
	return found
}

// withoutGenerators refuses a generator in a condition of a node.
func (a *Analyser) withoutGenerators(e Expr, node string) error {
	if g := nestedGenerator(e); g != nil {
		return a.errorAt(g.Span, "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "plan", "'"+node+" "+e.SQL())
	}
	return nil
}

// generate is a Generate node; names, if there are any, replace the generator's column names.
func (a *Analyser) generate(n Node, call *GeneratorCall, names []string, outer bool) *Generate {
	outer = outer || call.Impl.Outer
	g := &Generate{Call: call, Outer: outer, Input: n}
	for i, f := range call.Impl.Columns {
		name := f.Name
		if i < len(names) {
			name = names[i]
		}
		g.Attrs = append(g.Attrs, &Attr{ID: NewID(), Name: name, Typ: f.Type, Null: f.Nullable || outer})
	}
	return g
}

// lateralView is LATERAL VIEW [OUTER] f(x) t AS a, b.
func (a *Analyser) lateralView(n Node, v *sql.LateralView, outer *Scope) (Node, error) {
	_, generates := kernels.LookupGenerator(strings.ToLower(nameOf(v.Call.Name)))
	if !generates && a.isFunction(strings.ToLower(nameOf(v.Call.Name))) {
		return nil, a.errorAt(v.Call.Span, "UNSUPPORTED_GENERATOR.NOT_GENERATOR", "functionName", "`"+nameOf(v.Call.Name)+"`", "classCanonicalName", "scalar function")
	}
	e, err := a.Expr(v.Call, &Scope{Columns: n.Output(), Outer: outer})
	if err != nil {
		return nil, err
	}
	call, ok := e.(*GeneratorCall)
	if !ok {
		return nil, a.errorAt(v.Call.Span, "UNSUPPORTED_GENERATOR.NOT_GENERATOR", "functionName", "`"+nameOf(v.Call.Name)+"`", "classCanonicalName", "scalar function")
	}
	names := identNames(v.Columns)
	if len(names) > 0 && len(names) != len(call.Impl.Columns) {
		return nil, a.errorAt(v.Span, "UDTF_ALIAS_NUMBER_MISMATCH", "aliasesSize", len(call.Impl.Columns), "aliasesNames", strings.Join(names, ","))
	}
	g := a.generate(n, call, names, v.Outer)
	if v.Alias.Name != "" {
		for _, c := range g.Attrs {
			c.Qualifier = []string{v.Alias.Name}
		}
	}
	return g, nil
}
