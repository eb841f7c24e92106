package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/conformance/expr"
	"github.com/vstream/vstream/conformance/runner"
)

func testCommand() *cobra.Command {
	var pattern string
	var asJSON, update, updateKnown, restart, strict bool
	var conf map[string]string
	c := &cobra.Command{
		Use: "test PATH…", Short: "Run scenarios and expression cases against what Spark gave", Args: cobra.MinimumNArgs(1),
		Long: `Run scenario files (*.yaml) and files of expression cases (*.jsonl), or all that lie below
directories. What comes out of a scenario is compared with the golden beside it, an expression
with the result in its case; the tables that expressions read are in inputs.json beside the file or
in the folder above. What differs is printed. Failures that are listed in ` + runner.KnownFile + ` in the
directory of the scenarios or above it, or beside the cases, count as skipped; entries of the
list that pass are failures.`,
	}
	c.Flags().StringVar(&pattern, "run", "", "only scenarios and cases whose area/name matches this `regexp`")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per scenario or case")
	c.Flags().StringToStringVar(&conf, "conf", nil, "settings over those of all scenarios, as `key=value`")
	c.Flags().BoolVar(&strict, "strict", false, "compare column names, message parameters and positions of expression cases too")
	c.Flags().BoolVar(&update, "update", false, "write goldens from what comes out; goldens recorded from Spark stay as they are")
	c.Flags().BoolVar(&updateKnown, "update-known", false, "bring the list of known failures up to date")
	c.Flags().BoolVar(&restart, "restart", false, "restart queries from their checkpoints after each run step instead of keeping them up")
	c.RunE = func(c *cobra.Command, args []string) error {
		var run *regexp.Regexp
		if pattern != "" {
			var err error
			if run, err = regexp.Compile(pattern); err != nil {
				return err
			}
		}
		results, stale, err := testScenarios(c.Context(), args, run, runner.Options{Restart: restart, Conf: conf}, update, updateKnown)
		if err != nil {
			return wrong(err)
		}
		cases, staleCases, err := testExpressions(c.Context(), args, run, strict, updateKnown)
		if err != nil {
			return wrong(err)
		}
		return reportTests(c.OutOrStdout(), append(results, cases...), append(stale, staleCases...), asJSON)
	}
	return c
}

// testScenarios runs the scenarios among paths; stale are entries of the list of known
// failures that pass.
func testScenarios(ctx context.Context, paths []string, run *regexp.Regexp, o runner.Options, update, updateKnown bool) (results []runner.Result, stale []string, err error) {
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return strings.HasSuffix(p, expr.Suffix) })
	files, err := runner.Find(paths, run)
	if err != nil || len(files) == 0 {
		return nil, nil, err
	}
	known, err := runner.FindKnown(paths[0])
	if err != nil {
		return nil, nil, err
	}
	results = runner.CheckAll(ctx, files, o, update, nil)
	if updateKnown {
		if known.File == "" {
			known.File = runner.KnownFile
		}
		if err := os.WriteFile(known.File, known.Updated(results), 0o666); err != nil {
			return nil, nil, err
		}
		if known, err = runner.ReadKnown(known.File); err != nil {
			return nil, nil, err
		}
	}
	return results, known.Apply(results), nil
}

// testExpressions runs the expression cases among paths.
func testExpressions(ctx context.Context, paths []string, run *regexp.Regexp, strict, updateKnown bool) (results []runner.Result, stale []string, err error) {
	files, err := expr.Find(paths)
	if err != nil {
		return nil, nil, err
	}
	if results, err = expr.CheckAll(ctx, files, run, strict); err != nil {
		return nil, nil, err
	}
	if updateKnown {
		if err := expr.UpdateKnown(results, strict); err != nil {
			return nil, nil, err
		}
	}
	stale, err = expr.ApplyKnown(results, strict)
	return results, stale, err
}

// testLine is the line of --json of one scenario or case.
type testLine struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Status  string   `json:"status"` // passed, failed, skipped
	Known   string   `json:"known,omitempty"`
	Details []string `json:"details,omitempty"`
	Millis  int64    `json:"ms"`
}

func reportTests(w io.Writer, results []runner.Result, stale []string, asJSON bool) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range results {
		status := "passed"
		switch {
		case r.Status == runner.Skipped || r.Known != "":
			status = "skipped"
		case r.Status == runner.Failed:
			status = "failed"
		}
		if asJSON {
			if err := enc.Encode(testLine{r.Name, r.File, status, r.Known, r.Details, r.Took.Milliseconds()}); err != nil {
				return err
			}
		} else if status == "failed" {
			fmt.Fprintf(w, "FAIL %s\n", where(r))
			for _, d := range r.Details {
				fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(d, "\n", "\n  "))
			}
		}
	}
	counts := runner.Count(results)
	counts.Failed += len(stale)
	if !asJSON {
		for _, s := range stale {
			fmt.Fprintln(w, s)
		}
		fmt.Fprintln(w, counts)
	}
	if counts.Failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// where is the file of a scenario; a case has its name too, as a file has many.
func where(r runner.Result) string {
	if strings.HasSuffix(r.File, expr.Suffix) {
		return r.File + ": " + r.Name
	}
	return r.File
}
