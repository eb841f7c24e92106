package agg

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "avg", Aliases: []string{"mean"}, Signature: "avg(expr)",
			Summary:  "The mean of the non-null values; null if there is none.",
			Examples: []kernels.Example{{SQL: "SELECT avg(x) FROM VALUES (1), (2), (NULL) AS t(x)", Want: "1.5"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindAvg(call{name: "avg", conf: conf, args: args}, onOverflow(conf.ANSI))
			},
		},
		Function{
			Name: "try_avg", Signature: "try_avg(expr)",
			Summary:  "The mean of the non-null values; null if there is none or on overflow.",
			Examples: []kernels.Example{{SQL: "SELECT try_avg(x) FROM VALUES (1), (2) AS t(x)", Want: "1.5"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindAvg(call{name: "try_avg", conf: conf, args: args}, overflowNull)
			},
		},
	)
}

func bindAvg(c call, mode overflowMode) (*Impl, error) {
	t, err := c.numeric()
	if err != nil {
		return nil, err
	}
	im := &Impl{Args: []*vector.Type{t}, Nullable: true, Result: vector.Double}
	sum := vector.Double
	interval := overflowInterval
	if mode == overflowNull {
		interval = mode
	}
	switch t.Kind {
	case vector.KindByte:
		im.New = func() Accumulator { return avgFloat[int8]{} }
	case vector.KindShort:
		im.New = func() Accumulator { return avgFloat[int16]{} }
	case vector.KindInt:
		im.New = func() Accumulator { return avgFloat[int32]{} }
	case vector.KindLong:
		im.New = func() Accumulator { return avgFloat[int64]{} }
	case vector.KindFloat:
		im.New = func() Accumulator { return avgFloat[float32]{} }
	case vector.KindDouble:
		im.New = func() Accumulator { return avgFloat[float64]{} }
	case vector.KindDecimal:
		sum = vector.Decimal(min(38, t.Precision+10), t.Scale)
		im.Result = vector.Decimal(min(38, t.Precision+4), min(38, t.Scale+4))
		im.New = func() Accumulator { return avgDecimal{sumDecimal{sum, mode}, im.Result} }
	case vector.KindDayTimeInterval:
		sum, im.Result = vector.DayTime, vector.DayTime
		im.New = func() Accumulator { return avgInterval[int64]{sum, interval} }
	default:
		sum, im.Result = vector.YearMonth, vector.YearMonth
		im.New = func() Accumulator { return avgInterval[int32]{sum, interval} }
	}
	im.State = []vector.Field{field("sum", sum, true), field("count", vector.Long, false)}
	return im, nil
}

// avgFloat is the mean of numbers as doubles: state {sum float64, count int64}.
type avgFloat[V int8 | int16 | int32 | int64 | float32 | float64] struct{}

func (avgFloat[V]) Width() int { return 16 }
func (avgFloat[V]) Bytes() int { return 0 }

func (avgFloat[V]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 2) }

func (avgFloat[V]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	v := vector.Values[V](args[0])[:len(g)]
	for i, x := range g {
		*at[float64](r, x, 0) += float64(v[i])
		*at[int64](r, x, 8)++
	}
	return nil
}

func (avgFloat[V]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	sum, n := vector.Values[float64](state[0]), vector.Values[int64](state[1])
	for i, x := range g {
		if n[i] > 0 {
			*at[float64](r, x, 0) += sum[i]
			*at[int64](r, x, 8) += n[i]
		}
	}
	return nil
}

func (avgFloat[V]) Export(r Rows, g []uint32) []arrow.Array {
	return []arrow.Array{
		vector.NewFixed(vector.Double, gather[float64](r, g, 0), nil),
		vector.NewFixed(vector.Long, gather[int64](r, g, 8), nil),
	}
}

func (avgFloat[V]) Result(r Rows, g []uint32) (arrow.Array, error) {
	out, ok := make([]float64, len(g)), vector.NewValid(len(g))
	for i, x := range g {
		n := *at[int64](r, x, 8)
		if n == 0 {
			ok.Clear(i)
			continue
		}
		out[i] = *at[float64](r, x, 0) / float64(n)
	}
	return vector.NewFixed(vector.Double, out, ok), nil
}

// avgDecimal is the mean of decimals: state {sum dec, count int64}.
type avgDecimal struct {
	sumDecimal
	result *vector.Type
}

func (avgDecimal) Width() int { return 24 }

func (avgDecimal) Init(r Rows, lo, hi int) { r.clear(lo, hi, 3) }

func (a avgDecimal) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	for _, x := range g {
		*at[int64](r, x, 16)++
	}
	a.add(r, g, vector.Values[dec](args[0]))
	return nil
}

func (a avgDecimal) Merge(r Rows, g []uint32, state []arrow.Array) error {
	n := vector.Values[int64](state[1])
	for i, x := range g {
		*at[int64](r, x, 16) += n[i]
		if n[i] > 0 && state[0].IsNull(i) {
			*r.flagOf(x) |= set | lost
		}
	}
	g, state = valid(g, state[0])
	a.add(r, g, vector.Values[dec](state[0]))
	return nil
}

// Export gives a zero sum for no rows, as Spark's state has it, and null for a lost one.
func (a avgDecimal) Export(r Rows, g []uint32) []arrow.Array {
	ok := gatherFlag(r, g, func(f uint8) bool { return f&lost == 0 })
	return []arrow.Array{
		vector.NewFixed(a.t, gather[dec](r, g, 0), ok),
		vector.NewFixed(vector.Long, gather[int64](r, g, 16), nil),
	}
}

func (a avgDecimal) Result(r Rows, g []uint32) (arrow.Array, error) {
	out, ok := make([]dec, len(g)), vector.NewValid(len(g))
	shift := a.result.Scale - a.t.Scale
	for i, x := range g {
		n := *at[int64](r, x, 16)
		if n == 0 || *r.flagOf(x)&lost != 0 {
			if n > 0 && a.mode == overflowFails {
				return nil, overflow("Overflow in sum of decimals", "try_avg")
			}
			ok.Clear(i)
			continue
		}
		q := divideHalfUp(*at[dec](r, x, 0), shift, n)
		if len(q.Text(10)) > a.result.Precision && new(big.Int).Abs(q).Cmp(powers[a.result.Precision].BigInt()) >= 0 {
			if a.mode == overflowFails {
				return nil, condition.New("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
					"value", unscaled(q, a.result.Scale), "precision", a.result.Precision, "scale", a.result.Scale,
					"config", `"spark.sql.ansi.enabled"`)
			}
			ok.Clear(i)
			continue
		}
		out[i] = decimal128.FromBigInt(q)
	}
	return vector.NewFixed(a.result, out, ok), nil
}

// unscaled prints x·10^-scale.
func unscaled(x *big.Int, scale int) string {
	return new(big.Rat).SetFrac(x, powers[scale].BigInt()).FloatString(scale)
}

// avgInterval is the mean of intervals, rounded half up: state {sum S, count int64}.
type avgInterval[S int32 | int64] struct {
	t    *vector.Type
	mode overflowMode
}

func (avgInterval[S]) Width() int { return 16 }
func (avgInterval[S]) Bytes() int { return 0 }

func (avgInterval[S]) Init(r Rows, lo, hi int) { r.clear(lo, hi, 2) }

func (a avgInterval[S]) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	for _, x := range g {
		*at[int64](r, x, 8)++
	}
	return addInts[S, S](a.mode, r, g, vector.Values[S](args[0]))
}

func (a avgInterval[S]) Merge(r Rows, g []uint32, state []arrow.Array) error {
	n := vector.Values[int64](state[1])
	for i, x := range g {
		*at[int64](r, x, 8) += n[i]
		if n[i] > 0 && state[0].IsNull(i) {
			*r.flagOf(x) |= lost
		}
	}
	g, state = valid(g, state[0])
	return addInts[S, S](a.mode, r, g, vector.Values[S](state[0]))
}

func (a avgInterval[S]) Export(r Rows, g []uint32) []arrow.Array {
	ok := gatherFlag(r, g, func(f uint8) bool { return f&lost == 0 })
	return []arrow.Array{
		vector.NewFixed(a.t, gather[S](r, g, 0), ok),
		vector.NewFixed(vector.Long, gather[int64](r, g, 8), nil),
	}
}

func (a avgInterval[S]) Result(r Rows, g []uint32) (arrow.Array, error) {
	out, ok := make([]S, len(g)), vector.NewValid(len(g))
	for i, x := range g {
		n := *at[int64](r, x, 8)
		if n == 0 || *r.flagOf(x)&lost != 0 {
			ok.Clear(i)
			continue
		}
		out[i] = S(divideInt(int64(*at[S](r, x, 0)), n))
	}
	return vector.NewFixed(a.t, out, ok), nil
}

// divideInt is a/b rounded half away from zero; b > 0.
func divideInt(a, b int64) int64 {
	q, rem := a/b, a%b
	if rem < 0 {
		rem = -rem
	}
	if rem >= b-rem && rem != 0 {
		if a < 0 {
			return q - 1
		}
		if q < math.MaxInt64 {
			return q + 1
		}
	}
	return q
}
