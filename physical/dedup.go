package physical

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/dedup"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// deduplicate compiles dropDuplicates into
//
//	project all columns and what the keys need ═ exchange by key ═ dedup
func (c *compiler) deduplicate(n *plan.Deduplicate) (*fragment, error) {
	name := "dedupe"
	if n.WithinWatermark {
		name = "dedupeWithinWatermark"
	}
	op, f, err := c.operator(name, c.cfg.Partitions, func() (*fragment, error) { return c.node(n.Input) })
	if err != nil {
		return nil, err
	}
	x := &dedupInput{attrs: f.attrs, exprs: make([]plan.Expr, len(f.attrs))}
	for i, a := range f.attrs {
		x.exprs[i] = a
	}
	cfg := dedup.Config{Output: schemaOf(f.attrs), EventTime: -1, KeyTime: -1, Within: n.WithinWatermark}
	time, err := eventTime(f.attrs)
	if err != nil {
		return nil, err
	}
	if time != nil {
		cfg.EventTime = x.time(time)
		cfg.Delay = time.Delay.Ms * 1000
	}
	for _, k := range n.Keys {
		if !n.WithinWatermark && k.Delay != nil && time != nil && k.ID == time.ID {
			cfg.KeyTime = len(cfg.Keys)
			if k.Typ.Kind == vector.KindStruct {
				cfg.KeyTime++
			}
		}
		cfg.Keys = append(cfg.Keys, x.key(k)...)
	}
	output := f.attrs
	if len(x.attrs) > len(f.attrs) {
		if err := c.addProject(f, x.exprs, x.attrs); err != nil {
			return nil, err
		}
	}
	op.FollowsWatermark = watermarked(n.Input)
	op.Evicts = op.FollowsWatermark && (cfg.KeyTime >= 0 || cfg.Within)
	op.Spec = describeDedup(n)
	keys := make([]int, len(cfg.Keys))
	for i, k := range cfg.Keys {
		keys[i] = k.Column
	}
	f = c.exchange(f, keys, c.cfg.Partitions)
	p := f.pipes[0]
	p.Ops = append(p.Ops, exec.OpSpec{Name: op.Name, ID: op.ID, New: func() (exec.Operator, error) { return dedup.New(cfg) }})
	f.attrs = output
	return f, nil
}

// dedupInput are the columns of the operator's input: those of the plan, then what
// keys and event time need besides.
type dedupInput struct {
	exprs []plan.Expr
	attrs []*plan.Attr
}

// add appends a column and returns its index; a column that is there already is used again.
func (x *dedupInput) add(name string, e plan.Expr) int {
	f := plan.Fingerprint(e)
	for i, old := range x.exprs {
		if plan.Fingerprint(old) == f {
			return i
		}
	}
	x.exprs = append(x.exprs, e)
	x.attrs = append(x.attrs[:len(x.attrs):len(x.attrs)], &plan.Attr{ID: plan.NewID(), Name: name, Typ: e.Type(), Null: e.Nullable()})
	return len(x.exprs) - 1
}

// time is the index of an event time: of a window it is the end.
func (x *dedupInput) time(a *plan.Attr) int {
	if isTimeStruct(a.Typ) {
		return x.add(a.Name+".end", &structField{child: a, i: 1})
	}
	return x.add(a.Name, a)
}

// key are the flat columns of a key.
func (x *dedupInput) key(a *plan.Attr) []dedup.Key {
	switch {
	case a.Window && isTimeStruct(a.Typ):
		var out []dedup.Key
		for i, part := range []string{".start", ".end"} {
			e := &structField{child: a, i: i}
			out = append(out, dedup.Key{Column: x.add(a.Name+part, e), Name: a.Name + part, Type: e.Type()})
		}
		return out
	case !a.Typ.Atomic():
		return []dedup.Key{{Column: x.add(a.Name, &encoded{child: a}), Name: a.Name, Type: vector.Binary, Declared: a.Typ}}
	}
	return []dedup.Key{{Column: x.add(a.Name, a), Name: a.Name, Type: a.Typ}}
}

// eventTime is the event-time column among columns, nil if there is none. Several are
// an error, as in Spark: it is not clear which one the watermark means.
func eventTime(attrs []*plan.Attr) (*plan.Attr, error) {
	var found *plan.Attr
	var names []string
	for _, a := range attrs {
		if a.Delay == nil || found != nil && a.ID == found.ID {
			continue
		}
		if found == nil {
			found = a
		}
		names = append(names, a.Name)
	}
	if len(names) > 1 {
		return nil, condition.New("MULTIPLE_EVENT_TIME_COLUMNS", "eventTimeCols", "("+strings.Join(names, ",")+")")
	}
	return found, nil
}

// watermarked tells whether the rows of a node have a watermark.
func watermarked(n plan.Node) bool {
	if _, ok := n.(*plan.Watermark); ok {
		return true
	}
	for _, k := range n.Inputs() {
		if watermarked(k) {
			return true
		}
	}
	return false
}

func describeDedup(n *plan.Deduplicate) map[string]string {
	var keys []string
	for _, k := range n.Keys {
		keys = append(keys, k.Name+" "+k.Typ.String())
	}
	return map[string]string{"keys": strings.Join(keys, ", ")}
}
