package plan

import (
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
)

// generator binds a call of explode() or another function that makes rows.
func (a *Analyser) generator(g *kernels.Generator, name string, c *sql.Call, sc *Scope) (Expr, error) {
	in, err := a.positional(c, name, g.Signature)
	if err != nil {
		return nil, err
	}
	if err := a.arity(name, len(in), g.MinArgs, g.MaxArgs, c.Span); err != nil {
		return nil, err
	}
	args, err := a.exprs(in, sc)
	if err != nil {
		return nil, err
	}
	for _, e := range args {
		if nestedGenerator(e) != nil {
			return nil, a.errorAt(c.Span, "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "expression", `"`+name+"("+joinSQL(args)+`)"`)
		}
	}
	impl, err := g.Bind(a.Conf, a.kernelArgs(args))
	if err != nil {
		return nil, a.place(err, c.Span)
	}
	cast, err := a.castArgs(args, impl.Args, c.Span)
	if err != nil {
		return nil, err
	}
	return &GeneratorCall{Fn: g, Name: g.Name, Args: cast, Impl: impl, Text: name + "(" + joinSQL(args) + ")", Span: c.Span}, nil
}
