package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []struct{ name, op, want string }{{"bit_and", "AND", "1"}, {"bit_or", "OR", "7"}, {"bit_xor", "XOR", "6"}} {
		Register(Function{
			Name: f.name, Signature: f.name + "(expr)",
			Summary:  "The bitwise " + f.op + " of the non-null values; null if there is none.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (3), (5) AS t(x)", Want: f.want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				t := args[0].Type
				switch {
				case t.Kind == vector.KindNull:
					t = vector.Int
				case !t.Integral():
					return nil, kernels.UnexpectedInput(call{name: f.name, conf: conf, args: args}.sql(), 0, kernels.AnyIntegral, args[0])
				}
				return &Impl{
					Args: []*vector.Type{t}, Result: t, Nullable: true,
					State: []vector.Field{field(f.name, t, true)},
					New: func() Accumulator {
						switch t.Kind {
						case vector.KindByte:
							return bitwise[int8]{t, f.op}
						case vector.KindShort:
							return bitwise[int16]{t, f.op}
						case vector.KindInt:
							return bitwise[int32]{t, f.op}
						}
						return bitwise[int64]{t, f.op}
					},
				}, nil
			},
		})
	}
}

// bitwise combines integers bit by bit: state {value T}.
type bitwise[T int8 | int16 | int32 | int64] struct {
	t  *vector.Type
	op string
}

func (bitwise[T]) Width() int { return 8 }
func (bitwise[T]) Bytes() int { return 0 }

func (bitwise[T]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (a bitwise[T]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	v := vector.Values[T](args[0])[:len(g)]
	switch a.op {
	case "AND":
		for i, x := range g {
			p, f := at[T](r, x, 0), r.flagOf(x)
			if *f == 0 {
				*p, *f = -1, set
			}
			*p &= v[i]
		}
	case "OR":
		for i, x := range g {
			*at[T](r, x, 0) |= v[i]
			*r.flagOf(x) = set
		}
	default:
		for i, x := range g {
			*at[T](r, x, 0) ^= v[i]
			*r.flagOf(x) = set
		}
	}
	return nil
}

func (a bitwise[T]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	return a.Update(r, g, state)
}

func (a bitwise[T]) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{export[T](a.t, r, g)}
}

func (a bitwise[T]) Result(r Rows, g []uint32) (arrow.Array, error) {
	return export[T](a.t, r, g), nil
}
