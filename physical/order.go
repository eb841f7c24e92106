package physical

import (
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
)

// sort brings all rows of a micro-batch together in one partition and orders them.
func (c *compiler) sort(n *plan.Sort) (*fragment, error) {
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	f = c.exchange(f, nil, 1)
	in := f.attrs
	f.add("Sort", func() (exec.Operator, error) {
		s := &exec.Sort{}
		for _, k := range n.Keys {
			e, err := plan.Compile(k.Expr, in)
			if err != nil {
				return nil, err
			}
			s.Keys = append(s.Keys, exec.SortKey{Expr: e, Desc: k.Desc, NullsLast: k.NullsLast})
		}
		return s, nil
	})
	return f, nil
}

// limit cuts a result that is computed whole in every batch. A limit over a stream
// counts over all batches and is an operator with state.
func (c *compiler) limit(n *plan.Limit) (*fragment, error) {
	if c.countsOver(n) {
		return c.streamLimit(n)
	}
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	if _, sorted := n.Input.(*plan.Sort); !sorted {
		f = c.exchange(f, nil, 1)
	}
	f.add("Limit", func() (exec.Operator, error) { return &exec.Limit{N: n.N, Offset: n.Offset}, nil })
	return f, nil
}

// describe names a node that cannot be compiled, in the user's words.
func describe(n plan.Node) string {
	switch n := n.(type) {
	case *plan.Join:
		return n.Kind + " JOIN"
	case *plan.Deduplicate:
		return "dropDuplicates"
	case *plan.SetOp:
		return n.Op
	case *plan.Values, *plan.OneRow:
		return "constant rows in a streaming query"
	case *plan.WindowFn:
		return "OVER"
	case *plan.Process:
		return "transformWithState"
	case *plan.Sample:
		return "TABLESAMPLE"
	}
	return "this query"
}
