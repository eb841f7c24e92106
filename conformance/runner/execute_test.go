package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/conformance/runner"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/job"
)

// execute runs a scenario and gives its records as a golden's text.
func execute(t *testing.T, file, text string, o runner.Options) string {
	t.Helper()
	s, err := job.ParseScenario(file, []byte(text))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	records, err := runner.Execute(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return string((&runner.Golden{Scenario: "s", Runs: records}).Encode())
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s is not in\n%s", p, text)
		}
	}
}

// TestExecute runs the same steps with queries that stay up and that are restarted.
func TestExecute(t *testing.T) {
	const text = `
job:
  sources:
    e: {format: csv, options: {path: in}, schema: "k STRING, v INT"}
  queries:
    q: {sql: "SELECT k, v FROM e", failAtBatch: 1}
    f: {sql: "SELECT k, sum(v) AS n FROM e GROUP BY k", outputMode: complete, sink: {format: memory}}
steps:
- add: {e: ["a,1", "b,2"]}
- run
- add: {e: ["c,3"]}
- run
- run
- {checkpoint: {query: q}}
- {crash: {query: q, at: after-sink}}
- run
- {rm: cp/q}
- restart: {queries: {f: null, g: {sql: SELECT nosuch FROM e}}}
- run
`
	for _, restart := range []bool{false, true} {
		got := execute(t, "s.yaml", text, runner.Options{Restart: restart, TempDir: t.TempDir()})
		contains(t, got,
			`{"batchId":0,"rows":[{"k":"a","v":1},{"k":"b","v":2}],"numInputRows":2,"watermark":null,"stateOperators":[]}`,
			`{"batchId":1,"rows":[{"k":"c","v":3}],"incomplete":true`,
			`injected failure after sink output`,
			`{"batchId":1,"rows":[{"k":"c","v":3}],"numInputRows":1`,
			`"checkpoint": {"offsets": [0, 1], "commits": [0, 1], "offsetVersion": "v1", "batchWatermarkMs": 0, "shufflePartitions": "2", "nextBatchWatermarkMs": 0}`,
			`{"k":"a","n":1}`,
			`"phase":"analysis","condition":"UNRESOLVED_COLUMN.WITH_SUGGESTION"`,
			`{"batchId":0,"rows":[{"k":"a","v":1},{"k":"b","v":2},{"k":"c","v":3}]`,
		)
	}
}

// TestExecuteJobFile gives a job file other rows, and leaves its static table alone.
func TestExecuteJobFile(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"job.yaml": `
sources:
  e: {format: parquet, options: {path: elsewhere}, schema: "k STRING"}
  names: {format: csv, static: true, options: {path: names.csv}, schema: "k STRING, name STRING"}
queries:
  q: {sql: SELECT k FROM e, checkpointLocation: cp, trigger: {availableNow: true}, sink: {format: json, path: out}}
`,
		"names.csv": "a,Anna\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := execute(t, filepath.Join(dir, "s.yaml"), "job: job.yaml\nsteps:\n- add: {e: [{k: a}, {k: b}]}\n- run\n", runner.Options{})
	contains(t, got, `"table": [`, `{"k":"a"}`, `{"k":"b"}`)
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(files) {
		t.Errorf("the run left something beside the job: %v, %v", left, err)
	}
}

// TestCheckRefused wants a changed grouping to be refused and the old one to go on.
func TestCheckRefused(t *testing.T) {
	write := func(changed string) string {
		dir := t.TempDir()
		file := filepath.Join(dir, "s.yaml")
		text := `
divergence: for the test
must: refuse
job:
  sources:
    e: {format: json, options: {path: in}, schema: "k STRING, v INT"}
  queries:
    q: {sql: "SELECT k, count(*) AS n FROM e GROUP BY k", outputMode: update, sink: {format: noop}}
steps:
- add: {e: [{k: a, v: 1}]}
- run
- restart: {queries: {q: {sql: "` + changed + `"}}}
- add: {e: [{k: b, v: 1}]}
- run
`
		golden := `{"spark": "4.3.0", "scenario": "s", "runs": [{"step": 1, "queries": {"q": {"schema": "struct<k:string,n:bigint>",
			"batches": [{"batchId": 0, "numInputRows": 1, "watermark": null}]}}}, {"step": 4, "queries": {"q": {}}}]}`
		for name, text := range map[string]string{file: text, filepath.Join(dir, "s.golden.json"): golden} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return file
	}
	if r := runner.Check(t.Context(), write("SELECT k, v, count(*) AS n FROM e GROUP BY k, v"), runner.Options{}, false); r.Status != runner.Passed {
		t.Errorf("%+v", r)
	}
	r := runner.Check(t.Context(), write("SELECT k, count(*) AS m FROM e GROUP BY k"), runner.Options{}, false)
	if r.Status != runner.Failed || r.Details[0] != "the change is not refused" {
		t.Errorf("%+v", r)
	}
}
