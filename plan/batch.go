package plan

import (
	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// batchNode rewrites one node of a static query whose inputs are rewritten.
func (a *Analyser) batchNode(n Node, run func(Node) ([]*vector.Batch, error)) (Node, error) {
	n, err := mapExpressions(n, func(e Expr) (Expr, error) { return a.computeSubqueries(e, run) })
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *Recursive:
		return n.recurse(run)
	case *SetOp:
		return a.setOpAsGrouping(n)
	case *Join:
		if n.Kind == "FULL OUTER" {
			return fullOuterAsUnion(n), nil
		}
	}
	return n, nil
}

// fullOuterAsUnion is a left outer join and the right rows that it does not meet.
func fullOuterAsUnion(n *Join) Node {
	left := *n
	left.Kind = "LEFT OUTER"
	rest := &Join{Kind: "LEFT ANTI", Cond: n.Cond, Left: n.Right, Right: n.Left}
	var exprs []Expr
	for _, c := range n.Left.Output() {
		exprs = append(exprs, NewAlias(NullLiteral(c.Typ), c.Name))
	}
	exprs = append(exprs, asExprs(n.Right.Output())...)
	return &Union{Parts: []Node{&left, &Project{Exprs: exprs, Input: rest}}, Attrs: n.Output()}
}

// setOpAsGrouping computes EXCEPT and INTERSECT by counting how often each row comes
// from either side, as Spark's RewriteExceptAll and RewriteIntersectAll do.
func (a *Analyser) setOpAsGrouping(n *SetOp) (Node, error) {
	side := func(in Node, left int64) Node {
		return &Project{Exprs: append(asExprs(in.Output()), NewAlias(LongLiteral(left), "left"), NewAlias(LongLiteral(1-left), "right")), Input: in}
	}
	u := &Union{Parts: []Node{side(n.Left, 1), side(n.Right, 0)}}
	for i, c := range n.Left.Output() {
		key := *c
		key.Null = c.Null || n.Right.Output()[i].Null
		u.Attrs = append(u.Attrs, &key)
	}
	keys := u.Attrs[:len(u.Attrs):len(u.Attrs)]
	counted := []*Attr{{ID: NewID(), Name: "left", Typ: vector.Long}, {ID: NewID(), Name: "right", Typ: vector.Long}}
	u.Attrs = append(u.Attrs, counted...)
	g := &Aggregate{Keys: keys, Input: u}
	for _, c := range counted {
		total, err := a.aggregateCall("sum", c)
		if err != nil {
			return nil, err
		}
		g.Aggs = append(g.Aggs, NewAlias(total, c.Name))
	}
	left, right := g.Aggs[0].Attr, g.Aggs[1].Attr
	b := &exprBuilder{a: a}
	var times Expr // how often the row is in the result
	switch {
	case n.All && n.Op == "INTERSECT":
		times = b.call("least", left, right)
	case n.All:
		times = b.call("-", left, right)
	case n.Op == "INTERSECT":
		times = b.call("least", left, right, LongLiteral(1))
	default:
		times = b.call("least", b.call("-", LongLiteral(1), right), left)
	}
	var out Node = &Filter{Cond: b.call(">", times, LongLiteral(0)), Input: g}
	if n.All {
		rows, err := a.generatorCall("explode", b.call("sequence", LongLiteral(1), times))
		if err != nil {
			return nil, err
		}
		out = a.generate(out, rows, nil, false)
	}
	return &Project{Exprs: asExprs(keys), Input: out}, b.err
}

// exprBuilder calls functions on expressions of the right types and keeps the first error.
type exprBuilder struct {
	a   *Analyser
	err error
}

func (b *exprBuilder) call(name string, args ...Expr) Expr {
	if b.err != nil {
		return args[0]
	}
	e, err := b.a.call(name, args, sql.Span{})
	if err != nil {
		b.err = err
		return args[0]
	}
	return e
}

// aggregateCall binds an aggregate function of one argument.
func (a *Analyser) aggregateCall(name string, arg Expr) (*AggCall, error) {
	f, ok := agg.Lookup(name)
	if !ok {
		return nil, a.unresolvedRoutine([]string{name}, sql.Span{})
	}
	impl, err := f.Bind(a.Conf, a.kernelArgs([]Expr{arg}))
	if err != nil {
		return nil, err
	}
	args, err := a.castArgs([]Expr{arg}, impl.Args, sql.Span{})
	return &AggCall{Fn: f, Name: name, Args: args, Impl: impl, Text: name + "(" + arg.SQL() + ")"}, err
}

// generatorCall binds a generator of one argument.
func (a *Analyser) generatorCall(name string, arg Expr) (*GeneratorCall, error) {
	g, ok := kernels.LookupGenerator(name)
	if !ok {
		return nil, a.unresolvedRoutine([]string{name}, sql.Span{})
	}
	impl, err := g.Bind(a.Conf, a.kernelArgs([]Expr{arg}))
	if err != nil {
		return nil, err
	}
	return &GeneratorCall{Fn: g, Name: name, Args: []Expr{arg}, Impl: impl, Text: name + "(" + arg.SQL() + ")"}, nil
}
