package vstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/vector"
)

// lateRows are rows of a late sink: "operator reason row".
func lateRows(into *[]string) sink.Sink {
	return foreach.New(func(_ context.Context, _ int64, schema *vector.Schema, rows []*vector.Batch) error {
		if !schema.Equal(vstream.LateSchema()) {
			return fmt.Errorf("schema %s", schema)
		}
		for _, b := range rows {
			for i := range b.Len() {
				var cells []string
				for _, c := range []int{2, 3, 6} {
					cells = append(cells, fmt.Sprint(kernels.ValueAt(schema.Fields[c].Type, b.Col(c), i)))
				}
				*into = append(*into, strings.Join(cells, " "))
			}
		}
		return nil
	})
}

// TestLateSink runs each stateful operator over the same rows: what goes to the late sink is
// what the operators count as late or without a time.
func TestLateSink(t *testing.T) {
	const aLate, bLate = `{"k":"a","ts":"2026-01-01T00:00:02.000000Z","v":3}`, `{"k":"b","ts":"2026-01-01T00:00:04.000000Z","v":4}`
	const noTime = `{"k":"n","ts":null,"v":9}`
	for _, c := range []struct {
		name, query, mode string
		once              []string
		within            bool
		want              []string
	}{
		{name: "window", query: "SELECT window(ts, '5 seconds') AS w, k, sum(v) AS v FROM e GROUP BY 1, 2",
			want: []string{"stateStoreSave null_event_time " + noTime, "stateStoreSave late " + aLate, "stateStoreSave late " + bLate}},
		{name: "window in update mode", mode: "update", query: "SELECT window(ts, '5 seconds') AS w, k, sum(v) AS v FROM e GROUP BY 1, 2",
			want: []string{"stateStoreSave null_event_time " + noTime, "stateStoreSave late " + aLate, "stateStoreSave late " + bLate}},
		{name: "window in complete mode", mode: "complete", query: "SELECT window(ts, '5 seconds') AS w, k, sum(v) AS v FROM e GROUP BY 1, 2",
			want: []string{"stateStoreSave null_event_time " + noTime}},
		{name: "sliding window", query: "SELECT window(ts, '10 seconds', '5 seconds') AS w, count(*) AS n FROM e WHERE k = 'b' GROUP BY 1", want: []string{
			`stateStoreSave late {"window":{"start":"2026-01-01T00:00:00.000000Z","end":"2026-01-01T00:00:10.000000Z"}}`,
			`stateStoreSave late {"window":{"start":"2025-12-31T23:59:55.000000Z","end":"2026-01-01T00:00:05.000000Z"}}`}},
		{name: "event time", query: "SELECT ts, count(*) AS n FROM e GROUP BY ts",
			want: []string{`stateStoreSave late {"ts":"2026-01-01T00:00:02.000000Z"}`, `stateStoreSave late {"ts":"2026-01-01T00:00:04.000000Z"}`}},
		{name: "session", query: "SELECT session_window(ts, '2 seconds') AS s, k, sum(v) AS v FROM e GROUP BY 1, 2",
			want: []string{"sessionWindowStateStoreSaveExec null_event_time " + noTime, "sessionWindowStateStoreSaveExec late " + aLate, "sessionWindowStateStoreSaveExec late " + bLate}},
		{name: "deduplication", query: "SELECT * FROM once", once: []string{"k"}, want: []string{"dedupe late " + aLate, "dedupe late " + bLate}},
		{name: "deduplication within the watermark", query: "SELECT * FROM once", once: []string{"k"}, within: true, want: []string{"dedupeWithinWatermark late " + aLate, "dedupeWithinWatermark late " + bLate}},
		{name: "join", query: "SELECT l.k FROM e l JOIN e r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 SECOND WHERE l.v <> 4", want: []string{
			`symmetricHashJoin late {"k":"a","ts":"2026-01-01T00:00:02.000000Z","v":3}`,
			`symmetricHashJoin late {"k":"a","ts":"2026-01-01T00:00:02.000000Z"}`, `symmetricHashJoin late {"k":"b","ts":"2026-01-01T00:00:04.000000Z"}`}},
		{name: "windows of windows", query: "SELECT window(window_time(w), '10 seconds') AS w2, sum(v) AS v FROM (SELECT window(ts, '5 seconds') AS w, k, sum(v) AS v FROM e GROUP BY 1, 2) GROUP BY 1",
			want: []string{"stateStoreSave null_event_time " + noTime, "stateStoreSave late " + aLate, "stateStoreSave late " + bLate}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.once != nil {
				e, err := f.s.Table("e")
				if err != nil {
					t.Fatal(err)
				}
				drop := e.DropDuplicates
				if c.within {
					drop = e.DropDuplicatesWithinWatermark
				}
				if e, err = drop(c.once...); err != nil {
					t.Fatal(err)
				}
				if err := e.View("once"); err != nil {
					t.Fatal(err)
				}
			}
			table, err := f.s.SQL(c.query)
			if err != nil {
				t.Fatal(condition.Render(err))
			}
			var got []string
			f.add("a 1 1", "b 30 2")
			q, err := table.Write().Name("q").Mode(c.mode).Checkpoint("cp").LateTo(lateRows(&got)).Start(t.Context())
			if err != nil {
				t.Fatal(condition.Render(err))
			}
			step := func() {
				t.Helper()
				if err := q.ProcessAllAvailable(t.Context()); err != nil {
					t.Fatal(condition.Render(err))
				}
			}
			step()
			f.write("in/0002.json", `{"k":"a","ts":"2026-01-01T00:00:02Z","v":3}`, `{"k":"b","ts":"2026-01-01T00:00:04Z","v":4}`, `{"k":"n","v":9}`, `{"k":"c","ts":"2026-01-01T00:00:31Z","v":5}`)
			step()
			if err := q.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			var counted, written int64
			for _, p := range q.RecentProgress() {
				for _, o := range p.StateOperators {
					counted += o.LateRows + o.NullTimeRows
				}
				written += p.LateSink.NumOutputRows
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("late sink (-want +got):\n%s", d)
			}
			if counted != int64(len(c.want)) || written != counted {
				t.Errorf("%d rows late or without time, %d handed to the sink, want %d", counted, written, len(c.want))
			}
		})
	}
}

// TestLateSinkComesAndGoes adds a late sink on a restart, replaces it and takes it away.
func TestLateSinkComesAndGoes(t *testing.T) {
	f := newFixture(t)
	table, err := f.s.SQL("SELECT window(ts, '5 seconds') AS w, count(*) AS n FROM e GROUP BY 1")
	if err != nil {
		t.Fatal(err)
	}
	late := 0 // seconds of the next late row
	run := func(name string) {
		t.Helper()
		w := table.Write().Name("q").Checkpoint("cp").Format("json").Option("path", "out").Trigger(vstream.AvailableNow())
		if name != "" {
			w.Late("json", sink.Options{"path": name})
		}
		late++
		f.add(fmt.Sprintf("l %d 0", late), fmt.Sprintf("a %d 1", 60+20*late))
		q, err := w.Start(t.Context())
		if err == nil {
			err = q.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(condition.Render(err))
		}
	}
	run("")
	for range 12 { // past a compaction of the sink's log
		run("first")
	}
	run("second")
	run("")
	run("first")
	count := func(dir string) int {
		return len(readFiles(t, "json", vstream.LateSchema(), filepath.Join(f.dir, dir)))
	}
	if got := [2]int{count("first"), count("second")}; got != [2]int{13, 1} {
		t.Errorf("rows in the late sinks: %v", got)
	}
}

// TestLateSinkRefused: the query's own place, an unknown format, and what the sink itself refuses.
func TestLateSinkRefused(t *testing.T) {
	f := newFixture(t)
	f.add("a 1 1")
	table, err := f.s.SQL("SELECT window(ts, '5 seconds') AS w, count(*) AS n FROM e GROUP BY 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, format string
		options      sink.Options
		want         string
	}{
		{"the query's own place", "parquet", sink.Options{"path": "./out"}, "VSTREAM_INVALID_VALUE"},
		{"an unknown format", "jsonl", sink.Options{"path": "late"}, "DATA_SOURCE_NOT_FOUND"},
		{"no path", "json", nil, "VSTREAM_INVALID_OPTION"},
	} {
		q, err := table.Write().Name("q").Checkpoint("cp").Format("json").Option("path", "out").Trigger(vstream.AvailableNow()).Late(c.format, c.options).Start(t.Context())
		if err == nil {
			err = q.Wait(t.Context())
		}
		if !errors.Is(err, condition.Name(c.want)) || !strings.Contains(err.Error(), "late sink") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWarnings: what is logged at the start of a query, and shown before it.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		query, mode string
		late        bool
		want        []string
	}{
		{query: "SELECT window(ts, '5 seconds') AS w, count(*) AS n FROM e GROUP BY 1"},
		{query: "SELECT k FROM e", want: []string{"column ts: no stateful operator uses the watermark"}},
		{query: "SELECT k FROM e", late: true, want: []string{"column ts: no stateful operator uses the watermark", "late sink: nothing in the query drops rows"}},
		{query: "SELECT k, count(*) AS n FROM e GROUP BY k", mode: "update",
			want: []string{"stateStoreSave: the state of an operator never shrinks", "column ts: no stateful operator uses the watermark"}},
		{query: "SELECT window(ts, '5 seconds') AS w, count(*) AS n FROM e GROUP BY 1", mode: "complete",
			want: []string{"stateStoreSave: the state of an operator never shrinks", "column ts: no stateful operator uses the watermark"}},
		{query: "SELECT window(t, '5 seconds', '2 seconds') AS w, count(*) AS n FROM (SELECT ts AS t, v FROM e WHERE v > 0 UNION ALL SELECT ts, v FROM e) GROUP BY 1"},
		{query: "SELECT l.k FROM e l JOIN e r ON l.k = r.k AND l.ts = r.ts"},
		{query: "SELECT window(window_time(w), '10 seconds') AS w2, count(*) AS n FROM (SELECT session_window(ts, '5 seconds') AS w, k FROM e GROUP BY 1, 2) GROUP BY 1"},
	} {
		var log bytes.Buffer
		f := newFixture(t, vstream.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		table, err := f.s.SQL(c.query)
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		w := table.Write().Mode(c.mode).Trigger(vstream.AvailableNow())
		if c.late {
			w.Late("noop", nil)
		}
		got, err := w.Warnings()
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		explained, err := w.Explain()
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		q, err := w.Start(t.Context())
		if err == nil {
			err = q.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", c.query, got)
			continue
		}
		for i, x := range c.want {
			subject, message, _ := strings.Cut(x, ": ")
			if !strings.HasPrefix(got[i], x) || !strings.Contains(explained, "warning: "+x) ||
				!strings.Contains(log.String(), message) || !strings.Contains(log.String(), subject) {
				t.Errorf("%s: warning %q, explained %s, log %s", c.query, got[i], explained, log.String())
			}
		}
	}
}
