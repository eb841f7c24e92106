package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "hll_sketch_agg", Signature: "hll_sketch_agg(expr[, lgConfigK])",
			Summary:  "A DataSketches HLL sketch of the non-null values with 2^lgConfigK registers (default 12), as BINARY.",
			Examples: []kernels.Example{{SQL: "SELECT hll_sketch_estimate(hll_sketch_agg(x)) FROM VALUES (1), (1), (2) AS t(x)", Want: "2"}},
			MinArgs:  1, MaxArgs: 2, Bind: bindHLLSketch,
			SQL: withDefault("hll_sketch_agg", 2, "12"),
		},
		Function{
			Name: "hll_union_agg", Signature: "hll_union_agg(sketch[, allowDifferentLgConfigK])",
			Summary:  "The union of DataSketches HLL sketches, as BINARY.",
			Examples: []kernels.Example{{SQL: "SELECT hll_sketch_estimate(hll_union_agg(s)) FROM (SELECT hll_sketch_agg(x) AS s FROM VALUES (1), (2) AS t(x) GROUP BY x)", Want: "2"}},
			MinArgs:  1, MaxArgs: 2, Bind: bindHLLUnion,
			SQL: withDefault("hll_union_agg", 2, "false"),
		},
	)
}

// withDefault prints a call with the value of its last argument, the n-th, if
// that was left out.
func withDefault(name string, n int, value string) func([]string, bool) string {
	return func(args []string, distinct bool) string {
		if len(args) < n {
			args = append(args[:len(args):len(args)], value)
		}
		return plainSQL(name, args, distinct)
	}
}

// sketched are the types that DataSketches count.
var sketched = kernels.OneOf(kernels.Int, kernels.Long, kernels.String, kernels.Binary)

func bindHLLSketch(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "hll_sketch_agg", conf: conf, args: args, text: withDefault("hll_sketch_agg", 2, "12")(sqlsOf(args), false)}
	types, err := c.expect(sketched, kernels.Int)
	if err != nil {
		return nil, err
	}
	lgK := sketch.DefaultLgK
	if len(args) == 2 {
		k := args[1].Const
		if k == nil {
			return nil, condition.New("HLL_K_MUST_BE_CONSTANT", "function", "`hll_sketch_agg`")
		}
		if lgK = 0; !k.IsNull(0) {
			lgK = int(vector.Values[int32](k.Arr)[0])
		}
		if lgK < sketch.MinLgK || lgK > sketch.MaxLgK {
			return nil, condition.New("HLL_INVALID_LG_K", "function", "`hll_sketch_agg`",
				"min", sketch.MinLgK, "max", sketch.MaxLgK, "value", lgK)
		}
	}
	return &Impl{
		Args: types, Result: vector.Binary, State: storedState("buf"), Ordered: true, // by its running estimate
		New: func() Accumulator {
			a := &hllSketch{t: types[0]}
			a.fresh = func() *sketch.HLL { return sketch.NewHLL(lgK) }
			return a
		},
	}, nil
}

// hllSketch makes DataSketches HLL sketches.
type hllSketch struct {
	grown[sketch.HLL, *sketch.HLL]
	t *vector.Type
}

func (a *hllSketch) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	eachHash(a.t, args[0], func(i int, h1, h2 uint64) { a.of(g[i]).Add(sketch.Coupon(h1, h2)) })
	return nil
}

// eachHash visits the hashes of DataSketches of a column without nulls; an empty
// text has none.
func eachHash(t *vector.Type, col arrow.Array, visit func(i int, h1, h2 uint64)) {
	switch t.Kind {
	case vector.KindInt:
		for i, v := range vector.Values[int32](col) {
			h1, h2 := sketch.HashLong(int64(v))
			visit(i, h1, h2)
		}
	case vector.KindLong:
		for i, v := range vector.Values[int64](col) {
			h1, h2 := sketch.HashLong(v)
			visit(i, h1, h2)
		}
	default:
		off, data := vector.Strings(col)
		for i := range col.Len() {
			if off[i] < off[i+1] {
				h1, h2 := sketch.HashBytes(data[off[i]:off[i+1]])
				visit(i, h1, h2)
			}
		}
	}
}

func (a *hllSketch) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		s, err := sketch.ParseHLL(p)
		if err != nil {
			return err
		}
		u := sketch.NewHLLUnion(s.LgK())
		if own := a.states[g]; own != nil {
			u.Add(own, false)
		}
		u.Add(s, false)
		a.states[g] = u.Result()
		return nil
	})
}

func (a *hllSketch) Result(_ Rows, g []uint32) (arrow.Array, error) {
	return binaries(g, func(dst []byte, g uint32) []byte { return a.of(g).AppendTo(dst) }), nil
}

func bindHLLUnion(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "hll_union_agg", conf: conf, args: args, text: withDefault("hll_union_agg", 2, "false")(sqlsOf(args), false)}
	types, err := c.expect(kernels.Binary, kernels.Bool)
	if err != nil {
		return nil, err
	}
	mixed := false
	if len(args) == 2 {
		if v := args[1].Const; v != nil && !v.IsNull(0) {
			mixed = vector.Bools(v.Arr).Get(0)
		}
	}
	return &Impl{
		Args: types, Result: vector.Binary, State: storedState("buf"), Ordered: true,
		New: func() Accumulator { return &hllUnion{mixed: mixed} },
	}, nil
}

// hllUnion unites DataSketches HLL sketches.
type hllUnion struct {
	grown[sketch.HLLUnion, *sketch.HLLUnion]
	mixed bool // sketches of different sizes go together
}

func (a *hllUnion) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	off, data := vector.Strings(args[0])
	for i, x := range g {
		s, err := sketch.ParseHLL(data[off[i]:off[i+1]])
		if err != nil {
			return condition.New("HLL_INVALID_INPUT_SKETCH_BUFFER", "function", "`hll_union_agg`")
		}
		if err := a.add(x, s, true); err != nil {
			return err
		}
	}
	return nil
}

func (a *hllUnion) add(g uint32, s *sketch.HLL, replay bool) error {
	u := a.states[g]
	if u == nil {
		u = sketch.NewHLLUnion(s.LgK())
		a.states[g] = u
	}
	if lgK := u.Result().LgK(); !a.mixed && lgK != s.LgK() {
		return condition.New("HLL_UNION_DIFFERENT_LG_K", "left", lgK, "right", s.LgK(), "function", "`hll_union_agg`")
	}
	u.Add(s, replay)
	return nil
}

func (a *hllUnion) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		s, err := sketch.ParseHLL(p)
		if err != nil {
			return err
		}
		return a.add(g, s, false)
	})
}

func (a *hllUnion) Result(_ Rows, g []uint32) (arrow.Array, error) {
	return binaries(g, func(dst []byte, g uint32) []byte {
		if u := a.states[g]; u != nil {
			return u.Result().AppendTo(dst)
		}
		return sketch.NewHLL(sketch.DefaultLgK).AppendTo(dst)
	}), nil
}
