package kernels_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func drawDecimal(t *rapid.T, typ *vector.Type) any {
	if rapid.IntRange(0, 7).Draw(t, "null") == 0 {
		return nil
	}
	limit := new(big.Int).Sub(decimal.Pow10[typ.Precision].Big(), big.NewInt(1))
	v := rapid.OneOf(rapid.Just(limit), rapid.Custom(func(t *rapid.T) *big.Int {
		x := new(big.Int).Mul(big.NewInt(rapid.Int64().Draw(t, "high")), big.NewInt(rapid.Int64().Draw(t, "low")))
		return x.Rem(x.Rsh(x, rapid.UintRange(0, 120).Draw(t, "shift")), limit)
	})).Draw(t, "v")
	if rapid.Bool().Draw(t, "negative") {
		v = new(big.Int).Neg(v)
	}
	return decimal.FromBig(v)
}

// The loops over decimals against the row functions of package decimal, which have
// their own test against rational numbers.
func TestDecimalModel(t *testing.T) {
	row := map[string]func(x, y decimal.Num, sa, sb, p, s int) (decimal.Num, bool){
		"+": decimal.Add, "*": decimal.Mul, "/": decimal.Div,
		"-": func(x, y decimal.Num, sa, sb, p, s int) (decimal.Num, bool) {
			return decimal.Add(x, y.Negate(), sa, sb, p, s)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		types := make([]*vector.Type, 2)
		for i := range types {
			p := rapid.IntRange(1, 22).Draw(t, "precision")
			types[i] = dec(p, rapid.IntRange(0, p).Draw(t, "scale"))
		}
		op := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "op")
		result := kernels.DecimalResult(ansi, op, types[0], types[1])
		n := rapid.IntRange(2, 20).Draw(t, "n")
		var in [2]operand
		for i := range in {
			in[i] = operand{typ: types[i], sql: "c"}
			for range []int{1, n}[rapid.IntRange(0, 1).Draw(t, "column")] {
				in[i].values = append(in[i].values, drawDecimal(t, types[i]))
			}
		}
		if len(in[0].values) == 1 && len(in[1].values) == 1 {
			n = 1
		}
		want, fails := make([]any, n), false
		for i := range n {
			x, ok := at(in[0], i).(decimal.Num)
			y, ok2 := at(in[1], i).(decimal.Num)
			if !ok || !ok2 {
				continue
			}
			if op == "/" && y == (decimal.Num{}) {
				fails = true
				continue
			}
			r, ok := row[op](x, y, types[0].Scale, types[1].Scale, result.Precision, result.Scale)
			if fails = fails || !ok; ok {
				want[i] = string(decimal.Append(nil, r, result.Scale))
			}
		}
		typ, got, err := call(ansi, op, in[0], in[1])
		if (err != nil) != fails {
			t.Fatalf("%v %s %v: %v, want an error: %v", in[0], op, in[1], err, fails)
		}
		if err == nil && (!typ.Equal(result) || fmt.Sprint(got) != fmt.Sprint(want)) {
			t.Fatalf("%v %s %v = %v of type %s, want %v of type %s", in[0], op, in[1], got, typ, want, result)
		}
		try := map[string]string{"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide"}[op]
		if _, got, err = call(ansi, try, in[0], in[1]); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s(%v, %v) = %v, %v; want %v", try, in[0], in[1], got, err, want)
		}
	})
}

// CASE, coalesce, greatest, BETWEEN and IN against a choice row by row, on columns and
// constants of several widths.
func TestChoiceModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]*vector.Type{vector.Byte, vector.Short, vector.Int, vector.Long, vector.Double, vector.String, vector.Bool}).Draw(t, "type")
		n := rapid.IntRange(2, 80).Draw(t, "n")
		value := func() any {
			switch typ.Kind {
			case vector.KindDouble:
				return rapid.SampledFrom([]any{nil, -1.5, 0.0, 2.5}).Draw(t, "d")
			case vector.KindString:
				return rapid.SampledFrom([]any{nil, "", "a", "low", "longer than a word"}).Draw(t, "s")
			case vector.KindBool:
				return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "b")
			}
			return rapid.SampledFrom([]any{nil, int64(-3), int64(0), int64(5), int64(100)}).Draw(t, "i")
		}
		side := func(typ *vector.Type, draw func() any) operand {
			o := operand{typ: typ, sql: "c"}
			for range []int{1, n}[rapid.IntRange(0, 1).Draw(t, "column")] {
				o.values = append(o.values, draw())
			}
			return o
		}
		condition := func() any { return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "cond") }
		column := operand{typ: typ, sql: "c"} // makes the call have n rows
		for range n {
			column.values = append(column.values, value())
		}
		a, b, c := side(typ, value), side(typ, value), side(typ, value)
		p, q := side(vector.Bool, condition), side(vector.Bool, condition)
		check := func(name string, want func(i int) any, args ...operand) {
			_, got, err := call(ansi, name, args...)
			if err != nil {
				t.Fatal(name, err)
			}
			rows := make([]any, len(got))
			for i := range rows {
				rows[i] = want(i)
			}
			if fmt.Sprint(got) != fmt.Sprint(rows) {
				t.Fatalf("%s%v = %v, want %v", name, args, got, rows)
			}
		}
		check("case", func(i int) any {
			switch {
			case at(p, i) == true:
				return at(a, i)
			case at(q, i) == true:
				return at(b, i)
			}
			return at(c, i)
		}, p, a, q, b, c)
		check("case", func(i int) any {
			if at(p, i) == true {
				return at(a, i)
			}
			return nil
		}, p, a)
		check("coalesce", func(i int) any {
			for _, o := range []operand{column, a, b} {
				if v := at(o, i); v != nil {
					return v
				}
			}
			return nil
		}, column, a, b)
		check("greatest", func(i int) any {
			var best any
			for _, o := range []operand{column, a, b} {
				if v := at(o, i); v != nil && (best == nil || compareModel(v, best) > 0) {
					best = v
				}
			}
			return best
		}, column, a, b)
		check("between", func(i int) any {
			x := at(column, i)
			low, high := bounded(x, at(a, i), 1), bounded(x, at(b, i), -1)
			switch {
			case low == false || high == false:
				return false
			case low == nil || high == nil:
				return nil
			}
			return true
		}, column, a, b)
		check("in", func(i int) any {
			x, null := at(column, i), false
			for _, o := range []operand{a, b, c} {
				v := at(o, i)
				if null = null || v == nil || x == nil; v != nil && x != nil && compareModel(x, v) == 0 {
					return true
				}
			}
			if null {
				return nil
			}
			return false
		}, column, a, b, c)
	})
}

// bounded tells whether x is not on the wrong side of a bound, nil if one is null.
func bounded(x, bound any, sign int) any {
	if x == nil || bound == nil {
		return nil
	}
	return compareModel(x, bound)*sign >= 0
}

// The loops over dates and times against the calendar, also at the ends of the types.
func TestTimeFieldModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days, times := operand{typ: vector.Date, sql: "d"}, operand{typ: vector.TimestampNTZ, sql: "t"}
		lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
		if rapid.Bool().Draw(t, "usual") {
			lo, hi = -25202-1, 47481+1 // 1901 to 2099 and a day more
		}
		for range rapid.IntRange(2, 20).Draw(t, "n") {
			days.values = append(days.values, rapid.Int64Range(lo, hi).Draw(t, "day"))
			times.values = append(times.values, rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1e16, 1e16)).Draw(t, "time"))
		}
		check := func(name string, o operand, want func(v int64) int64, more ...operand) {
			_, got, err := call(ansi, name, append(more, o)...)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range o.values {
				if w := want(v.(int64)); got[i] != any(w) {
					t.Fatalf("%s(%d) = %v, want %d", name, v, got[i], w)
				}
			}
		}
		check("year", days, func(v int64) int64 { y, _, _ := text.CivilFromDays(v); return y })
		check("hour", times, func(v int64) int64 { return text.FloorMod(text.FloorDiv(v, text.MicrosPerHour), 24) })
		check("minute", times, func(v int64) int64 { return text.FloorMod(text.FloorDiv(v, text.MicrosPerMinute), 60) })
		check("second", times, func(v int64) int64 { return text.FloorMod(text.FloorDiv(v, text.MicrosPerSecond), 60) })
	})
}

// A hash does not depend on what lies behind a text.
func TestHashOfText(t *testing.T) {
	types := []*vector.Type{vector.String}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringN(0, 40, 80), 1, 20).Draw(t, "texts")
		off, data := []int32{0}, []byte(nil)
		for _, s := range values {
			data = append(data, s...)
			off = append(off, int32(len(data)))
		}
		all := kernels.XXHash64(types, []vector.Vec{{Arr: vector.NewString(vector.String, off, data, nil)}}, len(values))
		for i, s := range values {
			own := make([]byte, len(s))
			copy(own, s)
			one := kernels.XXHash64(types, []vector.Vec{{Arr: vector.NewString(vector.String, []int32{0, int32(len(s))}, own, nil)}}, 1)
			if one[0] != all[i] {
				t.Fatalf("%q: %d alone, %d in a column", s, one[0], all[i])
			}
		}
	})
}

func TestFloatToIntModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]*vector.Type{vector.Byte, vector.Short, vector.Int, vector.Long}).Draw(t, "type")
		lo, hi := intBounds(typ)
		edge := rapid.SampledFrom([]float64{float64(lo), float64(hi), 0, math.Inf(1), math.NaN()})
		in := operand{typ: vector.Double, sql: "c"}
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			in.values = append(in.values, edge.Draw(t, "edge")+rapid.SampledFrom([]float64{0, -1, 1, 0.5, -0.5, 0.999, -0.999}).Draw(t, "by"))
		}
		out, err := kernels.CastArray(&kernels.Ctx{ANSI: true}, in.array(), vector.Double, typ, kernels.CastTry)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range in.values {
			var want any
			if f := math.Trunc(v.(float64)); !math.IsNaN(f) && !math.IsInf(f, 0) {
				if b, _ := big.NewFloat(f).Int(nil); b.IsInt64() && b.Int64() >= lo && b.Int64() <= hi {
					want = b.Int64()
				}
			}
			if got := kernels.ValueAt(typ, out, i); got != want {
				t.Fatalf("%v to %s = %v, want %v", v, typ, got, want)
			}
		}
	})
}
