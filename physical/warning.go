package physical

import (
	"slices"

	"github.com/vstream/vstream/plan"
)

// Warning is something that a query may do but hardly means to. Spark says nothing of these.
type Warning struct {
	Message string
	Subject string // what it is about: an operator, a column
	Hint    string // what to do
}

// String is the warning on one line.
func (w Warning) String() string { return w.Subject + ": " + w.Message + "; " + w.Hint }

// warnings are those of a compiled plan.
func (c *compiler) warnings(root plan.Node) []Warning {
	if c.cfg.Batch {
		return nil
	}
	var out []Warning
	for _, op := range c.plan.Operators {
		if !op.Evicts && op.Grows {
			out = append(out, Warning{"the state of an operator never shrinks: it grows with every new key", op.Name,
				"put a watermark on an event-time column, and group by, join within a range of, or deduplicate by that time"})
		}
	}
	used := map[int]bool{}
	for _, t := range c.timed {
		watermarksOf(t.input, t.column, used)
	}
	walk(root, func(n plan.Node) {
		if w, ok := n.(*plan.Watermark); ok && !used[w.Delay.Node] {
			used[w.Delay.Node] = true // one warning
			out = append(out, Warning{"no stateful operator uses the watermark of a column: it drops and closes nothing by it", "column " + w.Column.Name,
				"group by, join within a range of, or deduplicate by that time, or leave the watermark out: with several watermarks it may hold the others back"})
		}
	})
	if c.cfg.Late && !c.loses {
		out = append(out, Warning{"nothing in the query drops rows", "late sink", "put a watermark on an event-time column that an aggregation, join or deduplication uses, or leave the sink out"})
	}
	return out
}

// timeUse says that a stateful operator drops or closes rows of its input by a column.
type timeUse struct {
	input  plan.Node
	column plan.ID
}

// uses notes those of columns that have a watermark.
func (c *compiler) uses(input plan.Node, columns ...*plan.Attr) {
	for _, a := range columns {
		if a.Delay != nil {
			c.timed = append(c.timed, timeUse{input, a.ID})
		}
	}
}

// watermarksOf finds the watermarks from which a column of n has its event time.
func watermarksOf(n plan.Node, column plan.ID, found map[int]bool) {
	at := slices.IndexFunc(n.Output(), func(a *plan.Attr) bool { return a.ID == column })
	if at < 0 {
		return
	}
	from := func(in plan.Node, e plan.Expr) {
		for _, r := range plan.References(e) {
			watermarksOf(in, r.ID, found)
		}
	}
	switch n := n.(type) {
	case *plan.Watermark:
		if n.Column.ID == column {
			found[n.Delay.Node] = true
		}
		watermarksOf(n.Input, column, found)
	case *plan.Project:
		from(n.Input, n.Exprs[at])
	case *plan.Expand:
		for _, p := range n.Projections {
			from(n.Input, p[at])
		}
	case *plan.Union:
		for _, p := range n.Parts {
			watermarksOf(p, p.Output()[at].ID, found)
		}
	default:
		for _, in := range n.Inputs() {
			watermarksOf(in, column, found)
		}
	}
}

func walk(n plan.Node, f func(plan.Node)) {
	f(n)
	for _, in := range n.Inputs() {
		walk(in, f)
	}
}
