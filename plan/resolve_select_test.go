package plan_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// selectItemsTable is the relation t that testdata/select_items.jsonl was
// recorded on.
const selectItemsTable = "k INT NOT NULL, st STRUCT<x: INT, y: STRING>, m MAP<STRING, INT>, a ARRAY<INT>, ast ARRAY<STRUCT<x: INT>>, " +
	"ts TIMESTAMP, b BOOLEAN, d DECIMAL(2,1), dt DATE, s STRING"

// TestSelectItems compares names and types of SELECT items, or their errors, with
// what Spark 4.3 gave for SELECT <sql> FROM t.
func TestSelectItems(t *testing.T) {
	for _, c := range readSelectCases(t) {
		t.Run(c.SQL, func(t *testing.T) {
			text := "SELECT " + c.SQL + " FROM t"
			items, err := selectItems(t, text)
			if c.Error != nil {
				checkError(t, c.Error, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var fields []vector.Field
			for _, it := range items {
				if g, ok := it.(*plan.MultiAlias); ok {
					fields = append(fields, generatorFields(g)...)
					continue
				}
				fields = append(fields, vector.Field{Name: plan.OutputOf(it).Name, Type: it.Type()})
			}
			if got := vector.StructOf(fields...).String(); got != c.Schema {
				t.Errorf("got  %s\nwant %s", got, c.Schema)
			}
		})
	}
}

func readSelectCases(t *testing.T) []*selectCase {
	t.Helper()
	return readLines[selectCase](t, filepath.Join("testdata", "select_items.jsonl"))
}

type selectCase struct {
	SQL    string
	Schema string
	Error  *oracleError
}

func generatorFields(g *plan.MultiAlias) []vector.Field {
	fields := append([]vector.Field{}, g.Type().Fields...)
	for i, n := range g.Names {
		fields[i].Name = n
	}
	return fields
}

func selectItems(t *testing.T, text string) ([]plan.Expr, error) {
	t.Helper()
	schema, err := plan.ParseSchema(selectItemsTable)
	if err != nil {
		t.Fatal(err)
	}
	scope := &plan.Scope{}
	for _, f := range schema.Fields {
		scope.Columns = append(scope.Columns, &plan.Attr{ID: plan.NewID(), Name: f.Name, Typ: f.Type, Null: f.Nullable, Qualifier: []string{"t"}})
	}
	stmt, err := sql.ParseQuery(text)
	if err != nil {
		return nil, err
	}
	a := &plan.Analyser{Conf: &kernels.Conf{ANSI: true, Zone: time.UTC}, Text: text}
	return a.SelectItems(stmt.Query.Body.(*sql.Select).Items, scope)
}

// checkError compares condition and parameters; a position must lie within
// Spark's.
func checkError(t *testing.T, want *oracleError, err error) {
	t.Helper()
	var e *condition.Error
	if !errors.As(err, &e) {
		t.Fatalf("want %s, got %v", want.Condition, err)
	}
	if strings.HasPrefix(want.Condition, "_LEGACY_ERROR_TEMP_") {
		return
	}
	if diff := errorDiff(want, e); diff != "" {
		t.Error(diff)
	}
}
