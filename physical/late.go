package physical

import (
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
)

// needTime appends the operator that drops rows for which a window has no time.
func (c *compiler) needTime(f *fragment, t plan.Expr) {
	in := f.attrs
	c.loses = true
	f.add("NeedTime", func() (exec.Operator, error) {
		e, err := plan.Compile(t, in)
		return &exec.NeedTime{Time: e}, err
	})
}

// copyLate appends, if the query has a late sink, the operator that copies to it the rows
// whose time the stateful operator above will find late. It comes before projections and
// partial aggregates that belong to that operator, so that the rows are still those of the plan.
func (c *compiler) copyLate(f *fragment, time plan.Expr) {
	if !c.cfg.Late {
		return
	}
	in := f.attrs
	c.loses = true
	f.add("CopyLate", func() (exec.Operator, error) {
		e, err := plan.Compile(time, in)
		return &exec.CopyLate{Time: e}, err
	})
}
