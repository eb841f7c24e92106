package plan

// combineLimits makes one limit of two with nothing but projections between them, as
// Spark's CombineLimits does: on a stream that is one counter in the state.
func combineLimits(n Node) Node {
	top, ok := n.(*Limit)
	if !ok || top.N < 0 || top.Offset > 0 {
		return n
	}
	below, ok := limitBelow(top.Input)
	if !ok || below.N < 0 || below.Offset > 0 {
		return n
	}
	return withLimit(top.Input, min(top.N, below.N))
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
