package plan

// Output is the relation's visible columns, then its hidden ones.
func (n *Relation) Output() []*Attr { return n.Attrs }

// Inputs is empty.
func (n *Relation) Inputs() []Node { return nil }

// WithInputs is the relation itself.
func (n *Relation) WithInputs([]Node) Node { return n }

// Streaming tells whether the relation is a stream.
func (n *Relation) Streaming() bool { return n.IsStream }

// Output is empty.
func (n *OneRow) Output() []*Attr { return nil }

// Inputs is empty.
func (n *OneRow) Inputs() []Node { return nil }

// WithInputs is the node itself.
func (n *OneRow) WithInputs([]Node) Node { return n }

// Streaming is false.
func (n *OneRow) Streaming() bool { return false }

// Output are the columns of the rows.
func (n *Values) Output() []*Attr { return n.Attrs }

// Inputs is empty.
func (n *Values) Inputs() []Node { return nil }

// WithInputs is the node itself.
func (n *Values) WithInputs([]Node) Node { return n }

// Streaming is false.
func (n *Values) Streaming() bool { return false }

// Output are the columns that the expressions make.
func (n *Project) Output() []*Attr {
	out := make([]*Attr, len(n.Exprs))
	for i, e := range n.Exprs {
		out[i] = OutputOf(e)
	}
	return out
}

// OutputOf is the column that a named expression, an *Attr or *Alias, makes.
func OutputOf(e Expr) *Attr {
	if a, ok := e.(*Alias); ok {
		return a.Attr
	}
	return e.(*Attr)
}

// Inputs is the one input.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Project) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Project) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Filter) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Filter) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Filter) Streaming() bool { return n.Input.Streaming() }

// Output is the input's columns with the event-time one marked.
func (n *Watermark) Output() []*Attr { return n.Attrs }

// Inputs is the one input.
func (n *Watermark) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Watermark) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Watermark) Streaming() bool { return n.Input.Streaming() }

// Output is the keys, then the aggregates.
func (n *Aggregate) Output() []*Attr {
	out := make([]*Attr, 0, len(n.Keys)+len(n.Aggs))
	out = append(out, n.Keys...)
	for _, a := range n.Aggs {
		out = append(out, a.Attr)
	}
	return out
}

// Inputs is the one input.
func (n *Aggregate) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Aggregate) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Aggregate) Streaming() bool { return n.Input.Streaming() }

// Output is the columns of every projection.
func (n *Expand) Output() []*Attr { return n.Attrs }

// Inputs is the one input.
func (n *Expand) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Expand) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Expand) Streaming() bool { return n.Input.Streaming() }

// Output is the input's columns, then the generator's.
func (n *Generate) Output() []*Attr { return concatAttrs(n.Input.Output(), n.Attrs) }

// Inputs is the one input.
func (n *Generate) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Generate) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Generate) Streaming() bool { return n.Input.Streaming() }

// Output is the left columns, then, except for semi and anti joins, the right
// ones; the side that an outer join may leave empty is nullable.
func (n *Join) Output() []*Attr {
	l, r := n.Left.Output(), n.Right.Output()
	switch n.Kind {
	case "LEFT SEMI", "LEFT ANTI":
		return l
	case "LEFT OUTER":
		return concatAttrs(l, nullable(r))
	case "RIGHT OUTER":
		return concatAttrs(nullable(l), r)
	case "FULL OUTER":
		return concatAttrs(nullable(l), nullable(r))
	}
	return concatAttrs(l, r)
}

// Inputs is left and right.
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// WithInputs is a copy over other inputs.
func (n *Join) WithInputs(in []Node) Node { c := *n; c.Left, c.Right = in[0], in[1]; return &c }

// Streaming is true if either side is.
func (n *Join) Streaming() bool { return n.Left.Streaming() || n.Right.Streaming() }

// Output is the union's own columns.
func (n *Union) Output() []*Attr { return n.Attrs }

// Inputs is the parts.
func (n *Union) Inputs() []Node { return n.Parts }

// WithInputs is a copy over other parts.
func (n *Union) WithInputs(in []Node) Node { c := *n; c.Parts = in; return &c }

// Streaming is true if any part is.
func (n *Union) Streaming() bool {
	for _, p := range n.Parts {
		if p.Streaming() {
			return true
		}
	}
	return false
}

// Output is the left columns.
func (n *SetOp) Output() []*Attr { return n.Left.Output() }

// Inputs is left and right.
func (n *SetOp) Inputs() []Node { return []Node{n.Left, n.Right} }

// WithInputs is a copy over other inputs.
func (n *SetOp) WithInputs(in []Node) Node { c := *n; c.Left, c.Right = in[0], in[1]; return &c }

// Streaming is true if either side is.
func (n *SetOp) Streaming() bool { return n.Left.Streaming() || n.Right.Streaming() }

// Output is the input's.
func (n *Deduplicate) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Deduplicate) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Deduplicate) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Deduplicate) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Distinct) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Distinct) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Distinct) WithInputs(in []Node) Node { return &Distinct{Input: in[0]} }

// Streaming is the input's.
func (n *Distinct) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Sort) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Sort) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Sort) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Limit) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Limit) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Limit) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Limit) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Repartition) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Repartition) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Repartition) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Repartition) Streaming() bool { return n.Input.Streaming() }

// Output is the input's columns, then one per call.
func (n *WindowFn) Output() []*Attr {
	in := n.Input.Output()
	out := make([]*Attr, 0, len(in)+len(n.Calls))
	out = append(out, in...)
	for _, c := range n.Calls {
		out = append(out, c.Attr)
	}
	return out
}

// Inputs is the one input.
func (n *WindowFn) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *WindowFn) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *WindowFn) Streaming() bool { return n.Input.Streaming() }

// Output is the processor's columns.
func (n *Process) Output() []*Attr { return n.Attrs }

// Inputs is the one input.
func (n *Process) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Process) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Process) Streaming() bool { return n.Input.Streaming() }

// Output is the input's.
func (n *Sample) Output() []*Attr { return n.Input.Output() }

// Inputs is the one input.
func (n *Sample) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *Sample) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *Sample) Streaming() bool { return n.Input.Streaming() }

func concatAttrs(l, r []*Attr) []*Attr {
	out := make([]*Attr, 0, len(l)+len(r))
	return append(append(out, l...), r...)
}

func nullable(in []*Attr) []*Attr {
	out := make([]*Attr, len(in))
	for i, a := range in {
		if out[i] = a; !a.Null {
			c := *a
			c.Null = true
			out[i] = &c
		}
	}
	return out
}

// Output are the input's columns with the alias as their qualifier.
func (n *SubqueryAlias) Output() []*Attr { return n.Attrs }

// Inputs is the one input.
func (n *SubqueryAlias) Inputs() []Node { return []Node{n.Input} }

// WithInputs is a copy over another input.
func (n *SubqueryAlias) WithInputs(in []Node) Node { c := *n; c.Input = in[0]; return &c }

// Streaming is the input's.
func (n *SubqueryAlias) Streaming() bool { return n.Input.Streaming() }
