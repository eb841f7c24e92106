package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/job"
)

const scenario = `description: counts
divergence: for once
must: refuse
job:
  conf: {spark.sql.shuffle.partitions: 1}
  sources:
    e:
      format: json
      options: {path: in/e, header: true}
      schema: k STRING
  queries:
    q: {sql: SELECT k FROM e, outputMode: append, trigger: {availableNow: true}}
    r: {sql: SELECT 1 FROM e}
steps:
- add:
    e:
    - {k: "a\té", n: [1, -2.50, null, true, .nan, {x: "\U0001F600"}]}
    - as it stands
- run
- restart:
    queries:
      q: {sql: "SELECT k, k FROM e", trigger: null}
      r: null
      s: {sql: SELECT 2 FROM e}
- {crash: after-sink}
- crash: {query: q, at: before-sink}
- rm: [cp/q, out]
- read-state: {query: q, options: {batchId: 1}}
- {sleep: 0.5}
- {restart: {}}
`

func parseScenario(t *testing.T, text string) *job.Scenario {
	t.Helper()
	s, err := job.ParseScenario("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	return s
}

func TestParseScenario(t *testing.T) {
	s := parseScenario(t, scenario)
	if s.Description != "counts" || s.Divergence != "for once" || !s.MustRefuse {
		t.Errorf("head: %+v", s)
	}
	var kinds []string
	for _, step := range s.Steps {
		kinds = append(kinds, step.Kind)
	}
	if diff := cmp.Diff(strings.Fields("add run restart crash crash rm read-state sleep restart"), kinds); diff != "" {
		t.Error(diff)
	}
	want := []job.Rows{{Source: "e", Objects: true, Lines: []string{
		`{"k": "a\t\u00e9", "n": [1, -2.50, null, true, NaN, {"x": "\ud83d\ude00"}]}`, "as it stands",
	}}}
	if diff := cmp.Diff(want, s.Steps[0].Add); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"query": "q", "at": "before-sink"}, s.Steps[4].Args); diff != "" {
		t.Error(diff)
	}
	if s.Steps[3].Args["at"] != "after-sink" || len(s.Steps[5].Paths) != 2 || s.Steps[7].Wait != 0.5 {
		t.Errorf("steps: %+v", s.Steps)
	}
	if !s.Steps[2].Changes() || s.Steps[8].Changes() {
		t.Error("only the first restart changes something")
	}
}

func TestPatch(t *testing.T) {
	s := parseScenario(t, scenario)
	names := func(d job.Definition) string {
		j, err := d.Job()
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		var out []string
		for _, q := range j.Queries {
			text := q.Name + ": " + q.SQL.Value + " " + q.OutputMode
			if q.Trigger != nil {
				text += " " + q.Trigger.Kind
			}
			out = append(out, text)
		}
		return strings.Join(out, "; ")
	}
	before := s.Definition()
	after := before.Patch(s.Steps[2])
	if got, want := names(after), "q: SELECT k, k FROM e append; s: SELECT 2 FROM e "; got != want {
		t.Errorf("patched: %s", got)
	}
	if got, want := names(before), "q: SELECT k FROM e append availableNow; r: SELECT 1 FROM e "; got != want {
		t.Errorf("the job has changed: %s", got)
	}
	j, err := after.Job()
	if err != nil {
		t.Fatal(err)
	}
	if at := j.Queries[0].SQL.At; at != (job.Place{Line: 22, Column: 17}) {
		t.Errorf("the patched SQL is at %v", at)
	}
	undone := s.Undo(2, 5)
	if n := len(undone.Steps); n != 8 || undone.Steps[6].Kind != job.StepRestart || undone.Steps[7].Kind != job.StepRun {
		t.Fatalf("undo: %d steps", n)
	}
	if names(after.Patch(undone.Steps[6])) != names(before) {
		t.Error("the change is not taken back")
	}
}

func TestScenarioOfJobFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte("queries:\n  q: {sql: SELECT 1}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := job.ParseScenario(filepath.Join(dir, "s.yaml"), []byte("job: job.yaml\nsteps: [run]\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := s.Definition()
	if j, err := d.Job(); err != nil || j.File != filepath.Join(dir, "job.yaml") || d.External != j.File {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestParseScenarioErrors(t *testing.T) {
	for _, c := range []struct{ name, text, line, message string }{
		{"no job", "steps: [run]\n", ":1:1", "has no job"},
		{"unknown step", "job: {}\nsteps:\n- rnu\n", ":3:3", "unknown step rnu"},
		{"unknown step with arguments", "job: {}\nsteps:\n- {rn: x}\n", ":3:", "unknown key rn"},
		{"two keys", "job: {}\nsteps:\n- {rm: x, run: }\n", ":3:", "one key"},
		{"must", "must: pass\njob: {}\n", ":1:1", "only be refuse"},
		{"no file", "job: nosuch.yaml\n", ":1:1", "cannot be read"},
		{"sleep", "job: {}\nsteps: [{sleep: x}]\n", ":2:", "takes seconds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := job.ParseScenario("s.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("accepted")
			}
			text := condition.Render(err)
			if !strings.Contains(text, "s.yaml"+c.line) || !strings.Contains(text, c.message) {
				t.Error(text)
			}
		})
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add(scenario)
	f.Add("job: &a {b: *a}\nsteps: [{restart: *a}]")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "job: ") && !strings.Contains(text, "job: {") {
			return // would read files
		}
		s, err := job.ParseScenario("s.yaml", []byte(text))
		if err != nil {
			return
		}
		d := s.Definition()
		for _, step := range s.Steps {
			d = d.Patch(step)
		}
		_, _ = d.Job()
	})
}
