package main

import (
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// compile makes the kernel of an expression over the columns of a schema.
func compile(text string, s *vector.Schema) (kernels.Expr, error) {
	parsed, err := sql.ParseExpression(text)
	if err != nil {
		return nil, err
	}
	attrs := make([]*plan.Attr, len(s.Fields))
	for i, f := range s.Fields {
		attrs[i] = &plan.Attr{ID: plan.NewID(), Name: f.Name, Typ: f.Type, Null: f.Nullable}
	}
	a := &plan.Analyser{Conf: &kernels.Conf{ANSI: true, Zone: time.UTC}, Text: text}
	e, err := a.Expr(parsed, &plan.Scope{Columns: attrs})
	if err != nil {
		return nil, err
	}
	if e, err = a.Fold(e); err != nil {
		return nil, err
	}
	return plan.Compile(e, attrs)
}

// evaluate runs a kernel over all batches; nobody keeps a result beyond its batch.
func evaluate(e kernels.Expr, bs []*vector.Batch) error {
	ctx := &kernels.Ctx{Zone: time.UTC, ANSI: true}
	for _, b := range bs {
		if _, err := kernels.Transient(ctx, e, b); err != nil {
			return err
		}
	}
	return nil
}
