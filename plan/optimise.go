package plan

import (
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
)

// Optimise rewrites an analysed plan into an equivalent, cheaper one. The error is that
// of a constant expression that cannot be computed, such as 1 / 0.
func Optimise(n Node, conf *kernels.Conf) (Node, error) {
	n, err := foldConstants(n, conf)
	if err != nil {
		return nil, err
	}
	if n, err = rewriteNodes(n, simplifyLike); err != nil {
		return nil, err
	}
	n = transformNodes(n, dropAlias)
	n = transformNodes(n, exceptOfTable)
	n = transformNodes(n, distinctToAggregate)
	n = transformNodes(n, combineLimits)
	n = transformNodes(n, generatorInput)
	if n, err = (&Analyser{Conf: conf}).predicatesAsJoins(pushDown(n)); err != nil {
		return nil, err
	}
	return prune(n, all(n)), nil
}

// transformNodes rewrites a plan bottom-up.
func transformNodes(n Node, f func(Node) Node) Node {
	in := n.Inputs()
	if len(in) > 0 {
		out := make([]Node, len(in))
		changed := false
		for i, k := range in {
			out[i] = transformNodes(k, f)
			changed = changed || out[i] != k
		}
		if changed {
			n = n.WithInputs(out)
		}
	}
	return f(n)
}

// dropAlias removes SubqueryAlias: the columns below have the same identities.
func dropAlias(n Node) Node {
	if s, ok := n.(*SubqueryAlias); ok {
		return s.Input
	}
	return n
}

// distinctToAggregate turns DISTINCT into a grouping by all columns.
func distinctToAggregate(n Node) Node {
	d, ok := n.(*Distinct)
	if !ok {
		return n
	}
	return &Aggregate{Keys: d.Input.Output(), Input: d.Input}
}

// generatorInput drops rows for which a generator makes nothing because its
// argument is null, as Spark's InferFiltersFromGenerate does (it shows in the number of input rows).
func generatorInput(n Node) Node {
	g, ok := n.(*Generate)
	if !ok || g.Outer || len(g.Call.Args) != 1 {
		return n
	}
	if _, ok := g.Call.Args[0].(*Attr); !ok {
		return n
	}
	cond, err := (&Analyser{Conf: &kernels.Conf{ANSI: true}}).call("isnotnull", g.Call.Args, sql.Span{})
	if err != nil {
		return n
	}
	c := *g
	c.Input = &Filter{Cond: cond, Input: g.Input}
	return &c
}

// andOf joins two boolean expressions.
func andOf(a, b Expr) Expr {
	c, err := (&Analyser{Conf: &kernels.Conf{ANSI: true}}).call("and", []Expr{a, b}, sql.Span{})
	if err != nil {
		panic("plan: and of two boolean expressions: " + err.Error())
	}
	return c
}
