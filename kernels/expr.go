package kernels

import "github.com/vstream/vstream/vector"

// Wrapper is an expression that only adds to the evaluation of another one.
type Wrapper interface {
	Expr
	Unwrap() Expr
}

// unwrap is the expression within all wrappers.
func unwrap(e Expr) Expr {
	for {
		w, ok := e.(Wrapper)
		if !ok {
			return e
		}
		e = w.Unwrap()
	}
}

// Column reads column Index of the batch.
type Column struct {
	Index int
	Typ   *vector.Type
}

// Type is the column's type.
func (c *Column) Type() *vector.Type { return c.Typ }

// Eval returns the column.
func (c *Column) Eval(_ *Ctx, b *vector.Batch) (vector.Vec, error) {
	return vector.Vec{Arr: b.Col(c.Index)}, nil
}

// Const is a constant: a one-row array.
type Const struct {
	Typ   *vector.Type
	Value vector.Vec
}

// Type is the constant's type.
func (c *Const) Type() *vector.Type { return c.Typ }

// Eval returns the constant.
func (c *Const) Eval(*Ctx, *vector.Batch) (vector.Vec, error) { return c.Value, nil }

// Call evaluates its arguments on all rows and applies a function.
type Call struct {
	Typ  *vector.Type
	Args []Expr
	Fn   func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error)
	// Total is Impl.Total.
	Total bool
	vecs  []vector.Vec
}

// Type is the result type.
func (c *Call) Type() *vector.Type { return c.Typ }

// Eval evaluates the arguments in order, then the function.
func (c *Call) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	if c.vecs == nil {
		c.vecs = make([]vector.Vec, len(c.Args))
	}
	for i, a := range c.Args {
		v, err := a.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		c.vecs[i] = v
	}
	return c.Fn(ctx, c.vecs, b.Len())
}

// NewCall compiles a bound function over compiled arguments (already cast to impl.Args).
func NewCall(impl *Impl, args []Expr) Expr {
	if impl.New != nil {
		return impl.New(args)
	}
	return &Call{Typ: impl.Result, Args: args, Fn: impl.Eval, Total: impl.Total}
}

// Lambda is a lambda argument of a higher-order function. Its body is compiled
// against a batch whose columns are those of the outer batch followed by the
// Params parameters.
type Lambda struct {
	Params int
	Outer  *vector.Schema // schema of the outer batch
	Vars   *vector.Schema // names and types of the parameters
	Body   Expr
}

// Type is the body's type.
func (l *Lambda) Type() *vector.Type { return l.Body.Type() }

// Eval of a bare lambda is a bug; higher-order functions call EvalOn.
func (l *Lambda) Eval(*Ctx, *vector.Batch) (vector.Vec, error) {
	panic("kernels: a lambda has no value of its own")
}

// EvalOn evaluates the body once per element: element i belongs to row rows[i]
// of b, and vars are the parameters' values, one per element.
func (l *Lambda) EvalOn(ctx *Ctx, b *vector.Batch, rows []uint32, vars []vector.Vec) (vector.Vec, error) {
	n := len(rows)
	outer := b.Select(rows)
	s := &vector.Schema{Fields: append(append([]vector.Field{}, b.Schema.Fields...), l.Vars.Fields...)}
	dense := make([]vector.Vec, len(vars))
	for i, v := range vars {
		dense[i] = vector.Vec{Arr: v.Dense(n)}
	}
	return l.Body.Eval(ctx, outer.Extend(s, dense))
}
