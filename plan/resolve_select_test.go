package plan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/conformance/expr"
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
// what Spark 4.3 gave for SELECT <sql> FROM t. Cases that are known to differ stand
// in select_items_known.txt; one that passes must be taken off the list.
func TestSelectItems(t *testing.T) {
	known := readLinesOf(t, filepath.Join("testdata", "select_items_known.txt"))
	for _, c := range readSelectCases(t) {
		t.Run(c.SQL, func(t *testing.T) {
			diff := selectDiff(t, c)
			switch {
			case known[c.SQL] && diff == "":
				t.Error("passes but is in select_items_known.txt")
			case !known[c.SQL] && diff != "":
				t.Error(diff)
			}
		})
	}
}

// selectDiff is what differs from the recorded result; "" if nothing does.
func selectDiff(t *testing.T, c *selectCase) string {
	t.Helper()
	items, err := selectItems(t, "SELECT "+c.SQL+" FROM t")
	if c.Error != nil {
		if err == nil {
			return "want error " + c.Error.Condition
		}
		return c.Error.Diff(err, true)
	}
	if err != nil {
		return err.Error()
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
		return "got  " + got + "\nwant " + c.Schema
	}
	return ""
}

// readLinesOf is the set of lines of a text file.
func readLinesOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		out[l] = true
	}
	return out
}

func readSelectCases(t *testing.T) []*selectCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "select_items.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*selectCase
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		c := &selectCase{}
		if err := d.Decode(c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

type selectCase struct {
	SQL    string
	Schema string
	Error  *expr.Failure
}

func generatorFields(g *plan.MultiAlias) []vector.Field {
	fields := append([]vector.Field{}, g.Child.Impl.Columns...)
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
	a := plan.NewAnalyser(noCatalog{}, &kernels.Conf{ANSI: true, Zone: time.UTC})
	a.Text = text
	return a.SelectItems(stmt.Query.Body.(*sql.Select).Items, scope)
}

// noCatalog has no tables.
type noCatalog struct{}

func (noCatalog) Relation([]string) (*plan.Relation, bool) { return nil, false }
func (noCatalog) View([]string) (*plan.View, bool)         { return nil, false }
func (noCatalog) Names() []string                          { return nil }
