package expr_test

import (
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vstream/vstream/conformance/expr"
	"github.com/vstream/vstream/conformance/runner"
	_ "github.com/vstream/vstream/drivers"
)

const cases = "../expressions"

var only = flag.String("cases", "", "only cases whose area/id matches this regular expression")

// TestExpressions runs what `vstream test conformance/expressions` runs.
func TestExpressions(t *testing.T) { check(t, false) }

// TestExpressionsStrict compares column names, message parameters and positions too.
func TestExpressionsStrict(t *testing.T) { check(t, true) }

func check(t *testing.T, strict bool) {
	t.Parallel()
	var run *regexp.Regexp
	if *only != "" {
		run = regexp.MustCompile(*only)
	}
	files, err := expr.Find([]string{cases})
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	results, err := expr.CheckAll(t.Context(), files, run, strict)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := expr.ApplyKnown(results, strict)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Status == runner.Failed && r.Known == "" {
			t.Errorf("%s (%s)\n%s", r.Name, filepath.Base(r.File), strings.Join(r.Details, "\n"))
		}
	}
	for _, s := range stale {
		t.Error(s)
	}
	t.Log("\n" + runner.Areas(results))
}
