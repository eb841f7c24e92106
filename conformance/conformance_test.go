// Package conformance holds the scenarios of the conformance suite, what Spark does
// with them, and the test that compares.
package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/vstream/vstream/conformance/runner"
	_ "github.com/vstream/vstream/drivers"
)

// TestScenarios runs what `vstream test conformance/scenarios` runs. VSTREAM_RUN
// selects scenarios by a regular expression on area/name; VSTREAM_RESTART=1 restarts the
// queries after each run step.
func TestScenarios(t *testing.T) {
	var run *regexp.Regexp
	if pattern := os.Getenv("VSTREAM_RUN"); pattern != "" {
		run = regexp.MustCompile(pattern)
	}
	files, err := runner.Find([]string{"scenarios"}, run)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		files = sample(files, 10)
	}
	known, err := runner.FindKnown(".")
	if err != nil {
		t.Fatal(err)
	}
	results := runner.CheckAll(t.Context(), files, runner.Options{Restart: os.Getenv("VSTREAM_RESTART") != ""}, false, nil)
	stale := known.Apply(results)
	for _, r := range results {
		if r.Status == runner.Failed && r.Known == "" {
			t.Errorf("%s\n%s", r.Name, strings.Join(r.Details, "\n"))
		}
	}
	for _, s := range stale {
		t.Error(s)
	}
	t.Log("\n" + runner.Areas(results))
}

// sample is every nth file.
func sample(files []string, n int) []string {
	var out []string
	for i := 0; i < len(files); i += n {
		out = append(out, files[i])
	}
	return out
}
