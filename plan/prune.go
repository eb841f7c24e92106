package plan

// prune leaves out the columns that nobody reads, down to the relations.
// required are the columns that the node above reads.
func prune(n Node, required map[ID]bool) Node {
	switch n := n.(type) {
	case *Relation:
		c := *n
		c.Attrs, c.Ordinals = nil, nil
		for _, r := range References(filterOf(n)) {
			required[r.ID] = true
		}
		for i, col := range n.Attrs {
			if required[col.ID] {
				c.Attrs = append(c.Attrs, col)
				c.Ordinals = append(c.Ordinals, n.Ordinals[i])
			}
		}
		return &c
	case *Project:
		c := *n
		c.Exprs = nil
		below := map[ID]bool{}
		for _, e := range n.Exprs {
			if required[OutputOf(e).ID] {
				c.Exprs = append(c.Exprs, e)
				need(below, e)
			}
		}
		c.Input = prune(n.Input, below)
		return &c
	case *Filter:
		c := *n
		below := clone(required)
		need(below, n.Cond)
		c.Input = prune(n.Input, below)
		return &c
	case *Watermark:
		c := *n
		below := clone(required)
		below[n.Column.ID] = true
		c.Input = prune(n.Input, below)
		c.Attrs = keep(n.Attrs, c.Input.Output())
		return &c
	case *Aggregate:
		c := *n
		c.Aggs = nil
		below := map[ID]bool{}
		for _, k := range n.Keys {
			below[k.ID] = true
		}
		for _, al := range n.Aggs {
			if required[al.ID] {
				c.Aggs = append(c.Aggs, al)
				need(below, al.Child)
			}
		}
		c.Input = prune(n.Input, below)
		return &c
	case *Expand:
		return pruneExpand(n, required)
	case *Generate:
		c := *n
		below := clone(required)
		need(below, n.Call)
		c.Input = prune(n.Input, below)
		return &c
	case *Union:
		return pruneUnion(n, required)
	case *Join:
		return pruneJoin(n, required)
	case *Deduplicate:
		return pruneDeduplicate(n, required)
	case *Sort:
		c := *n
		below := clone(required)
		for _, k := range n.Keys {
			need(below, k.Expr)
		}
		c.Input = prune(n.Input, below)
		return &c
	case *Limit:
		c := *n
		c.Input = prune(n.Input, required)
		return &c
	case *Repartition:
		c := *n
		below := clone(required)
		for _, k := range n.Keys {
			need(below, k)
		}
		c.Input = prune(n.Input, below)
		return &c
	}
	// The other nodes read whole rows.
	in := n.Inputs()
	out := make([]Node, len(in))
	for i, k := range in {
		out[i] = prune(k, all(k))
	}
	return n.WithInputs(out)
}

// pruneDeduplicate keeps the keys and, where keys expire by it, the event time. A
// deduplication that nobody reads the event time of then drops no late rows, as in Spark.
func pruneDeduplicate(n *Deduplicate, required map[ID]bool) Node {
	c := *n
	below := clone(required)
	for _, k := range n.Keys {
		below[k.ID] = true
	}
	if n.WithinWatermark {
		for _, k := range n.Input.Output() {
			if k.Delay != nil {
				below[k.ID] = true
			}
		}
	}
	c.Input = prune(n.Input, below)
	return &c
}

// pruneJoin leaves out what only the condition reads, above the join.
func pruneJoin(n *Join, required map[ID]bool) Node {
	c := *n
	below := clone(required)
	need(below, n.Cond)
	c.Left, c.Right = prune(n.Left, clone(below)), prune(n.Right, below)
	out := c.Output()
	var wanted []Expr
	for _, a := range out {
		if required[a.ID] {
			wanted = append(wanted, a)
		}
	}
	if len(wanted) == len(out) {
		return &c
	}
	return &Project{Exprs: wanted, Input: &c}
}

func filterOf(n *Relation) Expr {
	if n.Filter == nil {
		return BoolLiteral(true)
	}
	return n.Filter
}

func pruneExpand(n *Expand, required map[ID]bool) Node {
	c := *n
	c.Attrs, c.Projections = nil, make([][]Expr, len(n.Projections))
	below := map[ID]bool{}
	for i, col := range n.Attrs {
		if !required[col.ID] {
			continue
		}
		c.Attrs = append(c.Attrs, col)
		for p := range n.Projections {
			c.Projections[p] = append(c.Projections[p], n.Projections[p][i])
			need(below, n.Projections[p][i])
		}
	}
	c.Input = prune(n.Input, below)
	return &c
}

// pruneUnion narrows all parts to the same columns.
func pruneUnion(n *Union, required map[ID]bool) Node {
	c := *n
	c.Attrs, c.Parts = nil, make([]Node, len(n.Parts))
	below := make([]map[ID]bool, len(n.Parts))
	wanted := make([][]Expr, len(n.Parts))
	for p := range n.Parts {
		below[p] = map[ID]bool{}
	}
	for i, col := range n.Attrs {
		if !required[col.ID] {
			continue
		}
		c.Attrs = append(c.Attrs, col)
		for p, part := range n.Parts {
			o := part.Output()[i]
			below[p][o.ID] = true
			wanted[p] = append(wanted[p], o)
		}
	}
	for p, part := range n.Parts {
		c.Parts[p] = prune(part, below[p])
		// A part may keep more columns, in another order, than the union wants.
		if out := c.Parts[p].Output(); !sameAttrs(out, wanted[p]) {
			c.Parts[p] = &Project{Exprs: wanted[p], Input: c.Parts[p]}
		}
	}
	return &c
}

func sameAttrs(cols []*Attr, exprs []Expr) bool {
	if len(cols) != len(exprs) {
		return false
	}
	for i, c := range cols {
		if exprs[i].(*Attr).ID != c.ID {
			return false
		}
	}
	return true
}

func need(set map[ID]bool, e Expr) {
	if e == nil {
		return
	}
	for _, r := range References(e) {
		set[r.ID] = true
	}
}

func clone(set map[ID]bool) map[ID]bool {
	out := make(map[ID]bool, len(set))
	for k := range set {
		out[k] = true
	}
	return out
}

func all(n Node) map[ID]bool {
	out := map[ID]bool{}
	for _, c := range n.Output() {
		out[c.ID] = true
	}
	return out
}

// keep are those of attrs that are still among the columns below.
func keep(attrs, below []*Attr) []*Attr {
	there := map[ID]bool{}
	for _, c := range below {
		there[c.ID] = true
	}
	var out []*Attr
	for _, c := range attrs {
		if there[c.ID] {
			out = append(out, c)
		}
	}
	return out
}
