package agg

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "count_min_sketch", Signature: "count_min_sketch(column, epsilon, confidence, seed)",
		Summary: "A count-min sketch of the values in Spark's binary form.",
		Examples: []kernels.Example{{SQL: "SELECT hex(count_min_sketch(x, 0.5D, 0.5D, 1)) FROM VALUES (1), (2), (1) AS t(x)",
			Want: "0000000100000000000000030000000100000004000000005D8D6AB90000000000000000000000000000000200000000000000010000000000000000"}},
		MinArgs: 4, MaxArgs: 4, Bind: bindCountMin,
	})
}

func bindCountMin(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "count_min_sketch", conf: conf, args: args}
	types, err := c.expect(kernels.OneOf(kernels.AnyIntegral, kernels.String, kernels.Binary), kernels.Double, kernels.Double, kernels.AnyIntegral)
	if err != nil {
		return nil, err
	}
	var v [3]float64
	for i, name := range []string{"eps", "confidence", "seed"} {
		a := args[1+i]
		x, _, null, ok := constants(a)
		switch {
		case !ok:
			return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
				"inputName", "`"+name+"`", "inputType", quote(a.Type.SQL()), "inputExpr", quote(a.SQL))
		case null:
			return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quote(c.sql()), "exprName", name)
		}
		v[i] = x[0]
	}
	outOfRange := func(name, limits string, value float64) error {
		return condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quote(c.sql()), "exprName", name,
			"valueRange", limits, "currentValue", string(text.AppendDouble(nil, value))+"D")
	}
	switch {
	case v[0] <= 0:
		return nil, outOfRange("eps", "(0.0, 1.7976931348623157E308]", v[0])
	case v[1] <= 0 || v[1] >= 1:
		return nil, outOfRange("confidence", "(0.0, 1.0]", v[1])
	}
	shape := sketch.NewCountMinShape(v[0], v[1], int32(v[2]))
	if cells := shape.Depth * shape.Width; cells > math.MaxInt32/8 {
		return nil, condition.New("VSTREAM_UNSUPPORTED", "feature", "a count-min sketch of "+strconv.Itoa(cells)+" counters")
	}
	return &Impl{
		Args: types, Result: vector.Binary, State: storedState("buf"),
		New: func() Accumulator {
			a := &countMin{t: types[0], shape: shape}
			a.fresh = func() *sketch.CountMin { return sketch.NewCountMin(shape) }
			return a
		},
	}, nil
}

// countMin makes count-min sketches.
type countMin struct {
	grown[sketch.CountMin, *sketch.CountMin]
	t     *vector.Type
	shape sketch.CountMinShape
}

func (a *countMin) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	if t := a.t.Kind; t == vector.KindString || t == vector.KindBinary {
		off, data := vector.Strings(args[0])
		for i, x := range g {
			p := data[off[i]:off[i+1]]
			h1 := kernels.MurmurBytes(p, 0)
			a.of(x).AddHashes(int32(h1), int32(kernels.MurmurBytes(p, h1)))
		}
		return nil
	}
	switch a.t.Width() {
	case 1:
		addLongs(a, g, vector.Values[int8](args[0]))
	case 2:
		addLongs(a, g, vector.Values[int16](args[0]))
	case 4:
		addLongs(a, g, vector.Values[int32](args[0]))
	default:
		addLongs(a, g, vector.Values[int64](args[0]))
	}
	return nil
}

func addLongs[T int8 | int16 | int32 | int64](a *countMin, g []uint32, v []T) {
	for i, x := range g {
		a.of(x).AddLong(int64(v[i]))
	}
}

func (a *countMin) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		s, err := sketch.ParseCountMin(a.shape, p)
		if err == nil {
			a.of(g).Merge(s)
		}
		return err
	})
}

func (a *countMin) Result(_ Rows, g []uint32) (arrow.Array, error) {
	return binaries(g, func(dst []byte, g uint32) []byte { return a.of(g).AppendTo(dst) }), nil
}
