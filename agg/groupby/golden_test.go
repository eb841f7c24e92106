package groupby_test

import (
	"fmt"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/watermark"
)

// at is an event of key k at a time in milliseconds.
func at(k string, ms int64) event { return event{key: &k, time: &ms} }

// goldenBatch is a micro-batch and what Spark 4.3 did in it.
type goldenBatch struct {
	events                           []event
	late, evict                      int64
	rows                             []string
	total, updated, removed, dropped int64
}

// TestSparkGoldens are scenarios recorded from Spark (conformance/scenarios).
func TestSparkGoldens(t *testing.T) {
	byName := map[string]grouping{}
	for _, g := range groupings {
		byName[g.name] = g
	}
	for _, c := range []struct {
		name, grouping, mode string
		set                  bool
		batches              []goldenBatch
	}{
		// windows of 10 ms here; 5 s in the recording
		{"watermark/available_now_batches", "window and key", "append", true, []goldenBatch{
			{events: []event{at("a", 2)}, total: 1, updated: 1},
			{events: []event{at("a", 40)}, late: 0, evict: -18, total: 2, updated: 1},
			// The row is older than the watermark in force, but not than the one before.
			{events: []event{at("a", 4)}, late: -18, evict: 20, rows: []string{"0|10000|a|2"}, total: 1, updated: 1, removed: 1},
			{events: []event{at("a", 6), at("a", 120)}, late: 20, evict: 20, total: 2, updated: 1, dropped: 1},
			{late: 20, evict: 100, rows: []string{"40000|50000|a|1"}, total: 1, removed: 1},
		}},
		{"watermark/before_epoch", "window and key", "append", true, []goldenBatch{
			{events: []event{at("a", -20), at("a", 2)}, total: 1, updated: 1, dropped: 1},
			{events: []event{at("a", -18), at("a", 60)}, total: 2, updated: 1, dropped: 1},
			{evict: 40, rows: []string{"0|10000|a|1"}, total: 1, removed: 1},
			{events: []event{at("b", -1000)}, late: 40, evict: 40, total: 1, dropped: 1},
		}},
		{"watermark/null_event_time_group", "time", "append", true, []goldenBatch{
			{events: []event{{}, at("a", 1)}, late: -9, evict: -9, total: 2, updated: 2},
			{events: []event{at("a", 30)}, late: -9, evict: -9, total: 3, updated: 1},
			{late: -9, evict: 20, rows: []string{"1000|1"}, total: 2, removed: 1},
			{events: []event{{}}, late: 20, evict: 20, total: 2, updated: 1},
		}},
		{"windows/tumbling_update", "window", "update", true, []goldenBatch{
			{events: []event{at("a", 2), at("b", 14), at("a", 26)}, total: 3, updated: 3, rows: []string{"0|10000|1", "10000|20000|1", "20000|30000|1"}},
			{events: []event{at("a", 50), at("b", 16)}, late: 6, evict: 6, total: 4, updated: 2, rows: []string{"10000|20000|2", "50000|60000|1"}},
			{late: 6, evict: 30, total: 1, removed: 3},
		}},
		{"aggregates/global_empty_first", "global", "complete", false, []goldenBatch{
			{total: 1, updated: 1, rows: []string{"|0"}},
			{events: []event{at("a", 1)}, total: 1, updated: 1, rows: []string{"|1"}},
			{total: 1, updated: 1, rows: []string{"|1"}},
		}},
		{"aggregates/global_empty_first_update", "global", "update", false, []goldenBatch{
			{total: 1, updated: 1, rows: []string{"|0"}},
			{events: []event{at("a", 1)}, total: 1, updated: 1, rows: []string{"|1"}},
			{total: 1, updated: 1, rows: []string{"|1"}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := byName[c.grouping]
			cfg := config(t, g, c.mode)
			cfg.Aggs = cfg.Aggs[:1]
			e := newEngine(t, g, cfg, 1, nil)
			for i, b := range c.batches {
				rows, got := e.run([][]event{b.events}, watermark.Pair{Late: b.late, Evict: b.evict, Set: c.set})
				sort.Strings(rows)
				if d := cmp.Diff(b.rows, rows); d != "" {
					t.Errorf("batch %d: rows (-want +got):\n%s", i, d)
				}
				want := exec.Metrics{NumRowsTotal: b.total, NumRowsUpdated: b.updated, NumRowsRemoved: b.removed, NumRowsDroppedByWatermark: b.dropped}
				got.MemoryBytes, got.LateRows = 0, 0
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("batch %d: counters (-want +got):\n%s", i, d)
				}
			}
		})
	}
}

// TestManyEventTimes has thousands of groups that lie far apart in event time, so
// that their buckets are widened, and evicts within a bucket.
func TestManyEventTimes(t *testing.T) {
	g := groupings[2] // key and time
	for _, mode := range []string{"append", "update"} {
		e := newEngine(t, g, config(t, g, mode), 2, nil)
		m := &model{g: g, mode: mode, groups: map[string]*state{}}
		w := watermark.Pair{Set: true, Late: -1, Evict: -1}
		for batch := range 6 {
			var events []event
			for i := range 1500 {
				events = append(events, at(fmt.Sprint("k", i%3), int64(batch)*600_000+int64(i*7919%3000)*1700))
			}
			wantRows, want := m.run(events, w)
			rows, got := e.run([][]event{events[:700], events[700:]}, w)
			sort.Strings(rows)
			if d := cmp.Diff(wantRows, rows); d != "" {
				t.Fatalf("%s, batch %d: rows differ (-want +got):\n%s", mode, batch, d)
			}
			got.MemoryBytes = 0
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s, batch %d: counters differ (-want +got):\n%s", mode, batch, d)
			}
			if batch == 3 {
				e.restart()
			}
			w.Late = w.Evict
			w.Evict += 700_123
		}
	}
}

// TestPassThrough has so many groups that Partial stops to aggregate, and a
// table that grows past its bound.
func TestPassThrough(t *testing.T) {
	g := groupings[1] // key
	for _, repeat := range []int{1, 3} {
		cfg := config(t, g, "update")
		cfg.Aggs = cfg.Aggs[:2] // of fixed width, so that rows may pass
		var events []event
		for range repeat {
			for i := range 70_000 {
				k, v := fmt.Sprint(i), int64(i%10)
				events = append(events, event{key: &k, v: &v})
			}
		}
		e := newEngine(t, g, cfg, 1, nil)
		var pieces [][]event
		for lo := 0; lo < len(events); lo += 10_000 {
			pieces = append(pieces, events[lo:min(lo+10_000, len(events))])
		}
		rows, c := e.run(pieces, watermark.Pair{})
		if len(rows) != 70_000 || c.NumRowsTotal != 70_000 {
			t.Fatalf("%d rows, %d groups", len(rows), c.NumRowsTotal)
		}
		if want := fmt.Sprintf("7|%d %d", repeat, 7*repeat); rows[7] != want {
			t.Errorf("row 7 is %q, want %q", rows[7], want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	g := groupings[4]
	for _, change := range []func(*groupby.Config){
		func(c *groupby.Config) { c.Mode = "Append" },
		func(c *groupby.Config) { c.EventTime = 3 },
		func(c *groupby.Config) { c.EventTime = 0 },
	} {
		cfg := config(t, g, "append")
		change(&cfg)
		if _, err := groupby.NewFinal(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
