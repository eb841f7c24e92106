package physical

import (
	"maps"
	"slices"

	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// panes is a grouping by sliding windows whose rows are aggregated once, by the latest
// of the windows that hold them, and whose partial groups only are repeated for the others.
type panes struct {
	expand *plan.Expand
	// defs are the grouping's columns in terms of those below expand; the window is the
	// latest.
	defs map[plan.ID]plan.Expr
	key  int // of the window
}

// anyOrder are the aggregates whose states over integers and the like add up to the same
// in any order.
var anyOrder = []string{"count", "sum", "min", "max", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or"}

// panesOf tells whether a grouping over input, whose columns defs defines, can be one
// by panes; nil if it cannot.
func panesOf(n *plan.Aggregate, input plan.Node, defs map[plan.ID]plan.Expr) *panes {
	x, ok := input.(*plan.Expand)
	if !ok || x.Slide == 0 {
		return nil
	}
	at := slices.IndexFunc(x.Attrs, func(a *plan.Attr) bool { return a.ID == x.Window })
	if at < 0 {
		return nil
	}
	ofWindow := func(e plan.Expr) bool {
		return slices.ContainsFunc(plan.References(plan.Substitute(e, defs)), func(a *plan.Attr) bool { return a.ID == x.Window })
	}
	p := &panes{expand: x, key: -1}
	for i, k := range n.Keys {
		if !ofWindow(k) {
			continue
		}
		if a, ok := plan.Substitute(k, defs).(*plan.Attr); !ok || a.ID != x.Window || p.key >= 0 {
			return nil
		}
		p.key = i
	}
	if p.key < 0 {
		return nil
	}
	for _, a := range n.Aggs {
		if call := a.Child.(*plan.AggCall); !sumsUp(call) || slices.ContainsFunc(call.Children(), ofWindow) {
			return nil
		}
	}
	latest := map[plan.ID]plan.Expr{x.Window: x.Projections[0][at]}
	p.defs = maps.Clone(latest)
	for id, e := range defs {
		p.defs[id] = plan.Substitute(e, latest)
	}
	return p
}

// sumsUp tells whether the states of an aggregate may be merged in any order.
func sumsUp(a *plan.AggCall) bool {
	if a.Distinct || !slices.Contains(anyOrder, a.Fn.Name) {
		return false
	}
	for _, f := range a.Impl.State {
		if f.Type.Kind == vector.KindFloat || f.Type.Kind == vector.KindDouble {
			return false
		}
	}
	return true
}

// add appends the operator that repeats the partial groups.
func (p *panes) add(f *fragment, keys []keyLayout) {
	start, windows, slide := keys[p.key].first, len(p.expand.Projections), p.expand.Slide
	f.add("SlidingWindows", func() (exec.Operator, error) {
		return &groupby.Windows{Start: start, Windows: windows, Slide: slide}, nil
	})
}
