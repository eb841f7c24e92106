package plan

import (
	"errors"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// placed gives the errors of an expression their position in the statement.
type placed struct {
	expr kernels.Expr
	src  string
	span sql.Span
}

// Type is the expression's type.
func (p *placed) Type() *vector.Type { return p.expr.Type() }

// Unwrap is the expression itself.
func (p *placed) Unwrap() kernels.Expr { return p.expr }

// Eval evaluates the expression.
func (p *placed) Eval(ctx *kernels.Ctx, b *vector.Batch) (vector.Vec, error) {
	v, err := p.expr.Eval(ctx, b)
	if err != nil && p.src != "" {
		var e *condition.Error
		if errors.As(err, &e) {
			e.WithPos(condition.At(p.src, p.span.Start, p.span.End))
		}
	}
	return v, err
}

// shared is an expression that occurs more than once. It is evaluated once for
// a batch; a branch that sees other rows has another batch and evaluates it anew.
type shared struct {
	expr  kernels.Expr
	batch *vector.Batch
	value vector.Vec
}

// Type is the expression's type.
func (s *shared) Type() *vector.Type { return s.expr.Type() }

// Unwrap is the expression itself.
func (s *shared) Unwrap() kernels.Expr { return s.expr }

// Eval returns the value for the batch, from the last evaluation if it was the same.
func (s *shared) Eval(ctx *kernels.Ctx, b *vector.Batch) (vector.Vec, error) {
	if s.batch == b {
		return s.value, nil
	}
	v, err := kernels.Owned(ctx, s.expr, b)
	if err != nil {
		return vector.Vec{}, err
	}
	s.batch, s.value = b, v
	return v, nil
}
