package plan

import (
	"github.com/vstream/vstream/kernels"
)

// pushDown moves filters towards the relations, through what does not change the
// columns that they read, as Spark's PushPredicateThroughNonJoin does. It is visible to
// users where Spark's is: a filter on other columns written after a watermark runs before it, so
// the rows that it removes do not move the watermark. So do the null tests that follow from a
// filter (InferFiltersFromConstraints), which may move further down than the filter itself.
func pushDown(n Node) Node {
	if j, ok := n.(*Join); ok {
		return pushJoin(nil, j)
	}
	f, ok := n.(*Filter)
	if !ok {
		in := n.Inputs()
		if len(in) == 0 {
			return n
		}
		out := make([]Node, len(in))
		for i, k := range in {
			out[i] = pushDown(k)
		}
		return n.WithInputs(out)
	}
	conds := conjuncts(f.Cond)
	return pushThrough(append(conds, inferred(conds, f.Input.Output(), conds)...), f.Input)
}

// pushThrough puts a filter of all conds over n, or below it where that is the same.
func pushThrough(conds []Expr, n Node) Node {
	switch n := n.(type) {
	case *Filter:
		return pushThrough(append(conjuncts(n.Cond), conds...), n.Input)
	case *SubqueryAlias:
		return pushThrough(conds, n.Input)
	case *Project:
		defs, ok := Definitions(n)
		if !ok {
			break
		}
		inlined := make([]Expr, len(conds))
		for i, c := range conds {
			if !Deterministic(c) || correlatedWith(c, func(id ID) bool { return defs[id] != nil }) {
				return filterOver(conds, pushDown(n))
			}
			inlined[i] = Substitute(c, defs)
		}
		if len(defs) > 0 {
			inlined = append(inlined, inferred(inlined, n.Input.Output(), inlined)...)
		}
		c := *n
		c.Input = pushThrough(inlined, n.Input)
		return &c
	case *Watermark:
		down, up := split(conds, func(e Expr) bool { return Deterministic(e) && !reads(e, n.Column.ID) })
		c := *n
		c.Input = pushThrough(down, n.Input)
		return filterOver(up, &c)
	case *Union:
		c := *n
		c.Parts = make([]Node, len(n.Parts))
		own := all(n)
		down, up := split(conds, func(e Expr) bool {
			return Deterministic(e) && !correlatedWith(e, func(id ID) bool { return own[id] })
		})
		for i, p := range n.Parts {
			defs := map[ID]Expr{}
			for k, col := range n.Attrs {
				defs[col.ID] = p.Output()[k]
			}
			part := make([]Expr, len(down))
			for k, e := range down {
				part[k] = Substitute(e, defs)
			}
			c.Parts[i] = pushThrough(part, p)
		}
		return filterOver(up, &c)
	case *Aggregate:
		keys := map[ID]bool{}
		for _, k := range n.Keys {
			keys[k.ID] = true
		}
		down, up := split(conds, func(e Expr) bool { return len(n.Keys) > 0 && Deterministic(e) && readsOnly(e, keys) })
		c := *n
		c.Input = pushThrough(down, n.Input)
		return filterOver(up, &c)
	case *Expand, *Generate, *Sort, *Repartition, *Distinct:
		in := n.Inputs()[0]
		below := all(in)
		down, up := split(conds, func(e Expr) bool { return Deterministic(e) && readsOnly(e, below) })
		return filterOver(up, n.WithInputs([]Node{pushThrough(down, in)}))
	case *Join:
		return pushJoin(conds, n)
	case *Relation:
		return pushIntoScan(conds, n)
	}
	return filterOver(conds, pushDown(n))
}

// conjuncts are the parts of a condition that AND joins; BETWEEN has two.
func conjuncts(e Expr) []Expr {
	c, ok := e.(*Call)
	if !ok {
		return []Expr{e}
	}
	switch c.Fn.Name {
	case "and":
		return append(conjuncts(c.Args[0]), conjuncts(c.Args[1])...)
	case "between":
		if lo, hi := comparisons(c); lo != nil {
			return []Expr{lo, hi}
		}
	}
	return []Expr{e}
}

// comparisons are x >= low and x <= high of x BETWEEN low AND high; nil if they cannot
// take its place.
func comparisons(c *Call) (lo, hi Expr) {
	a := &Analyser{Conf: &kernels.Conf{ANSI: true}}
	lo, err := a.call(">=", c.Args[:2], c.Span)
	if err != nil || !Deterministic(c) {
		return nil, nil
	}
	hi, err = a.call("<=", []Expr{c.Args[0], c.Args[2]}, c.Span)
	if err != nil {
		return nil, nil
	}
	return lo, hi
}

// conjunction joins conditions by AND.
func conjunction(conds []Expr) Expr {
	out := conds[0]
	for _, c := range conds[1:] {
		out = andOf(out, c)
	}
	return out
}

func filterOver(conds []Expr, n Node) Node {
	if len(conds) == 0 {
		return n
	}
	return &Filter{Cond: conjunction(withoutImplied(conds)), Input: n}
}

// withoutImplied leaves out null tests of columns that another condition fails for if they are null.
func withoutImplied(conds []Expr) []Expr {
	rejected := map[ID]bool{}
	tested := func(e Expr) (*Attr, bool) {
		c, ok := e.(*Call)
		if !ok || c.Fn.Name != "isnotnull" || c.NeedsTime {
			return nil, false
		}
		a, ok := c.Args[0].(*Attr)
		return a, ok
	}
	for _, e := range conds {
		if _, ok := tested(e); !ok {
			for _, a := range nullRejected(e, nil) {
				rejected[a.ID] = true
			}
		}
	}
	if len(rejected) == 0 {
		return conds
	}
	_, out := split(conds, func(e Expr) bool {
		a, ok := tested(e)
		return ok && rejected[a.ID]
	})
	return out
}

func split(conds []Expr, f func(Expr) bool) (yes, no []Expr) {
	for _, c := range conds {
		if f(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}

func reads(e Expr, id ID) bool {
	for _, r := range References(e) {
		if r.ID == id {
			return true
		}
	}
	return false
}

func readsOnly(e Expr, ids map[ID]bool) bool {
	for _, r := range References(e) {
		if !ids[r.ID] {
			return false
		}
	}
	return true
}

// Definitions are the computed columns of a projection; ok is false if one is not
// deterministic and so must be computed once, where it stands.
func Definitions(p *Project) (map[ID]Expr, bool) {
	defs := map[ID]Expr{}
	for _, e := range p.Exprs {
		if al, ok := e.(*Alias); ok {
			if !Deterministic(al.Child) {
				return nil, false
			}
			defs[al.ID] = al.Child
		}
	}
	return defs, true
}

// Substitute replaces columns by their definitions.
func Substitute(e Expr, defs map[ID]Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		if a, ok := x.(*Attr); ok {
			if d, ok := defs[a.ID]; ok {
				return d
			}
		}
		return x
	})
}
