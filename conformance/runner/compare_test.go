package runner

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vstream/vstream/job"
)

// golden is a golden's text around one query.
func golden(query string) string {
	return `{"scenario": "s", "runs": [{"step": 1, "queries": {"q": ` + query + `}}]}`
}

const scenarioText = "job:\n  queries:\n    q: {sql: SELECT 1}\nsteps: [run, run]\n"

func TestCompare(t *testing.T) {
	batch := func(rest string) string {
		return golden(`{"schema": "struct<a:int>", "batches": [{"batchId": 0, ` + rest + `}]}`)
	}
	failed := func(phase, condition string) string {
		return golden(`{"error": {"phase": "` + phase + `", "condition": ` + condition + `, "sqlState": null, "message": "m"}}`)
	}
	rows := func(list string) string { return batch(`"rows": ` + list + `, "numInputRows": 1, "watermark": null`) }
	operators := func(total string) string {
		return batch(`"rows": [], "numInputRows": 1, "watermark": null, "stateOperators": [{"operatorName": "` + total +
			`", "numRowsTotal": ` + total + `, "numRowsUpdated": 0, "numRowsRemoved": 0, "numRowsDroppedByWatermark": 0}]`)
	}
	for _, c := range []struct{ name, want, got, diff string }{
		{"order of rows", rows(`[{"a": 1}, {"a": 2}]`), rows(`[{"a": 2}, {"a": 1}]`), ""},
		{"order of keys", rows(`[{"a": 1, "b": 2}]`), rows(`[{"b": 2, "a": 1}]`), ""},
		{"close doubles", rows(`[{"a": 0.3}]`), rows(`[{"a": 0.30000000000000004}]`), ""},
		{"other doubles", rows(`[{"a": 0.3}]`), rows(`[{"a": 0.300001}]`), "1 rows, want 1"},
		{"long integers", rows(`[{"a": 9007199254740993}]`), rows(`[{"a": 9007199254740992}]`), "1 rows, want 1"},
		{"a row twice", rows(`[{"a": 1}, {"a": 1}]`), rows(`[{"a": 1}]`), "- {\"a\": 1}"},
		{"null and nothing", rows(`[{"a": null}]`), rows(`[{}]`), "1 rows, want 1"},
		{"nested", rows(`[{"a": [{"b": "x"}]}]`), rows(`[{"a": [{"b": "y"}]}]`), "1 rows, want 1"},
		{"input rows", batch(`"numInputRows": 1, "watermark": null`), batch(`"numInputRows": 2, "watermark": null`), "numInputRows want 1, got 2"},
		{"watermark", batch(`"numInputRows": 1, "watermark": "x"`), batch(`"numInputRows": 1, "watermark": null`), "watermark want"},
		{"operators' names", operators("1"), operators("1"), ""},
		{"operators", operators("1"), operators("2"), "state operator 0"},
		{"batch missing", rows(`[]`), golden(`{"schema": "struct<a:int>", "batches": []}`), "want [0]"},
		{"incomplete", rows(`[]`), batch(`"rows": [], "incomplete": true`), "got  [0 (incomplete)]"},
		{"schema", rows(`[]`), strings.Replace(rows(`[]`), "a:int", "a:bigint", 1), "schema"},
		{"same error", failed("start", `"X"`), failed("start", `"X"`), ""},
		{"another error", failed("start", `"X"`), failed("start", `"Y"`), "want X in start"},
		{"another phase", failed("start", `"X"`), failed("run", `"X"`), "got  X in run"},
		{"error without a name", failed("start", `null`), failed("start", `"Y"`), ""},
		{"legacy error", failed("start", `"_LEGACY_ERROR_TEMP_1"`), failed("start", `"Y"`), ""},
		{"legacy error, another phase", failed("start", `"_LEGACY_ERROR_TEMP_1"`), failed("run", `"Y"`), "in run"},
		{"no error", failed("run", `"X"`), golden(`{}`), "got no error"},
		{"unexpected error", golden(`{}`), failed("run", `"X"`), "failed in run: [X] m"},
		{"table", golden(`{"table": [{"a": 1}]}`), golden(`{"table": [{"a": 2}]}`), "table: 1 rows"},
		{"no table", golden(`{"table": []}`), golden(`{}`), "want 0 rows, got none"},
		{"unreadable table", golden(`{"table": {"error": {"phase": "read", "condition": "X", "sqlState": null, "message": ""}}}`), golden(`{"table": []}`), "got no error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(compare(parse(t), decodeGolden(t, c.want), decodeGolden(t, c.got)), "\n")
			if c.diff == "" && got != "" || !strings.Contains(got, c.diff) {
				t.Errorf("%q is not in\n%s", c.diff, got)
			}
		})
	}
}

func parse(t *testing.T) *job.Scenario {
	t.Helper()
	s, err := job.ParseScenario("s.yaml", []byte(scenarioText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decodeGolden(t *testing.T, text string) []Record {
	t.Helper()
	var g Golden
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatal(err)
	}
	return g.Runs
}

// TestEncode checks that a golden that is written reads back the same.
func TestEncode(t *testing.T) {
	watermark, name := "2026-01-01T00:00:00.000Z", "X"
	g := &Golden{Scenario: "s", Runs: []Record{
		{Step: 1, Queries: []QueryRecord{
			{Name: "q", Schema: "struct<a:int>", Batches: []Batch{
				{ID: 0, Rows: []any{object{{"a", json.Number("1")}, {"b<", "é\n"}}}, NumInputRows: 3, Watermark: &watermark, Operators: []Operators{{"agg", 1, 2, 3, 4}}},
				{ID: 1, Rows: []any{}, Incomplete: true},
			}, Table: &Table{Rows: []any{object{{"a", nil}}}}},
			{Name: "r", Error: &Failure{Phase: "start", Condition: &name, Message: "m"}},
		}},
		{Step: 2, Checkpoint: object{{"offsets", []any{json.Number("0")}}}},
		{Step: 3, Error: &Failure{Phase: "read-state", Condition: &name}},
	}}
	got := decodeGolden(t, string(g.Encode()))
	if diff := compare(parse(t), g.Runs, got); len(diff) > 0 {
		t.Error(diff)
	}
	if diff := compare(parse(t), got, g.Runs); len(diff) > 0 {
		t.Error(diff)
	}
}

// TestRows compares shuffled and disturbed lists of rows.
func TestRows(t *testing.T) {
	row := rapid.Custom(func(t *rapid.T) any {
		return object{
			{"k", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "k")},
			{"v", double(rapid.Float64().Draw(t, "v"))},
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(row, 1, 6).Draw(t, "rows")
		d := &differ{}
		d.rows("", rows, rapid.Permutation(rows).Draw(t, "permutation"), false)
		if len(d.out) > 0 {
			t.Errorf("a permutation differs: %s", d.out)
		}
		d.rows("", rows, rows[1:], false)
		if len(d.out) == 0 {
			t.Error("a missing row is not seen")
		}
	})
}
