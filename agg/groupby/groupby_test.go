package groupby_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/storetest"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// event is a row of the tests' input: one grouping key, an event time in
// milliseconds, and two arguments; nil is null.
type event struct {
	key  *string
	time *int64
	v    *int64
	s    *string
	keep *bool // the filter
}

// grouping is one way to group events.
type grouping struct {
	name   string
	keys   []*vector.Type
	time   int
	window bool
	// row is the event's key columns as text, for the model; the time column in micros.
	row func(e event) []string
}

const width = 10 // milliseconds of a window

func window(t *int64) (start, end string) {
	if t == nil {
		return "null", "null"
	}
	lo := *t - (*t%width+width)%width
	return fmt.Sprint(lo * 1000), fmt.Sprint((lo + width) * 1000)
}

func text[T any](p *T) string {
	if p == nil {
		return "null"
	}
	return fmt.Sprint(*p)
}

func micros(t *int64) string {
	if t == nil {
		return "null"
	}
	return fmt.Sprint(*t * 1000)
}

var groupings = []grouping{
	{"global", nil, -1, false, func(event) []string { return nil }},
	{"key", []*vector.Type{vector.String}, -1, false, func(e event) []string { return []string{text(e.key)} }},
	{"key and time", []*vector.Type{vector.String, vector.Timestamp}, 1, false, func(e event) []string { return []string{text(e.key), micros(e.time)} }},
	{"time", []*vector.Type{vector.Timestamp}, 0, false, func(e event) []string { return []string{micros(e.time)} }},
	{"window and key", []*vector.Type{vector.Timestamp, vector.Timestamp, vector.String}, 1, true, func(e event) []string {
		lo, hi := window(e.time)
		return []string{lo, hi, text(e.key)}
	}},
	{"key and window", []*vector.Type{vector.String, vector.Timestamp, vector.Timestamp}, 2, true, func(e event) []string {
		lo, hi := window(e.time)
		return []string{text(e.key), lo, hi}
	}},
	{"window", []*vector.Type{vector.Timestamp, vector.Timestamp}, 1, true, func(e event) []string {
		lo, hi := window(e.time)
		return []string{lo, hi}
	}},
}

// column builds a column from texts, "null" being null.
func column(t *vector.Type, values []string) arrow.Array {
	n := len(values)
	valid := vector.NewValid(n)
	off, data, words, bits := make([]int32, n+1), []byte(nil), make([]int64, n), vector.NewBitmap(n)
	for i, v := range values {
		switch {
		case v == "null":
			valid.Clear(i)
		case t.Kind == vector.KindString:
			data = append(data, v...)
		case v == "true":
			bits.Set(i)
		default:
			fmt.Sscan(v, &words[i])
		}
		off[i+1] = int32(len(data))
	}
	switch t.Kind {
	case vector.KindString:
		return vector.NewString(t, off, data, valid)
	case vector.KindBool:
		return vector.NewBool(bits, n, valid)
	}
	return vector.NewFixed(t, words, valid)
}

// cell prints value i of a column.
func cell(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY:
		off, data := vector.Strings(a)
		return string(data[off[i]:off[i+1]])
	case arrow.FLOAT64:
		return fmt.Sprint(vector.Values[float64](a)[i])
	}
	return fmt.Sprint(vector.Values[int64](a)[i])
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

// config is count(*), sum(v), max(s), avg(v) FILTER (keep), count(DISTINCT v).
func config(t testing.TB, g grouping, mode string) groupby.Config {
	k := len(g.keys)
	return groupby.Config{
		Keys: g.keys, Mode: mode, EventTime: g.time, WindowEnd: g.window,
		Aggs: []groupby.Agg{
			{Impl: bind(t, "count"), Filter: -1},
			{Impl: bind(t, "sum", vector.Long), Args: []int{k}, Filter: -1},
			{Impl: bind(t, "max", vector.String), Args: []int{k + 1}, Filter: -1},
			{Impl: bind(t, "avg", vector.Long), Args: []int{k}, Filter: k + 2},
			{Impl: bind(t, "count", vector.Long), Args: []int{k}, Filter: -1, Distinct: true},
		},
	}
}

// batchOf is the operators' input for events.
func batchOf(g grouping, events []event) *vector.Batch {
	types := append(slices.Clone(g.keys), vector.Long, vector.String, vector.Bool)
	texts := make([][]string, len(types))
	for _, e := range events {
		row := append(slices.Clone(g.row(e)), text(e.v), text(e.s), text(e.keep))
		for i, x := range row {
			texts[i] = append(texts[i], x)
		}
	}
	cols, fields := make([]arrow.Array, len(types)), make([]vector.Field, len(types))
	for i, x := range types {
		cols[i], fields[i] = column(x, texts[i]), vector.Field{Name: fmt.Sprint("c", i), Type: x, Nullable: true}
	}
	return vector.NewBatch(vector.NewSchema(fields...), cols, len(events))
}

// state is the model's state of one group.
type state struct {
	rows     int64
	sum      *int64
	max      *string
	kept, n  int64
	distinct map[int64]bool
}

func (s *state) add(e event) {
	s.rows++
	if e.v != nil {
		if s.sum == nil {
			s.sum = new(int64)
		}
		*s.sum += *e.v
		s.distinct[*e.v] = true
		if e.keep != nil && *e.keep {
			s.kept += *e.v
			s.n++
		}
	}
	if e.s != nil && (s.max == nil || *e.s > *s.max) {
		s.max = e.s
	}
}

func (s *state) text() string {
	avg := "null"
	if s.n > 0 {
		avg = fmt.Sprint(float64(s.kept) / float64(s.n))
	}
	return fmt.Sprintf("%d %s %s %s %d", s.rows, text(s.sum), text(s.max), avg, len(s.distinct))
}

// model is streaming aggregation, a row at a time.
type model struct {
	g      grouping
	mode   string
	groups map[string]*state
}

// run processes a micro-batch: its output rows, sorted, and the counters.
func (m *model) run(events []event, w watermark.Pair) (rows []string, c exec.Metrics) {
	at := func(key string) (int64, bool) {
		if m.g.time < 0 {
			return 0, false
		}
		var v int64
		n, _ := fmt.Sscan(strings.Split(key, "|")[m.g.time], &v)
		return v, n == 1
	}
	drops := w.Set && m.mode != "complete"
	touched, late := map[string]bool{}, map[string]bool{}
	if m.g.keys == nil {
		touched[""] = true
		if m.groups[""] == nil {
			m.groups[""] = &state{distinct: map[int64]bool{}}
		}
	}
	for _, e := range events {
		key := strings.Join(m.g.row(e), "|")
		if v, ok := at(key); ok && drops && v <= w.Late*1000 {
			c.LateRows++
			late[key] = true
			continue
		}
		if m.groups[key] == nil {
			m.groups[key] = &state{distinct: map[int64]bool{}}
		}
		m.groups[key].add(e)
		touched[key] = true
	}
	for key, s := range m.groups {
		v, ok := at(key)
		gone := ok && drops && v <= w.Evict*1000
		if m.mode == "complete" || m.mode == "update" && touched[key] || m.mode == "append" && gone {
			rows = append(rows, key+"|"+s.text())
		}
		if gone {
			delete(m.groups, key)
			c.NumRowsRemoved++
		}
	}
	sort.Strings(rows)
	c.NumRowsUpdated, c.NumRowsDroppedByWatermark, c.NumRowsTotal = int64(len(touched)), int64(len(late)), int64(len(m.groups))
	return rows, c
}

// engine runs the real operators over one partition.
type engine struct {
	t       testing.TB
	g       grouping
	cfg     groupby.Config
	partial []exec.Operator
	final   exec.Stateful
	log     []*statestore.Changes
	tier    *storetest.NaiveTier // nil: all groups stay in memory
}

func newEngine(t testing.TB, g grouping, cfg groupby.Config, tasks int, tier *storetest.NaiveTier) *engine {
	e := &engine{t: t, g: g, cfg: cfg, tier: tier}
	for range tasks {
		p, err := groupby.NewPartial(cfg)
		if err != nil {
			t.Fatal(err)
		}
		e.partial = append(e.partial, p)
	}
	e.open()
	return e
}

func (e *engine) open() {
	f, err := groupby.NewFinal(e.cfg)
	if err != nil {
		e.t.Fatal(err)
	}
	e.final = f.(exec.Stateful)
	if e.tier != nil {
		if err := f.(exec.Spiller).Spill(e.tier); err != nil {
			e.t.Fatal(err)
		}
	}
}

// restart recovers from what was committed.
func (e *engine) restart() {
	e.open()
	for _, c := range e.log {
		if err := e.final.Load("default", c); err != nil {
			e.t.Fatal(err)
		}
	}
}

// run processes one micro-batch, its events cut into the given pieces.
func (e *engine) run(pieces [][]event, w watermark.Pair) (rows []string, c exec.Metrics) {
	task := &exec.Task{Watermark: w, Metrics: &c}
	check := func(err error) {
		if err != nil {
			e.t.Fatal(err)
		}
	}
	toFinal := func(b *vector.Batch) error { return e.final.Process(0, b, nil) }
	check(e.final.Open(task))
	for i, p := range e.partial {
		check(p.Open(&exec.Task{Metrics: &exec.Metrics{}}))
		for k := i; k < len(pieces); k += len(e.partial) {
			check(p.Process(0, batchOf(e.g, pieces[k]), toFinal))
		}
		check(p.EndBatch(toFinal))
	}
	check(e.final.EndBatch(func(b *vector.Batch) error {
		for i := range b.Len() {
			var parts []string
			for k := range e.g.keys {
				parts = append(parts, cell(b.Col(k), i))
			}
			var results []string
			for k := len(e.g.keys); k < b.NumCols(); k++ {
				results = append(results, cell(b.Col(k), i))
			}
			rows = append(rows, strings.Join(parts, "|")+"|"+strings.Join(results, " "))
		}
		return nil
	}))
	check(e.final.Commit(func(store string, c *statestore.Changes) error {
		if store != "default" {
			e.t.Fatalf("store %q", store)
		}
		e.log = append(e.log, c)
		return nil
	}))
	return rows, c
}

func drawEvent(t *rapid.T, base int64) event {
	pick := func(label string, n int) *int64 {
		v := rapid.Int64Range(-1, int64(n)).Draw(t, label)
		if v < 0 {
			return nil
		}
		return &v
	}
	var e event
	if k := pick("key", 4); k != nil {
		s := strings.Repeat("k", int(*k))
		e.key = &s
	}
	if d := pick("time", 9); d != nil {
		// Few distinct times, so that many lie exactly on the watermark.
		ts := base + 5*(*d-5)
		e.time = &ts
	}
	e.v = pick("v", 5)
	if s := pick("s", 9); s != nil {
		x := strings.Repeat("s", int(*s))
		e.s = &x
	}
	if k := pick("keep", 1); k != nil {
		b := *k == 1
		e.keep = &b
	}
	return e
}

func TestStreamingAgainstModel(t *testing.T) { testStreaming(t, false) }

// TestSpillAgainstModel gives groups to a tier all the time: all of them, or down to some
// memory.
func TestSpillAgainstModel(t *testing.T) { testStreaming(t, true) }

func testStreaming(t *testing.T, spills bool) {
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(groupings).Draw(rt, "grouping")
		mode := rapid.SampledFrom([]string{"append", "update", "complete"}).Draw(rt, "mode")
		var tier *storetest.NaiveTier
		if spills {
			tier = &storetest.NaiveTier{Keep: rapid.Int64Range(0, 20_000).Draw(rt, "keep")}
		}
		e := newEngine(t, g, config(t, g, mode), rapid.IntRange(1, 3).Draw(rt, "tasks"), tier)
		m := &model{g: g, mode: mode, groups: map[string]*state{}}
		w := watermark.Pair{Set: rapid.Bool().Draw(rt, "watermark"), Late: -20, Evict: -20}
		for batch := range rapid.IntRange(1, 6).Draw(rt, "batches") {
			events := make([]event, rapid.IntRange(0, 30).Draw(rt, "events"))
			for i := range events {
				events[i] = drawEvent(rt, int64(batch)*15)
			}
			var pieces [][]event
			for rest := events; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			wantRows, want := m.run(events, w)
			rows, got := e.run(pieces, w)
			sort.Strings(rows)
			if d := cmp.Diff(wantRows, rows); d != "" {
				rt.Fatalf("%s, %s, batch %d: rows differ (-want +got):\n%s", g.name, mode, batch, d)
			}
			got.MemoryBytes = 0
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%s, %s, batch %d: counters differ (-want +got):\n%s", g.name, mode, batch, d)
			}
			if rapid.Bool().Draw(rt, "restart") {
				e.restart()
			}
			w.Late = w.Evict
			w.Evict += 5 * rapid.Int64Range(0, 6).Draw(rt, "advance")
		}
		if tier != nil {
			found += tier.Found
		}
	})
	if spills && found == 0 {
		t.Error("no group ever came back")
	}
}
