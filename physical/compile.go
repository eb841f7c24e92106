package physical

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// Compile builds the graph of a plan.
func Compile(n plan.Node, cfg Config) (*Plan, error) {
	c := &compiler{cfg: cfg, plan: &Plan{Graph: &exec.Graph{}}}
	n, err := c.subqueries(n)
	if err != nil {
		return nil, err
	}
	f, err := c.node(n)
	if err != nil {
		return nil, err
	}
	c.finish(f, nil)
	c.plan.Output = schemaOf(f.attrs)
	c.plan.Graph.Scans = len(c.plan.Scans)
	c.plan.Warnings = c.warnings(n)
	return c.plan, nil
}

type compiler struct {
	cfg    Config
	plan   *Plan
	parent []int // ids of the stateful operators above the node being compiled
	// exchanged are the inputs of joins of streams so far.
	exchanged []exchanged
	timed     []timeUse // by what the stateful operators drop and close rows
	loses     bool      // rows can get to a late sink
}

// fragment is a part of the graph whose rows have the columns attrs and come out
// of one or (after a UNION) several pipelines that have no destination yet.
type fragment struct {
	pipes []*exec.Pipeline
	attrs []*plan.Attr
}

// add appends an operator to every pipeline of a fragment.
func (f *fragment) add(name string, newOp func() (exec.Operator, error)) {
	for _, p := range f.pipes {
		p.Ops = append(p.Ops, exec.OpSpec{Name: name, ID: -1, New: newOp})
	}
}

// note adds to what explain says of the last operator of a fragment.
func (f *fragment) note(text string) {
	for _, p := range f.pipes {
		p.Ops[len(p.Ops)-1].Note = text
	}
}

// finish gives a fragment its destination and enters its pipelines into the graph,
// producers before consumers.
func (c *compiler) finish(f *fragment, dest *exec.Exchange) {
	for _, p := range f.pipes {
		p.Dest = dest
		c.plan.Graph.Pipelines = append(c.plan.Graph.Pipelines, p)
	}
}

// exchange ends a fragment in an exchange and starts the consuming one.
func (c *compiler) exchange(f *fragment, keys []int, partitions int) *fragment {
	e := &exec.Exchange{Keys: keys, Partitions: partitions}
	c.finish(f, e)
	return &fragment{pipes: []*exec.Pipeline{{Scan: -1, Inputs: []*exec.Exchange{e}}}, attrs: f.attrs}
}

// operator allots the next stateful operator id and runs below with it as the parent.
func (c *compiler) operator(name string, partitions int, below func() (*fragment, error)) (*Operator, *fragment, error) {
	op := &Operator{ID: len(c.plan.Operators), Name: name, Partitions: partitions, Spec: map[string]string{}}
	c.plan.Operators = append(c.plan.Operators, op)
	if n := len(c.parent); n > 0 {
		above := c.plan.Operators[c.parent[n-1]]
		above.Inputs = append(above.Inputs, op.ID)
	}
	c.parent = append(c.parent, op.ID)
	f, err := below()
	c.parent = c.parent[:len(c.parent)-1]
	return op, f, err
}

func (c *compiler) node(n plan.Node) (*fragment, error) {
	switch n := n.(type) {
	case *plan.Relation:
		return c.relation(n)
	case *plan.OneRow:
		return c.oneRow(), nil
	case *plan.Values:
		return c.values(n)
	case *plan.Project:
		return c.project(n)
	case *plan.Filter:
		return c.filter(n)
	case *plan.Watermark:
		return c.watermark(n)
	case *plan.Union:
		return c.union(n)
	case *plan.Expand:
		return c.expand(n)
	case *plan.Generate:
		return c.generate(n)
	case *plan.Aggregate:
		return c.aggregate(n)
	case *plan.Join:
		return c.join(n, n.Output())
	case *plan.Deduplicate:
		return c.deduplicate(n)
	case *plan.Sort:
		return c.sort(n)
	case *plan.Limit:
		return c.limit(n)
	case *plan.WindowFn:
		return c.windowFn(n)
	case *plan.Repartition:
		return c.node(n.Input)
	case *plan.Sample:
		if n.Fraction >= 1 {
			return c.node(n.Input)
		}
	}
	return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", describe(n))
}

func (c *compiler) relation(n *plan.Relation) (*fragment, error) {
	s := &Scan{Relation: n, Columns: n.Ordinals}
	c.plan.Scans = append(c.plan.Scans, s)
	f := &fragment{pipes: []*exec.Pipeline{{Scan: len(c.plan.Scans) - 1}}, attrs: n.Attrs}
	if n.Filter == nil {
		return f, nil
	}
	times, cond := plan.NeededTimes(n.Filter)
	if cond != nil {
		s.NewFilter = func() (kernels.Expr, error) { return plan.Compile(cond, n.Attrs) }
		if _, err := s.NewFilter(); err != nil {
			return nil, err
		}
	}
	for _, t := range times {
		s.Needed = append(s.Needed, attrIndex(n.Attrs, t.(*plan.Attr).ID))
		c.needTime(f, t)
	}
	if n.DropsFiltered {
		s.Checks = checks(n)
	}
	return f, nil
}

// checks are the parts of the filter that was pushed into a relation's scan.
func checks(n *plan.Relation) []Check {
	parts := plan.Conjuncts(n.Filter)
	out := make([]Check, len(parts))
	for i, e := range parts {
		out[i].New = func() (kernels.Expr, error) { return plan.Compile(e, n.Attrs) }
		for _, a := range plan.References(e) {
			if at := attrIndex(n.Attrs, a.ID); at < 64 {
				out[i].Columns |= 1 << at
			}
		}
	}
	return out
}

func (c *compiler) project(n *plan.Project) (*fragment, error) {
	var f *fragment
	var err error
	if j, ok := n.Input.(*plan.Join); ok {
		f, err = c.join(j, readBy(n.Exprs, j.Output()))
	} else {
		f, err = c.node(n.Input)
	}
	if err != nil {
		return nil, err
	}
	return f, c.addProject(f, n.Exprs, n.Output())
}

// readBy are those of the columns that expressions read.
func readBy(exprs []plan.Expr, cols []*plan.Attr) []*plan.Attr {
	read := map[plan.ID]bool{}
	for _, e := range exprs {
		for _, r := range plan.References(e) {
			read[r.ID] = true
		}
	}
	var out []*plan.Attr
	for _, a := range cols {
		if read[a.ID] {
			out = append(out, a)
		}
	}
	return out
}

// addProject appends a projection to a fragment; attrs are its output columns.
func (c *compiler) addProject(f *fragment, exprs []plan.Expr, attrs []*plan.Attr) error {
	in, schema := f.attrs, schemaOf(attrs)
	if sameColumns(exprs, in) {
		f.attrs = attrs
		f.add("Project", func() (exec.Operator, error) { return &exec.Rename{Schema: schema}, nil })
		return nil
	}
	f.add("Project", func() (exec.Operator, error) {
		es, err := plan.CompileAll(exprs, in)
		if err != nil {
			return nil, err
		}
		return &exec.Project{Exprs: es, Schema: schema}, nil
	})
	if shared := plan.Shared(exprs); len(shared) > 0 {
		f.note("computed once: " + strings.Join(shared, ", "))
	}
	f.attrs = attrs
	return nil
}

func sameColumns(exprs []plan.Expr, in []*plan.Attr) bool {
	if len(exprs) != len(in) {
		return false
	}
	for i, e := range exprs {
		if al, ok := e.(*plan.Alias); ok {
			e = al.Child
		}
		a, ok := e.(*plan.Attr)
		if !ok || a.ID != in[i].ID {
			return false
		}
	}
	return true
}

func (c *compiler) filter(n *plan.Filter) (*fragment, error) {
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	in := f.attrs
	times, cond := plan.NeededTimes(n.Cond)
	if cond != nil {
		f.add("Filter", func() (exec.Operator, error) {
			e, err := plan.Compile(cond, in)
			return &exec.Filter{Pred: e}, err
		})
	}
	for _, t := range times {
		c.needTime(f, t)
	}
	return f, nil
}

func (c *compiler) watermark(n *plan.Watermark) (*fragment, error) {
	if redefined(n.Input) {
		c.plan.Refused = condition.New("_LEGACY_ERROR_TEMP_3076", "config", "spark.sql.streaming.statefulOperator.allowMultiple").
			WithHint("set one watermark on the rows, on the column by which they are grouped")
	}
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	for len(c.plan.Delays) <= n.Delay.Node {
		c.plan.Delays = append(c.plan.Delays, 0)
	}
	c.plan.Delays[n.Delay.Node] = n.Delay.Ms
	column := -1
	for i, a := range f.attrs {
		if a.ID == n.Column.ID {
			column = i
		}
	}
	f.add("EventTimeWatermark", func() (exec.Operator, error) {
		return &exec.Observe{Column: column, Node: n.Delay.Node}, nil
	})
	f.attrs = n.Attrs
	return f, nil
}

func (c *compiler) union(n *plan.Union) (*fragment, error) {
	out := &fragment{attrs: n.Attrs}
	schema := schemaOf(n.Attrs)
	for _, p := range n.Parts {
		f, err := c.node(p)
		if err != nil {
			return nil, err
		}
		f.add("Union", func() (exec.Operator, error) { return &exec.Rename{Schema: schema}, nil })
		out.pipes = append(out.pipes, f.pipes...)
	}
	return out, nil
}

func (c *compiler) expand(n *plan.Expand) (*fragment, error) {
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	in, schema := f.attrs, schemaOf(n.Attrs)
	f.add("Expand", func() (exec.Operator, error) {
		x := &exec.Expand{Schema: schema}
		for _, p := range n.Projections {
			es, err := plan.CompileAll(p, in)
			if err != nil {
				return nil, err
			}
			x.Projections = append(x.Projections, es)
		}
		return x, nil
	})
	f.attrs = n.Attrs
	return f, nil
}

func schemaOf(attrs []*plan.Attr) *vector.Schema {
	s := &vector.Schema{}
	for _, a := range attrs {
		s.Fields = append(s.Fields, vector.Field{Name: a.Name, Type: a.Typ, Nullable: a.Null})
	}
	return s
}

// redefined tells whether a watermark is set on the rows below already, with no
// operator between that makes other rows of them.
func redefined(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Watermark:
		return true
	case *plan.Aggregate, *plan.Join, *plan.Union, *plan.Relation:
		return false
	default:
		for _, k := range n.Inputs() {
			if redefined(k) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) generate(n *plan.Generate) (*fragment, error) {
	f, err := c.node(n.Input)
	if err != nil {
		return nil, err
	}
	in, out := f.attrs, n.Output()
	schema := schemaOf(out)
	f.add("Generate", func() (exec.Operator, error) {
		args, err := plan.CompileAll(n.Call.Args, in)
		return &exec.Generate{Args: args, Fn: n.Call.Impl.Eval, Outer: n.Outer, Schema: schema}, err
	})
	f.attrs = out
	return f, nil
}
