package vstream_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vstream/vstream"
)

var update = flag.Bool("update", false, "write docs/functions.md from the functions' descriptors")

// TestFunctionExamples runs the examples of all functions.
func TestFunctionExamples(t *testing.T) {
	s, err := vstream.New(vstream.WithConf("spark.sql.session.timeZone", "UTC"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range vstream.Functions() {
		if f.Summary == "" || len(f.Examples) == 0 {
			t.Errorf("%s has no summary or no example", f.Name)
		}
		for _, e := range f.Examples {
			text := e.SQL
			if !strings.HasPrefix(text, "SELECT ") {
				text = "SELECT " + text
			}
			got, err := query(s, text)
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, e.SQL, err)
			} else if got != e.Want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", f.Name, e.SQL, got, e.Want)
			}
		}
	}
}

var kindTitles = []struct{ kind, title string }{
	{"operator", "Operators"}, {"scalar", "Scalar functions"}, {"aggregate", "Aggregate functions"}, {"window", "Functions with OVER"},
	{"generator", "Generators"}, {"special", "Grouping windows, structs and casts"},
}

const functionsFile = "docs/functions.md"

// TestFunctionsDoc: docs/functions.md is what the descriptors say.
func TestFunctionsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Functions\n\nGenerated from the functions' descriptors by `go test . -run FunctionsDoc -update`; the examples run as tests.\n" +
		"An example without SELECT is an expression. `vstream explain --functions NAME` shows one function.\n")
	all := vstream.Functions()
	for _, k := range kindTitles {
		fmt.Fprintf(&b, "\n## %s\n", k.title)
		for _, f := range all {
			if f.Kind == k.kind {
				writeFunction(&b, f)
			}
		}
	}
	if *update {
		if err := os.WriteFile(functionsFile, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(functionsFile)
	if err != nil || string(have) != b.String() {
		t.Errorf("%s is stale (%v): go test . -run FunctionsDoc -update", functionsFile, err)
	}
}

func writeFunction(b *strings.Builder, f vstream.Function) {
	fmt.Fprintf(b, "\n### %s\n\n`%s`", f.Name, f.Signature)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(b, " (also %s)", strings.Join(f.Aliases, ", "))
	}
	fmt.Fprintf(b, "\n\n%s\n\n```sql\n", f.Summary)
	for _, e := range f.Examples {
		fmt.Fprintf(b, "> %s\n%s\n", e.SQL, e.Want)
	}
	b.WriteString("```\n")
}
