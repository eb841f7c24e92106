package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// The state's columns, as Spark names them.
const extremeValue, extremeOrder = "valueWithExtremumOrdering", "extremumOrdering"

func init() {
	for _, f := range []struct {
		name, word string
		greatest   bool
	}{{"max_by", "greatest", true}, {"min_by", "least", false}} {
		want := "b"
		if !f.greatest {
			want = "a"
		}
		Register(Function{
			Name: f.name, Signature: f.name + "(expr, order[, k])",
			Summary:  "The value of expr in the row with the " + f.word + " non-null order; with k an array of the values in the k rows with the " + f.word + " orders.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x, y) FROM VALUES ('a', 1), ('b', 2) AS t(x, y)", Want: want}},
			MinArgs:  2, MaxArgs: 3,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				if err := (call{name: f.name, conf: conf, args: args}).ordered(1); err != nil {
					return nil, err
				}
				if len(args) == 3 {
					return bindExtremes(call{name: f.name, conf: conf, args: args}, f.greatest)
				}
				value, order := args[0].Type, args[1].Type
				v, o := newCell(value), newCell(order)
				return &Impl{
					Args: typesOf(args), Result: value, Nullable: true,
					State:  []vector.Field{field(extremeValue, v.stored(), true), field(extremeOrder, o.stored(), true)},
					Buffer: []BufferField{{extremeValue, value, 0}, {extremeOrder, order, 1}},
					New: func() Accumulator {
						a := &extremeBy{value: newCell(value), order: newCell(order), greatest: f.greatest}
						a.order.off = uintptr(a.value.Width())
						return a
					},
				}, nil
			},
		})
	}
}

// extremeBy keeps the value beside the greatest or least order: state {value
// cell, order cell}. Among equal orders the last row wins, as in Spark.
type extremeBy struct {
	value, order cell
	greatest     bool
}

func (a *extremeBy) Width() int { return a.value.Width() + a.order.Width() }
func (a *extremeBy) Bytes() int { return a.value.Bytes() + a.order.Bytes() }

func (a *extremeBy) Init(r Rows, lo, hi int) {
	a.value.init(r, lo, hi)
	a.order.init(r, lo, hi)
}

func (a *extremeBy) Update(r Rows, g []uint32, args []arrow.Array) error {
	return a.Merge(r, g, []arrow.Array{a.value.encode(args[0]), a.order.encode(args[1])})
}

func (a *extremeBy) Merge(r Rows, g []uint32, state []arrow.Array) error {
	values, orders := a.value.read(state[0]), a.order.read(state[1])
	hasValue, hasOrder := validOf(state[0]), validOf(state[1])
	for i, x := range g {
		if !hasOrder.Get(i) {
			continue
		}
		f := r.flagOf(x)
		if *f != 0 {
			c := a.order.compare(r, x, orders, i)
			if c > 0 && a.greatest || c < 0 && !a.greatest {
				continue
			}
		}
		*f = set
		a.order.put(r, x, orders, i)
		if hasValue.Get(i) {
			a.value.put(r, x, values, i)
		} else {
			*f |= isNull
		}
	}
	return nil
}

func (a *extremeBy) values(r Rows, g []uint32) arrow.Array {
	return a.value.column(r, g, gatherFlag(r, g, func(f uint8) bool { return f == set }))
}

func (a *extremeBy) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{a.values(r, g), a.order.column(r, g, gatherSet(r, g))}
}

func (a *extremeBy) Result(r Rows, g []uint32) (arrow.Array, error) {
	return a.value.decode(a.values(r, g)), nil
}
