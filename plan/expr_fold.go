package plan

import (
	"slices"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// constant is the value of e if it is known now; nil if not, or if evaluating it
// fails: then the error comes when the expression is evaluated.
func (a *Analyser) constant(e Expr) *vector.Vec {
	switch l := e.(type) {
	case *Literal:
		return &l.Value
	case *Lambda:
		return nil
	}
	if !Foldable(e) {
		return nil
	}
	v, err := evaluate(a.ctx(), e)
	if err != nil {
		return nil
	}
	return &v
}

func evaluate(ctx *kernels.Ctx, e Expr) (vector.Vec, error) {
	k, err := Compile(e, nil)
	if err != nil {
		return vector.Vec{}, err
	}
	return kernels.Fold(ctx, k)
}

// conditional are the functions that evaluate an argument on some rows only;
// a constant that fails among their arguments may never be evaluated.
var conditional = map[string]bool{
	"case": true, "if": true, "coalesce": true, "nvl": true, "ifnull": true, "nvl2": true, "nanvl": true,
	"nullif": true, "nullifzero": true, "zeroifnull": true, "and": true, "or": true, "decode": true,
}

// Fold replaces what is constant in e by its value, as Spark's ConstantFolding
// does: an error counts at once, except in a branch that may never be evaluated.
func (a *Analyser) Fold(e Expr) (Expr, error) { return foldIn(a.ctx(), e, false) }

func foldIn(ctx *kernels.Ctx, e Expr, branch bool) (Expr, error) {
	switch x := e.(type) {
	case *Literal, *Attr:
		return e, nil
	case *Call, *Cast, *FieldAccess:
		if nullForNull(e) {
			return &Literal{Typ: e.Type(), Value: vector.ConstNull(e.Type()), Text: e.SQL()}, nil
		}
		if Foldable(e) {
			v, err := evaluate(ctx, e)
			if err == nil {
				return &Literal{Typ: e.Type(), Value: v, Text: e.SQL()}, nil
			}
			if !branch {
				return nil, err
			}
			return e, nil
		}
		if c, ok := x.(*Call); ok && conditional[c.Name] {
			branch = true
		}
	case *Lambda:
		branch = true
	}
	kids := e.Children()
	var changed []Expr
	for i, k := range kids {
		n, err := foldIn(ctx, k, branch)
		if err != nil {
			return nil, err
		}
		if n != k {
			if changed == nil {
				changed = append([]Expr(nil), kids...)
			}
			changed[i] = n
		}
	}
	if changed == nil {
		return simplify(e), nil
	}
	return simplify(e.WithChildren(changed)), nil
}

// nullForNull tells whether e is null because an argument is the constant NULL: then the
// others are not evaluated, as in Spark, whose NullPropagation comes before ConstantFolding.
func nullForNull(e Expr) bool {
	switch x := e.(type) {
	case *Literal:
		return x.Value.IsNull(0)
	case *Cast:
		return nullForNull(x.Child)
	case *Call:
		return x.Impl.NullIfAny && !evaluatesAll[x.Name] && slices.ContainsFunc(x.Args, nullForNull)
	}
	return false
}

// evaluatesAll are the functions that are null where an argument is and still evaluate the others.
var evaluatesAll = map[string]bool{"concat": true, "||": true, "regexp_replace": true}

// simplify takes a constant out of an AND or OR: x AND false is false, whatever x is.
func simplify(e Expr) Expr {
	c, ok := e.(*Call)
	if !ok || c.Name != "and" && c.Name != "or" {
		return e
	}
	for i, k := range c.Args {
		l, ok := k.(*Literal)
		switch {
		case !ok || l.Typ.Kind != vector.KindBool || l.Value.IsNull(0):
		case vector.Bools(l.Value.Arr).Get(0) == (c.Name == "or"):
			return k
		default:
			return c.Args[1-i]
		}
	}
	return e
}
