package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func init() {
	and := Scalar{Name: "and", Signature: "a AND b", MinArgs: 2, MaxArgs: 2, SQL: infix("AND"),
		Summary:  "Three-valued AND; b is evaluated only where a does not decide.",
		Examples: []Example{{"false AND NULL", "false"}}}
	or := Scalar{Name: "or", Signature: "a OR b", MinArgs: 2, MaxArgs: 2, SQL: infix("OR"),
		Summary:  "Three-valued OR; b is evaluated only where a does not decide.",
		Examples: []Example{{"true OR NULL", "true"}}}
	and.Bind = bindLogic(and.SQL, true)
	or.Bind = bindLogic(or.SQL, false)
	not := Define(Scalar{Name: "not", Aliases: []string{"!"}, Signature: "NOT a",
		Summary: "Negates a boolean; null stays null.",
		SQL:     func(a []string) string { return "(NOT " + a[0] + ")" }},
		Sig{Params: []Accept{Bool}, Result: vector.Bool, Total: true}, evalNot)
	Register(and, or, not,
		nullTest("isnull", "IS NULL", true), nullTest("isnotnull", "IS NOT NULL", false),
		Define(Scalar{Name: "isnan", Signature: "isnan(x)", Summary: "True if x is NaN; false for null."},
			Sig{Params: []Accept{OneOf(Double, Float)}, Result: vector.Bool, TakesNulls: true, Total: true}, evalIsNaN),
		truthTest("is true", true, false), truthTest("is false", false, false),
		truthTest("is not true", true, true), truthTest("is not false", false, true))
}

// bindLogic binds AND (stop at false) or OR (stop at true).
func bindLogic(print func([]string) string, and bool) func(*Conf, []Arg) (*Impl, error) {
	return func(conf *Conf, args []Arg) (*Impl, error) {
		a, b := besideDecimal(promoteStrings(conf, args[0].Type, args[1].Type))
		switch {
		case isNull(a) && isNull(b):
			a, b = vector.Bool, vector.Bool
		case isNull(a) && (b.Kind == vector.KindBool || isString(b)):
			a = b
		case isNull(b) && (a.Kind == vector.KindBool || isString(a)):
			b = a
		}
		switch {
		case !a.Equal(b):
			return nil, errDiffTypes(print(sqls(args)), a, b)
		case a.Kind != vector.KindBool:
			return nil, errWrongType(print(sqls(args)), Bool.Required(), a)
		}
		return &Impl{Args: []*vector.Type{vector.Bool, vector.Bool}, Result: vector.Bool,
			Nullable: args[0].Nullable || args[1].Nullable,
			New:      func(args []Expr) Expr { return &logicExpr{left: args[0], right: args[1], and: and} }}, nil
	}
}

// logicExpr is AND or OR. The right side sees the rows that the left does not decide.
type logicExpr struct {
	left, right Expr
	and         bool
}

// Type is BOOLEAN.
func (l *logicExpr) Type() *vector.Type { return vector.Bool }

// Eval evaluates the right side on all rows at once if it cannot fail or if most
// rows are open, and otherwise only on the open rows.
func (l *logicExpr) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	n := b.Len()
	left, err := l.left.Eval(ctx, b)
	if err != nil {
		return vector.Vec{}, err
	}
	decided := l.decided(left, n)
	closed := decided.CountSet(n)
	switch {
	case closed == n:
		return boolConst(!l.and), nil
	case closed == 0:
		right, err := l.right.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		return l.combine(left, right, n), nil
	case isSimple(l.right):
		right, err := l.right.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		return l.combine(left, right, n), nil
	}
	open := make([]uint32, 0, n-closed)
	for i := range n {
		if !decided.Get(i) {
			open = append(open, uint32(i))
		}
	}
	part, err := l.right.Eval(ctx, b.Select(open))
	if err != nil {
		return vector.Vec{}, err
	}
	return l.combine(left, scatterBool(part, open, n), n), nil
}

// isSimple tells whether evaluating an expression on rows that do not need it
// is harmless: columns, constants and total functions of them never fail.
func isSimple(e Expr) bool {
	switch e := unwrap(e).(type) {
	case *Column, *Const:
		return true
	case *castExpr:
		from := e.child.Type()
		widens := from.Integral() && (e.to.Kind == vector.KindDouble || e.to.Integral() && e.to.Width() >= from.Width())
		return widens && isSimple(e.child)
	case *logicExpr:
		return isSimple(e.left) && isSimple(e.right)
	case *Call:
		for _, a := range e.Args {
			if !isSimple(a) {
				return false
			}
		}
		return e.Total
	}
	return false
}

// decided are the rows where the left side alone gives the result.
func (l *logicExpr) decided(left vector.Vec, n int) vector.Bitmap {
	out := append(make(vector.Bitmap, 0, n/8+1), boolsOf(left, n)...)
	if l.and {
		invert(out, n)
	}
	if v := Validity(n, left); v != nil {
		andBits(out, out, v)
	}
	if r := n & 7; r != 0 {
		out[len(out)-1] &= 1<<r - 1
	}
	return out
}

func boolConst(v bool) vector.Vec {
	return NewConst(vector.Bool, v).Value
}

// scatterBool puts the values of the given rows into a column of n rows, the
// others false.
func scatterBool(v vector.Vec, rows []uint32, n int) vector.Vec {
	bits := vector.NewBitmap(n)
	src, m := vector.Bools(v.Arr), v.Mask()
	var valid vector.Bitmap
	if v.MayHaveNulls() {
		valid = vector.NewValid(n)
	}
	for i, r := range rows {
		if valid != nil && v.IsNull(i) {
			valid.Clear(int(r))
		} else if src.Get(i & m) {
			bits.Set(int(r))
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, n, valid)}
}

// combine computes three-valued AND or OR of two columns a word at a time.
func (l *logicExpr) combine(a, b vector.Vec, n int) vector.Vec {
	if a.Const && b.Const {
		n = 1
	}
	x, y := boolsOf(a, n), boolsOf(b, n)
	out := vector.NewBitmap(n)
	if !a.MayHaveNulls() && !b.MayHaveNulls() {
		if l.and {
			andBits(out, x, y)
		} else {
			zipBits(out, x, y, func(p, q uint64) uint64 { return p | q })
		}
		return vector.Vec{Arr: vector.NewBool(out, n, nil), Const: a.Const && b.Const}
	}
	va, vb := validityOf(a, n), validityOf(b, n)
	valid := vector.NewBitmap(n)
	for i := range out {
		// t: known true, f: known false.
		ta, tb := x[i]&va[i], y[i]&vb[i]
		fa, fb := va[i]&^x[i], vb[i]&^y[i]
		if l.and {
			out[i] = ta & tb
			valid[i] = ta&tb | fa | fb
		} else {
			out[i] = ta | tb
			valid[i] = ta | tb | fa&fb
		}
	}
	if r := n & 7; r != 0 {
		valid[len(valid)-1] &= 1<<r - 1
	}
	return vector.Vec{Arr: vector.NewBool(out, n, valid), Const: a.Const && b.Const}
}

func evalNot(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	bits := append(vector.Bitmap(nil), boolsOf(v[0], n)...)
	invert(bits, n)
	return vector.Vec{Arr: vector.NewBool(bits, n, Validity(n, v[0]))}, nil
}

func nullTest(name, words string, want bool) Scalar {
	summary := "True if x is null."
	if !want {
		summary = "True if x is not null."
	}
	return Define(Scalar{Name: name, Signature: name + "(x)", Summary: summary,
		SQL: func(a []string) string { return "(" + a[0] + " " + words + ")" }},
		Sig{Params: []Accept{Any}, Result: vector.Bool, TakesNulls: true, Total: true},
		func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if v[0].Const {
				return boolConst(v[0].IsNull(0) == want), nil
			}
			valid := nullBits(v[0].Arr)
			if want {
				valid = append(vector.Bitmap(nil), valid...)
				invert(valid, n)
			}
			return vector.Vec{Arr: vector.NewBool(valid, n, nil)}, nil
		})
}

// nullBits is the validity of an array as a bitmap that exists.
func nullBits(a arrow.Array) vector.Bitmap {
	if v := vector.Validity(a); v != nil {
		return v
	}
	return vector.NewValid(a.Len())
}

func evalIsNaN(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	if v[0].Const {
		n = 1
	}
	var bits vector.Bitmap
	if v[0].Arr.DataType().ID() == arrow.FLOAT32 {
		bits = nanBits(vector.Values[float32](v[0].Arr))
	} else {
		bits = nanBits(vector.Values[float64](v[0].Arr))
	}
	if valid := vector.Validity(v[0].Arr); valid != nil {
		andBits(bits, bits, valid)
	}
	return vector.Vec{Arr: vector.NewBool(bits, n, nil), Const: v[0].Const}, nil
}

func nanBits[T float](v []T) vector.Bitmap {
	out := vector.NewBitmap(len(v))
	for i, x := range v {
		out[i>>3] |= bit(x != x) << (i & 7)
	}
	return out
}

// truthTest is a IS [NOT] TRUE|FALSE.
func truthTest(name string, truth, negate bool) Scalar {
	return Define(Scalar{Name: name, Signature: "a " + name, Summary: "Tests a boolean; never null.",
		SQL: func(a []string) string {
			s := "(" + a[0] + " <=> " + map[bool]string{true: "true", false: "false"}[truth] + ")"
			if negate {
				return "(NOT " + s + ")"
			}
			return s
		}},
		Sig{Params: []Accept{Bool}, Result: vector.Bool, TakesNulls: true, Total: true},
		func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if v[0].Const {
				n = 1
			}
			bits := append(vector.Bitmap(nil), boolsOf(v[0], n)...)
			if !truth {
				invert(bits, n)
			}
			if valid := Validity(n, v[0]); valid != nil {
				andBits(bits, bits, valid)
			}
			if negate {
				invert(bits, n)
			}
			return vector.Vec{Arr: vector.NewBool(bits, n, nil), Const: v[0].Const}, nil
		})
}
