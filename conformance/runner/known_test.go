package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKnown(t *testing.T) {
	dir := t.TempDir()
	text := "# Comment.\n\njoins/*  needs joins\na/stale  was wrong once\na/known  reason\nb/*\nnot/run  reason\n"
	file := filepath.Join(dir, KnownFile)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(dir, "x", "y")
	if err := os.MkdirAll(below, 0o777); err != nil {
		t.Fatal(err)
	}
	k, err := FindKnown(below)
	if err != nil || k.File != file {
		t.Fatal(k, err)
	}
	results := []Result{
		{Name: "joins/left", Status: Failed}, {Name: "joins/inner"}, {Name: "a/stale"}, {Name: "a/known", Status: Failed},
		{Name: "a/new", Status: Failed, Details: []string{"step 3 query q batch 1: 2 rows,\n  want  1"}}, {Name: "b/fine"}, {Name: "b/none", Status: Skipped},
	}
	updated := string(k.Updated(results))
	if diff := cmp.Diff("# Comment.\n\njoins/*  needs joins\na/known  reason\nnot/run  reason\na/new  2 rows, want 1\n", updated); diff != "" {
		t.Error(diff)
	}
	stale := k.Apply(results)
	want := []string{file + ":4: a/stale passes: take it off the list", file + ":6: b/* passes: take it off the list"}
	if diff := cmp.Diff(want, stale); diff != "" {
		t.Error(diff)
	}
	if results[0].Known != "needs joins" || results[3].Known != "reason" || results[4].Known != "" {
		t.Errorf("%+v", results)
	}
	if c := Count(results); c != (Counts{Passed: 3, Failed: 1, Skipped: 3}) {
		t.Errorf("%s", c)
	}
}

func TestKnownErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), KnownFile)
	if err := os.WriteFile(file, []byte("a/[  bad glob\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKnown(file); err == nil {
		t.Error("a bad glob is accepted")
	}
	if k, err := FindKnown(filepath.Dir(filepath.Dir(file))); err != nil || len(k.entries) != 0 {
		t.Error(k, err)
	}
}
