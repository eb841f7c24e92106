package kernels_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func decimalLit(s string, p, sc int) operand {
	d, outcome := decimal.Parse([]byte(s), p, sc)
	if outcome != decimal.OK {
		panic(s)
	}
	return lit(dec(p, sc), d, s)
}

func TestOperators(t *testing.T) {
	one, str := lit(vector.Int, 1, "1"), lit(vector.String, "5", "5")
	day := lit(vector.DayTimeOf(2, 2), int64(86_400_000_000), "INTERVAL '1' DAY")
	month := lit(vector.YearMonthOf(1, 1), 1, "INTERVAL '1' MONTH")
	date := lit(vector.Date, 19753, "DATE '2024-01-31'")
	for _, c := range []struct {
		fn   string
		args []operand
		typ  string
		want string // or the condition
	}{
		{"+", []operand{str, one}, "bigint", "6"},
		{"*", []operand{str, str}, "", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"},
		{"+", []operand{lit(vector.Bool, true, "true"), one}, "", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
		{"/", []operand{one, lit(vector.Int, 0, "0")}, "", "DIVIDE_BY_ZERO"},
		{"/", []operand{one, lit(vector.Int, 4, "4")}, "double", "0.25"},
		{"/", []operand{decimalLit("1", 38, 18), decimalLit("3", 38, 18)}, "decimal(38,6)", "0.333333"},
		{"+", []operand{decimalLit("99999999999999999999999999999999999999", 38, 0), one}, "", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{"*", []operand{decimalLit("12.34", 10, 2), lit(vector.Int, 2, "2")}, "decimal(12,2)", "24.68"},
		{"%", []operand{decimalLit("-7.5", 2, 1), decimalLit("2", 1, 0)}, "decimal(2,1)", "-1.5"},
		{"pmod", []operand{lit(vector.Int, -7, "-7"), lit(vector.Int, 3, "3")}, "int", "2"},
		{"div", []operand{lit(vector.Double, 5.5, "5.5"), one}, "", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
		{"+", []operand{date, day}, "date", "2024-02-01"},
		{"+", []operand{month, date}, "date", "2024-02-29"},
		{"-", []operand{date, lit(vector.Date, 19750, "d")}, "interval day", "259200000000"},
		{"+", []operand{date, str}, "", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
		{"-", []operand{date, lit(vector.String, "2024-01-30", "s")}, "interval day", "86400000000"},
		{"-", []operand{date, lit(vector.Null, nil, "NULL")}, "interval day", "<nil>"},
		{"div", []operand{lit(vector.YearMonth, 120, "y"), lit(vector.YearMonthOf(1, 1), 3, "m")}, "bigint", "40"},
		{"+", []operand{one, date}, "date", "2024-02-01"},
		{"*", []operand{day, lit(vector.Double, 0.5, "0.5")}, "interval day to second", "43200000000"},
		{"/", []operand{month, lit(vector.Int, 0, "0")}, "", "INTERVAL_DIVIDED_BY_ZERO"},
		{"=", []operand{one, lit(vector.String, "1.0", "1.0")}, "", "CAST_INVALID_INPUT"},
		{"try_add", []operand{lit(vector.String, "abc", "abc"), one}, "bigint", "<nil>"},
		{"coalesce", []operand{lit(vector.Int, nil, "NULL"), str}, "bigint", "5"},
		{"nullif", []operand{one, str}, "int", "1"},
		{"greatest", []operand{one, lit(vector.Int, nil, "NULL"), decimalLit("2.5", 2, 1)}, "decimal(11,1)", "2.5"},
		{"greatest", []operand{one, str}, "", "DATATYPE_MISMATCH.DATA_DIFF_TYPES"},
		{"in", []operand{one, lit(vector.Int, 2, "2"), lit(vector.Int, nil, "NULL")}, "boolean", "<nil>"},
		{"between", []operand{one, lit(vector.Int, 2, "2"), lit(vector.Int, nil, "NULL")}, "boolean", "false"},
		{"u-", []operand{lit(vector.Int, -2147483648, "-2147483648")}, "", "ARITHMETIC_OVERFLOW"},
		{"<<", []operand{one, lit(vector.Int, 32, "32")}, "int", "1"},
		{">>>", []operand{lit(vector.Long, -1, "-1"), one}, "bigint", "9223372036854775807"},
		{"is true", []operand{lit(vector.Bool, nil, "NULL")}, "boolean", "false"},
		{"isnull", []operand{lit(vector.Null, nil, "NULL")}, "boolean", "true"},
		{"typeof", []operand{day}, "string", "interval day"},
		{"raise_error", []operand{str}, "void", "USER_RAISED_EXCEPTION"},
		{"assert_true", []operand{lit(vector.Bool, nil, "NULL")}, "void", "USER_RAISED_EXCEPTION"},
		{"round", []operand{lit(vector.Double, 2.675, "2.675"), lit(vector.Int, 2, "2")}, "double", "2.68"},
		{"floor", []operand{decimalLit("-0.1", 1, 1)}, "decimal(1,0)", "-1"},
		{"ln", []operand{lit(vector.Int, 0, "0")}, "double", "<nil>"},
	} {
		typ, got, err := call(ansi, c.fn, c.args...)
		if err != nil {
			if conditionOf(err) != c.want {
				t.Errorf("%s(%v): %v, want %s", c.fn, c.args, err, c.want)
			}
			continue
		}
		if fmt.Sprint(got[0]) != c.want || typ.String() != c.typ {
			t.Errorf("%s(%v) = %v %s, want %s %s", c.fn, c.args, got[0], typ, c.want, c.typ)
		}
	}
}

// A long list of constants takes another path than a short one.
func TestInList(t *testing.T) {
	for _, typ := range []*vector.Type{vector.Int, vector.Long, vector.Double, vector.String} {
		value := func(i int) any {
			switch typ.Kind {
			case vector.KindString:
				return fmt.Sprint(i)
			case vector.KindDouble:
				return float64(i)
			}
			return i
		}
		for _, size := range []int{3, 20} {
			for _, null := range []bool{false, true} {
				args := []operand{col(typ, value(1), value(99), nil)}
				for i := range size {
					args = append(args, lit(typ, value(i), "i"))
				}
				want := "[true false <nil>]"
				if null {
					args = append(args, lit(typ, nil, "NULL"))
					want = "[true <nil> <nil>]"
				}
				if _, got, err := call(ansi, "in", args...); err != nil || fmt.Sprint(got) != want {
					t.Errorf("%s IN %d values, null %v: %v, %v; want %s", typ, size, null, got, err, want)
				}
			}
		}
	}
}

func TestLegacyOperators(t *testing.T) {
	for _, c := range []struct {
		fn   string
		args []operand
		typ  string
		want string
	}{
		{"+", []operand{lit(vector.Int, 2147483647, "x"), lit(vector.Int, 1, "1")}, "int", "-2147483648"},
		{"/", []operand{lit(vector.Int, 1, "1"), lit(vector.Int, 0, "0")}, "double", "<nil>"},
		{"+", []operand{lit(vector.String, "a", "a"), lit(vector.Int, 1, "1")}, "double", "<nil>"},
		{"=", []operand{lit(vector.Bool, true, "true"), lit(vector.Int, 1, "1")}, "boolean", "true"},
		{"=", []operand{lit(vector.Int, 1, "1"), lit(vector.String, "a", "a")}, "boolean", "<nil>"},
		{"in", []operand{lit(vector.Int, 1, "1"), lit(vector.String, "1", "1")}, "boolean", "true"},
	} {
		typ, got, err := call(legacy, c.fn, c.args...)
		if err != nil || fmt.Sprint(got[0]) != c.want || typ.String() != c.typ {
			t.Errorf("%s(%v) = %v %v %v, want %s %s", c.fn, c.args, got, typ, err, c.want, c.typ)
		}
	}
}

// explode fails for every row that it is asked for.
type explode struct{ rows *int }

func (e explode) Type() *vector.Type { return vector.Bool }

func (e explode) Eval(_ *kernels.Ctx, b *vector.Batch) (vector.Vec, error) {
	*e.rows += b.Len()
	return vector.Vec{Arr: vector.NewBool(vector.NewValid(b.Len()), b.Len(), nil)}, nil
}

// What does not need a value must not compute it: it might fail.
func TestLazyEvaluation(t *testing.T) {
	cond := col(vector.Bool, true, false, nil, true)
	b := vector.NewBatch(vector.NewSchema(vector.Field{Name: "c", Type: vector.Bool, Nullable: true}), []arrow.Array{cond.array()}, 4)
	c := &kernels.Column{Index: 0, Typ: vector.Bool}
	arg := kernels.Arg{Type: vector.Bool, Nullable: true, SQL: "c"}
	for _, f := range []struct {
		name string
		args int
		rows int // for which the last argument is needed
		want string
	}{
		{"and", 2, 3, "[true false <nil> true]"},
		{"or", 2, 2, "[true true true true]"},
		{"if", 3, 2, "[true true true true]"},
		{"coalesce", 2, 1, "[true false true true]"},
	} {
		seen := 0
		sc, _ := kernels.Lookup(f.name)
		args, exprs := make([]kernels.Arg, f.args), make([]kernels.Expr, f.args)
		for i := range args {
			args[i], exprs[i] = arg, c
		}
		exprs[f.args-1] = explode{&seen}
		impl, err := sc.Bind(ansi, args)
		if err != nil {
			t.Fatal(err)
		}
		v, err := kernels.NewCall(impl, exprs).Eval(&kernels.Ctx{ANSI: true}, b)
		if err != nil {
			t.Fatal(err)
		}
		var got []any
		for i := range 4 {
			got = append(got, kernels.ValueAt(vector.Bool, v.Dense(4), i))
		}
		if fmt.Sprint(got) != f.want || seen != f.rows {
			t.Errorf("%s = %v with %d rows of the last argument, want %s with %d", f.name, got, seen, f.want, f.rows)
		}
	}
}

func TestCaseTypes(t *testing.T) {
	cond := col(vector.Bool, true, false, nil)
	_, got, err := call(ansi, "case", cond, col(vector.String, "a", "b", "c"), operand{vector.Bool, []any{false, nil, true}, "d"}, lit(vector.String, "z", "z"))
	if err != nil || fmt.Sprint(got) != "[a <nil> z]" {
		t.Errorf("CASE = %v, %v", got, err)
	}
	if _, _, err = call(ansi, "case", lit(vector.String, "a", "a"), lit(vector.Int, 1, "1")); conditionOf(err) != "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE" {
		t.Errorf("CASE with a string condition: %v", err)
	}
}

func TestIndexAndField(t *testing.T) {
	list := vector.ArrayOf(vector.Int, true)
	a := vector.NewList(list, []int32{0, 2, 2, 3}, col(vector.Int, 1, nil, 3).array(), nil)
	m := vector.MapOf(vector.String, vector.Int, true)
	kv := vector.NewMap(m, []int32{0, 2, 2, 3}, col(vector.String, "a", "b", "a").array(), col(vector.Int, 1, 2, 3).array(), nil)
	eval := func(conf *kernels.Conf, typ *vector.Type, arr arrow.Array, key operand) (string, error) {
		f, _ := kernels.Lookup("$index")
		c := kernels.NewConst(key.typ, key.values[0])
		impl, err := f.Bind(conf, []kernels.Arg{{Type: typ}, {Type: key.typ, Const: &c.Value}})
		if err != nil {
			return "", err
		}
		e := kernels.NewCall(impl, []kernels.Expr{&kernels.Column{Typ: typ}, kernels.NewCast(c, impl.Args[1], kernels.CastANSI)})
		v, err := e.Eval(&kernels.Ctx{ANSI: conf.ANSI}, vector.NewBatch(vector.NewSchema(vector.Field{Name: "c", Type: typ}), []arrow.Array{arr}, 3))
		if err != nil {
			return "", err
		}
		return fmt.Sprint(kernels.ValueAt(vector.Int, v.Arr, 0), kernels.ValueAt(vector.Int, v.Arr, 1), kernels.ValueAt(vector.Int, v.Arr, 2)), nil
	}
	if _, err := eval(ansi, list, a, lit(vector.Int, 1, "1")); conditionOf(err) != "INVALID_ARRAY_INDEX" {
		t.Errorf("a[1]: %v", err)
	}
	if got, err := eval(legacy, list, a, lit(vector.Int, 0, "0")); err != nil || got != "1 <nil> 3" {
		t.Errorf("a[0] without ANSI = %s, %v", got, err)
	}
	if got, err := eval(ansi, m, kv, lit(vector.String, "b", "b")); err != nil || got != "2 <nil> <nil>" {
		t.Errorf("m['b'] = %s, %v", got, err)
	}
	_, got, err := call(ansi, "named_struct", lit(vector.String, "x", "x"), col(vector.Int, 1, nil))
	if err != nil || fmt.Sprint(got) != "[[1] [<nil>]]" {
		t.Errorf("named_struct = %v, %v", got, err)
	}
}

func TestWindowStart(t *testing.T) {
	for _, c := range []struct{ ts, slide, start, i, want int64 }{
		{12, 5, 0, 0, 10}, {12, 5, 0, 1, 5}, {-1, 5, 0, 0, -5}, {0, 5, 2, 0, -3}, {-5, 5, 0, 0, -5},
	} {
		if got := kernels.WindowStart(c.ts, c.slide, c.start, c.i); got != c.want {
			t.Errorf("WindowStart(%d, %d, %d, %d) = %d, want %d", c.ts, c.slide, c.start, c.i, got, c.want)
		}
	}
	typ, got, err := call(ansi, "$window_start", operand{vector.TimestampNTZ, []any{int64(7), nil}, "ts"},
		lit(vector.Long, 5, "5"), lit(vector.Long, 0, "0"), lit(vector.Long, 0, "0"))
	if err != nil || typ.Kind != vector.KindTimestampNTZ || fmt.Sprint(got) != "[1970-01-01T00:00:00.000005 <nil>]" {
		t.Errorf("$window_start = %v %v %v", typ, got, err)
	}
}

func TestSQL(t *testing.T) {
	for _, c := range []struct {
		fn   string
		args []string
		want string
	}{
		{"+", []string{"a", "b"}, "(a + b)"}, {"<>", []string{"a", "b"}, "(NOT (a = b))"}, {"not", []string{"a"}, "(NOT a)"},
		{"case", []string{"a", "1", "2"}, "CASE WHEN a THEN 1 ELSE 2 END"}, {"if", []string{"a", "1", "2"}, "(IF(a, 1, 2))"},
		{"in", []string{"a", "1", "2"}, "(a IN (1, 2))"}, {"isnull", []string{"a"}, "(a IS NULL)"},
		{"is not true", []string{"a"}, "(NOT (a <=> true))"}, {"round", []string{"a"}, "round(a, 0)"},
	} {
		f, _ := kernels.Lookup(c.fn)
		if got := f.SQL(c.args); got != c.want {
			t.Errorf("%s prints %s, want %s", c.fn, got, c.want)
		}
	}
}
