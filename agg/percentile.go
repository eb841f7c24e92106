package agg

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Function{
			Name: "percentile", Signature: "percentile(expr, percentage[, frequency])",
			Summary:  "The exact percentile, interpolated between values; an array of them for an array of percentages.",
			Examples: []kernels.Example{{SQL: "SELECT percentile(x, 0.5) FROM VALUES (0), (10) AS t(x)", Want: "5.0"}},
			MinArgs:  2, MaxArgs: 3,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				c := call{name: "percentile", conf: conf, args: args}
				if len(args) == 2 {
					c.args = append(args[:2:2], kernels.Arg{SQL: "1"})
				}
				return bindPercentile(c, percentileArgs{value: 0, fraction: 1, n: len(args)}, false)
			},
			SQL: func(args []string, distinct bool) string {
				if len(args) == 2 {
					args = append(args[:2:2], "1")
				}
				return plainSQL("percentile", args, distinct)
			},
		},
		Function{
			Name: "median", Signature: "median(expr)",
			Summary:  "The median of the non-null values.",
			Examples: []kernels.Example{{SQL: "SELECT median(x) FROM VALUES (0), (10) AS t(x)", Want: "5.0"}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindPercentile(call{name: "median", conf: conf, args: args}, percentileArgs{value: 0, fraction: -1, n: 1}, false)
			},
		},
	)
	for _, f := range []struct {
		name, what, want string
		discrete         bool
	}{
		{"percentile_cont", "The percentile, interpolated between values", "2.5", false},
		{"percentile_disc", "The first value whose share of the rows up to it reaches the percentage", "0.0", true},
	} {
		Register(Function{
			Name: f.name, Signature: f.name + "(percentage) WITHIN GROUP (ORDER BY expr [DESC])",
			Summary:  f.what + "; an array of them for an array of percentages.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(0.25) WITHIN GROUP (ORDER BY x) FROM VALUES (0), (10) AS t(x)", Want: f.want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				return bindPercentile(call{name: f.name, conf: conf, args: args}, percentileArgs{value: 1, fraction: 0, n: 2, discrete: f.discrete}, false)
			},
			BindOrdered: func(conf *kernels.Conf, args []kernels.Arg, order []Order) (*Impl, error) {
				args = append(args[:len(args):len(args)], order[0].Arg)
				return bindPercentile(call{name: f.name, conf: conf, args: args}, percentileArgs{value: 1, fraction: 0, n: 2, discrete: f.discrete}, order[0].Desc)
			},
		})
	}
}

// percentileArgs says where the arguments of a percentile function are; a
// fraction of -1 is the median's.
type percentileArgs struct {
	value, fraction, n int
	discrete           bool
}

func bindPercentile(c call, at percentileArgs, descending bool) (*Impl, error) {
	a := c.args[at.value]
	t := a.Type
	switch t.Kind {
	case vector.KindDayTimeInterval, vector.KindYearMonthInterval, vector.KindTime:
	default:
		cast, ok := kernels.ImplicitCast(c.conf, t, kernels.AnyNumeric)
		if !ok || cast == nil {
			// Spark counts the value as the first parameter wherever it stands.
			return nil, condition.New("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "sqlExpr", quote(c.sql()),
				"paramIndex", kernels.Ordinal(0), "inputSql", quote(a.SQL), "inputType", quote(t.SQL()),
				"requiredType", `(("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH") or "TIME")`)
		}
		t = cast
	}
	p := &percentile{counts: newCounts(t), fractions: []float64{0.5}, discrete: at.discrete, descending: descending, frequency: -1}
	types := make([]*vector.Type, at.n)
	types[at.value] = t
	if at.fraction >= 0 {
		f := c.args[at.fraction]
		types[at.fraction] = f.Type
		var err error
		if p.fractions, p.array, err = fractions(c, f); err != nil {
			return nil, err
		}
	}
	if at.n == 3 {
		f := c.args[2]
		if !f.Type.Integral() {
			return nil, kernels.UnexpectedInput(c.sql(), 2, kernels.AnyIntegral, f)
		}
		types[2], p.frequency, p.frequencySQL = vector.Long, 2, f.SQL
	}
	p.value = at.value
	p.element = vector.Double
	switch t.Kind {
	case vector.KindDayTimeInterval:
		p.element = vector.DayTime
	case vector.KindYearMonthInterval:
		p.element = vector.YearMonth
	case vector.KindTime:
		p.element = t
	}
	result := p.element
	if p.array {
		result = vector.ArrayOf(p.element, false)
	}
	return &Impl{
		Args: types, Result: result, Nullable: true, State: countsState(),
		New: func() Accumulator {
			acc := *p
			acc.counts = newCounts(t)
			return &acc
		},
	}, nil
}

// fractions are the constant percentages of a percentile function.
func fractions(c call, a kernels.Arg) (values []float64, isArray bool, err error) {
	v, isArray, null, ok := constants(a)
	switch {
	case !ok:
		return nil, false, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quote(c.sql()),
			"inputName", "`percentage`", "inputType", quote(vector.Double.SQL()), "inputExpr", quote(a.SQL))
	case null:
		return nil, false, condition.New("DATATYPE_MISMATCH.UNEXPECTED_NULL", "sqlExpr", quote(c.sql()), "exprName", "percentage")
	}
	for _, x := range v {
		if !(x >= 0 && x <= 1) {
			current := strconv.FormatFloat(x, 'f', -1, 64)
			if x == math.Trunc(x) {
				current = fmt.Sprintf("%.1f", x)
			}
			return nil, false, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quote(c.sql()),
				"exprName", "percentage", "valueRange", "[0.0, 1.0]", "currentValue", current+"D")
		}
	}
	return v, isArray, nil
}

// percentile is an exact percentile over the counted values.
type percentile struct {
	counts
	value        int // index of the value's argument
	frequency    int // of the frequency's, -1 for none
	frequencySQL string
	fractions    []float64
	array        bool
	discrete     bool
	descending   bool
	element      *vector.Type
}

func (a *percentile) Update(_ Rows, g []uint32, args []arrow.Array) error {
	if a.frequency < 0 {
		g, args = valid(g, args[a.value])
		a.add(g, args[0], nil)
		return nil
	}
	g, args = valid(g, args[a.value], args[a.frequency])
	times := vector.Values[int64](args[1])
	var rows []uint32
	for i, n := range times {
		switch {
		case n < 0:
			return condition.New("NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION",
				"frequencyExpression", quote(a.frequencySQL), "negativeValue", strconv.FormatInt(n, 10)+"L")
		case n > 0:
			rows = append(rows, uint32(i))
		}
	}
	a.add(pick(g, rows), vector.Take(args[0], rows), vector.Values[int64](vector.Take(args[1], rows)))
	return nil
}

func (a *percentile) Result(_ Rows, g []uint32) (arrow.Array, error) {
	k := len(a.fractions)
	out, ok := make([]float64, 0, k*len(g)), vector.NewValid(len(g))
	off := make([]int32, len(g)+1)
	for i, x := range g {
		_, ids := a.seen.of([]uint32{x})
		switch {
		case len(ids) > 0:
			out = a.appendPercentiles(out, ids)
		case !a.array:
			out = append(out, 0)
			ok.Clear(i)
		default:
			ok.Clear(i)
		}
		off[i+1] = int32(len(out))
	}
	if a.array {
		return vector.NewList(vector.ArrayOf(a.element, false), off, a.column(out, nil), ok), nil
	}
	return a.column(out, ok), nil
}

// column is results in the type of the elements.
func (a *percentile) column(v []float64, ok vector.Bitmap) arrow.Array {
	switch a.element.Width() {
	case 4:
		out := make([]int32, len(v))
		for i, x := range v {
			out[i] = int32(x)
		}
		return vector.NewFixed(a.element, out, ok)
	case 8:
		if a.element.Kind == vector.KindDouble {
			return vector.NewFixed(a.element, v, ok)
		}
	}
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return vector.NewFixed(a.element, out, ok)
}

// appendPercentiles appends the percentiles of one group's entries.
func (a *percentile) appendPercentiles(dst []float64, ids []uint32) []float64 {
	ids, values := a.ordered(ids, a.descending)
	upTo := make([]int64, len(ids)) // rows up to and with each value
	total := int64(0)
	for i, id := range ids {
		total += a.n[id]
		upTo[i] = total
	}
	// at is the value of the row at a position.
	at := func(pos int64) float64 {
		i := sort.Search(len(upTo)-1, func(i int) bool { return upTo[i] > pos })
		v, _ := number(a.t, values, i)
		return v
	}
	for _, f := range a.fractions {
		if a.discrete {
			dst = append(dst, at(max(int64(math.Ceil(f*float64(total)))-1, 0)))
			continue
		}
		pos := f * float64(total-1)
		lo, hi := math.Floor(pos), math.Ceil(pos)
		v, w := at(int64(lo)), at(int64(hi))
		if lo != hi && v != w {
			v = (hi-pos)*v + (pos-lo)*w
		}
		dst = append(dst, v)
	}
	return dst
}
