package session_test

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/agg/session"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/storetest"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// event is a row of the tests' input; times are milliseconds, nil is null.
type event struct {
	key       *string
	time, gap int64
	v         int64
	s         string
}

var input = vector.NewSchema(
	vector.Field{Name: "key", Type: vector.String, Nullable: true},
	vector.Field{Name: "start", Type: vector.Timestamp}, vector.Field{Name: "end", Type: vector.Timestamp},
	vector.Field{Name: "v", Type: vector.Long}, vector.Field{Name: "s", Type: vector.String},
)

func batchOf(events []event) *vector.Batch {
	n := len(events)
	keyOff, key, valid := make([]int32, n+1), []byte(nil), vector.NewValid(n)
	sOff, s := make([]int32, n+1), []byte(nil)
	start, end, v := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, e := range events {
		if e.key == nil {
			valid.Clear(i)
		} else {
			key = append(key, *e.key...)
		}
		s = append(s, e.s...)
		keyOff[i+1], sOff[i+1] = int32(len(key)), int32(len(s))
		start[i], end[i], v[i] = e.time*1000, (e.time+e.gap)*1000, e.v
	}
	return vector.NewBatch(input, []arrow.Array{
		vector.NewString(vector.String, keyOff, key, valid), vector.NewFixed(vector.Timestamp, start, nil),
		vector.NewFixed(vector.Timestamp, end, nil), vector.NewFixed(vector.Long, v, nil), vector.NewString(vector.String, sOff, s, nil),
	}, n)
}

func bind(t testing.TB, name string, types ...*vector.Type) *agg.Impl {
	t.Helper()
	f, ok := agg.Lookup(name)
	if !ok {
		t.Fatalf("no aggregate %s", name)
	}
	args := make([]kernels.Arg, len(types))
	for i, x := range types {
		args[i] = kernels.Arg{Type: x, Nullable: true, SQL: "x"}
	}
	im, err := f.Bind(&kernels.Conf{ANSI: true}, args)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// aggs are count(*), sum(v), max(s), first(s) and last(s), which show the order in which
// sessions meet.
func aggs(t testing.TB) []groupby.Agg {
	return []groupby.Agg{
		{Impl: bind(t, "count"), Filter: -1},
		{Impl: bind(t, "sum", vector.Long), Args: []int{3}, Filter: -1},
		{Impl: bind(t, "max", vector.String), Args: []int{4}, Filter: -1},
		{Impl: bind(t, "first", vector.String), Args: []int{4}, Filter: -1},
		{Impl: bind(t, "last", vector.String), Args: []int{4}, Filter: -1},
	}
}

// cell prints value i of a column.
func cell(a arrow.Array, i int) string {
	switch {
	case a.IsNull(i):
		return "null"
	case a.DataType().ID() == arrow.STRING:
		off, data := vector.Strings(a)
		return string(data[off[i]:off[i+1]])
	}
	return fmt.Sprint(vector.Values[int64](a)[i])
}

// window is a session of the model: the sessions of single rows in it, in order.
type window struct {
	start, end int64
	rows       []event
}

func (w *window) text() string {
	sum, most := int64(0), ""
	for _, e := range w.rows {
		sum, most = sum+e.v, max(most, e.s)
	}
	return fmt.Sprintf("%d|%d|%d|%d|%s|%s|%s", w.start*1000, w.end*1000, len(w.rows), sum, most, w.rows[0].s, w.rows[len(w.rows)-1].s)
}

// model is aggregation by sessions, a key at a time.
type model struct {
	mode    string
	windows map[string][]*window
}

func (m *model) run(events []event, w watermark.Pair) (out []string, c exec.Metrics) {
	fresh, late := map[string][]*window{}, map[string]bool{}
	for _, e := range events {
		key := "null"
		if e.key != nil {
			key = *e.key
		}
		if w.Set && e.time+e.gap <= w.Late {
			c.LateRows++
			late[fmt.Sprint(key, " ", e.time, " ", e.gap)] = true
			continue
		}
		fresh[key] = append(fresh[key], &window{e.time, e.time + e.gap, []event{e}})
	}
	c.NumRowsDroppedByWatermark = int64(len(late))
	for key, add := range fresh {
		old := m.windows[key]
		// Sessions in the state come before rows of the same start.
		all := append(slices.Clone(old), add...)
		state := map[*window]bool{}
		for _, x := range old {
			state[x] = true
		}
		sort.SliceStable(all, func(i, j int) bool {
			a, b := all[i], all[j]
			if a.start != b.start || state[a] || state[b] {
				return cmp.Or(cmp.Compare(a.start, b.start), -compareBool(state[a], state[b])) < 0
			}
			return a.end < b.end
		})
		var merged []*window
		starts := map[int64]bool{}
		for _, x := range all {
			if n := len(merged); n > 0 && x.start <= merged[n-1].end {
				last := merged[n-1]
				last.end, last.rows = max(last.end, x.end), append(last.rows, x.rows...)
				continue
			}
			merged = append(merged, &window{x.start, x.end, slices.Clone(x.rows)})
			starts[x.start] = true
		}
		for _, x := range old {
			if !starts[x.start] {
				c.NumRowsRemoved++
			}
		}
		c.NumRowsUpdated += int64(len(merged))
		m.windows[key] = merged
	}
	for key, all := range m.windows {
		var stay []*window
		for _, x := range all {
			gone := m.mode == "append" && w.Set && x.end <= w.Evict
			if gone || m.mode == "complete" {
				out = append(out, key+"|"+x.text())
			}
			if gone {
				c.NumRowsRemoved++
			} else {
				stay = append(stay, x)
			}
		}
		m.windows[key] = stay
		c.NumRowsTotal += int64(len(stay))
	}
	sort.Strings(out)
	return out, c
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// engine is the partial and the session operator with the state's log.
type engine struct {
	t       testing.TB
	cfg     session.Config
	partial exec.Operator
	op      exec.Stateful
	log     []*statestore.Changes
	// keep is the memory beyond which sessions go to a tier; noTier: there is none.
	keep int64
	// out is what the last micro-batch emitted, in order.
	out []string
}

const noTier = -1

func newEngine(t testing.TB, mode string, watermark bool, keep int64) *engine {
	e := &engine{t: t, keep: keep, cfg: session.Config{Keys: []*vector.Type{vector.String}, Mode: mode, Watermark: watermark}}
	for _, a := range aggs(t) {
		e.cfg.Impls = append(e.cfg.Impls, a.Impl)
	}
	p, err := groupby.NewPartial(groupby.Config{Keys: []*vector.Type{vector.String, vector.Timestamp, vector.Timestamp}, Aggs: aggs(t), Mode: mode, EventTime: -1})
	if err != nil {
		t.Fatal(err)
	}
	e.partial = p
	e.open()
	return e
}

func (e *engine) open() {
	op, err := session.NewFinal(e.cfg)
	if err != nil {
		e.t.Fatal(err)
	}
	e.op = op.(exec.Stateful)
	if e.keep != noTier {
		if err := op.(exec.Spiller).Spill(&storetest.NaiveTier{Keep: e.keep}); err != nil {
			e.t.Fatal(err)
		}
	}
	for _, c := range e.log {
		if err := e.op.Load("default", c); err != nil {
			e.t.Fatal(err)
		}
	}
}

func (e *engine) run(pieces [][]event, w watermark.Pair) (rows []string, c exec.Metrics) {
	check := func(err error) {
		if err != nil {
			e.t.Fatal(err)
		}
	}
	check(e.op.Open(&exec.Task{Metrics: &c, Watermark: w}))
	for _, p := range pieces {
		toFinal := func(b *vector.Batch) error { return e.op.Process(0, b, nil) }
		check(e.partial.Open(&exec.Task{Metrics: &exec.Metrics{}}))
		check(e.partial.Process(0, batchOf(p), toFinal))
		check(e.partial.EndBatch(toFinal))
	}
	check(e.op.EndBatch(func(b *vector.Batch) error {
		for i := range b.Len() {
			cells := make([]string, b.NumCols())
			for k := range cells {
				cells[k] = cell(b.Col(k), i)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
		return nil
	}))
	check(e.op.Commit(func(store string, c *statestore.Changes) error {
		if store != "default" {
			e.t.Fatalf("store %q", store)
		}
		e.log = append(e.log, c)
		return nil
	}))
	e.out = slices.Clone(rows)
	sort.Strings(rows)
	return rows, c
}

func drawEvent(t *rapid.T, base int64, id int) event {
	e := event{
		// Few distinct times and gaps, so that sessions touch and end on the watermark.
		time: base + 5*rapid.Int64Range(-6, 6).Draw(t, "time"), gap: 5 * rapid.Int64Range(1, 3).Draw(t, "gap"),
		v: int64(id), s: strings.Repeat("s", id%4) + fmt.Sprint(id),
	}
	if k := rapid.IntRange(-1, 2).Draw(t, "key"); k >= 0 {
		s := strings.Repeat("k", k)
		e.key = &s
	}
	return e
}

func TestAgainstModel(t *testing.T) { testAgainstModel(t, false) }

// TestSpillAgainstModel gives sessions to a tier all the time: all of them, or down to some memory.
func TestSpillAgainstModel(t *testing.T) { testAgainstModel(t, true) }

func testAgainstModel(t *testing.T, spills bool) {
	rapid.Check(t, func(rt *rapid.T) {
		keep := int64(noTier)
		if spills {
			keep = rapid.Int64Range(0, 4000).Draw(rt, "keep")
		}
		mode := rapid.SampledFrom([]string{"append", "complete"}).Draw(rt, "mode")
		set := mode == "append" || rapid.Bool().Draw(rt, "watermark")
		e, m := newEngine(t, mode, set, keep), &model{mode: mode, windows: map[string][]*window{}}
		w := watermark.Pair{Set: set, Late: -20, Evict: -20}
		id := 0
		for batch := range rapid.IntRange(1, 6).Draw(rt, "batches") {
			events := make([]event, rapid.IntRange(0, 25).Draw(rt, "events"))
			for i := range events {
				id++
				events[i] = drawEvent(rt, int64(batch)*15, id)
			}
			var pieces [][]event
			for rest := events; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			wantRows, want := m.run(events, w)
			rows, got := e.run(pieces, w)
			if d := gocmp.Diff(wantRows, rows); d != "" {
				rt.Fatalf("%s, batch %d: rows differ (-want +got):\n%s", mode, batch, d)
			}
			got.MemoryBytes = 0
			if d := gocmp.Diff(want, got); d != "" {
				rt.Fatalf("%s, batch %d: counters differ (-want +got):\n%s", mode, batch, d)
			}
			if rapid.Bool().Draw(rt, "restart") {
				e.open()
			}
			w.Late = w.Evict
			w.Evict += 5 * rapid.Int64Range(0, 8).Draw(rt, "advance")
		}
	})
}

// TestManySessions goes through the rebuild that leaves closed sessions behind, with
// many keys and with many sessions of few keys.
func TestManySessions(t *testing.T) {
	for _, c := range []struct{ keys, gap int64 }{{7000, 700}, {3, 1}} {
		e, m := newEngine(t, "append", true, noTier), &model{mode: "append", windows: map[string][]*window{}}
		w := watermark.Pair{Set: true, Late: -1, Evict: -1}
		id := 0
		for batch := range int64(8) {
			var events []event
			for i := range int64(3000) {
				key := fmt.Sprint("key ", (batch*1500+i)%c.keys)
				id++
				events = append(events, event{key: &key, time: batch*3000 + i, gap: c.gap, v: int64(id), s: fmt.Sprint(id)})
			}
			wantRows, want := m.run(events, w)
			rows, got := e.run([][]event{events[:100], events[100:]}, w)
			got.MemoryBytes = 0
			if d := gocmp.Diff(wantRows, rows) + gocmp.Diff(want, got); d != "" {
				t.Fatalf("%d keys, batch %d (-want +got):\n%s", c.keys, batch, d)
			}
			if batch == 5 {
				e.open()
			}
			w.Late, w.Evict = w.Evict, batch*3000+1500
		}
	}
}

func TestConfig(t *testing.T) {
	c := session.Config{Keys: []*vector.Type{vector.String}, Mode: "update"}
	if _, err := session.NewFinal(c); err == nil {
		t.Errorf("%+v was taken", c)
	}
}

// TestLoadRefuses: a recovered block that does not fit the table is an error.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []*statestore.Changes{
		{Puts: []statestore.Block{{Rows: 1}}},
		{Deletes: []statestore.Block{{Rows: 1, Cols: make([]statestore.ColumnData, 2)}}},
	} {
		if err := newEngine(t, "append", true, noTier).op.Load("default", c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
