package physical

import (
	"slices"

	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/agg/session"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
)

// sessionKey is the index of the session window among grouping keys, -1 if there is none.
func sessionKey(n *plan.Aggregate) int {
	return slices.IndexFunc(n.Keys, func(k *plan.Attr) bool { return k.Session && isTimeStruct(k.Typ) })
}

// session compiles a grouping by a session window into
//
//	project keys, session and arguments ─ partial ═ exchange by key ═ sessions ─ project output
//
// Rows are exchanged by the keys beside the session, so that all sessions of a key meet.
func (c *compiler) session(n *plan.Aggregate, at int) (*fragment, error) {
	partitions := c.cfg.Partitions
	switch {
	case len(n.Keys) == 1 && c.cfg.Batch:
		partitions = 1
	case len(n.Keys) == 1:
		return nil, condition.New("_LEGACY_ERROR_TEMP_3068").
			WithHint("group by a session window and a key")
	case c.cfg.Mode == "update":
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "session_window in output mode update")
	}
	last := *n
	last.Keys = append(slices.Delete(slices.Clone(n.Keys), at, at+1), n.Keys[at])
	var pre *preaggregate
	op, f, err := c.operator("sessionWindowStateStoreSaveExec", partitions, func() (*fragment, error) {
		input, defs := collapse(n.Input)
		f, err := c.node(input)
		if err != nil {
			return nil, err
		}
		pre, err = c.preaggregate(&last, defs)
		return f, err
	})
	if err != nil {
		return nil, err
	}
	if _, err := c.eventTime(n.Keys); err != nil {
		return nil, err
	}
	cfg, err := c.sessionConfig(pre)
	if err != nil {
		return nil, err
	}
	cfg.View = pre.sessionView(last.Keys, at)
	if cfg.Watermark {
		c.copyLate(f, pre.exprs[pre.cfg.EventTime])
		c.uses(n.Input, n.Keys...)
	}
	if err := c.addProject(f, pre.exprs, pre.attrs); err != nil {
		return nil, err
	}
	op.Grows = true
	op.Evicts, op.FollowsWatermark = cfg.Watermark && cfg.Mode == "append", cfg.Mode == "append"
	op.Spec = describeAggregate(n)
	partial := pre.cfg
	partial.EventTime, partial.WindowEnd = -1, false
	f.add("PartialAggregate", func() (exec.Operator, error) { return groupby.NewPartial(partial) })
	keys := make([]int, len(cfg.Keys))
	for i := range keys {
		keys[i] = i
	}
	f = c.exchange(f, keys, partitions)
	p := f.pipes[0]
	p.Ops = append(p.Ops, exec.OpSpec{Name: op.Name, ID: op.ID, New: func() (exec.Operator, error) { return session.NewFinal(cfg) }})
	moved := pre.keys[len(pre.keys)-1]
	pre.keys = slices.Insert(pre.keys[:len(pre.keys)-1:len(pre.keys)-1], at, moved)
	c.addOutput(f, n, pre)
	return f, nil
}

// sessionConfig is the operator's configuration; the session is the last key of pre.
func (c *compiler) sessionConfig(pre *preaggregate) (session.Config, error) {
	start := pre.keys[len(pre.keys)-1].first
	cfg := session.Config{Keys: pre.cfg.Keys[:start:start], Mode: c.cfg.Mode, Watermark: pre.cfg.EventTime == start+1}
	if pre.cfg.EventTime >= 0 && !cfg.Watermark {
		return cfg, condition.New("VSTREAM_UNSUPPORTED", "feature", "a session window beside another event time among the keys")
	}
	if c.cfg.Mode == "append" && !cfg.Watermark {
		return cfg, condition.New("UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK", "outputMode", "Append", "statefulOperator", "aggregations")
	}
	for _, a := range pre.cfg.Aggs {
		cfg.Impls = append(cfg.Impls, a.Bound())
	}
	return cfg, nil
}
