package agg

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "approx_top_k_accumulate", Signature: "approx_top_k_accumulate(expr[, maxItemsTracked])",
			Summary: "A state of the values' counts for approx_top_k_estimate and approx_top_k_combine.",
			Examples: []kernels.Example{{SQL: "SELECT approx_top_k_estimate(approx_top_k_accumulate(x), 1) FROM VALUES (1), (2), (2) AS t(x)",
				Want: "[{2, 2}]"}},
			MinArgs: 1, MaxArgs: 2, Bind: bindTopKAccumulate, SQL: withDefault("approx_top_k_accumulate", 2, "10000"),
		},
		Function{
			Name: "approx_top_k_combine", Signature: "approx_top_k_combine(state[, maxItemsTracked])",
			Summary: "The union of states of approx_top_k_accumulate, which must track as many items unless a number is given.",
			Examples: []kernels.Example{{SQL: "SELECT approx_top_k_estimate(approx_top_k_combine(s), 1) FROM (SELECT approx_top_k_accumulate(x) AS s FROM VALUES (1, 1), (2, 1), (2, 2) AS t(x, y) GROUP BY y)",
				Want: "[{2, 2}]"}},
			MinArgs: 1, MaxArgs: 2, Bind: bindTopKCombine, SQL: withDefault("approx_top_k_combine", 2, "-1"),
		},
	)
}

// trackedItems is the number of items to track that the second argument says.
func trackedItems(c call, deflt int) (int, error) {
	if len(c.args) < 2 {
		return deflt, nil
	}
	if c.args[1].Const == nil {
		return 0, kernels.TopKMismatch(c.sql(), "Number of items tracked must be a constant literal")
	}
	return kernels.TopKNumber(c.conf, c.args[1], "maxItemsTracked")
}

func bindTopKAccumulate(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	name := "approx_top_k_accumulate"
	c := call{name: name, conf: conf, args: args, text: withDefault(name, 2, "10000")(sqlsOf(args), false)}
	types, err := c.cast(kernels.Any, kernels.Int)
	if err != nil {
		return nil, err
	}
	codec, err := itemCodec(c, types[0])
	if err != nil {
		return nil, err
	}
	tracked, err := trackedItems(c, kernels.MaxItemsTracked)
	if err != nil {
		return nil, err
	}
	return &Impl{
		Args: types, Result: kernels.TopKStateType(types[0]), State: storedState("buf"), Ordered: true,
		New: func() Accumulator { return &topKAccumulate{newTopKCounts(types[0], codec, tracked)} },
	}, nil
}

// topKAccumulate counts values for a state.
type topKAccumulate struct{ topKCounts }

func (a *topKAccumulate) Result(_ Rows, g []uint32) (arrow.Array, error) {
	for _, x := range g {
		a.of(x)
	}
	return stateColumn(a.t, a.states, g), nil
}

// stateColumn is the states of groups as a column of kernels.TopKStateType.
func stateColumn(t *vector.Type, states []*topKState, g []uint32) arrow.Array {
	sketches := binaries(g, func(dst []byte, g uint32) []byte {
		return sketch.AppendNullableItems(dst, states[g].items, states[g].nulls)
	})
	tracked, off, ddl := make([]int32, len(g)), make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		tracked[i] = int32(states[x].tracked)
		ddl = append(ddl, itemDDL(t)...)
		off[i+1] = int32(len(ddl))
	}
	return vector.NewStruct(kernels.TopKStateType(t), []arrow.Array{
		sketches, vector.NewFixed(vector.Int, tracked, nil), vector.NewNull(t, len(g)), vector.NewString(vector.String, off, ddl, nil),
	}, len(g), nil)
}

// itemDDL tells the type of a state's items.
func itemDDL(t *vector.Type) string {
	if t.Kind == vector.KindString {
		return "item string not null"
	}
	return "item " + t.SQL() + " NOT NULL"
}

// itemTypeOf is the type that itemDDL tells.
func itemTypeOf(ddl string) string {
	name := strings.TrimPrefix(ddl, "item ")
	return strings.ToUpper(name[:max(len(name)-len(" NOT NULL"), 0)])
}

func bindTopKCombine(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	name := "approx_top_k_combine"
	c := call{name: name, conf: conf, args: args, text: withDefault(name, 2, "-1")(sqlsOf(args), false)}
	if err := kernels.CheckTopKState(c.sql(), args[0]); err != nil {
		return nil, err
	}
	types, err := c.cast(kernels.AnyStruct, kernels.Int)
	if err != nil {
		return nil, err
	}
	tracked, err := trackedItems(c, 0)
	if err != nil {
		return nil, err
	}
	t := types[0].Fields[2].Type
	codec, _ := kernels.ItemCodecOf(t)
	return &Impl{
		Args: types, Result: kernels.TopKStateType(t), State: storedState("buf"), Ordered: true,
		New: func() Accumulator { return &topKCombine{t: t, codec: codec, tracked: tracked} },
	}, nil
}

// topKCombine unites states; tracked is the number of items to track, 0 for that
// of the states.
type topKCombine struct {
	grown[topKState, *topKState]
	t       *vector.Type
	codec   sketch.ItemCodec
	tracked int
}

func (a *topKCombine) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	in := args[0].(*array.Struct)
	off, data := vector.Strings(in.Field(0))
	tracked := vector.Values[int32](in.Field(1))
	typeOff, ddl := vector.Strings(in.Field(3))
	for i, x := range g {
		if got := string(ddl[typeOff[i]:typeOff[i+1]]); got != itemDDL(a.t) {
			return condition.New("APPROX_TOP_K_SKETCH_TYPE_NOT_MATCH", "type1", `"`+a.t.SQL()+`"`, "type2", `"`+itemTypeOf(got)+`"`)
		}
		items, nulls, err := sketch.ParseNullableItems(a.codec, data[off[i]:off[i+1]])
		if err != nil {
			return err
		}
		if err := a.add(x, &topKState{items, nulls, int(tracked[i])}); err != nil {
			return err
		}
	}
	return nil
}

func (a *topKCombine) add(g uint32, s *topKState) error {
	own := a.states[g]
	if own == nil {
		size := a.tracked
		if size == 0 {
			size = s.tracked
		}
		own = &topKState{items: a.empty(), tracked: size}
		a.states[g] = own
	}
	if a.tracked == 0 && own.tracked != s.tracked {
		return condition.New("APPROX_TOP_K_SKETCH_SIZE_NOT_MATCH", "size1", strconv.Itoa(own.tracked), "size2", strconv.Itoa(s.tracked))
	}
	own.items.Merge(s.items)
	own.nulls += s.nulls
	return nil
}

// empty is a sketch for any number of tracked items, if none is given.
func (a *topKCombine) empty() *sketch.Items {
	if a.tracked > 0 {
		return kernels.NewItems(a.codec, a.tracked)
	}
	return kernels.NewItems(a.codec, kernels.MaxItemsTrackedLimit)
}

func (a *topKCombine) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		s, err := parseTopK(a.codec, p)
		if err != nil {
			return err
		}
		if a.states[g] == nil {
			a.states[g] = s
			return nil
		}
		return a.add(g, s)
	})
}

func (a *topKCombine) Result(_ Rows, g []uint32) (arrow.Array, error) {
	for _, x := range g {
		if a.states[x] == nil {
			a.states[x] = &topKState{items: a.empty(), tracked: a.tracked}
		}
	}
	return stateColumn(a.t, a.states, g), nil
}
