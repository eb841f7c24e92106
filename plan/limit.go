package plan

import "slices"

// combineLimits makes one limit of two with nothing but projections between them, as
// Spark's CombineLimits does: on a stream that is one counter in the state. LIMIT 0 becomes a
// filter, for which nothing is read (OptimizeLimitZero).
func combineLimits(n Node) Node {
	top, ok := n.(*Limit)
	if !ok || top.N < 0 || top.Offset > 0 {
		return n
	}
	if top.N == 0 && rowByRow(top.Input) {
		return &Filter{Cond: BoolLiteral(false), Input: top.Input}
	}
	below, ok := limitBelow(top.Input)
	if !ok || below.N < 0 || below.Offset > 0 {
		return n
	}
	return withLimit(top.Input, min(top.N, below.N))
}

// rowByRow tells whether nothing in a plan remembers rows.
func rowByRow(n Node) bool {
	switch n.(type) {
	case *Relation, *Project, *Filter, *Watermark, *Union, *Expand, *Generate, *Repartition:
		return !slices.ContainsFunc(n.Inputs(), func(k Node) bool { return !rowByRow(k) })
	}
	return false
}

// limitBelow is the limit under projections.
func limitBelow(n Node) (*Limit, bool) {
	for {
		switch x := n.(type) {
		case *Project:
			n = x.Input
		case *Limit:
			return x, true
		default:
			return nil, false
		}
	}
}

// withLimit changes the number of rows of the limit under projections.
func withLimit(n Node, rows int64) Node {
	switch x := n.(type) {
	case *Project:
		c := *x
		c.Input = withLimit(x.Input, rows)
		return &c
	case *Limit:
		c := *x
		c.N = rows
		return &c
	}
	return n
}
