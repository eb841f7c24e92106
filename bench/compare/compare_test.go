package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/vector"
)

func writeFile(t *testing.T, path string, values ...int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})
	w, err := parquet.NewWriter(f, s, parquet.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(vector.NewBatch(s, []arrow.Array{vector.NewFixed(vector.Long, values, nil)}, len(values))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMain lets the test's program stand in for this one in measure.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == measureArg {
		os.Exit(measureCommand(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func TestMeasureLeavesOwnMemoryOut(t *testing.T) {
	const mb = 1 << 20
	mine := make([]byte, 500*mb)
	for i := 0; i < len(mine); i += 4096 {
		mine[i] = 1
	}
	s, err := measure(exec.Command("sh", "-c", "exit 0"))
	if err != nil || s.RSSMB < 1 || s.RSSMB >= 300 {
		t.Errorf("%+v, %v", s, err)
	}
	runtime.KeepAlive(mine)
	var stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", "echo wrong >&2; exit 3")
	cmd.Stderr = &stderr
	if _, err := measure(cmd); err == nil || stderr.String() != "wrong\n" {
		t.Errorf("%v, %q", err, stderr.String())
	}
}

func TestSuiteHasTheJobs(t *testing.T) {
	files, err := filepath.Glob("../jobs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[strings.TrimSuffix(filepath.Base(f), ".yaml")] = true
	}
	for _, w := range suite {
		if !names[w.name] {
			t.Errorf("no job for %s", w.name)
		}
	}
	if len(names) != len(suite) {
		t.Errorf("%d jobs, %d workloads", len(names), len(suite))
	}
	if _, err := choose([]string{"q6"}); err == nil {
		t.Error("an unknown workload is chosen")
	}
}

func TestResultIgnoresOrderAndInvisibleFiles(t *testing.T) {
	ctx := context.Background()
	results := make([]result, 3)
	for i, files := range [][][]int64{{{1, 2}, {3}}, {{3, 2, 1}}, {{1, 2}, {4}}} {
		dir := t.TempDir()
		for n, values := range files {
			writeFile(t, filepath.Join(dir, string(rune('a'+n))+".parquet"), values...)
		}
		var err error
		if results[i], err = resultOf(ctx, dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	if results[0] != results[1] || results[0] == results[2] || results[0].rows != 3 {
		t.Errorf("%v", results)
	}

	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "seen.parquet"), 1)
	writeFile(t, filepath.Join(dir, "unseen.parquet"), 2)
	s, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := manifest.OpenLog(ctx, s, manifest.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(ctx, 0, []manifest.File{{Path: manifest.URI(s, "seen.parquet"), Action: "add"}}); err != nil {
		t.Fatal(err)
	}
	if r, err := resultOf(ctx, dir, nil); err != nil || r.rows != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if n, err := rowsIn(dir); err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestRender(t *testing.T) {
	one, two := result{1, 10}, result{1, 20}
	s := settings{cores: 2, reps: 3}
	text, agree := render(s, []row{
		{"q2", "spark", 100, sample{Wall: 2, CPU: 3, RSSMB: 400, WrittenMB: 7}, time.Second, one},
		{"q2", "vstream", 100, sample{Wall: 1, CPU: 1.5, RSSMB: 40}, time.Second, one},
	})
	if !agree || !strings.Contains(text, "| q2 | spark | 100 | 50 | 2.00 | 3.00 | 400 | 7 | 0.50 | 1 rows, same |") {
		t.Errorf("%v\n%s", agree, text)
	}
	if _, agree := render(s, []row{{"q2", "vstream", 1, sample{Wall: 1}, 0, one}, {"q2", "spark", 1, sample{Wall: 1}, 0, two}}); agree {
		t.Error("different results agree")
	}
	if text, agree := render(s, []row{{"gb", "vstream", 1, sample{Wall: 1}, 0, one}, {"gb", "duckdb", 1, sample{Wall: 1}, 0, result{rows: -1}}}); !agree || !strings.Contains(text, "not compared") {
		t.Errorf("%v\n%s", agree, text)
	}
}

func TestBaseline(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	table := []row{
		{"q2", "vstream", 100, sample{Wall: 3}, 2 * time.Second, result{}},
		{"q2", "spark", 100, sample{Wall: 30}, 2 * time.Second, result{}},
		{"q7", "vstream", 100, sample{Wall: 1}, 2 * time.Second, result{}},
	}
	compared := func(now baseline, update bool) (string, error) {
		var out strings.Builder
		err := compareBaseline(&out, file, now, suite, update)
		return out.String(), err
	}
	if _, err := compared(baseline{100, 2, units(table)}, false); err == nil {
		t.Error("no file, no error")
	}
	if _, err := compared(baseline{100, 2, units(table)}, true); err != nil {
		t.Fatal(err)
	}
	// A run of one workload leaves the figures of the others.
	if _, err := compared(baseline{100, 2, map[string]float64{"q7": 0.25}}, true); err != nil {
		t.Fatal(err)
	}
	text, err := compared(baseline{100, 2, map[string]float64{"q2": 3, "q7": 0.25}}, false)
	if err != nil || !strings.Contains(text, "3.00        1.50    2.00") || !strings.Contains(text, "0.25        0.25    1.00") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := compared(baseline{200, 2, units(table)}, false); err == nil {
		t.Error("figures of another size compare")
	}
}
