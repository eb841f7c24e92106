package plan

import "github.com/vstream/vstream/kernels"

// foldConstants replaces what is constant in the expressions of a plan by its value
// and simplifies conditions, as Spark's ConstantFolding and BooleanSimplification do when a
// query starts: an error counts at once, whether or not there are rows, except in a branch
// that may never be evaluated.
func foldConstants(n Node, conf *kernels.Conf) (Node, error) {
	ctx := &kernels.Ctx{Zone: conf.Zone, ANSI: conf.ANSI, Conf: conf.Conf}
	return rewriteNodes(n, func(n Node) (Node, error) {
		return mapExpressions(n, func(e Expr) (Expr, error) { return foldIn(ctx, e, false) })
	})
}

// rewriteNodes rewrites a plan bottom-up with a function that may fail.
func rewriteNodes(n Node, f func(Node) (Node, error)) (Node, error) {
	in := n.Inputs()
	out := make([]Node, len(in))
	changed := false
	for i, k := range in {
		var err error
		if out[i], err = rewriteNodes(k, f); err != nil {
			return nil, err
		}
		changed = changed || out[i] != k
	}
	if changed {
		n = n.WithInputs(out)
	}
	return f(n)
}

// mapExpressions is n with every expression that it computes rewritten by f. Columns
// that a node only names (keys, for example) are left alone.
func mapExpressions(n Node, f func(Expr) (Expr, error)) (Node, error) {
	m := &mapper{f: f}
	switch n := n.(type) {
	case *Relation:
		if n.Filter != nil {
			c := *n
			c.Filter = m.one(n.Filter)
			return m.node(n, &c)
		}
	case *Values:
		c := *n
		c.Rows = m.lists(n.Rows)
		return m.node(n, &c)
	case *Project:
		c := *n
		c.Exprs = m.list(n.Exprs)
		return m.node(n, &c)
	case *Filter:
		c := *n
		c.Cond = m.one(n.Cond)
		return m.node(n, &c)
	case *Aggregate:
		c := *n
		c.Aggs = m.aliases(n.Aggs)
		return m.node(n, &c)
	case *WindowFn:
		c := *n
		c.Calls = m.aliases(n.Calls)
		return m.node(n, &c)
	case *Expand:
		c := *n
		c.Projections = m.lists(n.Projections)
		return m.node(n, &c)
	case *Generate:
		c := *n
		call := *n.Call
		call.Args = m.list(n.Call.Args)
		c.Call = &call
		return m.node(n, &c)
	case *Join:
		if n.Cond != nil {
			c := *n
			c.Cond = m.one(n.Cond)
			return m.node(n, &c)
		}
	case *Sort:
		c := *n
		c.Keys = make([]*SortKey, len(n.Keys))
		for i, k := range n.Keys {
			key := *k
			key.Expr = m.one(k.Expr)
			c.Keys[i] = &key
		}
		return m.node(n, &c)
	}
	return n, nil
}

// mapper applies a function until it fails, and notes whether it changed something.
type mapper struct {
	f       func(Expr) (Expr, error)
	err     error
	changed bool
}

func (m *mapper) node(before, after Node) (Node, error) {
	if m.err != nil || !m.changed {
		return before, m.err
	}
	return after, nil
}

func (m *mapper) one(e Expr) Expr {
	if m.err != nil {
		return e
	}
	out, err := m.f(e)
	if err != nil {
		m.err = err
		return e
	}
	m.changed = m.changed || out != e
	return out
}

func (m *mapper) list(es []Expr) []Expr {
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = m.one(e)
	}
	return out
}

func (m *mapper) lists(rows [][]Expr) [][]Expr {
	out := make([][]Expr, len(rows))
	for i, r := range rows {
		out[i] = m.list(r)
	}
	return out
}

func (m *mapper) aliases(as []*Alias) []*Alias {
	out := make([]*Alias, len(as))
	for i, al := range as {
		out[i] = m.one(al).(*Alias)
	}
	return out
}
