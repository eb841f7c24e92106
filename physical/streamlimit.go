package physical

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
)

// countsOver tells whether a limit counts over all micro-batches: its input is a stream
// of appended rows, and not a result that is computed whole in every batch.
func (c *compiler) countsOver(n *plan.Limit) bool {
	return n.Streaming() && (c.cfg.Mode != "complete" || !aggregated(n.Input))
}

func aggregated(n plan.Node) bool {
	if a, ok := n.(*plan.Aggregate); ok && a.Streaming() {
		return true
	}
	for _, k := range n.Inputs() {
		if aggregated(k) {
			return true
		}
	}
	return false
}

// streamLimit compiles a limit that counts over all micro-batches into
//
//	limit of each task ═ one partition ═ limit with its count in the state
//
// The first limit only saves rows the way: no task can have more rows in the result.
func (c *compiler) streamLimit(n *plan.Limit) (*fragment, error) {
	if n.Offset > 0 {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "OFFSET on a stream")
	}
	op, f, err := c.operator("globalLimit", 1, func() (*fragment, error) { return c.node(n.Input) })
	if err != nil {
		return nil, err
	}
	f.add("LocalLimit", func() (exec.Operator, error) { return &exec.Limit{N: n.N}, nil })
	f = c.exchange(f, nil, 1)
	p := f.pipes[0]
	p.Ops = append(p.Ops, exec.OpSpec{Name: op.Name, ID: op.ID, New: func() (exec.Operator, error) { return &exec.StreamLimit{N: n.N}, nil }})
	return f, nil
}
