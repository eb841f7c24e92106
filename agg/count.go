package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "count", Signature: "count(*) | count(expr[, …])",
			Summary:  "The number of rows, or of rows in which no argument is null.",
			Examples: []kernels.Example{{SQL: "SELECT count(*) FROM VALUES (1), (NULL) AS t(x)", Want: "2"}, {SQL: "SELECT count(x) FROM VALUES (1), (NULL) AS t(x)", Want: "1"}},
			MinArgs:  0, MaxArgs: -1,
			Bind: func(_ *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return countImpl(typesOf(args), func() Accumulator { return count{} }), nil
			},
			SQL: countSQL,
		},
		Function{
			Name: "count_if", Signature: "count_if(condition)",
			Summary:  "The number of rows for which the condition is true.",
			Examples: []kernels.Example{{SQL: "SELECT count_if(x > 1) FROM VALUES (1), (2), (NULL) AS t(x)", Want: "1"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				types, err := call{name: "count_if", conf: conf, args: args}.cast(kernels.Bool)
				if err != nil {
					return nil, err
				}
				return countImpl(types, func() Accumulator { return countIf{} }), nil
			},
		},
	)
}

func countImpl(args []*vector.Type, acc func() Accumulator) *Impl {
	return &Impl{Args: args, Result: vector.Long, State: []vector.Field{field("count", vector.Long, false)}, New: acc}
}

// countSQL prints count(*) as count(1), as Spark does.
func countSQL(args []string, distinct bool) string {
	if len(args) == 0 {
		args = []string{"1"}
	}
	return plainSQL("count", args, distinct)
}

// count is a row counter: state {count int64}.
type count struct{}

func (count) Width() int { return 8 }
func (count) Bytes() int { return 0 }

func (count) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (count) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, _ = valid(g, args...)
	for _, x := range g {
		*at[int64](r, x, 0)++
	}
	return nil
}

func (count) Merge(r Rows, g []uint32, state []arrow.Array) error {
	v := vector.Values[int64](state[0])
	for i, x := range g {
		*at[int64](r, x, 0) += v[i]
	}
	return nil
}

func (count) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{vector.NewFixed(vector.Long, gather[int64](r, g, 0), nil)}
}

func (c count) Result(r Rows, g []uint32) (arrow.Array, error) { return c.Export(r, g)[0], nil }

// countIf is count of the rows with a true argument.
type countIf struct{ count }

func (countIf) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	b := vector.Bools(args[0])
	for i, x := range g {
		*at[int64](r, x, 0) += int64(b[i>>3] >> (i & 7) & 1)
	}
	return nil
}

// Rowcount is count(*), for operators that count rows for themselves.
func Rowcount() *Impl { return countImpl(nil, func() Accumulator { return count{} }) }
