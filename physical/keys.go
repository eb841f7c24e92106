package physical

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// isTimeStruct tells whether a type is struct<start: timestamp, end: timestamp>.
func isTimeStruct(t *vector.Type) bool {
	return t.Kind == vector.KindStruct && len(t.Fields) == 2 && t.Fields[0].Type.Width() == 8 && t.Fields[1].Type.Width() == 8
}

// windowKey tells whether a key lies in two columns: a window's start and end.
func windowKey(k *plan.Attr) bool { return k.Window && isTimeStruct(k.Typ) }

// assemble makes a grouping's output columns from the operator's flat ones: windows
// from start and end, nested keys from their encoding.
type assemble struct {
	exec.Stateless
	schema *vector.Schema
	keys   []keyLayout
	flat   int // number of flat key columns
}

// Process emits one batch per input batch.
func (a *assemble) Process(_ int, in *vector.Batch, out exec.Emit) error {
	n := in.Len()
	cols := make([]arrow.Array, 0, a.schema.Len())
	for _, k := range a.keys {
		switch {
		case k.window:
			start, end := in.Col(k.first), in.Col(k.first+1)
			cols = append(cols, vector.NewStruct(k.typ, []arrow.Array{start, end}, n, vector.Validity(end)))
		case k.nested:
			cols = append(cols, vector.DecodeKey(k.typ, in.Col(k.first)))
		default:
			cols = append(cols, in.Col(k.first))
		}
	}
	for i := a.flat; i < in.NumCols(); i++ {
		cols = append(cols, in.Col(i))
	}
	return out(vector.NewBatch(a.schema, cols, n))
}

// encoded is the canonical binary encoding of a nested key.
type encoded struct{ child plan.Expr }

func (e *encoded) Type() *vector.Type                   { return vector.Binary }
func (e *encoded) Nullable() bool                       { return false }
func (e *encoded) Children() []plan.Expr                { return []plan.Expr{e.child} }
func (e *encoded) WithChildren(k []plan.Expr) plan.Expr { return &encoded{child: k[0]} }
func (e *encoded) SQL() string                          { return "encode(" + e.child.SQL() + ")" }
func (e *encoded) Key() string                          { return "encode" }

// CompileNode makes the kernel; plan.Compile calls it for expressions that it does not know.
func (e *encoded) CompileNode(kids []kernels.Expr) (kernels.Expr, error) {
	t := e.child.Type()
	return &kernels.Call{Typ: vector.Binary, Args: kids, Fn: func(_ *kernels.Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		return vector.Vec{Arr: vector.EncodeKey(t, args[0].Dense(n))}, nil
	}}, nil
}

// field is field i of a struct expression; of a struct that is built on the spot
// it is the expression that the field was built from.
func field(e plan.Expr, i int) plan.Expr {
	if al, ok := e.(*plan.Alias); ok {
		e = al.Child
	}
	if c, ok := e.(*plan.Call); ok && c.Fn.Name == "named_struct" && 2*i+1 < len(c.Args) {
		return c.Args[2*i+1]
	}
	return &structField{child: e, i: i}
}

// structField reads field i of a struct column.
type structField struct {
	child plan.Expr
	i     int
}

func (s *structField) Type() *vector.Type    { return s.child.Type().Fields[s.i].Type }
func (s *structField) Nullable() bool        { return true }
func (s *structField) Children() []plan.Expr { return []plan.Expr{s.child} }
func (s *structField) WithChildren(k []plan.Expr) plan.Expr {
	return &structField{child: k[0], i: s.i}
}
func (s *structField) Key() string { return "field" + strconv.Itoa(s.i) }
func (s *structField) SQL() string { return s.child.SQL() + "." + s.child.Type().Fields[s.i].Name }

// CompileNode makes the kernel.
func (s *structField) CompileNode(kids []kernels.Expr) (kernels.Expr, error) {
	return &kernels.Call{Typ: s.Type(), Args: kids, Fn: func(_ *kernels.Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		return vector.Vec{Arr: vector.StructField(args[0].Arr, s.i), Const: args[0].Const}, nil
	}}, nil
}

// collapse takes the projection directly under a grouping off and returns its
// definitions, so that keys and arguments are computed once, in the grouping's own
// projection. A volatile definition keeps it where it is.
func collapse(n plan.Node) (plan.Node, map[plan.ID]plan.Expr) {
	p, ok := n.(*plan.Project)
	if !ok {
		return n, nil
	}
	defs, ok := plan.Definitions(p)
	if !ok {
		return n, nil
	}
	return p.Input, defs
}
