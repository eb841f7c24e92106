package plan

import (
	"strconv"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Compile turns a bound expression into one that evaluates batches whose columns
// are input, in order; input may be nil for a constant. The result is for one
// goroutine.
func Compile(e Expr, input []*Attr) (kernels.Expr, error) {
	out, err := CompileAll([]Expr{e}, input)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// CompileAll compiles expressions that are evaluated on the same batches. What
// they have in common is evaluated once for a batch; the results must be used by
// one goroutine together.
func CompileAll(exprs []Expr, input []*Attr) ([]kernels.Expr, error) {
	c := &compiler{shared: map[string]*shared{}, count: map[string]int{}}
	for _, e := range exprs {
		c.countCommon(e)
	}
	out := make([]kernels.Expr, len(exprs))
	for i, e := range exprs {
		var err error
		if out[i], err = c.compile(e, input); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type compiler struct {
	count  map[string]int     // occurrences by key
	shared map[string]*shared // compiled expressions that occur more than once
	keys   map[Expr]string
}

// countCommon counts the expressions worth sharing. What is below a repeated one
// is shared with it.
func (c *compiler) countCommon(e Expr) {
	if key := c.key(e); key != "" {
		c.count[key]++
		if c.count[key] > 1 {
			return
		}
	}
	if _, ok := e.(*Lambda); ok {
		return
	}
	for _, k := range e.Children() {
		c.countCommon(k)
	}
}

// key identifies the value of a call or cast; "" if it is not to be shared. A
// volatile call is shared only with itself.
func (c *compiler) key(e Expr) string {
	switch e.(type) {
	case *Call, *Cast:
	default:
		return ""
	}
	if c.keys == nil {
		c.keys = map[Expr]string{}
	}
	k, ok := c.keys[e]
	if !ok {
		k = Fingerprint(e)
		c.keys[e] = k
	}
	return k
}

func (c *compiler) compile(e Expr, input []*Attr) (kernels.Expr, error) {
	key := c.key(e)
	if c.count[key] < 2 {
		return c.compileOne(e, input)
	}
	if s := c.shared[key]; s != nil {
		return s, nil
	}
	k, err := c.compileOne(e, input)
	if err != nil {
		return nil, err
	}
	s := &shared{expr: k}
	c.shared[key] = s
	return s, nil
}

func (c *compiler) compileOne(e Expr, input []*Attr) (kernels.Expr, error) {
	switch e := e.(type) {
	case *Attr:
		for i, a := range input {
			if a.ID == e.ID {
				return &kernels.Column{Index: i, Typ: a.Typ}, nil
			}
		}
		return nil, condition.New("INTERNAL_ERROR", "message", "no column "+e.Name+"#"+strconv.FormatInt(int64(e.ID), 10)+" in the input")
	case *Literal:
		return &kernels.Const{Typ: e.Typ, Value: e.Value}, nil
	case *Alias:
		return c.compile(e.Child, input)
	case *Cast:
		child, err := c.compile(e.Child, input)
		if err != nil {
			return nil, err
		}
		return &placed{expr: kernels.NewCast(child, e.To, e.Mode), src: e.src, span: e.Span}, nil
	case *FieldAccess:
		return c.compileField(e, input)
	case *Call:
		return c.compileCall(e, input)
	case *Lambda:
		return nil, condition.New("INTERNAL_ERROR", "message", "a lambda outside a function")
	}
	if n, ok := e.(Compilable); ok {
		kids := make([]kernels.Expr, len(e.Children()))
		for i, k := range e.Children() {
			var err error
			if kids[i], err = c.compile(k, input); err != nil {
				return nil, err
			}
		}
		return n.CompileNode(kids)
	}
	return nil, condition.New("INTERNAL_ERROR", "message", "cannot evaluate by row: "+e.SQL())
}

// Compilable is an expression of another package, which makes its own kernel from
// its compiled children.
type Compilable interface {
	// Key tells the node from others with the same children; see Fingerprint.
	Key() string
	CompileNode(kids []kernels.Expr) (kernels.Expr, error)
}

func (c *compiler) compileCall(e *Call, input []*Attr) (kernels.Expr, error) {
	args := make([]kernels.Expr, len(e.Args))
	for i, x := range e.Args {
		var err error
		if l, ok := x.(*Lambda); ok {
			args[i], err = c.compileLambda(l, input)
		} else {
			args[i], err = c.compile(x, input)
		}
		if err != nil {
			return nil, err
		}
	}
	return &placed{expr: kernels.NewCall(e.Impl, args), src: e.src, span: e.Span}, nil
}

// compileLambda compiles the body over the outer columns and the parameters.
func (c *compiler) compileLambda(l *Lambda, input []*Attr) (kernels.Expr, error) {
	inner := append(append(make([]*Attr, 0, len(input)+len(l.Params)), input...), l.Params...)
	body, err := c.compile(l.Body, inner)
	if err != nil {
		return nil, err
	}
	return &kernels.Lambda{Params: len(l.Params), Outer: SchemaOf(input), Vars: SchemaOf(l.Params), Body: body}, nil
}

// SchemaOf is the schema of columns.
func SchemaOf(cols []*Attr) *vector.Schema {
	fs := make([]vector.Field, len(cols))
	for i, c := range cols {
		fs[i] = vector.Field{Name: c.Name, Type: c.Typ, Nullable: c.Null}
	}
	return &vector.Schema{Fields: fs}
}

func (c *compiler) compileField(e *FieldAccess, input []*Attr) (kernels.Expr, error) {
	child, err := c.compile(e.Child, input)
	if err != nil {
		return nil, err
	}
	f, _ := kernels.Lookup("$field")
	at := IntLiteral(int32(e.Ordinal))
	impl, err := f.Bind(nil, []kernels.Arg{{Type: e.Child.Type()}, {Type: at.Typ, Const: &at.Value}})
	if err != nil {
		return nil, err
	}
	return kernels.NewCall(impl, []kernels.Expr{child, &kernels.Const{Typ: at.Typ, Value: at.Value}}), nil
}
