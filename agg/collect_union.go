package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "collect_union", Signature: "collect_union(array)",
		Summary:  "The distinct non-null elements of the arrays, in no order to rely on.",
		Examples: []kernels.Example{{SQL: "SELECT collect_union(x) FROM VALUES (array(1, 1)), (array(1)) AS t(x)", Want: "[1]"}},
		MinArgs:  1, MaxArgs: 1,
		Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			c := call{name: "collect_union", conf: conf, args: args}
			t := args[0].Type
			switch {
			case t.Kind != vector.KindArray:
				return nil, kernels.UnexpectedInput(c.sql(), 0, kernels.AnyArray, args[0])
			case hasMap(t):
				return nil, condition.New("DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
					"sqlExpr", quote(c.sql()), "functionName", "`collect_union`", "dataType", `"MAP" or "COLLATED STRING"`)
			}
			return &Impl{
				Args: []*vector.Type{t}, Result: vector.ArrayOf(t.Elem, false), State: storedState("buf"),
				New: func() Accumulator {
					return &collectUnion{collectSet{t: t.Elem, seen: newEntries([]*vector.Type{t.Elem})}}
				},
			}, nil
		},
	})
}

// collectUnion is collectSet of the elements of arrays.
type collectUnion struct{ collectSet }

func (a *collectUnion) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	off, elems := vector.Offsets(args[0]), vector.ListChild(args[0])
	var rows, groups []uint32
	for i, x := range g {
		for j := off[i]; j < off[i+1]; j++ {
			rows, groups = append(rows, uint32(j)), append(groups, x)
		}
	}
	return a.collectSet.Update(r, groups, []arrow.Array{vector.Take(elems, rows)})
}
