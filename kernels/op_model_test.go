package kernels_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// The row model: one row at a time with big integers, against the column kernels
// on every mix of columns and constants, with and without nulls.

type modelResult struct {
	value any // nil is null
	err   string
}

func drawInt(t *rapid.T, typ *vector.Type) any {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return nil
	}
	lo, hi := intBounds(typ)
	return rapid.OneOf(rapid.Int64Range(lo, hi), rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{lo, lo + 1, hi, hi - 1})).Draw(t, "v")
}

func intBounds(t *vector.Type) (lo, hi int64) {
	switch t.Kind {
	case vector.KindByte:
		return math.MinInt8, math.MaxInt8
	case vector.KindShort:
		return math.MinInt16, math.MaxInt16
	case vector.KindInt:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func modelInt(op string, typ *vector.Type, x, y any) modelResult {
	if x == nil || y == nil {
		return modelResult{}
	}
	a, b := big.NewInt(x.(int64)), big.NewInt(y.(int64))
	r := new(big.Int)
	result := typ
	switch op {
	case "+":
		r.Add(a, b)
	case "-":
		r.Sub(a, b)
	case "*":
		r.Mul(a, b)
	case "%", "div":
		if b.Sign() == 0 {
			if op == "%" {
				return modelResult{err: "REMAINDER_BY_ZERO"}
			}
			return modelResult{err: "DIVIDE_BY_ZERO"}
		}
		if op == "%" {
			r.Rem(a, b)
		} else {
			r.Quo(a, b)
			result = vector.Long
		}
	}
	lo, hi := intBounds(result)
	if r.Cmp(big.NewInt(lo)) < 0 || r.Cmp(big.NewInt(hi)) > 0 {
		if result.Kind == vector.KindByte || result.Kind == vector.KindShort {
			return modelResult{err: "BINARY_ARITHMETIC_OVERFLOW"}
		}
		return modelResult{err: "ARITHMETIC_OVERFLOW"}
	}
	return modelResult{value: r.Int64()}
}

// drawOperands draws two operands of n rows, each a column or a constant.
func drawOperands(t *rapid.T, draw func() any, typ *vector.Type) (a, b operand, n int) {
	n = rapid.IntRange(2, 20).Draw(t, "n")
	side := func(sql string) operand {
		o := operand{typ: typ, sql: sql}
		rows := n
		if rapid.IntRange(0, 3).Draw(t, "const") == 0 {
			rows = 1
		}
		for range rows {
			o.values = append(o.values, draw())
		}
		return o
	}
	return side("a"), side("b"), n
}

func at(o operand, i int) any { return o.values[i%len(o.values)] }

func TestIntArithmeticModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]*vector.Type{vector.Byte, vector.Short, vector.Int, vector.Long}).Draw(t, "type")
		op := rapid.SampledFrom([]string{"+", "-", "*", "%", "div"}).Draw(t, "op")
		a, b, n := drawOperands(t, func() any { return drawInt(t, typ) }, typ)
		if len(a.values) == 1 && len(b.values) == 1 {
			n = 1
		}
		wantErr := ""
		want := make([]any, n)
		for i := range n {
			m := modelInt(op, typ, at(a, i), at(b, i))
			if want[i] = m.value; m.err != "" && wantErr == "" {
				wantErr = m.err
			}
		}
		_, got, err := call(ansi, op, a, b)
		if conditionOf(err) != wantErr {
			t.Fatalf("%v %s %v: error %v, want %q", a.values, op, b.values, err, wantErr)
		}
		if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v %s %v = %v, want %v", a.values, op, b.values, got, want)
		}
		try := map[string]string{"+": "try_add", "-": "try_subtract", "*": "try_multiply", "%": "try_mod"}[op]
		if try == "" {
			return
		}
		if _, got, err = call(ansi, try, a, b); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s(%v, %v) = %v, %v; want %v", try, a.values, b.values, got, err, want)
		}
	})
}

func drawDouble(t *rapid.T) any {
	return rapid.SampledFrom([]any{nil, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0.0, 1.5, -1.5, 1e300}).Draw(t, "d")
}

// rank orders doubles as Spark does.
func compareModel(x, y any) int {
	switch a := x.(type) {
	case int64:
		b := y.(int64)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	case string:
		b := y.(string)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	case bool:
		return map[bool]int{true: 1}[a] - map[bool]int{true: 1}[y.(bool)]
	}
	a, b := x.(float64), y.(float64)
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestComparisonModel(t *testing.T) {
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "<>": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
		"<=>": func(c int) bool { return c == 0 },
	}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]*vector.Type{vector.Byte, vector.Int, vector.Long, vector.Double, vector.String, vector.Binary, vector.Bool}).Draw(t, "type")
		op := rapid.SampledFrom([]string{"=", "<>", "<", "<=", ">", ">=", "<=>"}).Draw(t, "op")
		a, b, n := drawOperands(t, func() any {
			switch typ.Kind {
			case vector.KindDouble:
				return drawDouble(t)
			case vector.KindString, vector.KindBinary:
				return rapid.SampledFrom([]any{nil, "", "a", "ab", "b", "é"}).Draw(t, "s")
			case vector.KindBool:
				return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "b")
			}
			return drawInt(t, typ)
		}, typ)
		if len(a.values) == 1 && len(b.values) == 1 {
			n = 1
		}
		want := make([]any, n)
		for i := range n {
			x, y := at(a, i), at(b, i)
			switch {
			case x != nil && y != nil:
				want[i] = holds[op](compareModel(x, y))
			case op == "<=>":
				want[i] = x == nil && y == nil
			}
		}
		_, got, err := call(ansi, op, a, b)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v %s %v = %v, %v; want %v", a.values, op, b.values, got, err, want)
		}
	})
}

func TestLogicModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom([]string{"and", "or"}).Draw(t, "op")
		a, b, n := drawOperands(t, func() any { return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "b") }, vector.Bool)
		if len(a.values) == 1 && len(b.values) == 1 {
			n = 1
		}
		stop := op == "or"
		want := make([]any, n)
		for i := range n {
			switch x, y := at(a, i), at(b, i); {
			case x == stop || y == stop:
				want[i] = stop
			case x != nil && y != nil:
				want[i] = !stop
			}
		}
		_, got, err := call(ansi, op, a, b)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v %s %v = %v, %v; want %v", a.values, op, b.values, got, err, want)
		}
	})
}

func TestCastNumberModel(t *testing.T) {
	ints := []*vector.Type{vector.Byte, vector.Short, vector.Int, vector.Long}
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(ints).Draw(t, "from"), rapid.SampledFrom(ints).Draw(t, "to")
		n := rapid.IntRange(2, 20).Draw(t, "n")
		in := operand{typ: from, sql: "c"}
		want := make([]any, n)
		lo, hi := intBounds(to)
		fails := false
		for i := range n {
			v := drawInt(t, from)
			in.values = append(in.values, v)
			if x, ok := v.(int64); ok && (x < lo || x > hi) {
				fails = true
			} else {
				want[i] = v
			}
		}
		ctx := &kernels.Ctx{ANSI: true}
		if _, err := kernels.CastArray(ctx, in.array(), from, to, kernels.CastANSI); (conditionOf(err) == "CAST_OVERFLOW") != fails {
			t.Fatalf("cast of %v to %s: %v", in.values, to, err)
		}
		out, err := kernels.CastArray(ctx, in.array(), from, to, kernels.CastTry)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := kernels.ValueAt(to, out, i); got != want[i] {
				t.Fatalf("try_cast of %v to %s at %d = %v, want %v", in.values, to, i, got, want[i])
			}
		}
	})
}
