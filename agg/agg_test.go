package agg_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

var ansi = &kernels.Conf{ANSI: true}

// col is an argument column; a constant one has one value.
type col struct {
	t     *vector.Type
	a     arrow.Array
	fixed bool
}

func longs(v ...int64) col { return col{vector.Long, vector.NewFixed(vector.Long, v, nil), false} }
func ints(v ...int32) col  { return col{vector.Int, vector.NewFixed(vector.Int, v, nil), false} }
func floats(v ...float64) col {
	return col{vector.Double, vector.NewFixed(vector.Double, v, nil), false}
}
func constant(c col) col { return col{c.t, vector.SliceArray(c.a, 0, 1), true} }
func fractions(v ...float64) col {
	return constList(vector.Double, vector.NewFixed(vector.Double, v, nil))
}

func constList(elem *vector.Type, a arrow.Array) col {
	t := vector.ArrayOf(elem, true)
	return col{t, vector.NewList(t, []int32{0, int32(a.Len())}, a, nil), true}
}

func strs(v ...string) col {
	off, data := []int32{0}, []byte(nil)
	for _, s := range v {
		data = append(data, s...)
		off = append(off, int32(len(data)))
	}
	return col{vector.String, vector.NewString(vector.String, off, data, nil), false}
}

func decimals(t *vector.Type, v ...[2]int64) col {
	return col{t, vector.NewFixed(t, v, nil), false}
}

// nulls makes rows null.
func (c col) nulls(rows ...int) col {
	valid := vector.NewValid(c.a.Len())
	for _, r := range rows {
		valid.Clear(r)
	}
	c.a = vector.WithValidity(c.a, valid)
	return c
}

func bind(name string, conf *kernels.Conf, cols ...col) (*agg.Impl, error) {
	f, ok := agg.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no aggregate %s", name)
	}
	return f.Bind(conf, kernelArgs(cols))
}

func kernelArgs(cols []col) []kernels.Arg {
	args := make([]kernels.Arg, len(cols))
	for i, c := range cols {
		args[i] = kernels.Arg{Type: c.t, Nullable: true, SQL: fmt.Sprintf("c%d", i)}
		if c.fixed {
			args[i].Const = &vector.Vec{Arr: c.a, Const: true}
		}
	}
	return args
}

// fold aggregates rows lo..hi into a new States of n groups.
func fold(im *agg.Impl, n int, g []uint32, cols []col, lo, hi int) (*agg.States, error) {
	s := agg.NewStates([]*agg.Impl{im})
	s.Grow(n)
	args := make([]arrow.Array, len(cols))
	for i, c := range cols {
		args[i] = c.a
		if c.fixed {
			args[i] = vector.Repeat(c.a, len(g))
		}
		args[i] = vector.SliceArray(args[i], lo, hi)
	}
	return s, s.Update(0, g[lo:hi], args)
}

// single is the result over all rows as one group.
func single(name string, conf *kernels.Conf, cols ...col) (arrow.Array, error) {
	im, err := bind(name, conf, cols...)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, c := range cols {
		if !c.fixed {
			n = c.a.Len()
		}
	}
	s, err := fold(im, 1, make([]uint32, n), cols, 0, n)
	if err != nil {
		return nil, err
	}
	return s.Result(0, []uint32{0})
}

func sequence(n int, f func(i int64) int64) col {
	v := make([]int64, n)
	for i := range v {
		v[i] = f(int64(i))
	}
	return longs(v...)
}

func id(i int64) int64 { return i }

func cast[T int32 | float32 | float64](t *vector.Type, n int) col {
	v := make([]T, n)
	for i := range v {
		v[i] = T(i)
	}
	return col{t, vector.NewFixed(t, v, nil), false}
}

func texts(n int) col {
	v := make([]string, n)
	for i := range v {
		v[i] = fmt.Sprint(i)
	}
	return strs(v...)
}

// TestResults holds what Spark 4.3 gives.
func TestResults(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	d2 := vector.Decimal(10, 2)
	max38 := [2]int64{687399551400673279, 5421010862427522170} // 10^38 - 1
	squares := sequence(100, func(i int64) int64 { return i * i })
	mod17 := cast[float64](vector.Double, 100)
	for i, v := range vector.Values[float64](mod17.a) {
		vector.Values[float64](mod17.a)[i] = float64(int(v) * int(v) % 17)
	}
	mod101 := make([]float64, 100)
	for i := range mod101 {
		mod101[i] = float64(i * 37 % 101)
	}
	scattered := func(n int) col { return sequence(n, func(i int64) int64 { return i * 7919 % 100003 }) }
	x, y := floats(2, 3, 0, 9).nulls(2), floats(1, 2, 4, 5)
	for _, c := range []struct {
		name string
		cols []col
		want string
	}{
		{"count", []col{ints(1, 2, 3).nulls(1)}, "[2]"},
		{"sum", []col{ints(1, 2, 3).nulls(1)}, "[4]"},
		{"sum", []col{ints(1).nulls(0)}, "[(null)]"},
		{"sum", []col{floats(1, inf, -inf)}, "[NaN]"},
		{"sum", []col{decimals(d2, [2]int64{125, 0}, [2]int64{-25, -1})}, "[1]"},
		{"try_sum", []col{longs(math.MaxInt64, 1, -5)}, "[(null)]"},
		{"avg", []col{longs(math.MaxInt64, math.MaxInt64)}, "[9.223372036854776e+18]"},
		{"avg", []col{decimals(d2, [2]int64{1, 0}, [2]int64{1, 0}, [2]int64{3, 0})}, "[0.016667]"},
		{"try_avg", []col{decimals(vector.Decimal(38, 0), max38, max38)}, "[(null)]"},
		{"min", []col{floats(nan, 3, -inf)}, "[-Inf]"},
		{"max", []col{floats(3, nan, inf)}, "[NaN]"},
		{"max", []col{strs("a", "bb", "b")}, `["bb"]`},
		{"min", []col{strs("ab", "", "b").nulls(1)}, `["ab"]`},
		{"max", []col{decimals(d2, [2]int64{-1, -1}, [2]int64{5, 0}, [2]int64{3, 0})}, "[0.05]"},
		{"first", []col{ints(1, 2).nulls(0)}, "[(null)]"},
		{"last", []col{strs("a", "b", "c").nulls(2)}, "[(null)]"},
		{"max_by", []col{strs("a", "b", "c").nulls(2), ints(0, 1, 2).nulls(0)}, "[(null)]"},
		{"min_by", []col{strs("a", "b", "c").nulls(2), ints(0, 1, 2).nulls(0)}, `["b"]`},
		{"bit_xor", []col{ints(1, 2, 7)}, "[4]"},
		{"collect_list", []col{floats(0, math.Copysign(0, -1), 1).nulls(2)}, "[[0 -0]]"},
		{"collect_set", []col{floats(0, math.Copysign(0, -1), nan, nan)}, "[[0 NaN]]"},
		{"stddev", []col{floats(1)}, "[(null)]"},
		{"corr", []col{floats(1, 2), floats(2, 2)}, "[(null)]"},
		{"skewness", []col{mod17}, "[0.031830466824495626]"},
		{"kurtosis", []col{mod17}, "[-1.4906350161971302]"},
		{"variance", []col{mod17}, "[32.300909090909094]"},
		{"regr_slope", []col{y, x}, "[0.5465116279069766]"},
		{"regr_count", []col{y, x}, "[3]"},
		{"approx_count_distinct", []col{sequence(100000, id)}, "[95546]"},
		{"approx_count_distinct", []col{sequence(100000, id), constant(floats(0.01))}, "[100425]"},
		{"approx_count_distinct", []col{sequence(1000000, id)}, "[925738]"},
		{"approx_count_distinct", []col{texts(5000)}, "[4632]"},
		{"approx_count_distinct", []col{cast[float64](vector.Double, 3000)}, "[2837]"},
		{"approx_count_distinct", []col{cast[float32](vector.Float, 3000)}, "[2943]"},
		{"approx_count_distinct", []col{cast[int32](vector.Int, 3000)}, "[2963]"},
		{"percentile", []col{ints(1, 2, 10), constant(floats(0.5)), longs(2, 0, 1)}, "[1]"},
		{"percentile", []col{ints(1, 2, 2, 5), fractions(0, 0.25, 1)}, "[[1 1.75 5]]"},
		{"percentile_cont", []col{constant(floats(0.25)), ints(0, 10)}, "[2.5]"},
		{"percentile_disc", []col{constant(floats(0.5)), ints(1, 2, 10)}, "[2]"},
		{"median", []col{floats(4, 1, 2, 8)}, "[3]"},
		{"mode", []col{ints(1, 2, 2, 1)}, "[1]"},
		{"listagg", []col{strs("a", "b", "").nulls(1), constant(strs("|"))}, `["a|"]`},
		{"listagg", []col{strs("a").nulls(0)}, "[(null)]"},
		{"percentile_approx", []col{sequence(100000, id), fractions(0.01, 0.25, 0.5, 0.75, 0.99), constant(ints(100))}, "[[0 24445 49999 74106 99999]]"},
		{"percentile_approx", []col{scattered(100000), fractions(0.01, 0.25, 0.5, 0.75, 0.99), constant(ints(50))}, "[[0 24690 49116 74869 100002]]"},
		{"percentile_approx", []col{scattered(200000), fractions(0.01, 0.25, 0.5, 0.75, 0.99)}, "[[1006 24998 49996 74997 99000]]"},
		{"histogram_numeric", []col{squares, constant(ints(5))}, "[{[567 3145 5712 8123 9801] [42 28 12 17 1]}]"},
		{"histogram_numeric", []col{floats(mod101...), constant(ints(4))}, "[{[13.500000000000004 41.11111111111111 64.99999999999999 87.92000000000002] [28 27 20 25]}]"},
	} {
		got, err := single(c.name, ansi, c.cols...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%s of %v: %s, want %s", c.name, c.cols[0].t, s, c.want)
		}
	}
}

func TestWithinGroup(t *testing.T) {
	v := ints(10, 1, 2, 10, 1)
	keys := strs("b", "a", "", "c", "a").nulls(2)
	half := constant(floats(0.3))
	for _, c := range []struct {
		name  string
		args  []col
		order col
		desc  bool
		want  string
	}{
		{"percentile_cont", []col{half}, ints(1, 2, 10), false, "[1.6]"},
		{"percentile_cont", []col{half}, ints(1, 2, 10), true, "[5.2]"},
		{"percentile_disc", []col{half}, ints(1, 2, 10), true, "[10]"},
		{"mode", nil, v, false, "[1]"},
		{"mode", nil, v, true, "[10]"},
		{"listagg", []col{strs("p", "q", "r", "s", "t"), constant(strs(","))}, keys, false, `["r,q,t,p,s"]`},
		{"listagg", []col{strs("p", "q", "r", "s", "t"), constant(strs(","))}, keys, true, `["s,p,q,t,r"]`},
	} {
		f, _ := agg.Lookup(c.name)
		im, err := f.BindOrdered(ansi, kernelArgs(c.args), []agg.Order{{Arg: kernelArgs([]col{c.order})[0], Desc: c.desc, NullsLast: c.desc}})
		if err != nil {
			t.Fatal(err)
		}
		n := c.order.a.Len()
		s, err := fold(im, 1, make([]uint32, n), append(c.args, c.order), 0, n)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Result(0, []uint32{0}); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s, desc %t: %v, %v, want %s", c.name, c.desc, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	max38 := [2]int64{687399551400673279, 5421010862427522170}
	wide := decimals(vector.Decimal(38, 0), max38, max38)
	for _, c := range []struct {
		name string
		cols []col
		want condition.Name
	}{
		{"sum", []col{longs(math.MaxInt64, 1)}, "ARITHMETIC_OVERFLOW"},
		{"sum", []col{wide}, "ARITHMETIC_OVERFLOW"},
		{"avg", []col{wide}, "ARITHMETIC_OVERFLOW"},
		{"sum", []col{{vector.Bool, vector.NewBool(vector.NewValid(1), 1, nil), false}}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"sum", []col{{vector.DayTime, vector.NewFixed(vector.DayTime, []int64{math.MaxInt64, 1}, nil), false}}, "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION"},
		{"max", []col{{t: vector.MapOf(vector.Int, vector.Int, true)}}, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"},
		{"bit_and", []col{strs("1")}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"percentile", []col{ints(1), constant(floats(1.5))}, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"},
		{"percentile", []col{ints(1), floats(0.5)}, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT"},
		{"percentile", []col{ints(1), constant(floats(0.5)), longs(-1)}, "NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION"},
		{"percentile_approx", []col{ints(1), constant(floats(0.5)), constant(ints(0))}, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"},
		{"histogram_numeric", []col{ints(1), constant(ints(1))}, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"},
		{"collect_set", []col{{t: vector.MapOf(vector.Int, vector.Int, true)}}, "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE"},
	} {
		if _, err := single(c.name, ansi, c.cols...); !errors.Is(err, c.want) {
			t.Errorf("%s of %v: %v, want %s", c.name, c.cols[0].t, err, c.want)
		}
	}
}

func TestLegacySumWraps(t *testing.T) {
	got, err := single("sum", &kernels.Conf{}, longs(math.MaxInt64, 1))
	if err != nil || fmt.Sprint(got) != "[-9223372036854775808]" {
		t.Errorf("sum(bigint) without ANSI: %v, %v", got, err)
	}
	max38 := [2]int64{687399551400673279, 5421010862427522170}
	got, err = single("sum", &kernels.Conf{}, decimals(vector.Decimal(38, 0), max38, [2]int64{1, 0}, [2]int64{-5, -1}))
	if err != nil || !got.IsNull(0) {
		t.Errorf("sum(decimal) without ANSI: %v, %v", got, err)
	}
}

// TestLongValuesAreReplaced lets values grow so often that the bytes of the old
// ones have to be dropped.
func TestLongValuesAreReplaced(t *testing.T) {
	im, err := bind("max", ansi, strs(""))
	if err != nil {
		t.Fatal(err)
	}
	s := agg.NewStates([]*agg.Impl{im})
	s.Grow(3)
	var last [3]string
	for i := range 600 {
		g := uint32(i * i % 3)
		last[g] = strings.Repeat("x", i) + fmt.Sprint(i)
		if err := s.Update(0, []uint32{g}, []arrow.Array{strs(last[g]).a}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result(0, []uint32{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for g, want := range last {
		if v := got.(*array.String).Value(g); want != "" && v != want {
			t.Errorf("group %d: %d bytes, want %d", g, len(v), len(want))
		}
	}
	if s.Bytes() > 200_000 {
		t.Errorf("%d bytes for three values", s.Bytes())
	}
}

// TestMergeEqualsSinglePass cuts rows into pieces, aggregates each and merges the
// exported states: the results equal those of one pass.
func TestMergeEqualsSinglePass(t *testing.T) {
	half := constant(floats(0.5))
	calls := []struct {
		name     string
		args     func(l, s, d, x, b col) []col
		distinct bool
	}{
		{"count", func(l, s, d, x, b col) []col { return []col{l, s} }, false},
		{"count", func(l, s, d, x, b col) []col { return []col{l, s} }, true},
		{"sum", func(l, s, d, x, b col) []col { return []col{x} }, true},
		{"count_if", func(l, s, d, x, b col) []col { return []col{b} }, false},
		{"sum", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"sum", func(l, s, d, x, b col) []col { return []col{d} }, false},
		{"sum", func(l, s, d, x, b col) []col { return []col{x} }, false},
		{"try_sum", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"avg", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"avg", func(l, s, d, x, b col) []col { return []col{d} }, false},
		{"min", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"max", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"max", func(l, s, d, x, b col) []col { return []col{d} }, false},
		{"min", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"bool_and", func(l, s, d, x, b col) []col { return []col{b} }, false},
		{"bool_or", func(l, s, d, x, b col) []col { return []col{b} }, false},
		{"bit_and", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"bit_or", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"first", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"last", func(l, s, d, x, b col) []col { return []col{l} }, false},
		{"max_by", func(l, s, d, x, b col) []col { return []col{s, l} }, false},
		{"min_by", func(l, s, d, x, b col) []col { return []col{l, s} }, false},
		{"collect_list", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"collect_set", func(l, s, d, x, b col) []col { return []col{d} }, false},
		{"collect_list", func(l, s, d, x, b col) []col { return []col{l} }, true},
		{"stddev", func(l, s, d, x, b col) []col { return []col{x} }, false},
		{"kurtosis", func(l, s, d, x, b col) []col { return []col{x} }, false},
		{"corr", func(l, s, d, x, b col) []col { return []col{x, x} }, false},
		{"approx_count_distinct", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"percentile", func(l, s, d, x, b col) []col { return []col{l, half} }, false},
		{"mode", func(l, s, d, x, b col) []col { return []col{s} }, false},
		{"percentile_approx", func(l, s, d, x, b col) []col { return []col{l, half} }, false},
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(rt, "rows")
		draw := func(label string) ([]int64, []int) {
			v := make([]int64, n)
			var nulls []int
			for i := range v {
				if v[i] = rapid.Int64Range(-2, 6).Draw(rt, label); v[i] == 6 {
					nulls = append(nulls, i)
				}
			}
			return v, nulls
		}
		lv, ln := draw("long")
		sv, sn := draw("string")
		words, dv, xv := make([]string, n), make([][2]int64, n), make([]float64, n)
		bits := vector.NewBitmap(n)
		for i := range n {
			for range sv[i] + 2 {
				words[i] += "x"
			}
			dv[i] = [2]int64{lv[i], lv[i] >> 63}
			xv[i] = float64(sv[i]) / 4
			if sv[i] > 2 {
				bits.Set(i)
			}
		}
		l, s := longs(lv...).nulls(ln...), strs(words...).nulls(sn...)
		d, x := decimals(vector.Decimal(12, 3), dv...).nulls(ln...), floats(xv...).nulls(sn...)
		b := col{vector.Bool, vector.NewBool(bits, n, nil), false}.nulls(ln...)
		g := make([]uint32, n)
		for i := range g {
			g[i] = uint32(rapid.IntRange(0, 2).Draw(rt, "group"))
		}
		c := rapid.SampledFrom(calls).Draw(rt, "call")
		cols := c.args(l, s, d, x, b)
		im, err := bind(c.name, ansi, cols...)
		if err != nil {
			rt.Fatal(err)
		}
		if c.distinct {
			im = agg.Distinct(im)
		}
		check := func(err error) {
			if err != nil {
				rt.Fatalf("%s: %v", c.name, err)
			}
		}
		once, err := fold(im, 3, g, cols, 0, n)
		check(err)
		merged := agg.NewStates([]*agg.Impl{im})
		merged.Grow(3)
		all := []uint32{0, 1, 2}
		for lo := 0; lo < n; {
			hi := rapid.IntRange(lo+1, n).Draw(rt, "cut")
			part, err := fold(im, 3, g, cols, lo, hi)
			check(err)
			state := part.Export(0, all)
			if len(state) != len(im.State) {
				rt.Fatalf("%s: %d state columns, want %d", c.name, len(state), len(im.State))
			}
			for i, f := range im.State {
				if !arrow.TypeEqual(state[i].DataType(), f.Type.Arrow()) {
					rt.Fatalf("%s: state %s is %s, want %s", c.name, f.Name, state[i].DataType(), f.Type)
				}
			}
			check(merged.Merge(0, all, state))
			lo = hi
		}
		want, err := once.Result(0, all)
		check(err)
		got, err := merged.Result(0, all)
		check(err)
		if !arrow.TypeEqual(got.DataType(), im.Result.Arrow()) {
			rt.Fatalf("%s: result is %s, want %s", c.name, got.DataType(), im.Result)
		}
		if !array.ApproxEqual(got, want, array.WithAbsTolerance(1e-9), array.WithNaNsEqual(true)) {
			rt.Fatalf("%s (distinct %t): merged %v, in one pass %v", c.name, c.distinct, got, want)
		}
	})
}
