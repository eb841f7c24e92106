package main

import (
	"fmt"
	"runtime"
	"strings"
)

// render prints the table in Markdown; agree is false if results differ between engines.
func render(s settings, table []row) (text string, agree bool) {
	base := map[string]row{} // vstream's row by query, or the first engine's
	for _, r := range table {
		if _, ok := base[r.query]; !ok || r.engine == "vstream" {
			base[r.query] = r
		}
	}
	agree = true
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmark\n\n%d cores (%s/%s), median of %d.\n\n", s.cores, runtime.GOOS, runtime.GOARCH, s.reps)
	b.WriteString("| query | engine | events | events/s | wall s | CPU s | peak RSS MB | written MB | rate, relative | result |\n")
	b.WriteString("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, r := range table {
		first := base[r.query]
		verdict := fmt.Sprintf("%d rows", r.result.rows)
		switch {
		case r.result.rows < 0:
			verdict = "not compared"
		case r.result == first.result && r.engine != first.engine:
			verdict += ", same"
		case r.engine != first.engine:
			verdict += ", DIFFERENT"
			agree = false
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.2f | %.2f | %d | %d | %.2f | %s |\n", r.query, r.engine,
			r.events, float64(r.events)/r.median.Wall, r.median.Wall, r.median.CPU, r.median.RSSMB, r.median.WrittenMB, first.median.Wall/r.median.Wall, verdict)
	}
	b.WriteString(`
- vstream: wall, CPU and RSS of the whole process. Durable: one file is one micro-batch, checkpoint and output are synced.
- spark: from start() to the end of the query, the JVM being up; of several repetitions the later ones find it warm. Checkpoint as in vstream, RocksDB state.
- duckdb, polars: one batch over all files, nothing durable: a ceiling rather than a peer. Windows that the stream leaves open are left out.
- events: rows of the query's streams.
- written: by the whole process, to checkpoint, output and scratch files; not counted for duckdb and polars.
- rate, relative: events/s divided by vstream's.
- result: rows written, compared by value without regard to order. q0, q1, dedup, join_ba and gb_* write nowhere, and their rows are counted only;
  gb_* in DuckDB and Polars has the final groups, not the stream's updates. Of q5 the column that a tie decides is left out.
`)
	return b.String(), agree
}
