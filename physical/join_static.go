package physical

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/plan"
)

// staticJoin compiles a join of a stream with a table, or of two tables: the table becomes
// a plan of its own that runs before the micro-batch and fills a hash table; the stream is
// joined where it is.
func (c *compiler) staticJoin(n *plan.Join, want []*plan.Attr) (*fragment, error) {
	kind, stream, table, probe := joinKinds[n.Kind], n.Left, n.Right, join.Left
	if n.Right.Streaming() || kind == join.RightOuter {
		stream, table, probe = n.Right, n.Left, join.Right
		switch kind {
		case join.RightOuter:
			kind = join.LeftOuter
		case join.Inner:
		default:
			return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", n.Kind+" JOIN of a table with a stream")
		}
	}
	if kind == join.FullOuter {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "FULL OUTER JOIN with a table")
	}
	keys := plan.EquiKeys(n)
	notIn := plan.NotInKeys(n)
	if notIn != nil {
		keys = *notIn
	}
	build := &compiler{cfg: Config{Mode: "complete", Partitions: 1, Conf: c.cfg.Conf, Batch: true}, plan: &Plan{Graph: &exec.Graph{}}}
	tf, err := build.node(table)
	if err != nil {
		return nil, err
	}
	f, err := c.node(stream)
	if err != nil {
		return nil, err
	}
	var sides [2]*joinSide // left is the stream
	sides[join.Left], sides[join.Right] = newJoinSide(f.attrs), newJoinSide(tf.attrs)
	sides[join.Left].keys(keys, probe, false)
	sides[join.Right].keys(keys, 1-probe, false)
	if err := sides[join.Right].project(build, tf); err != nil {
		return nil, err
	}
	build.finish(tf, nil)
	build.plan.Output = sides[join.Right].side.Schema
	build.plan.Graph.Scans = len(build.plan.Scans)
	b := join.NewBuild(build.plan.Output, sides[join.Right].side.Keys)
	c.plan.Statics = append(c.plan.Statics, &Static{Plan: build.plan, Table: b, Varies: varies(table)})
	if err := sides[join.Left].project(c, f); err != nil {
		return nil, err
	}
	cfg := &join.StaticConfig{Kind: kind, Build: b, Keys: sides[join.Left].side.Keys, NullAware: notIn != nil, Output: joinColumns(want, sides), Schema: schemaOf(want)}
	cfg.Residual, cfg.Reads, cfg.ReadSchema = residual(keys.Other, sides)
	newOp := func() (exec.Operator, error) { return join.NewStatic(*cfg) }
	if _, err := newOp(); err != nil {
		return nil, err
	}
	for _, p := range f.pipes {
		if p.Scan >= 0 {
			s := c.plan.Scans[p.Scan]
			s.Tables = append(s.Tables, cfg)
		}
	}
	f.add("StaticJoin", newOp)
	f.attrs = want
	return f, nil
}

// timeFunctions differ from one micro-batch to the next.
var timeFunctions = map[string]bool{
	"current_timestamp": true, "now": true, "current_date": true, "curdate": true, "localtimestamp": true, "current_time": true, "unix_timestamp": true,
}

// varies tells whether a table's rows depend on more than what is read.
func varies(n plan.Node) bool {
	found := false
	check := func(e plan.Expr) {
		found = found || plan.Contains(e, func(x plan.Expr) bool {
			call, ok := x.(*plan.Call)
			return ok && (call.Impl.Volatile || timeFunctions[call.Fn.Name])
		})
	}
	switch n := n.(type) {
	case *plan.Project:
		for _, e := range n.Exprs {
			check(e)
		}
	case *plan.Filter:
		check(n.Cond)
	case *plan.Relation:
		if n.Filter != nil {
			check(n.Filter)
		}
	case *plan.Values:
		for _, r := range n.Rows {
			for _, e := range r {
				check(e)
			}
		}
	case *plan.Join:
		if n.Cond != nil {
			check(n.Cond)
		}
	case *plan.Aggregate:
		for _, a := range n.Aggs {
			check(a)
		}
	}
	for _, k := range n.Inputs() {
		found = found || varies(k)
	}
	return found
}
