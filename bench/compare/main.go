// Command compare runs the benchmark's jobs on vstream and, where they are
// installed, on Apache Spark and DuckDB, on the same data and in the same run, checks
// that the results agree, and prints the figures side by side.
//
//	go run ./bench/compare -events 2000000 -n 3 q0 q7
//
// The peers need a Python with pyspark and pyyaml, or with duckdb and pyarrow:
// the one in PEERS_PYTHON, or python3.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vstream/vstream/bench/nexmark"
)

// queries are those with a file in jobs, in the order in which they run.
var queries = []string{"q0", "q1", "q2", "q7", "q12"}

type settings struct {
	bench  string // this repository's bench folder
	work   string
	data   string
	cores  int
	reps   int
	events int64 // bids, which all queries read
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run() error {
	events := flag.Int64("events", 2_000_000, "Nexmark events to generate; 92 % of them are bids")
	seed := flag.Uint64("seed", 42, "seed of the data")
	reps := flag.Int("n", 3, "repetitions; the median counts")
	cores := flag.Int("cores", runtime.NumCPU(), "cores that each engine may use")
	bench := flag.String("bench", "bench", "this repository's bench folder")
	work := flag.String("work", filepath.Join(os.TempDir(), "vstream-bench"), "folder for data and outputs")
	binary := flag.String("vstream", "", "the vstream binary; built from ./cmd/vstream if empty")
	engines := flag.String("engines", "vstream,spark,duckdb", "engines to run")
	report := flag.String("out", "", "also write the results to this Markdown file")
	flag.Parse()

	chosen := flag.Args()
	if len(chosen) == 0 {
		chosen = queries
	}
	ctx := context.Background()
	s := settings{bench: *bench, work: *work, data: filepath.Join(*work, "data"), cores: *cores, reps: *reps}
	o := nexmark.Options{Dir: s.data, Events: *events, Seed: *seed, Workers: s.cores}
	if !nexmark.Exists(o) {
		fmt.Fprintln(os.Stderr, "generating", *events, "events …")
		if err := nexmark.Generate(ctx, o); err != nil {
			return err
		}
	}
	var err error
	if s.events, err = rowsIn(filepath.Join(s.data, "bids")); err != nil {
		return err
	}
	var all []engine
	for _, name := range strings.Split(*engines, ",") {
		e, why, err := newEngine(ctx, name, s, *binary)
		if err != nil {
			return err
		}
		if why != "" {
			fmt.Fprintf(os.Stderr, "skipped %s: %s\n", name, why)
			continue
		}
		all = append(all, e)
	}
	var table []row
	for _, q := range chosen {
		for _, e := range all {
			fmt.Fprintln(os.Stderr, "running", q, "on", e.name(), "…")
			r, err := measure(ctx, s, e, q)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", q, e.name(), err)
			}
			table = append(table, r)
		}
	}
	text, agree := render(s, table)
	fmt.Print(text)
	if *report != "" {
		if err := os.WriteFile(*report, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if !agree {
		return fmt.Errorf("the engines' results differ")
	}
	return nil
}
