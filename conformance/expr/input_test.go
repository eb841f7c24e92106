package expr_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vstream/vstream/conformance/expr"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// everyType is a table with a column of each kind.
const everyType = `{"t": {"schema": "a boolean, b tinyint, c smallint, d int, e bigint, f float, g double, h decimal(5,2), i string, j binary, ` +
	`k date, l timestamp, m timestamp_ntz, n interval year to month, o interval day to second, p array<int>, q map<string,int>, r struct<x:int,y:string>", "rows": [` +
	`[true, 1, 2, 3, 9007199254740993, 0.1, "NaN", "1.50", "x", "eA==", "2024-02-29", "2024-01-01T00:00:00.000001Z", "2024-01-01T00:00:00.000000", 14, 5, [1, null], [["k", 1]], [1, "y"]], ` +
	`[null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null]]}}`

func TestReadInputs(t *testing.T) {
	in, err := expr.ReadInputs(write(t, "inputs.json", everyType))
	if err != nil {
		t.Fatal(err)
	}
	if b := in["t"]; b.Len() != 2 || b.NumCols() != 18 {
		t.Fatalf("%d rows, %d columns", b.Len(), b.NumCols())
	}
	k := expr.NewChecker(in, true)
	c := &expr.Case{ID: "x", Area: "x", Kind: "expr", Input: "t", SQL: "to_json(struct(*))"}
	c.Type, c.Rows = "string", []any{
		`{"a":true,"b":1,"c":2,"d":3,"e":9007199254740993,"f":0.1,"g":"NaN","h":1.50,"i":"x","j":"eA==","k":"2024-02-29",` +
			`"l":"2024-01-01T00:00:00.000Z","m":"2024-01-01T00:00:00.000","n":"INTERVAL '1-2' YEAR TO MONTH",` +
			`"o":"INTERVAL '0 00:00:00.000005' DAY TO SECOND","p":[1,null],"q":{"k":1},"r":{"x":1,"y":"y"}}`, "{}"}
	if diff := k.Check(t.Context(), c); diff != "" {
		t.Error(diff)
	}
}

func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		`{"id": "a", "sql": "1", "kind": "row"}`: `case a has the unknown kind "row"`,
		`{"sql": "1", "kind": "expr"}`:           "case 1 has no id or no sql",
		`{"id": `:                                "case 1: unexpected EOF",
	} {
		if _, err := expr.ReadCases(write(t, "c.jsonl", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		`{"t": {"schema": "i int", "rows": [[1, 2]]}}`:             "row 0 has 2 values for 1 columns",
		`{"t": {"schema": "i int", "rows": [["x"]]}}`:              "column i: x is no int",
		`{"t": {"schema": "i tinyint", "rows": [[300]]}}`:          "column i: 300 is no tinyint",
		`{"t": {"schema": "i array<int>", "rows": [[1]]}}`:         "column i: 1 is no array<int>",
		`{"t": {"schema": "i map<int,int>", "rows": [[[1]]]}}`:     "is no map<int,int>",
		`{"t": {"schema": "i struct<a:int>", "rows": [[[1, 2]]]}}`: "is no struct<a:int>",
		`{"t": {"schema": "i nosuch", "rows": []}}`:                "table t",
		`{"t": {"schema": "i binary", "rows": [["?"]]}}`:           "? is no binary",
		`{"t": {"schema": "i date", "rows": [["2024-02-30"]]}}`:    "CAST_INVALID_INPUT",
		`{"t": {"schema": "i double", "rows": [1]}}`:               "cannot unmarshal",
	} {
		if _, err := expr.ReadInputs(write(t, "inputs.json", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzReadInputs: a bad table is an error, never a panic.
func FuzzReadInputs(f *testing.F) {
	f.Add(everyType)
	f.Add(`{"t": {"schema": "i array<map<string,struct<a:int>>>", "rows": [[[[["k", [1]]]]]]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		in, err := expr.ReadInputs(write(t, "inputs.json", text))
		if err != nil {
			return
		}
		for name, b := range in {
			if len(b.Columns()) != b.Schema.Len() {
				t.Errorf("table %s has %d columns for %s", name, len(b.Columns()), b.Schema)
			}
		}
	})
}

func TestCompare(t *testing.T) {
	k := expr.NewChecker(nil, false)
	for sql, c := range map[string]struct {
		typ  string
		rows []any
		want string // part of the difference
	}{
		"1":                      {"int", []any{2}, "row 0: want 2, got 1"},
		"1L":                     {"int", []any{1}, "type: want int, got bigint"},
		"-0.0D":                  {"double", []any{"0.0"}, "row 0"},
		"CAST('NaN' AS DOUBLE)":  {"double", []any{"NaN"}, ""},
		"map('b', 1, 'a', 2)":    {"map<string,int>", []any{[]any{[]any{"a", 2}, []any{"b", 1}}}, ""},
		"map('b', 1)":            {"map<string,int>", []any{[]any{[]any{"b", 2}}}, "row 0"},
		"array(1, NULL)":         {"array<int>", []any{[]any{1, nil}}, ""},
		"X'00ff'":                {"binary", []any{"AP8="}, ""},
		"explode(array(1, 2))":   {"int", []any{1}, "want 1 rows, got 2"},
		"named_struct('a', 1.5)": {"struct<a:decimal(2,1)>", []any{[]any{"1.5"}}, ""},
		"1 / 0":                  {"double", nil, "got error [DIVIDE_BY_ZERO]"},
	} {
		x := &expr.Case{ID: "x", Area: "x", Kind: "expr", SQL: sql}
		x.Type, x.Rows = c.typ, c.rows
		diff := k.Check(t.Context(), x)
		if (diff == "") != (c.want == "") || !strings.Contains(diff, c.want) {
			t.Errorf("%s: %q, want %q", sql, diff, c.want)
		}
	}
}
