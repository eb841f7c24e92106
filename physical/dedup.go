package physical

import (
	"fmt"
	"slices"
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
	x := &dedupInput{attrs: f.attrs, exprs: asExprs(f.attrs), added: map[string]int{}}
	cfg := dedup.Config{Output: schemaOf(f.attrs), EventTime: -1, KeyTime: -1, Within: n.WithinWatermark}
	time, err := c.eventTime(f.attrs)
	if err != nil {
		return nil, err
	}
	if n.WithinWatermark && time == nil {
		return nil, condition.New("_LEGACY_ERROR_TEMP_3102", "msg", "dropDuplicatesWithinWatermark is not supported without a watermark on the stream; it is not for static tables")
	}
	if time != nil {
		cfg.EventTime = x.time(time)
		cfg.Delay = time.Delay.Ms * 1000
	}
	for _, k := range n.Keys {
		cfg.Keys = append(cfg.Keys, x.key(k)...)
		if last := len(cfg.Keys) - 1; !n.WithinWatermark && time != nil && k.ID == time.ID && cfg.Keys[last].Type.Kind == vector.KindTimestamp {
			cfg.KeyTime = last
		}
	}
	cfg.View = dedupView(n.Keys, n.WithinWatermark)
	output := f.attrs
	if time != nil {
		c.copyLate(f, x.exprs[cfg.EventTime])
		c.uses(n.Input, time)
	}
	if len(x.attrs) > len(f.attrs) {
		if err := c.addProject(f, x.exprs, x.attrs); err != nil {
			return nil, err
		}
	}
	op.FollowsWatermark = watermarked(n.Input)
	op.Grows = true
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
	added map[string]int // by name of the plan's column and the part of it
}

// column is the index of a column of the plan.
func (x *dedupInput) column(a *plan.Attr) int {
	return slices.IndexFunc(x.attrs, func(b *plan.Attr) bool { return a.ID == b.ID })
}

// part is the index of a column made of one of the plan; one that is there already is used again.
func (x *dedupInput) part(a *plan.Attr, name string, e plan.Expr) int {
	key := fmt.Sprint(a.ID, name)
	if i, ok := x.added[key]; ok {
		return i
	}
	i := len(x.exprs)
	x.added[key] = i
	x.exprs = append(x.exprs, e)
	x.attrs = append(x.attrs[:i:i], &plan.Attr{ID: plan.NewID(), Name: a.Name + name, Typ: e.Type(), Null: e.Nullable()})
	return i
}

// bound is the index of the start (0) or end (1) of a window.
func (x *dedupInput) bound(a *plan.Attr, i int) dedup.Key {
	e, name := &structField{child: a, i: i}, [...]string{".start", ".end"}[i]
	return dedup.Key{Column: x.part(a, name, e), Name: a.Name + name, Type: e.Type()}
}

// time is the index of an event time: of a window it is the end.
func (x *dedupInput) time(a *plan.Attr) int {
	if isTimeStruct(a.Typ) {
		return x.bound(a, 1).Column
	}
	return x.column(a)
}

// key are the flat columns of a key.
func (x *dedupInput) key(a *plan.Attr) []dedup.Key {
	switch {
	case windowKey(a):
		return []dedup.Key{x.bound(a, 0), x.bound(a, 1)}
	case !a.Typ.Atomic():
		return []dedup.Key{{Column: x.part(a, ".encoded", &encoded{child: a}), Name: a.Name, Type: vector.Binary, Declared: a.Typ}}
	}
	return []dedup.Key{{Column: x.column(a), Name: a.Name, Type: a.Typ}}
}

// eventTime is the event-time column among columns, nil if there is none, as in a static
// query. Several are an error, as in Spark: it is not clear which one the watermark means. Only where a query may
// not have several stateful operators the first one counts.
func (c *compiler) eventTime(attrs []*plan.Attr) (*plan.Attr, error) {
	if c.cfg.Batch {
		return nil, nil
	}
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
	if len(names) > 1 && !strings.EqualFold(c.cfg.Conf.Conf["spark.sql.streaming.statefulOperator.allowMultiple"], "false") {
		return nil, condition.New("MULTIPLE_EVENT_TIME_COLUMNS", "eventTimeCols", "("+strings.Join(names, ",")+")").
			WithHint("keep one column with a watermark and leave out the others")
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
		keys = append(keys, origin(n.Input, k)+" "+k.Typ.String())
	}
	return map[string]string{"keys": strings.Join(keys, ", ")}
}
