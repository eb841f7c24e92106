// Command compare runs the benchmark's jobs on vstream and, where they are
// installed, on Apache Spark, DuckDB and Polars, on the same data and in the same run, checks
// that the results agree, and prints the figures side by side.
//
//	go run ./bench/compare -events 2000000 -n 3 q0 q7
//
// The peers need a Python with pyspark and pyyaml, with duckdb and pyarrow, or with polars:
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

	"github.com/vstream/vstream/bench/dataset"
	"github.com/vstream/vstream/bench/nexmark"
	"github.com/vstream/vstream/bench/ysb"
)

type settings struct {
	bench string // this repository's bench folder
	work  string
	data  string
	cores int
	reps  int
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == measureArg {
		os.Exit(measureCommand(os.Args[2:]))
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run() error {
	events := flag.Int64("events", 2_000_000, "events to generate, of Nexmark (92 % of them are bids) and of YSB each")
	seed := flag.Uint64("seed", 42, "seed of the data")
	reps := flag.Int("n", 3, "repetitions; the median counts")
	cores := flag.Int("cores", runtime.NumCPU(), "cores that each engine may use")
	bench := flag.String("bench", "bench", "this repository's bench folder")
	work := flag.String("work", filepath.Join(os.TempDir(), "vstream-bench"), "folder for data and outputs")
	binary := flag.String("vstream", "", "the vstream binary; built from ./cmd/vstream if empty")
	engines := flag.String("engines", "vstream,spark,duckdb,polars", "engines to run")
	committed := flag.String("baseline", "", "compare vstream's figures with those of this file")
	update := flag.Bool("update", false, "write vstream's figures to the file of -baseline instead")
	report := flag.String("out", "", "also write the results to this Markdown file")
	flag.Parse()

	chosen, err := choose(flag.Args())
	if err != nil {
		return err
	}
	ctx := context.Background()
	s := settings{bench: *bench, work: *work, data: filepath.Join(*work, "data"), cores: *cores, reps: *reps}
	o := dataset.Options{Dir: s.data, Events: *events, Seed: *seed, Workers: s.cores}
	for _, m := range []dataset.Model{nexmark.Model, ysb.Model} {
		if m.Exists(o) {
			continue
		}
		fmt.Fprintln(os.Stderr, "generating", *events, "events of", m.Name, "…")
		if err := m.Generate(ctx, o); err != nil {
			return err
		}
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
	for _, w := range chosen {
		for _, e := range all {
			fmt.Fprintln(os.Stderr, "running", w.name, "on", e.name(), "…")
			r, err := runWorkload(ctx, s, e, w)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", w.name, e.name(), err)
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
	if *committed != "" {
		if err := compareBaseline(os.Stdout, *committed, baseline{*events, *cores, units(table)}, chosen, *update); err != nil {
			return err
		}
	}
	if !agree {
		return fmt.Errorf("the engines' results differ")
	}
	return nil
}
