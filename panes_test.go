package vstream_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/vector"
)

var quiet = vstream.WithLogger(slog.New(slog.DiscardHandler))

// TestSlidingWindowsByPanes: sliding windows whose rows are aggregated once per pane have
// the results, the late rows and the state of those whose rows are repeated first, which an
// aggregate that depends on the order of the rows makes them be.
func TestSlidingWindowsByPanes(t *testing.T) {
	const grouping = `SELECT unix_seconds(w.start) AS s, k, n, total, lo, hi, odd %s FROM (
		SELECT window(ts, '10 seconds', '2 seconds', '1 second') AS w, k, count(*) AS n, sum(v) AS total, min(v) AS lo, max(v) AS hi,
		count(*) FILTER (WHERE v %% 2 = 1) AS odd %s FROM e GROUP BY 1, 2)`
	for _, mode := range []string{"append", "update", "complete"} {
		r := rand.New(rand.NewPCG(1, 2))
		panes, rows := newFixture(t, quiet), newFixture(t, quiet)
		for batch := range 8 {
			var in []string
			for range 200 {
				in = append(in, fmt.Sprintf("%c %d %d", 'a'+r.IntN(5), max(0, 15*batch-r.IntN(40)), r.IntN(100)))
			}
			panes.add(in...)
			rows.add(in...)
			got := slidingRun(panes, fmt.Sprintf(grouping, "", ""), mode, true)
			want := slidingRun(rows, fmt.Sprintf(grouping, ", x", ", first(v) AS x"), mode, false)
			if got != want {
				t.Fatalf("%s, batch %d:\ngot  %s\nwant %s", mode, batch, got, want)
			}
		}
	}
}

// slidingRun gives the first seven columns of the query's output and the counters of its state.
func slidingRun(f *fixture, sql, mode string, panes bool) string {
	f.t.Helper()
	table, err := f.s.SQL(sql)
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	w := table.Write().Mode(mode).Checkpoint("cp").Trigger(vstream.AvailableNow()).
		ForeachBatch(func(_ context.Context, _ int64, _ *vector.Schema, rows []*vector.Batch) error {
			for _, line := range lines(rows) {
				out = append(out, strings.Join(strings.Split(line, ",")[:7], ","))
			}
			return nil
		})
	text, err := w.Explain()
	if err != nil {
		f.t.Fatal(err)
	}
	if strings.Contains(text, "SlidingWindows") != panes {
		f.t.Fatalf("panes are not %v:\n%s", panes, text)
	}
	q, err := w.Start(f.t.Context())
	if err == nil {
		err = q.Wait(f.t.Context())
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, p := range q.RecentProgress() {
		for _, o := range p.StateOperators {
			out = append(out, fmt.Sprint(o.NumRowsTotal, o.NumRowsUpdated, o.NumRowsRemoved, o.NumRowsDroppedByWatermark, o.CustomMetrics["numLateInputRows"]))
		}
	}
	return strings.Join(out, "\n")
}

// TestPanesNeedSums: windows that only an operator in front of the aggregate can make stay there.
func TestPanesNeedSums(t *testing.T) {
	f := newFixture(t, quiet)
	for sql, panes := range map[string]bool{
		"SELECT window(ts, '10 seconds', '5 seconds') AS w, k, sum(v) AS x FROM e GROUP BY 1, 2":                                                   true,
		"SELECT k AS key, window(ts, '10 seconds', '5 seconds').end AS x, max(v) AS m FROM e GROUP BY k, window(ts, '10 seconds', '5 seconds')":    true,
		"SELECT window(ts, '10 seconds', '4 seconds') AS w, count(*) AS x FROM e GROUP BY 1":                                                       false, // the last window may not hold the row
		"SELECT window(ts, '10 seconds', '5 seconds') AS w, sum(CAST(v AS DOUBLE)) AS x FROM e GROUP BY 1":                                         false,
		"SELECT window(ts, '10 seconds', '5 seconds') AS w, last(v) AS x FROM e GROUP BY 1":                                                        false,
		"SELECT w, count(x) AS n FROM (SELECT window(ts, '10 seconds', '5 seconds') AS w, ts, CASE WHEN v > 1 THEN v END AS x FROM e) GROUP BY w":  true,
		"SELECT w, max(unix_seconds(w.start) + v) AS m FROM (SELECT window(ts, '10 seconds', '5 seconds') AS w, v FROM e) GROUP BY w":              false,
		"SELECT w, n, max(v) AS m FROM (SELECT window(ts, '10 seconds', '5 seconds') AS w, unix_seconds(ts) % 2 AS n, v FROM e) GROUP BY w, n":     true,
		"SELECT w, d, max(v) AS m FROM (SELECT w, w.end AS d, v FROM (SELECT window(ts, '10 seconds', '5 seconds') AS w, v FROM e)) GROUP BY w, d": false,
	} {
		table, err := f.s.SQL(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		text, err := table.Write().Mode("update").Explain()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if strings.Contains(text, "SlidingWindows") != panes {
			t.Errorf("panes are not %v for %s:\n%s", panes, sql, text)
		}
	}
}
