package physical

import (
	"github.com/vstream/vstream/agg/over"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// windowFn compiles OVER functions, an operator for each window definition:
//
//	project keys and arguments ═ exchange by partition ═ sort ─ over
func (c *compiler) windowFn(n *plan.WindowFn) (*fragment, error) {
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	for rest := n.Calls; len(rest) > 0; {
		first := rest[0].Child.(*plan.WindowCall)
		var same, other []*plan.Alias
		for _, al := range rest {
			if definition(al.Child.(*plan.WindowCall)) == definition(first) {
				same = append(same, al)
			} else {
				other = append(other, al)
			}
		}
		if f, err = c.over(f, first, same); err != nil {
			return nil, err
		}
		rest = other
	}
	return f, nil
}

// definition identifies the partitions and the order of a window.
func definition(w *plan.WindowCall) string {
	out := ""
	for _, e := range w.PartitionBy {
		out += plan.Fingerprint(e) + ";"
	}
	for _, k := range w.OrderBy {
		out += "|" + k.SQL() + plan.Fingerprint(k.Expr)
	}
	return out
}

// over adds one operator to a fragment.
func (c *compiler) over(f *fragment, w *plan.WindowCall, calls []*plan.Alias) (*fragment, error) {
	l := newJoinSide(f.attrs)
	cfg := over.Config{Keep: len(f.attrs)}
	for _, e := range w.PartitionBy {
		cfg.Partition = append(cfg.Partition, l.column(e))
	}
	for _, k := range w.OrderBy {
		cfg.Order = append(cfg.Order, over.Key{Column: l.column(k.Expr), Desc: k.Desc, NullsLast: k.NullsLast})
	}
	attrs := f.attrs[:len(f.attrs):len(f.attrs)]
	for _, al := range calls {
		call, err := c.overCall(l, al.Child.(*plan.WindowCall))
		if err != nil {
			return nil, err
		}
		cfg.Calls = append(cfg.Calls, call)
		attrs = append(attrs, al.Attr)
	}
	if err := l.project(c, f); err != nil {
		return nil, err
	}
	cfg.Schema, cfg.Output = l.side.Schema, schemaOf(attrs)
	f = c.exchange(f, nil, 1)
	f.add("Sort", func() (exec.Operator, error) { return sortBy(cfg), nil })
	f.add("Window", func() (exec.Operator, error) { return over.New(cfg) })
	f.attrs = attrs
	return f, nil
}

func sortBy(cfg over.Config) exec.Operator {
	s := &exec.Sort{}
	key := func(column int, desc, nullsLast bool) {
		s.Keys = append(s.Keys, exec.SortKey{Expr: &kernels.Column{Index: column, Typ: cfg.Schema.Fields[column].Type}, Desc: desc, NullsLast: nullsLast})
	}
	for _, p := range cfg.Partition {
		key(p, false, false)
	}
	for _, k := range cfg.Order {
		key(k.Column, k.Desc, k.NullsLast)
	}
	return s
}

func (c *compiler) overCall(l *joinSide, w *plan.WindowCall) (over.Call, error) {
	out := over.Call{Filter: -1}
	var err error
	if out.Frame, err = c.overFrame(l, w); err != nil {
		return out, err
	}
	if g, ok := w.Fn.(*plan.AggCall); ok {
		out.Impl = g.Impl
		for _, x := range g.Args {
			out.Args = append(out.Args, l.column(x))
		}
		if g.Filter != nil {
			out.Filter = l.column(g.Filter)
		}
		return out, nil
	}
	call := w.Fn.(*plan.Call)
	out.Name, out.IgnoreNulls = call.Name, w.IgnoreNulls
	switch call.Name {
	case "ntile":
		out.N, err = c.constantInt(call.Args[0])
		if err == nil && out.N <= 0 {
			err = condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", `"`+call.SQL()+`"`, "exprName", "`buckets`",
				"valueRange", "(0, 2147483647]", "currentValue", call.Args[0].SQL())
		}
	case "lag", "lead":
		out.Args = []int{l.column(call.Args[0]), l.column(call.Args[2])}
		if out.N, err = c.constantInt(call.Args[1]); call.Name == "lag" {
			out.N = -out.N
		}
	case "nth_value":
		out.Args = []int{l.column(call.Args[0])}
		out.N, err = c.constantInt(call.Args[1])
		if err == nil && out.N <= 0 {
			err = condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", `"`+call.SQL()+`"`, "exprName", "`offset`",
				"valueRange", "(0, 9223372036854775807]", "currentValue", call.Args[1].SQL())
		}
	}
	return out, err
}

// overFrame is the frame of a call: without one written, up to the row's peers if there is
// an order, else the whole partition.
func (c *compiler) overFrame(l *joinSide, w *plan.WindowCall) (over.Frame, error) {
	f := w.Frame
	switch {
	case f == nil && len(w.OrderBy) > 0:
		return over.Frame{Hi: over.Bound{Kind: over.Peers}}, nil
	case f == nil:
		return over.Frame{}, nil
	}
	lo, err := c.overBound(l, f.Rows, f.Lo)
	if err != nil {
		return over.Frame{}, err
	}
	hi, err := c.overBound(l, f.Rows, f.Hi)
	return over.Frame{Lo: lo, Hi: hi}, err
}

func (c *compiler) overBound(l *joinSide, rows bool, b plan.FrameBound) (over.Bound, error) {
	switch {
	case b.N == nil && b.Kind != "CURRENT ROW":
		return over.Bound{}, nil
	case b.N == nil && rows:
		return over.Bound{Kind: over.ByRows}, nil
	case b.N == nil:
		return over.Bound{Kind: over.Peers}, nil
	case !rows:
		return over.Bound{Kind: over.ByValue, Column: l.column(b.Value)}, nil
	}
	n, err := c.constantInt(b.N)
	if b.Kind == "PRECEDING" {
		n = -n
	}
	return over.Bound{Kind: over.ByRows, Offset: n}, err
}

// constantInt is the value of a constant INT or BIGINT; null is 0.
func (c *compiler) constantInt(e plan.Expr) (int64, error) {
	x, err := plan.Compile(e, nil)
	if err != nil {
		return 0, err
	}
	v, err := kernels.Fold(&kernels.Ctx{ANSI: c.cfg.Conf.ANSI, Zone: c.cfg.Conf.Zone, Conf: c.cfg.Conf.Conf}, x)
	if err != nil || v.IsNull(0) {
		return 0, err
	}
	if n, ok := kernels.ValueAt(e.Type(), v.Arr, 0).(int64); ok && e.Type().Width() >= vector.Int.Width() {
		return n, nil
	}
	return 0, condition.New("VSTREAM_UNSUPPORTED", "feature", "a window's offset of type "+e.Type().String())
}
