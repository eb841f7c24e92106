package agg

import (
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "percentile_approx", Aliases: []string{"approx_percentile"}, Signature: "percentile_approx(expr, percentage[, accuracy])",
		Summary:  "A value whose rank is within 1/accuracy (default 1/10000) of the percentile; an array of them for an array of percentages.",
		Examples: []kernels.Example{{SQL: "SELECT percentile_approx(x, 0.5) FROM VALUES (0), (1), (2) AS t(x)", Want: "1"}},
		MinArgs:  2, MaxArgs: 3,
		Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			return bindApproxPercentile(conf, args)
		},
		SQL: func(args []string, distinct bool) string {
			if len(args) == 2 {
				args = append(args[:2:2], "10000")
			}
			return plainSQL("percentile_approx", args, distinct)
		},
	})
}

// numericOrTime is what percentile_approx and histogram_numeric take.
var numericOrTime = kernels.OneOf(kernels.AnyNumeric, kernels.Date, kernels.Timestamp, kernels.TimestampNTZ, kernels.AnyYearMonth, kernels.AnyDayTime)

func bindApproxPercentile(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
	c := call{name: "percentile_approx", conf: conf, args: args}
	accuracy := 10000.0
	if len(args) == 2 {
		c.args = append(args[:2:2], kernels.Arg{SQL: "10000"})
	} else {
		v, isArray, null, ok := constants(args[2])
		switch {
		case !ok || isArray:
			return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
				"inputName", "`accuracy`", "inputType", quote(vector.Long.SQL()), "inputExpr", quote(args[2].SQL))
		case null:
			return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quote(c.sql()), "exprName", "accuracy")
		case v[0] < 1 || v[0] > math.MaxInt32:
			return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quote(c.sql()),
				"exprName", "accuracy", "valueRange", "(0, 2147483647]", "currentValue", strconv.FormatInt(int64(v[0]), 10)+"L")
		}
		accuracy = math.Trunc(v[0])
	}
	t, ok := kernels.ImplicitCast(conf, args[0].Type, numericOrTime)
	if !ok || t == nil {
		return nil, kernels.UnexpectedInput(c.sql(), 0, numericOrTime, args[0])
	}
	f, isArray, err := fractions(c, args[1])
	if err != nil {
		return nil, err
	}
	types := typesOf(args)
	types[0] = t
	result := t
	if isArray {
		result = vector.ArrayOf(t, false)
	}
	return &Impl{
		Args: types, Result: result, Nullable: true, State: []vector.Field{field("buf", vector.Binary, false)},
		New: func() Accumulator {
			return &approxPercentile{t: t, fractions: f, array: isArray, relativeError: 1 / accuracy}
		},
	}, nil
}

// approxPercentile keeps a summary per group.
type approxPercentile struct {
	t             *vector.Type
	fractions     []float64
	array         bool
	relativeError float64
	digests       []*quantiles // by group; nil for one without values
}

func (a *approxPercentile) Width() int { return 0 }

func (a *approxPercentile) Bytes() int {
	n := 8 * len(a.digests)
	for _, d := range a.digests {
		if d != nil {
			n += 24*cap(d.samples) + 8*cap(d.head)
		}
	}
	return n
}

func (a *approxPercentile) Init(_ Rows, lo, hi int) {
	for len(a.digests) < hi {
		a.digests = append(a.digests, nil)
	}
	clear(a.digests[lo:hi])
}

func (a *approxPercentile) digest(g uint32) *quantiles {
	if a.digests[g] == nil {
		a.digests[g] = &quantiles{relativeError: a.relativeError}
	}
	return a.digests[g]
}

func (a *approxPercentile) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	for i, v := range asDoubles(a.t, args[0]) {
		a.digest(g[i]).insert(v)
	}
	return nil
}

// asDoubles are the values of a numeric or time column as doubles.
func asDoubles(t *vector.Type, a arrow.Array) []float64 {
	out := make([]float64, a.Len())
	switch {
	case t.Kind == vector.KindDouble:
		copy(out, vector.Values[float64](a))
	case t.Kind == vector.KindFloat:
		for i, v := range vector.Values[float32](a) {
			out[i] = float64(v)
		}
	case t.Kind == vector.KindDecimal:
		for i, v := range vector.Values[dec](a) {
			out[i] = decimalDouble(v, t.Scale)
		}
	case t.Width() == 1:
		widen(out, vector.Values[int8](a))
	case t.Width() == 2:
		widen(out, vector.Values[int16](a))
	case t.Width() == 4:
		widen(out, vector.Values[int32](a))
	default:
		widen(out, vector.Values[int64](a))
	}
	return out
}

func widen[T int8 | int16 | int32 | int64](out []float64, in []T) {
	for i, v := range in {
		out[i] = float64(v)
	}
}

// fromDoubles is a column of type t from doubles, fractions cut off (decimals: rounded).
func fromDoubles(t *vector.Type, v []float64, ok vector.Bitmap) arrow.Array {
	switch {
	case t.Kind == vector.KindDouble:
		return vector.NewFixed(t, v, ok)
	case t.Kind == vector.KindFloat:
		return vector.NewFixed(t, cut[float32](v), ok)
	case t.Kind == vector.KindDecimal:
		out := make([]dec, len(v))
		for i, x := range v {
			out[i] = doubleDecimal(x, t.Scale)
		}
		return vector.NewFixed(t, out, ok)
	case t.Width() == 1:
		return vector.NewFixed(t, cut[int8](v), ok)
	case t.Width() == 2:
		return vector.NewFixed(t, cut[int16](v), ok)
	case t.Width() == 4:
		return vector.NewFixed(t, cut[int32](v), ok)
	}
	return vector.NewFixed(t, longs(v), ok)
}

// longs rounds doubles towards 0 as Java does: a number beyond BIGINT becomes its nearest.
func longs(v []float64) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		if out[i] = int64(x); x >= 1<<63 {
			out[i] = math.MaxInt64
		}
	}
	return out
}

func cut[T int8 | int16 | int32 | float32](v []float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

// doubleDecimal is the shortest decimal text of v at a scale, rounded half up.
func doubleDecimal(v float64, scale int) dec {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		return dec{}
	}
	n := new(big.Int).Mul(r.Num(), powers[scale].BigInt())
	return decimal128.FromBigInt(roundedQuotient(n, r.Denom()))
}

func (a *approxPercentile) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	off, data := vector.Strings(state[0])
	for i, x := range g {
		p := data[off[i]:off[i+1]]
		if len(p) == 0 {
			continue
		}
		d, err := parseQuantiles(p, a.relativeError)
		if err != nil {
			return err
		}
		a.digest(x).merge(d)
	}
	return nil
}

func (a *approxPercentile) Export(_ Rows, g []uint32) []arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		if d := a.digests[x]; d != nil {
			d.compress()
			data = d.appendTo(data)
		}
		off[i+1] = int32(len(data))
	}
	return []arrow.Array{vector.NewString(vector.Binary, off, data, nil)}
}

func (a *approxPercentile) Result(_ Rows, g []uint32) (arrow.Array, error) {
	var out []float64
	ok, off := vector.NewValid(len(g)), make([]int32, len(g)+1)
	for i, x := range g {
		switch d := a.digests[x]; {
		case d != nil:
			d.compress()
			out = append(out, d.query(a.fractions)...)
		case !a.array:
			out = append(out, 0)
			ok.Clear(i)
		default:
			ok.Clear(i)
		}
		off[i+1] = int32(len(out))
	}
	if a.array {
		return vector.NewList(vector.ArrayOf(a.t, false), off, fromDoubles(a.t, out, nil), ok), nil
	}
	return fromDoubles(a.t, out, ok), nil
}
