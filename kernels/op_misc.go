package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Scalar{Name: "typeof", Signature: "typeof(x)", MinArgs: 1, MaxArgs: 1, Summary: "The name of the argument's type.",
			Examples: []Example{{"typeof(1)", "int"}},
			Bind: func(_ *Conf, args []Arg) (*Impl, error) {
				name := NewConst(vector.String, args[0].Type.String())
				return &Impl{Args: []*vector.Type{nil}, Result: vector.String, New: func([]Expr) Expr { return name }}, nil
			}},
		Define(Scalar{Name: "raise_error", Signature: "raise_error(message)", Summary: "Fails with a message."},
			Sig{Params: []Accept{String}, Result: vector.Null, TakesNulls: true, Volatile: true, Nullable: true},
			func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
				if n == 0 {
					return vector.ConstNull(vector.Null), nil
				}
				return vector.Vec{}, errRaised(textAt(v[0], 0))
			}),
		Scalar{Name: "assert_true", Signature: "assert_true(cond[, message])", MinArgs: 1, MaxArgs: 2,
			Summary:  "Null if the condition is true, else an error.",
			Examples: []Example{{"assert_true(0 < 1)", "NULL"}},
			SQL: func(a []string) string {
				if len(a) == 1 {
					a = append(a, "'"+a[0]+"' is not true!")
				}
				return "assert_true(" + a[0] + ", " + a[1] + ")"
			},
			Bind: bindAssert},
	)
}

func errRaised(message string) error {
	return condition.New("USER_RAISED_EXCEPTION", "errorMessage", message)
}

// textAt is string i of a column, or "null".
func textAt(v vector.Vec, i int) string {
	if v.IsNull(i) {
		return "null"
	}
	off, data := vector.Strings(v.Arr)
	i &= v.Mask()
	return string(data[off[i]:off[i+1]])
}

func bindAssert(conf *Conf, args []Arg) (*Impl, error) {
	sql := "assert_true(" + args[0].SQL + ")"
	types := make([]*vector.Type, len(args))
	for i, p := range []Accept{Bool, String}[:len(args)] {
		t, ok := ImplicitCast(conf, args[i].Type, p)
		if !ok {
			return nil, UnexpectedInput(sql, i, p, args[i])
		}
		types[i] = t
	}
	message := "'" + args[0].SQL + "' is not true!"
	return &Impl{Args: types, Result: vector.Null, Nullable: true, Volatile: true,
		Eval: func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			bits, valid := boolsOf(v[0], n), Validity(n, v[0])
			for i := range n {
				if bits.Get(i) && valid.Get(i) {
					continue
				}
				if len(v) > 1 {
					return vector.Vec{}, errRaised(textAt(v[1], i))
				}
				return vector.Vec{}, errRaised(message)
			}
			return vector.ConstNull(vector.Null), nil
		}}, nil
}
