package dedup_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/dedup"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/storetest"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// row is a row of the tests' input; nil is null. Times are in milliseconds.
type row struct {
	key  *string
	x    float64
	time *int64
	id   int64 // distinct; tells which row came out
}

// String is the row's id.
func (r row) String() string { return fmt.Sprint(r.id) }

// input is the operator's schema: key, x, time, id, and the time once more as a column
// that is not emitted.
var input = vector.NewSchema(
	vector.Field{Name: "key", Type: vector.String, Nullable: true},
	vector.Field{Name: "x", Type: vector.Double},
	vector.Field{Name: "time", Type: vector.Timestamp, Nullable: true},
	vector.Field{Name: "id", Type: vector.Long},
	vector.Field{Name: "hidden", Type: vector.Timestamp, Nullable: true},
)

func batchOf(rows []row) *vector.Batch {
	n := len(rows)
	off, data, keyValid := make([]int32, n+1), []byte(nil), vector.NewValid(n)
	x, ts, id, tsValid := make([]float64, n), make([]int64, n), make([]int64, n), vector.NewValid(n)
	for i, r := range rows {
		if r.key == nil {
			keyValid.Clear(i)
		} else {
			data = append(data, *r.key...)
		}
		off[i+1] = int32(len(data))
		x[i], id[i] = r.x, r.id
		if r.time == nil {
			tsValid.Clear(i)
		} else {
			ts[i] = *r.time * 1000
		}
	}
	times := vector.NewFixed(vector.Timestamp, ts, tsValid)
	return vector.NewBatch(input, []arrow.Array{
		vector.NewString(vector.String, off, data, keyValid), vector.NewFixed(vector.Double, x, nil), times,
		vector.NewFixed(vector.Long, id, nil), times,
	}, n)
}

// kind is one way to deduplicate; delay in milliseconds.
type kind struct {
	name            string
	late, time, own bool // rows can be late; the time is a key; keys expire
	delay           int64
}

var kinds = []kind{
	{name: "without watermark"},
	{name: "late rows", late: true},
	{name: "time among keys", late: true, time: true},
	{name: "within watermark", late: true, own: true, delay: 12},
}

func (k kind) config() dedup.Config {
	c := dedup.Config{
		Output: input.Project([]int{0, 1, 2, 3}), EventTime: -1, KeyTime: -1, Within: k.own, Delay: k.delay * 1000,
		Keys: []dedup.Key{{Column: 0, Name: "key", Type: vector.String}, {Column: 1, Name: "x", Type: vector.Double}},
	}
	if k.late {
		c.EventTime = 4
	}
	if k.time {
		c.Keys = append(c.Keys, dedup.Key{Column: 4, Name: "time", Type: vector.Timestamp})
		c.KeyTime = 2
	}
	return c
}

// model is deduplication, a row at a time.
type model struct {
	kind
	until map[string]int64 // when a key leaves, in milliseconds
}

func (m *model) run(rows []row, w watermark.Pair) (out []string, c exec.Metrics) {
	for _, r := range rows {
		if m.late && w.Set && r.time != nil && *r.time <= w.Late {
			c.NumRowsDroppedByWatermark++
			c.LateRows++
			continue
		}
		key, until := "null", int64(math.MaxInt64)
		if r.key != nil {
			key = "=" + *r.key
		}
		if r.x == 0 {
			key += " 0"
		} else {
			key += fmt.Sprint(" ", r.x)
		}
		if m.time {
			key += " null"
			if r.time != nil {
				key, until = fmt.Sprint(key, *r.time), *r.time
			}
		}
		if m.own {
			until = m.delay
			if r.time != nil {
				until = *r.time + m.delay
			}
		}
		if _, ok := m.until[key]; ok {
			c.DuplicateRows++
			continue
		}
		m.until[key] = until
		c.NumRowsUpdated++
		out = append(out, r.String())
	}
	for key, until := range m.until {
		if w.Set && (m.time || m.own) && until <= w.Evict {
			delete(m.until, key)
			c.NumRowsRemoved++
		}
	}
	c.NumRowsTotal = int64(len(m.until))
	return out, c
}

// engine is the operator with its state's log.
type engine struct {
	t   testing.TB
	cfg dedup.Config
	op  exec.Stateful
	log []*statestore.Changes
	// keep is the memory beyond which keys go to a tier; -1: there is none.
	keep int64
}

func (e *engine) open() {
	op, err := dedup.New(e.cfg)
	if err != nil {
		e.t.Fatal(err)
	}
	e.op = op.(exec.Stateful)
	if e.keep >= 0 {
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

func (e *engine) run(pieces [][]row, w watermark.Pair) (rows []string, c exec.Metrics) {
	check := func(err error) {
		if err != nil {
			e.t.Fatal(err)
		}
	}
	check(e.op.Open(&exec.Task{Metrics: &c, Watermark: w}))
	emit := func(b *vector.Batch) error {
		if !b.Schema.Equal(e.cfg.Output) {
			e.t.Fatalf("schema %s", b.Schema)
		}
		for _, id := range vector.Values[int64](b.Col(3)) {
			rows = append(rows, fmt.Sprint(id))
		}
		return nil
	}
	for _, p := range pieces {
		check(e.op.Process(0, batchOf(p), emit))
	}
	check(e.op.EndBatch(emit))
	check(e.op.Commit(func(store string, c *statestore.Changes) error {
		if store != "default" {
			e.t.Fatalf("store %q", store)
		}
		e.log = append(e.log, c)
		return nil
	}))
	return rows, c
}

func drawRow(t *rapid.T, base, id int64) row {
	r := row{id: id, x: rapid.SampledFrom([]float64{1, 0, math.Copysign(0, -1), math.NaN()}).Draw(t, "x")}
	if n := rapid.IntRange(-1, 3).Draw(t, "key"); n >= 0 {
		s := strings.Repeat("k", n)
		r.key = &s
	}
	if d := rapid.Int64Range(-1, 9).Draw(t, "time"); d >= 0 {
		// Few distinct times, so that many lie exactly on the watermark; some are seconds apart.
		ts := base + 5*(d-5) + 2000*rapid.Int64Range(0, 1).Draw(t, "seconds")
		r.time = &ts
	}
	return r
}

func cut[T any](t *rapid.T, all []T) (pieces [][]T) {
	for len(all) > 0 {
		n := rapid.IntRange(1, len(all)).Draw(t, "cut")
		pieces, all = append(pieces, all[:n]), all[n:]
	}
	return pieces
}

func TestAgainstModel(t *testing.T) { testAgainstModel(t, false) }

// TestSpillAgainstModel gives keys to a tier all the time: all of them, or down to some memory.
func TestSpillAgainstModel(t *testing.T) { testAgainstModel(t, true) }

func testAgainstModel(t *testing.T, spills bool) {
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(rt, "kind")
		e := &engine{t: t, cfg: k.config(), keep: -1}
		if spills {
			e.keep = rapid.Int64Range(0, 3000).Draw(rt, "keep")
		}
		e.open()
		m := &model{kind: k, until: map[string]int64{}}
		w := watermark.Pair{Set: k.late, Late: -20, Evict: -20}
		id := int64(0)
		for batch := range rapid.IntRange(1, 6).Draw(rt, "batches") {
			rows := make([]row, rapid.IntRange(0, 30).Draw(rt, "rows"))
			for i := range rows {
				id++
				rows[i] = drawRow(rt, int64(batch)*15, id)
			}
			wantRows, want := m.run(rows, w)
			got, counters := e.run(cut(rt, rows), w)
			if d := cmp.Diff(wantRows, got); d != "" {
				rt.Fatalf("%s, batch %d: rows differ (-want +got):\n%s", k.name, batch, d)
			}
			counters.MemoryBytes = 0
			if d := cmp.Diff(want, counters); d != "" {
				rt.Fatalf("%s, batch %d: counters differ (-want +got):\n%s", k.name, batch, d)
			}
			if rapid.Bool().Draw(rt, "restart") {
				e.open()
			}
			w.Late = w.Evict
			w.Evict += 5 * rapid.Int64Range(0, 6).Draw(rt, "advance")
			if rapid.IntRange(0, 9).Draw(rt, "far") == 0 {
				w.Evict += 2000
			}
		}
	})
}

// TestManyKeys goes through the reorganisations that need many keys: wider spans, and
// expired keys that are forgotten; with a tier too.
func TestManyKeys(t *testing.T) {
	for _, keep := range []int64{-1, 200_000} {
		testManyKeys(t, keep)
	}
}

func testManyKeys(t *testing.T, keep int64) {
	for _, k := range kinds[2:] {
		e := &engine{t: t, cfg: k.config(), keep: keep}
		e.open()
		m := &model{kind: k, until: map[string]int64{}}
		w := watermark.Pair{Set: true, Late: -1, Evict: -1}
		for batch := range int64(6) {
			var rows []row
			for i := range int64(6000) {
				ts, key := batch*6_000_000+i*1000, fmt.Sprint(i)
				rows = append(rows, row{key: &key, time: &ts, id: i})
			}
			wantRows, want := m.run(rows, w)
			got, counters := e.run([][]row{rows[:100], rows[100:]}, w)
			counters.MemoryBytes = 0
			if d := cmp.Diff(wantRows, got) + cmp.Diff(want, counters); d != "" {
				t.Fatalf("%s, batch %d (-want +got):\n%s", k.name, batch, d)
			}
			w.Late, w.Evict = w.Evict, batch*6_000_000-500_000
		}
	}
}

// TestMemoryIsBounded: state of ten times the memory that it may take goes to the tier, without a difference in
// what comes out.
func TestMemoryIsBounded(t *testing.T) {
	const batches, perBatch = 40, 300
	for _, k := range kinds {
		k.delay = 1 << 40
		run := func(keep int64) (rows [][]string, most int64) {
			e := &engine{t: t, cfg: k.config(), keep: keep}
			e.open()
			for batch := range int64(batches) {
				in := make([]row, 0, 2*perBatch)
				for i := range int64(perBatch) {
					for _, n := range []int64{batch*perBatch + i, i * (batch + 1) % (batch*perBatch + 1)} {
						key, ts := fmt.Sprint(n), n*70
						in = append(in, row{key: &key, time: &ts, id: int64(len(in))})
					}
				}
				out, c := e.run([][]row{in}, watermark.Pair{Set: k.late, Late: -1, Evict: -1})
				if c.NumRowsTotal != (batch+1)*perBatch {
					t.Fatalf("%s, batch %d: %d keys", k.name, batch, c.NumRowsTotal)
				}
				rows, most = append(rows, out), max(most, c.MemoryBytes)
			}
			return rows, most
		}
		want, all := run(-1)
		keep := all / 10
		got, most := run(keep)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: rows differ (-want +got):\n%s", k.name, d)
		}
		if most > 2*keep {
			t.Errorf("%s: %d bytes in memory, of which %d may be kept", k.name, most, keep)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []dedup.Config{
		{Output: input, EventTime: 4, KeyTime: 1},
		{Output: input, EventTime: -1, KeyTime: 0, Keys: []dedup.Key{{Type: vector.Timestamp}}},
		{Output: input, EventTime: 4, KeyTime: 0, Within: true, Keys: []dedup.Key{{Type: vector.Timestamp}}},
		{Output: input, EventTime: -1, KeyTime: -1, Within: true},
	} {
		if _, err := dedup.New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// TestLoadRefuses: a recovered block that does not fit the table is an error.
func TestLoadRefuses(t *testing.T) {
	op, err := dedup.New(kinds[0].config())
	if err != nil {
		t.Fatal(err)
	}
	s := op.(exec.Stateful)
	for _, c := range []*statestore.Changes{
		{Puts: []statestore.Block{{Rows: 1}}},
		{Puts: []statestore.Block{{Rows: 1, Cols: make([]statestore.ColumnData, 2)}}},
		{Deletes: []statestore.Block{{Rows: 1, Cols: make([]statestore.ColumnData, 2)}}},
	} {
		if err := s.Load("default", c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
