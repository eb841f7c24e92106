package physical

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// aggregate compiles a grouping into
//
//	project keys and arguments ─ partial ═ exchange by key ═ final ─ project output
//
// with the windows behind partial if they slide and need not be before it.
// The operator's keys are flat columns: a window becomes its start and end, a
// nested key its canonical encoding.
func (c *compiler) aggregate(n *plan.Aggregate) (*fragment, error) {
	if at := sessionKey(n); at >= 0 {
		return c.session(n, at)
	}
	partitions := c.cfg.Partitions
	if len(n.Keys) == 0 {
		partitions = 1
	}
	var pre *preaggregate
	var sliding *panes
	op, f, err := c.operator("stateStoreSave", partitions, func() (*fragment, error) {
		input, defs := collapse(n.Input)
		if !c.cfg.Late { // its sink gets a late row once for each of its windows
			sliding = panesOf(n, input, defs)
		}
		if sliding != nil {
			input, defs = sliding.expand.Input, sliding.defs
		}
		f, err := c.node(input)
		if err != nil {
			return nil, err
		}
		pre, err = c.preaggregate(n, defs)
		return f, err
	})
	if err != nil {
		return nil, err
	}
	if at := pre.cfg.EventTime; at >= 0 && c.cfg.Mode != "complete" {
		c.copyLate(f, pre.exprs[at])
		c.uses(n.Input, n.Keys...)
	}
	if err := c.addProject(f, pre.exprs, pre.attrs); err != nil {
		return nil, err
	}
	cfg := pre.cfg
	cfg.View = pre.groupView(n.Keys)
	if c.cfg.Mode != "complete" {
		if _, err := c.eventTime(n.Keys); err != nil {
			return nil, err
		}
	}
	if c.cfg.Mode == "append" && cfg.EventTime < 0 {
		return nil, condition.New("UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK", "outputMode", "Append", "statefulOperator", "aggregations")
	}
	op.Grows = len(n.Keys) > 0
	op.Evicts, op.FollowsWatermark = cfg.EventTime >= 0 && c.cfg.Mode != "complete", c.cfg.Mode != "complete"
	op.Spec = describeAggregate(n)
	f.add("PartialAggregate", func() (exec.Operator, error) { return groupby.NewPartial(cfg) })
	if sliding != nil {
		sliding.add(f, pre.keys)
	}
	keys := make([]int, len(cfg.Keys))
	for i := range keys {
		keys[i] = i
	}
	f = c.exchange(f, keys, partitions)
	p := f.pipes[0]
	p.Ops = append(p.Ops, exec.OpSpec{Name: op.Name, ID: op.ID, New: func() (exec.Operator, error) { return groupby.NewFinal(cfg) }})
	c.addOutput(f, n, pre)
	return f, nil
}

// preaggregate is what the operators of a grouping take: a projection of keys,
// arguments and filter columns, and the configuration over it.
type preaggregate struct {
	cfg   groupby.Config
	exprs []plan.Expr
	attrs []*plan.Attr
	keys  []keyLayout // of each key of the plan
}

// keyLayout tells how a key of the plan lies in the operator's key columns.
type keyLayout struct {
	first  int  // index of its first flat column
	window bool // two columns: start and end
	nested bool // one column: the canonical encoding
	typ    *vector.Type
}

func (c *compiler) preaggregate(n *plan.Aggregate, defs map[plan.ID]plan.Expr) (*preaggregate, error) {
	p := &preaggregate{cfg: groupby.Config{Mode: c.cfg.Mode, EventTime: -1, Conf: c.cfg.Conf}}
	for _, k := range n.Keys {
		e := plan.Substitute(k, defs)
		l := keyLayout{first: len(p.exprs), typ: k.Typ}
		switch {
		case windowKey(k):
			l.window = true
			p.add(field(e, 0))
			p.add(field(e, 1))
			if k.Delay != nil && p.cfg.EventTime < 0 {
				p.cfg.EventTime, p.cfg.WindowEnd = l.first+1, true
			}
		case !k.Typ.Atomic():
			l.nested = true
			p.add(&encoded{child: e})
		default:
			p.add(e)
			if k.Delay != nil && p.cfg.EventTime < 0 && k.Typ.Kind == vector.KindTimestamp {
				p.cfg.EventTime = l.first
			}
		}
		p.keys = append(p.keys, l)
	}
	for _, e := range p.exprs {
		p.cfg.Keys = append(p.cfg.Keys, e.Type())
	}
	args := map[string]int{}
	for _, a := range n.Aggs {
		call := a.Child.(*plan.AggCall)
		g := groupby.Agg{Impl: call.Impl, Distinct: call.Distinct, Filter: -1}
		for _, x := range call.Args {
			g.Args = append(g.Args, p.argument(plan.Substitute(x, defs), args))
		}
		if call.Filter != nil {
			g.Filter = p.argument(plan.Substitute(call.Filter, defs), args)
		}
		p.cfg.Aggs = append(p.cfg.Aggs, g)
	}
	return p, nil
}

func (p *preaggregate) add(e plan.Expr) {
	p.exprs = append(p.exprs, e)
	p.attrs = append(p.attrs, &plan.Attr{ID: plan.NewID(), Name: fmt.Sprintf("c%d", len(p.attrs)), Typ: e.Type(), Null: e.Nullable()})
}

// argument finds or adds an argument column; equal expressions share one.
func (p *preaggregate) argument(e plan.Expr, seen map[string]int) int {
	key := plan.Fingerprint(e)
	if i, ok := seen[key]; ok {
		return i
	}
	p.add(e)
	seen[key] = len(p.exprs) - 1
	return len(p.exprs) - 1
}

// addOutput turns the operator's flat keys and results into the plan's output columns.
func (c *compiler) addOutput(f *fragment, n *plan.Aggregate, pre *preaggregate) {
	out := n.Output()
	schema := schemaOf(out)
	f.add("Project", func() (exec.Operator, error) {
		return &assemble{schema: schema, keys: pre.keys, flat: len(pre.cfg.Keys)}, nil
	})
	f.attrs = out
}

func describeAggregate(n *plan.Aggregate) map[string]string {
	spec := map[string]string{}
	var keys, aggs []string
	for _, k := range n.Keys {
		if k.Window {
			keys = append(keys, "window "+k.WindowText)
		} else {
			keys = append(keys, origin(n.Input, k)+" "+k.Typ.String())
		}
	}
	for _, a := range n.Aggs {
		call := a.Child.(*plan.AggCall)
		var types []string
		for _, x := range call.Args {
			types = append(types, x.Type().String())
		}
		name := call.Fn.Name
		if call.Distinct {
			name += " distinct"
		}
		aggs = append(aggs, name+"("+strings.Join(types, ",")+")")
	}
	spec["keys"] = strings.Join(keys, ", ")
	spec["aggregates"] = strings.Join(aggs, ", ")
	return spec
}

// origin is a key in terms of the columns that the nodes below read: names given on
// the way up do not matter.
func origin(n plan.Node, e plan.Expr) string {
	for {
		switch x := n.(type) {
		case *plan.Project:
			if defs, ok := plan.Definitions(x); ok {
				e = plan.Substitute(e, defs)
			}
			n = x.Input
		case *plan.Filter:
			n = x.Input
		case *plan.Watermark:
			n = x.Input
		default:
			return e.SQL()
		}
	}
}
