package kernels_test

import (
	"testing"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func dec(p, s int) *vector.Type { return vector.Decimal(p, s) }

func TestCommonType(t *testing.T) {
	list := func(ts ...*vector.Type) []*vector.Type { return ts }
	for _, c := range []struct {
		types        []*vector.Type
		ansi, legacy string // "" means there is none
	}{
		{list(), "void", "void"},
		{list(vector.Null, vector.Int), "int", "int"},
		{list(vector.Byte, vector.Long), "bigint", "bigint"},
		{list(vector.Int, vector.Float), "double", "float"},
		{list(vector.Float, vector.Float), "float", "float"},
		{list(vector.Int, dec(10, 2)), "decimal(12,2)", "decimal(12,2)"},
		{list(dec(38, 0), dec(38, 18)), "decimal(38,0)", "decimal(38,0)"},
		{list(dec(10, 2), vector.Double), "double", "double"},
		{list(vector.String, vector.Int), "bigint", "string"},
		{list(vector.String, dec(3, 1)), "double", "string"},
		{list(vector.String, vector.Date), "date", "string"},
		{list(vector.String, vector.Bool), "boolean", ""},
		{list(vector.Date, vector.Timestamp), "timestamp", "timestamp"},
		{list(vector.TimestampNTZ, vector.Date), "timestamp_ntz", "timestamp_ntz"},
		{list(vector.Int, vector.Bool), "", ""},
		{list(vector.YearMonth, vector.DayTime), "", ""},
		{list(vector.DayTimeOf(2, 2), vector.DayTimeOf(3, 4)), "interval day to minute", "interval day to minute"},
		{list(vector.ArrayOf(vector.Int, false), vector.ArrayOf(vector.String, false)), "array<bigint>", "array<string>"},
		{list(vector.StructOf(vector.Field{Name: "a", Type: vector.Int}), vector.StructOf(vector.Field{Name: "A", Type: vector.Long})), "struct<a:bigint>", "struct<a:bigint>"},
		{list(vector.StructOf(vector.Field{Name: "a", Type: vector.Int}), vector.StructOf(vector.Field{Name: "b", Type: vector.Long})), "", ""},
	} {
		for _, m := range []struct {
			conf *kernels.Conf
			want string
		}{{ansi, c.ansi}, {legacy, c.legacy}} {
			got := ""
			if ty := kernels.CommonType(m.conf, c.types); ty != nil {
				got = ty.String()
			}
			if got != m.want {
				t.Errorf("CommonType(ansi=%v, %v) = %q, want %q", m.conf.ANSI, c.types, got, m.want)
			}
		}
	}
}

func TestImplicitCast(t *testing.T) {
	for _, c := range []struct {
		from   *vector.Type
		to     kernels.Accept
		ansi   string // "" means refused
		legacy string
	}{
		{vector.Int, kernels.Int, "int", "int"},
		{vector.Long, kernels.Int, "int", "int"},
		{vector.Double, kernels.AnyIntegral, "", ""},
		{vector.String, kernels.Int, "int", "int"},
		{vector.String, kernels.AnyNumeric, "double", "double"},
		{vector.String, kernels.AnyDecimal, "decimal(38,18)", "decimal(38,18)"},
		{vector.String, kernels.AnyTimestamp, "timestamp", "timestamp"},
		{vector.String, kernels.Bool, "boolean", ""},
		{vector.Int, kernels.String, "string", "string"},
		{vector.Bool, kernels.Int, "", ""},
		{vector.Int, kernels.AnyDecimal, "decimal(10,0)", "decimal(10,0)"},
		{vector.Date, kernels.Timestamp, "timestamp", "timestamp"},
		{vector.Null, kernels.AnyNumeric, "double", "double"},
		{vector.Null, kernels.StringOrBinary, "string", "string"},
		{vector.Int, kernels.StringOrBinary, "string", "string"},
		{vector.ArrayOf(vector.Int, true), kernels.String, "", ""},
		{vector.ArrayOf(vector.Int, true), kernels.ArrayOf(vector.Long), "array<bigint>", "array<bigint>"},
	} {
		for _, m := range []struct {
			conf *kernels.Conf
			want string
		}{{ansi, c.ansi}, {legacy, c.legacy}} {
			got := ""
			if ty, ok := kernels.ImplicitCast(m.conf, c.from, c.to); ok {
				got = ty.String()
			}
			if got != m.want {
				t.Errorf("ImplicitCast(ansi=%v, %s, %s) = %q, want %q", m.conf.ANSI, c.from, c.to.Required(), got, m.want)
			}
		}
	}
}

func TestDecimalResult(t *testing.T) {
	exact := &kernels.Conf{ANSI: true, Conf: map[string]string{"spark.sql.decimalOperations.allowPrecisionLoss": "false"}}
	for _, c := range []struct {
		op          string
		a, b        *vector.Type
		loss, exact string
	}{
		{"+", dec(10, 2), dec(10, 2), "decimal(11,2)", "decimal(11,2)"},
		{"-", dec(38, 18), dec(38, 0), "decimal(38,6)", "decimal(38,18)"},
		{"*", dec(38, 18), dec(38, 18), "decimal(38,6)", "decimal(38,36)"},
		{"*", dec(20, 10), dec(20, 10), "decimal(38,17)", "decimal(38,20)"},
		{"/", dec(10, 2), dec(10, 0), "decimal(21,13)", "decimal(21,13)"},
		{"/", dec(38, 18), dec(38, 18), "decimal(38,6)", "decimal(38,18)"},
		{"%", dec(10, 2), dec(5, 1), "decimal(6,2)", "decimal(6,2)"},
		{"div", dec(10, 2), dec(5, 1), "decimal(9,0)", "decimal(9,0)"},
	} {
		if got := kernels.DecimalResult(ansi, c.op, c.a, c.b).String(); got != c.loss {
			t.Errorf("%s %s %s = %s, want %s", c.a, c.op, c.b, got, c.loss)
		}
		if got := kernels.DecimalResult(exact, c.op, c.a, c.b).String(); got != c.exact {
			t.Errorf("%s %s %s without precision loss = %s, want %s", c.a, c.op, c.b, got, c.exact)
		}
	}
}

func TestUnexpectedInput(t *testing.T) {
	_, _, err := call(ansi, "not", lit(vector.Int, 1, "1"))
	if got := conditionOf(err); got != "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE" {
		t.Fatalf("NOT 1: %v", err)
	}
}
