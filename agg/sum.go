package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "sum", Signature: "sum(expr)",
			Summary:  "The sum of the non-null values; null if there is none.",
			Examples: []kernels.Example{{SQL: "SELECT sum(x) FROM VALUES (1), (2), (NULL) AS t(x)", Want: "3"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindSum(call{name: "sum", conf: conf, args: args}, onOverflow(conf.ANSI))
			},
		},
		Function{
			Name: "try_sum", Signature: "try_sum(expr)",
			Summary:  "The sum of the non-null values; null if there is none or on overflow.",
			Examples: []kernels.Example{{SQL: "SELECT try_sum(x) FROM VALUES (9223372036854775807), (1) AS t(x)", Want: "NULL"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindSum(call{name: "try_sum", conf: conf, args: args}, overflowNull)
			},
		},
	)
}

// overflowMode is what a sum does that its type cannot hold.
type overflowMode uint8

const (
	overflowWraps overflowMode = iota // integers outside ANSI mode
	overflowFails
	overflowInterval // intervals are exact in every mode
	overflowNull     // try_sum
)

func onOverflow(ansi bool) overflowMode {
	if ansi {
		return overflowFails
	}
	return overflowWraps
}

func bindSum(c call, mode overflowMode) (*Impl, error) {
	t, err := c.numeric()
	if err != nil {
		return nil, err
	}
	im := &Impl{Args: []*vector.Type{t}, Nullable: true}
	switch t.Kind {
	case vector.KindDecimal:
		im.Result = vector.Decimal(min(38, t.Precision+10), t.Scale)
		im.State = []vector.Field{field("sum", im.Result, true), field("isEmpty", vector.Bool, false)}
		im.New = func() Accumulator { return sumDecimal{t: im.Result, mode: mode} }
		return im, nil
	case vector.KindFloat, vector.KindDouble:
		im.Result = vector.Double
	case vector.KindDayTimeInterval, vector.KindYearMonthInterval:
		im.Result = t
		if mode != overflowNull {
			mode = overflowInterval
		}
	default:
		im.Result = vector.Long
	}
	im.State = []vector.Field{field("sum", im.Result, true)}
	switch t.Kind {
	case vector.KindFloat:
		im.New = func() Accumulator { return sumFloat[float32]{} }
	case vector.KindDouble:
		im.New = func() Accumulator { return sumFloat[float64]{} }
	case vector.KindByte:
		im.New = func() Accumulator { return sumInt[int8, int64]{vector.Long, mode} }
	case vector.KindShort:
		im.New = func() Accumulator { return sumInt[int16, int64]{vector.Long, mode} }
	case vector.KindInt:
		im.New = func() Accumulator { return sumInt[int32, int64]{vector.Long, mode} }
	case vector.KindYearMonthInterval:
		im.New = func() Accumulator { return sumInt[int32, int32]{t, mode} }
	default:
		im.New = func() Accumulator { return sumInt[int64, int64]{im.Result, mode} }
	}
	if mode == overflowNull && im.Result.Kind != vector.KindDouble {
		// The lost sum must stay lost through state, so it is a second column.
		im.State = append(im.State, field("overflow", vector.Bool, false))
	}
	return im, nil
}

// lost marks a sum that has overflowed and stays null.
const lost uint8 = 2

// sumInt adds integers of type V to a sum of type S: state {sum S}.
type sumInt[V int8 | int16 | int32 | int64, S int32 | int64] struct {
	t    *vector.Type
	mode overflowMode
}

func (sumInt[V, S]) Width() int { return 8 }
func (sumInt[V, S]) Bytes() int { return 0 }

func (sumInt[V, S]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (a sumInt[V, S]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	return addInts[V, S](a.mode, r, g, vector.Values[V](args[0]))
}

// addInts adds v[i] to the sum of group g[i].
func addInts[V int8 | int16 | int32 | int64, S int32 | int64](mode overflowMode, r Rows, g []uint32, v []V) error {
	v = v[:len(g)]
	if mode == overflowWraps {
		for i, x := range g {
			*at[S](r, x, 0) += S(v[i])
			*r.flagOf(x) |= set
		}
		return nil
	}
	for i, x := range g {
		p := at[S](r, x, 0)
		a, b := *p, S(v[i])
		s := a + b
		if (a^s)&(b^s) < 0 {
			switch mode {
			case overflowInterval:
				return condition.New("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "functionName", "`try_add`")
			case overflowFails:
				return overflow("overflow", "try_add")
			}
			*r.flagOf(x) |= lost
		}
		*p = s
		*r.flagOf(x) |= set
	}
	return nil
}

func (a sumInt[V, S]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	if a.mode == overflowNull {
		b := vector.Bools(state[1])
		for i, x := range g {
			if b[i>>3]&(1<<(i&7)) != 0 {
				*r.flagOf(x) |= lost | set
			}
		}
	}
	g, state = valid(g, state[0])
	return addInts[S, S](a.mode, r, g, vector.Values[S](state[0]))
}

func (a sumInt[V, S]) Export(r Rows, g []uint32) []arrow.Array {
	out := []arrow.Array{export[S](a.t, r, g)}
	if a.mode == overflowNull {
		out = append(out, flagColumn(r, g, lost))
	}
	return out
}

func (a sumInt[V, S]) Result(r Rows, g []uint32) (arrow.Array, error) {
	if a.mode != overflowNull {
		return export[S](a.t, r, g), nil
	}
	return vector.NewFixed(a.t, gather[S](r, g, 0), gatherFlag(r, g, func(f uint8) bool { return f == set })), nil
}

// flagColumn is a bit of the flag bytes as a boolean column.
func flagColumn(r Rows, g []uint32, bit uint8) arrow.Array {
	return vector.NewBool(gatherFlag(r, g, func(f uint8) bool { return f&bit != 0 }), len(g), nil)
}

// gatherFlag is a bitmap of the groups whose flag byte satisfies ok.
func gatherFlag(r Rows, g []uint32, ok func(uint8) bool) vector.Bitmap {
	out := vector.NewBitmap(len(g))
	for i, x := range g {
		if ok(*r.flagOf(x)) {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}

// sumFloat adds floats as doubles: state {sum float64}.
type sumFloat[V float32 | float64] struct{}

func (sumFloat[V]) Width() int { return 8 }
func (sumFloat[V]) Bytes() int { return 0 }

func (sumFloat[V]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

func (sumFloat[V]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	addFloats(r, g, vector.Values[V](args[0]))
	return nil
}

func addFloats[V float32 | float64](r Rows, g []uint32, v []V) {
	v = v[:len(g)]
	for i, x := range g {
		*at[float64](r, x, 0) += float64(v[i])
		*r.flagOf(x) |= set
	}
}

func (sumFloat[V]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	g, state = valid(g, state[0])
	addFloats(r, g, vector.Values[float64](state[0]))
	return nil
}

func (sumFloat[V]) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{export[float64](vector.Double, r, g)}
}

func (a sumFloat[V]) Result(r Rows, g []uint32) (arrow.Array, error) { return a.Export(r, g)[0], nil }
