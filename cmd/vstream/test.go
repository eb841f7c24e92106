package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/conformance/runner"
)

func testCommand() *cobra.Command {
	var pattern string
	var asJSON, update, updateKnown, keepUp bool
	c := &cobra.Command{
		Use: "test PATH…", Short: "Run scenario files against their goldens", Args: cobra.MinimumNArgs(1),
		Long: `Run scenario files, or all that lie below directories, and compare what comes out
with the golden beside each. What differs is printed. Failures that are listed in
` + runner.KnownFile + ` in the directory of the scenarios or above it count as skipped; entries of
the list that pass are failures.`,
	}
	c.Flags().StringVar(&pattern, "run", "", "only scenarios whose area/name matches this `regexp`")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per scenario")
	c.Flags().BoolVar(&update, "update", false, "write goldens from what comes out; goldens recorded from Spark stay as they are")
	c.Flags().BoolVar(&updateKnown, "update-known", false, "bring the list of known failures up to date")
	c.Flags().BoolVar(&keepUp, "keep-up", false, "keep queries up from one run step to the next instead of restarting them")
	c.RunE = func(c *cobra.Command, args []string) error {
		var run *regexp.Regexp
		if pattern != "" {
			var err error
			if run, err = regexp.Compile(pattern); err != nil {
				return err
			}
		}
		files, err := runner.Find(args, run)
		if err != nil {
			return wrong(err)
		}
		known, err := runner.FindKnown(args[0])
		if err != nil {
			return wrong(err)
		}
		results := runner.CheckAll(c.Context(), files, runner.Options{KeepUp: keepUp}, update, nil)
		if updateKnown {
			if known.File == "" {
				known.File = runner.KnownFile
			}
			if err := os.WriteFile(known.File, known.Updated(results), 0o666); err != nil {
				return wrong(err)
			}
			if known, err = runner.ReadKnown(known.File); err != nil {
				return wrong(err)
			}
		}
		return reportTests(c.OutOrStdout(), results, known.Apply(results), asJSON)
	}
	return c
}

// testLine is one scenario's line of --json.
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
			fmt.Fprintf(w, "FAIL %s\n", r.File)
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
