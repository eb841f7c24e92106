package physical

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

var joinKinds = map[string]join.Kind{
	"INNER": join.Inner, "CROSS": join.Inner, "LEFT OUTER": join.LeftOuter, "RIGHT OUTER": join.RightOuter,
	"FULL OUTER": join.FullOuter, "LEFT SEMI": join.LeftSemi, "LEFT ANTI": join.LeftAnti,
}

// join compiles a join; want are the columns of its output that are needed.
func (c *compiler) join(n *plan.Join, want []*plan.Attr) (*fragment, error) {
	if n.Left.Streaming() && n.Right.Streaming() {
		return c.streamJoin(n, want)
	}
	return c.staticJoin(n, want)
}

// streamJoin compiles a join of two streams into
//
//	left:  project keys and times ═ exchange by key ═╗
//	right: project keys and times ═ exchange by key ═╩═ join
func (c *compiler) streamJoin(n *plan.Join, want []*plan.Attr) (*fragment, error) {
	kind := joinKinds[n.Kind]
	keys := plan.EquiKeys(n)
	if len(keys.Left) == 0 {
		return nil, condition.New("_LEGACY_ERROR_TEMP_1181").
			WithHint("join the streams on at least one equality, such as l.id = r.id")
	}
	if kind == join.LeftAnti {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "LEFT ANTI JOIN of two streams")
	}
	if c.cfg.Conf.Conf["spark.sql.streaming.join.stateFormatVersion"] == "1" && kind != join.Inner {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", n.Kind+" JOIN of two streams with spark.sql.streaming.join.stateFormatVersion = 1").
			WithHint("this format loses matches (SPARK-26154); start the query with version 2 and a new checkpoint")
	}
	cfg := join.Config{Kind: kind, Schema: schemaOf(want)}
	var layouts [2]*joinSide
	var inputs [2]*exec.Exchange
	var starts [3]int // of each side's pipelines, and the end
	op, _, err := c.operator("symmetricHashJoin", c.cfg.Partitions, func() (*fragment, error) {
		for i, input := range []plan.Node{n.Left, n.Right} {
			scans := len(c.plan.Scans)
			starts[i] = len(c.plan.Graph.Pipelines)
			f, err := c.node(input)
			if err != nil {
				return nil, err
			}
			l := newJoinSide(f.attrs)
			l.keys(keys, i, n.Kind == "FULL OUTER")
			if err := l.times(n, keys, i); err != nil {
				return nil, err
			}
			if l.side.Late >= 0 {
				c.uses(input, l.attrs...)
			}
			if err := l.project(c, f); err != nil {
				return nil, err
			}
			e := &exec.Exchange{Keys: l.side.Keys, Partitions: c.cfg.Partitions}
			c.finish(f, e)
			inputs[i], layouts[i] = e, l
			c.noteExchange(input, [][]plan.Expr{keys.Left, keys.Right}[i], c.plan.Scans[scans:])
		}
		starts[2] = len(c.plan.Graph.Pipelines)
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	var both []plan.Expr
	for _, e := range keys.Other {
		switch {
		case plan.Deterministic(e) && layouts[join.Left].reads(e):
			layouts[join.Left].pre = append(layouts[join.Left].pre, e)
		case plan.Deterministic(e) && layouts[join.Right].reads(e):
			layouts[join.Right].pre = append(layouts[join.Right].pre, e)
		default:
			both = append(both, e)
		}
	}
	for i, l := range layouts {
		l.side.Pre = compileAnd(l.pre, l.attrs)
		cfg.Sides[i] = l.side
	}
	cfg.Output = joinColumns(want, layouts)
	cfg.Residual, cfg.Reads, cfg.ReadSchema = residual(both, layouts)
	describeJoin(op, n, keys, layouts)
	newOp := func() (exec.Operator, error) { return join.New(cfg) }
	if _, err := newOp(); err != nil {
		return nil, err
	}
	if kind.FirstSide() == join.Right {
		// Tasks start in the order of the pipelines: what is read first must start first.
		inputs[0], inputs[1] = inputs[1], inputs[0]
		rotate(c.plan.Graph.Pipelines[starts[0]:starts[2]], starts[1]-starts[0])
	}
	p := &exec.Pipeline{Scan: -1, Inputs: inputs[:], Ops: []exec.OpSpec{{Name: op.Name, ID: op.ID, New: newOp}}}
	return &fragment{pipes: []*exec.Pipeline{p}, attrs: want}, nil
}

// exchanged are the rows that a join reads, by key.
type exchanged struct {
	rows plan.Node
	keys []plan.Expr
}

// noteExchange marks scans for rows that another join, or the other side, reads by the
// same keys. Spark exchanges such rows once, and so counts them once as input.
func (c *compiler) noteExchange(rows plan.Node, keys []plan.Expr, scans []*Scan) {
	for _, e := range c.exchanged {
		if plan.SameRows(e.rows, rows, e.keys, keys) {
			for _, s := range scans {
				s.Again = true
			}
			return
		}
	}
	c.exchanged = append(c.exchanged, exchanged{rows, keys})
}

// rotate moves the first n elements behind the others.
func rotate[T any](s []T, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}

// joinSide lays out the rows of one side: the input's columns, then computed keys
// and times.
type joinSide struct {
	attrs []*plan.Attr
	extra []plan.Expr
	side  join.Side
	pre   []plan.Expr
	bound string // of the state, for explain
}

// newJoinSide has no event time; see times.
func newJoinSide(attrs []*plan.Attr) *joinSide {
	return &joinSide{attrs: attrs, side: join.Side{Late: -1, Time: -1}}
}

// column finds or adds a column of the side.
func (l *joinSide) column(e plan.Expr) int {
	if a, ok := e.(*plan.Attr); ok {
		for i, x := range l.attrs {
			if x.ID == a.ID {
				return i
			}
		}
	}
	same := func(x plan.Expr) string { return fmt.Sprintf("%T %s %s", x, x.SQL(), plan.Fingerprint(x)) }
	for i, x := range l.extra {
		if same(x) == same(e) {
			return len(l.attrs) + i
		}
	}
	l.extra = append(l.extra, e)
	return len(l.attrs) + len(l.extra) - 1
}

// reads tells whether an expression reads columns of the side only.
func (l *joinSide) reads(e plan.Expr) bool {
	for _, r := range plan.References(e) {
		if attrIndex(l.attrs, r.ID) < 0 {
			return false
		}
	}
	return true
}

func attrIndex(attrs []*plan.Attr, id plan.ID) int {
	for i, a := range attrs {
		if a.ID == id {
			return i
		}
	}
	return -1
}

// keys adds the key columns. A window is its start and end, other nested keys their
// encoding. In a full outer join Spark lets null keys match each other.
func (l *joinSide) keys(k plan.JoinKeys, i int, full bool) {
	own := [][]plan.Expr{k.Left, k.Right}[i]
	l.side.View = &statestore.View{}
	for n, e := range own {
		shown := viewField(fmt.Sprintf("field%d", n), e.Type(), len(l.side.Keys))
		switch {
		case k.NullSafe[n] || full && k.Left[n].Nullable() && k.Right[n].Nullable():
			shown.Form = statestore.Boxed
			l.side.Keys = append(l.side.Keys, l.column(&nullSafeKey{child: e}))
		case isTimeStruct(e.Type()):
			shown.Form = statestore.Window
			l.side.Keys = append(l.side.Keys, l.column(field(e, 0)), l.column(field(e, 1)))
		case !e.Type().Atomic():
			l.side.Keys = append(l.side.Keys, l.column(&encoded{child: e}))
		default:
			l.side.Keys = append(l.side.Keys, l.column(e))
		}
		l.side.View.Key = append(l.side.View.Key, shown)
	}
	for at, a := range l.attrs {
		l.side.View.Value = append(l.side.View.Value, viewField(a.Name, a.Typ, at))
	}
}

// times finds the column by which rows are late and that by which they leave the state.
func (l *joinSide) times(n *plan.Join, k plan.JoinKeys, i int) error {
	l.side.Late, l.side.Time = -1, -1
	marked := map[plan.ID]*plan.Attr{}
	var names []string
	for _, a := range l.attrs {
		if a.Delay != nil && marked[a.ID] == nil {
			marked[a.ID] = a
			names = append(names, a.Name)
			if len(marked) == 1 {
				l.side.Late = l.column(timeOf(a))
			}
		}
	}
	if len(marked) > 1 {
		return condition.New("MULTIPLE_EVENT_TIME_COLUMNS", "eventTimeCols", strings.Join(names, ","))
	}
	if key := k.WatermarkKey(); key >= 0 {
		l.side.Time = l.column(timeOf([][]plan.Expr{k.Left, k.Right}[i][key]))
		l.side.Bound = func(watermarkMs int64) int64 { return watermarkMs }
		l.bound = "watermark"
		return nil
	}
	l.side.Time = l.side.Late
	if l.side.Time < 0 {
		return nil
	}
	if b := plan.JoinStateBound(n, i == join.Left); b != nil && b.OnEventTime() {
		l.side.Bound, l.bound = b.At, b.String()
	}
	return nil
}

// timeOf is the end of a window, or the time itself.
func timeOf(e plan.Expr) plan.Expr {
	if isTimeStruct(e.Type()) {
		return field(e, 1)
	}
	return e
}

// project appends the projection that adds the computed columns to a fragment.
func (l *joinSide) project(c *compiler, f *fragment) error {
	if at := l.side.Late; at >= 0 {
		c.copyLate(f, append(asExprs(l.attrs), l.extra...)[at])
	}
	attrs := l.attrs
	if len(l.extra) > 0 {
		exprs := asExprs(l.attrs)
		for i, e := range l.extra {
			exprs = append(exprs, e)
			attrs = append(attrs[:len(attrs):len(attrs)], &plan.Attr{ID: plan.NewID(), Name: fmt.Sprintf("key_%d", i), Typ: e.Type(), Null: e.Nullable()})
		}
		if err := c.addProject(f, exprs, attrs); err != nil {
			return err
		}
	}
	l.side.Schema = schemaOf(attrs)
	return nil
}

func asExprs(attrs []*plan.Attr) []plan.Expr {
	out := make([]plan.Expr, len(attrs))
	for i, a := range attrs {
		out[i] = a
	}
	return out
}

// joinColumns finds columns of the joined row.
func joinColumns(want []*plan.Attr, sides [2]*joinSide) []join.Column {
	out := make([]join.Column, len(want))
	for i, a := range want {
		if k := attrIndex(sides[join.Left].attrs, a.ID); k >= 0 {
			out[i] = join.Column{Side: join.Left, Index: k}
		} else {
			out[i] = join.Column{Side: join.Right, Index: attrIndex(sides[join.Right].attrs, a.ID)}
		}
	}
	return out
}

// residual is a condition over joined rows in the form that the operators take.
func residual(conds []plan.Expr, sides [2]*joinSide) (func() (kernels.Expr, error), []join.Column, *vector.Schema) {
	if len(conds) == 0 {
		return nil, nil, nil
	}
	var refs []*plan.Attr
	for _, e := range conds {
		for _, r := range plan.References(e) {
			if attrIndex(refs, r.ID) < 0 {
				refs = append(refs, r)
			}
		}
	}
	return compileAnd(conds, refs), joinColumns(refs, sides), schemaOf(refs)
}

// compileAnd compiles the conjunction of conditions; nil if there are none.
func compileAnd(conds []plan.Expr, attrs []*plan.Attr) func() (kernels.Expr, error) {
	if len(conds) == 0 {
		return nil
	}
	all := plan.And(conds...)
	return func() (kernels.Expr, error) { return plan.Compile(all, attrs) }
}

// describeJoin notes the kind of the join and its equality columns, which must stay the same over restarts, and how
// long the state is kept, which may change. The types of keys and columns are compared by
// the state store.
func describeJoin(op *Operator, n *plan.Join, k plan.JoinKeys, sides [2]*joinSide) {
	var keys, equal []string
	for i, e := range k.Left {
		keys = append(keys, e.Type().String())
		equal = append(equal, origin(n.Left, e)+" = "+origin(n.Right, k.Right[i]))
	}
	op.Spec["kind"], op.Spec["equality"], op.Grows = n.Kind, strings.Join(equal, " AND "), true
	op.Notes = map[string]string{"keys": strings.Join(keys, ", ")}
	var bounds []func(int64) int64
	for i, name := range []string{"left rows", "right rows"} {
		if sides[i].side.Bound == nil {
			op.Notes[name] = "are kept for ever"
			continue
		}
		op.Evicts, op.FollowsWatermark = true, true
		op.Notes[name] = "leave when their time is at or before " + sides[i].bound
		bounds = append(bounds, sides[i].side.Bound)
	}
	op.OutputWatermark = func(watermarkMs int64) int64 {
		out := watermarkMs
		for _, b := range bounds {
			out = min(out, b(watermarkMs))
		}
		return out
	}
}

// nullSafeKey encodes a value so that null is a value like others.
type nullSafeKey struct{ child plan.Expr }

func (e *nullSafeKey) Type() *vector.Type                   { return vector.Binary }
func (e *nullSafeKey) Nullable() bool                       { return false }
func (e *nullSafeKey) Children() []plan.Expr                { return []plan.Expr{e.child} }
func (e *nullSafeKey) WithChildren(k []plan.Expr) plan.Expr { return &nullSafeKey{child: k[0]} }
func (e *nullSafeKey) SQL() string                          { return "key(" + e.child.SQL() + ")" }

// Key is the node's tag.
func (e *nullSafeKey) Key() string { return "nullSafeKey" }

// CompileNode makes the kernel.
func (e *nullSafeKey) CompileNode(kids []kernels.Expr) (kernels.Expr, error) {
	t := vector.StructOf(vector.Field{Name: "key", Type: e.child.Type(), Nullable: true})
	return &kernels.Call{Typ: vector.Binary, Args: kids, Fn: func(_ *kernels.Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		return vector.Vec{Arr: vector.EncodeKey(t, vector.NewStruct(t, []arrow.Array{args[0].Dense(n)}, n, nil))}, nil
	}}, nil
}
