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
	mem   *vector.Buffers // holds the arguments, if Impl.Fresh
}

// Type is the result type.
func (c *Call) Type() *vector.Type { return c.Typ }

// Eval evaluates the arguments in order, then the function.
func (c *Call) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	if c.vecs == nil {
		c.vecs = make([]vector.Vec, len(c.Args))
	}
	err := within(ctx, c.mem, func() error {
		for i, a := range c.Args {
			v, err := a.Eval(ctx, b)
			if err != nil {
				return err
			}
			c.vecs[i] = v
		}
		return nil
	})
	if err != nil {
		return vector.Vec{}, err
	}
	return c.Fn(ctx, c.vecs, b.Len())
}

// within runs f, which evaluates arguments of a kernel, with mem for their values; nil
// mem leaves the memory of the context in place.
func within(ctx *Ctx, mem *vector.Buffers, f func() error) error {
	if mem == nil {
		return f()
	}
	outer := ctx.Temp
	mem.Reset()
	ctx.Temp = mem
	err := f()
	ctx.Temp = outer
	return err
}

// Transient evaluates an expression for a caller that is done with the value before
// it calls Transient of the same context again, such as a filter.
func Transient(ctx *Ctx, e Expr, b *vector.Batch) (v vector.Vec, err error) {
	err = within(ctx, &ctx.transient, func() error {
		v, err = e.Eval(ctx, b)
		return err
	})
	return v, err
}

// Owned evaluates an expression whose value outlives the evaluation that asks for it.
func Owned(ctx *Ctx, e Expr, b *vector.Batch) (vector.Vec, error) {
	outer := ctx.Temp
	ctx.Temp = nil
	v, err := e.Eval(ctx, b)
	ctx.Temp = outer
	return v, err
}

// argumentMemory is where a kernel whose results share nothing with its arguments
// keeps them; nil if none of them is computed.
func argumentMemory(args ...Expr) *vector.Buffers {
	for _, a := range args {
		switch unwrap(a).(type) {
		case *Column, *Const, *Lambda:
		default:
			return &vector.Buffers{}
		}
	}
	return nil
}

// NewCall compiles a bound function over compiled arguments (already cast to impl.Args).
func NewCall(impl *Impl, args []Expr) Expr {
	if impl.New != nil {
		return impl.New(args)
	}
	c := &Call{Typ: impl.Result, Args: args, Fn: impl.Eval, Total: impl.Total}
	if impl.Fresh {
		c.mem = argumentMemory(args...)
	}
	return c
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
