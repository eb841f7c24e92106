package plan_test

import (
	"errors"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// namesScope are the columns of a join of two relations, with a hidden column.
func namesScope() *plan.Scope {
	col := func(name string, t *vector.Type, qualifier ...string) *plan.Attr {
		return &plan.Attr{ID: plan.NewID(), Name: name, Typ: t, Null: true, Qualifier: qualifier}
	}
	inner := vector.StructOf(vector.Field{Name: "x", Type: vector.Int}, vector.Field{Name: "X2", Type: vector.String})
	twice := vector.StructOf(vector.Field{Name: "f", Type: vector.Int}, vector.Field{Name: "F", Type: vector.Int})
	metadata := col("_metadata", vector.StructOf(vector.Field{Name: "file_name", Type: vector.String}), "l")
	metadata.Hidden = true
	return &plan.Scope{Columns: []*plan.Attr{
		col("id", vector.Int, "spark_catalog", "default", "l"), col("v", vector.Long, "spark_catalog", "default", "l"),
		col("id", vector.Int, "r"), col("s", inner, "r"), col("list", vector.ArrayOf(inner, true), "r"),
		col("m", vector.MapOf(vector.String, vector.Int, true), "r"), col("d", twice, "r"), col("l", inner, "r"),
		col("a.b", vector.Double, "r"), metadata,
	}}
}

func bindName(t *testing.T, text string, conf map[string]string, scope *plan.Scope) (plan.Expr, error) {
	t.Helper()
	e, err := sql.ParseExpression(text)
	if err != nil {
		t.Fatal(err)
	}
	a := &plan.Analyser{Conf: &kernels.Conf{ANSI: true, Zone: time.UTC, Conf: conf}, Text: text}
	return a.Expr(e, scope)
}

func TestNames(t *testing.T) {
	sensitive := map[string]string{"spark.sql.caseSensitive": "true"}
	for _, c := range []struct {
		name  string
		text  string
		conf  map[string]string
		typ   string
		error condition.Name
	}{
		{"unqualified", "v", nil, "bigint", ""},
		{"any case", "V", nil, "bigint", ""},
		{"case matters", "V", sensitive, "", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
		{"qualified", "r.id", nil, "int", ""},
		{"three-part qualifier", "spark_catalog.default.l.v", nil, "bigint", ""},
		{"two-part qualifier", "default.l.v", nil, "bigint", ""},
		{"ambiguous", "id", nil, "", "AMBIGUOUS_REFERENCE"},
		{"struct field", "s.x", nil, "int", ""},
		{"qualified struct field", "r.s.X", nil, "int", ""},
		{"struct field, case matters", "s.X", sensitive, "", "FIELD_NOT_FOUND"},
		{"no such field", "s.z", nil, "", "FIELD_NOT_FOUND"},
		{"field that exists twice", "d.f", nil, "", "AMBIGUOUS_REFERENCE_TO_FIELDS"},
		{"field that exists twice, case matters", "d.f", sensitive, "int", ""},
		{"field of an array of structs", "list.x", nil, "array<int>", ""},
		{"map key", "m.k", nil, "int", ""},
		{"field of a scalar", "v.x", nil, "", "INVALID_EXTRACT_BASE_FIELD_TYPE"},
		{"qualifier before column of the same name", "l.id", nil, "int", ""},
		{"column where the qualifier does not match", "l.x", nil, "int", ""},
		{"point inside backticks", "`a.b`", nil, "double", ""},
		{"hidden column", "_metadata.file_name", nil, "string", ""},
		{"unknown", "nope", nil, "", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := bindName(t, c.text, c.conf, namesScope())
			switch {
			case c.error != "":
				if !errors.Is(err, c.error) {
					t.Fatalf("want %s, got %v", c.error, err)
				}
				if p := condition.As(err).Pos; p == nil || p.Offset != 0 || p.End != len(c.text) {
					t.Errorf("position %v", p)
				}
			case err != nil:
				t.Fatal(err)
			case e.Type().String() != c.typ:
				t.Errorf("want %s, got %s", c.typ, e.Type())
			}
		})
	}
}

// TestOuterNames finds columns of the enclosing query after those of the query itself.
func TestOuterNames(t *testing.T) {
	outer := namesScope()
	own := &plan.Attr{ID: plan.NewID(), Name: "v", Typ: vector.String}
	scope := &plan.Scope{Columns: []*plan.Attr{own}, Outer: outer}
	for text, want := range map[string]string{"v": "string", "l.v": "bigint", "s.x": "int"} {
		e, err := bindName(t, text, nil, scope)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type().String() != want {
			t.Errorf("%s: want %s, got %s", text, want, e.Type())
		}
	}
}
