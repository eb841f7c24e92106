package join_test

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/storetest"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

var rowSchema = vector.NewSchema(
	vector.Field{Name: "k", Type: vector.String, Nullable: true},
	vector.Field{Name: "ts", Type: vector.Timestamp, Nullable: true},
	vector.Field{Name: "v", Type: vector.Long, Nullable: true},
)

// inRange is right.ts BETWEEN left.ts AND left.ts + span over the columns (left.ts, right.ts).
type inRange struct{ micros int64 }

func (e inRange) Type() *vector.Type { return vector.Bool }

func (e inRange) Eval(_ *kernels.Ctx, b *vector.Batch) (vector.Vec, error) {
	l, r := b.Col(0), b.Col(1)
	lt, rt, valid := vector.Values[int64](l), vector.Values[int64](r), vector.And(vector.Validity(l), vector.Validity(r), b.Len())
	bits := vector.NewBitmap(b.Len())
	for i := range lt {
		if rt[i] >= lt[i] && rt[i] <= lt[i]+e.micros {
			bits.Set(i)
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, b.Len(), valid)}, nil
}

// atLeast is v >= min; a null v does not occur.
type atLeast struct{ min int64 }

func (e atLeast) Type() *vector.Type { return vector.Bool }

func (e atLeast) Eval(_ *kernels.Ctx, b *vector.Batch) (vector.Vec, error) {
	bits := vector.NewBitmap(b.Len())
	for i, v := range vector.Values[int64](b.Col(2)) {
		if v >= e.min {
			bits.Set(i)
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, b.Len(), nil)}, nil
}

// config is the join of two sides of rowSchema by k and a range of span seconds.
func config(kind join.Kind, span, minV int64) join.Config {
	side := join.Side{Schema: rowSchema, Keys: []int{0}, Late: 1, Time: 1}
	l, r := side, side
	l.Bound = func(w int64) int64 { return w - span*1000 - 1 }
	r.Bound = func(w int64) int64 { return w - 1 }
	if minV > 0 {
		l.Pre = func() (kernels.Expr, error) { return atLeast{minV}, nil }
	}
	c := join.Config{
		Kind: kind, Sides: [2]join.Side{l, r},
		Residual: func() (kernels.Expr, error) { return inRange{span * 1e6}, nil },
		Reads:    []join.Column{{Side: join.Left, Index: 1}, {Side: join.Right, Index: 1}},
		ReadSchema: vector.NewSchema(vector.Field{Name: "lt", Type: vector.Timestamp, Nullable: true},
			vector.Field{Name: "rt", Type: vector.Timestamp, Nullable: true}),
		Schema: &vector.Schema{},
	}
	sides := 2
	if kind == join.LeftSemi {
		sides = 1
	}
	for s := range sides {
		for i, f := range rowSchema.Fields {
			c.Output = append(c.Output, join.Column{Side: s, Index: i})
			c.Schema.Fields = append(c.Schema.Fields, vector.Field{Name: fmt.Sprint(f.Name, s), Type: f.Type, Nullable: true})
		}
	}
	return c
}

func toBatch(rows []row) *vector.Batch {
	n := len(rows)
	off, data := []int32{0}, []byte(nil)
	times, vs := make([]int64, n), make([]int64, n)
	kv, tv := vector.NewBitmap(n), vector.NewBitmap(n)
	for i, r := range rows {
		if r.k != nil {
			data = append(data, *r.k...)
			kv.Set(i)
		}
		off = append(off, int32(len(data)))
		if r.time != nil {
			times[i] = *r.time * 1e6
			tv.Set(i)
		}
		vs[i] = r.v
	}
	return vector.NewBatch(rowSchema, []arrow.Array{
		vector.NewString(vector.String, off, data, kv), vector.NewFixed(vector.Timestamp, times, tv), vector.NewFixed(vector.Long, vs, nil),
	}, n)
}

// harness runs an operator and keeps what it commits.
type harness struct {
	cfg     join.Config
	op      exec.Stateful
	log     map[string][]*statestore.Changes
	metrics exec.Metrics
	largest int
	// keep is the memory beyond which rows go to a tier; noTier: there is none.
	keep int64
	// out is what the last micro-batch emitted, in order.
	out []string
}

const noTier = -1

func newHarness(cfg join.Config) *harness { return newSpillingHarness(cfg, noTier) }

func newSpillingHarness(cfg join.Config, keep int64) *harness {
	h := &harness{cfg: cfg, log: map[string][]*statestore.Changes{}, keep: keep}
	h.restart()
	return h
}

// restart makes a new operator from what was committed.
func (h *harness) restart() {
	op, err := join.New(h.cfg)
	if err != nil {
		panic(err)
	}
	h.op = op.(exec.Stateful)
	if h.keep != noTier {
		must(op.(exec.Spiller).Spill(&storetest.NaiveTier{Keep: h.keep}))
	}
	names := make([]string, 0, len(h.log))
	for n := range h.log {
		names = append(names, n)
	}
	sort.Strings(names) // matches before rows
	for _, n := range names {
		for _, c := range h.log[n] {
			if err := h.op.Load(n, c); err != nil {
				panic(err)
			}
		}
	}
}

// batch runs a micro-batch whose input comes in pieces of at most cut rows.
func (h *harness) batch(in [2][]row, late, evict int64, cut int) []string {
	h.metrics = exec.Metrics{}
	task := &exec.Task{Ctx: context.Background(), Kernel: &kernels.Ctx{ANSI: true}, Metrics: &h.metrics, Watermark: watermark.Pair{Late: late, Evict: evict, Set: true}}
	var out []string
	emit := func(b *vector.Batch) error {
		h.largest = max(h.largest, b.Len())
		out = append(out, texts(b)...)
		return nil
	}
	must(h.op.Open(task))
	for port := range in {
		rows := in[port^h.cfg.Kind.FirstSide()]
		for lo := 0; lo < len(rows); lo += cut {
			must(h.op.Process(port, toBatch(rows[lo:min(lo+cut, len(rows))]), emit))
		}
	}
	must(h.op.EndBatch(emit))
	must(h.op.Commit(func(store string, c *statestore.Changes) error {
		h.log[store] = append(h.log[store], clone(c))
		return nil
	}))
	h.out = slices.Clone(out)
	sort.Strings(out)
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// clone copies changes, whose memory belongs to the operator.
func clone(c *statestore.Changes) *statestore.Changes {
	out := *c
	out.Puts, out.Deletes = cloneBlocks(c.Puts), cloneBlocks(c.Deletes)
	return &out
}

func cloneBlocks(blocks []statestore.Block) (out []statestore.Block) {
	for _, b := range blocks {
		n := statestore.Block{Rows: b.Rows}
		for _, col := range b.Cols {
			n.Cols = append(n.Cols, statestore.ColumnData{Data: slices.Clone(col.Data), Off: slices.Clone(col.Off), Valid: slices.Clone(col.Valid)})
		}
		out = append(out, n)
	}
	return out
}

// texts are the rows of a result as the model shows them.
func texts(b *vector.Batch) []string {
	var out []string
	for i := range b.Len() {
		sides := [2]*row{}
		for s := range b.NumCols() / 3 {
			if b.Col(3*s + 2).IsNull(i) {
				continue
			}
			r := &row{v: vector.Values[int64](b.Col(3*s + 2))[i]}
			if k := b.Col(3 * s); k.IsValid(i) {
				off, data := vector.Strings(k)
				v := string(data[off[i]:off[i+1]])
				r.k = &v
			}
			if t := b.Col(3*s + 1); t.IsValid(i) {
				v := vector.Values[int64](t)[i] / 1e6
				r.time = &v
			}
			sides[s] = r
		}
		out = append(out, show(sides[0])+"|"+show(sides[1]))
	}
	return out
}

// TestAgainstModel joins random streams, with disorder, nulls, late rows, cuts and
// restarts, and compares rows and counts with the model.
func TestAgainstModel(t *testing.T) { testAgainstModel(t, false) }

// TestSpillAgainstModel gives rows to a tier all the time: all of them, or down to some memory.
func TestSpillAgainstModel(t *testing.T) { testAgainstModel(t, true) }

func testAgainstModel(t *testing.T, spills bool) {
	kinds := []join.Kind{join.Inner, join.LeftOuter, join.RightOuter, join.FullOuter, join.LeftSemi}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		span := rapid.Int64Range(0, 5).Draw(t, "span")
		minV := rapid.Int64Range(0, 2).Draw(t, "minV")
		m := &model{kind: kind, span: span, minV: minV}
		keep := int64(noTier)
		if spills {
			keep = rapid.Int64Range(0, 8000).Draw(t, "keep")
		}
		h := newSpillingHarness(config(kind, span, minV), keep)
		late, evict, now := int64(0), int64(0), int64(10)
		v := int64(0)
		for b := range rapid.IntRange(1, 8).Draw(t, "batches") {
			var in [2][]row
			for side := range in {
				for range rapid.IntRange(0, 12).Draw(t, "rows") {
					r := row{v: v % 7}
					v++
					if rapid.IntRange(0, 9).Draw(t, "null key") > 0 {
						k := string(rune('a' + rapid.IntRange(0, 3).Draw(t, "key")))
						r.k = &k
					}
					if rapid.IntRange(0, 9).Draw(t, "null time") > 0 {
						at := now + rapid.Int64Range(-12, 3).Draw(t, "time")
						r.time = &at
					}
					in[side] = append(in[side], r)
				}
			}
			before := *m
			want := m.batch(in, late, evict)
			got := h.batch(in, late, evict, rapid.IntRange(1, 12).Draw(t, "cut"))
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("batch %d: %s", b, d)
			}
			counts := []int64{int64(len(m.kept[0]) + len(m.kept[1])), m.updated - before.updated, m.removed - before.removed, m.dropped - before.dropped}
			have := []int64{h.metrics.NumRowsTotal, h.metrics.NumRowsUpdated, h.metrics.NumRowsRemoved, h.metrics.NumRowsDroppedByWatermark}
			if d := cmp.Diff(counts, have); d != "" {
				t.Fatalf("batch %d, total, updated, removed, dropped: %s", b, d)
			}
			now += rapid.Int64Range(0, 6).Draw(t, "step")
			late = evict
			evict = max(evict, (now-4)*1000)
			if rapid.IntRange(0, 3).Draw(t, "restart") == 0 {
				h.restart()
			}
		}
	})
}

// TestManyMatches: one row with very many matches comes out in bounded batches.
func TestManyMatches(t *testing.T) {
	h := newHarness(config(join.Inner, 10, 0))
	k, at := "k", int64(1)
	many := make([]row, 100_000)
	for i := range many {
		many[i] = row{&k, &at, int64(i)}
	}
	h.batch([2][]row{many, nil}, 0, 0, 8192)
	if n := len(h.batch([2][]row{nil, {{&k, &at, 0}}}, 0, 0, 1)); n != len(many) {
		t.Errorf("%d rows", n)
	}
	if h.largest > 8192 {
		t.Errorf("a batch of %d rows", h.largest)
	}
}

// TestCompaction: state that comes and goes does not grow, and what stays is found.
func TestCompaction(t *testing.T) {
	h := newHarness(config(join.LeftOuter, 1, 0))
	forever := "forever"
	h.batch([2][]row{{{&forever, nil, 1}}, nil}, 0, 0, 1)
	var memory int64
	for b := int64(1); b <= 60; b++ {
		var in [2][]row
		for i := range int64(2000) {
			k, at := fmt.Sprint(b, "-", i), 10*b
			in[0] = append(in[0], row{&k, &at, i})
			if i%2 == 0 {
				in[1] = append(in[1], row{&k, &at, -i})
			}
		}
		out := h.batch(in, 0, (10*b-5)*1000, 4096)
		want := 1000 + 1000 // matches, and rows of the batch before without one
		if b == 1 {
			want = 1000
		}
		if len(out) != want || h.metrics.NumRowsTotal != 3001 {
			t.Fatalf("batch %d: %d rows out, %d kept", b, len(out), h.metrics.NumRowsTotal)
		}
		if b == 20 {
			memory = h.metrics.MemoryBytes
		}
	}
	if h.metrics.MemoryBytes > 2*memory {
		t.Errorf("memory grew from %d to %d bytes", memory, h.metrics.MemoryBytes)
	}
	h.restart()
	h.batch([2][]row{}, 0, 605_000, 1)
	if h.metrics.NumRowsTotal != 1 {
		t.Errorf("%d rows after a restart", h.metrics.NumRowsTotal)
	}
}

// FuzzLoad: damaged blocks are errors.
func FuzzLoad(f *testing.F) {
	h := newHarness(config(join.Inner, 1, 0))
	k, at := "key", int64(5)
	h.batch([2][]row{{{&k, &at, 1}, {nil, nil, 2}}, nil}, 0, 0, 2)
	f.Add(uint8(0), uint8(3), []byte{1, 2, 3})
	f.Add(uint8(2), uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, col, cut uint8, data []byte) {
		c := clone(h.log["left-rows"][0])
		b := c.Puts[0]
		x := &b.Cols[int(col)%len(b.Cols)]
		switch cut % 4 {
		case 0:
			x.Data = data
		case 1:
			x.Valid = data
		case 2:
			x.Off = x.Off[:min(len(x.Off), int(cut)/4)]
		default:
			for i := range x.Off {
				x.Off[i] += uint32(cut)
			}
		}
		op, err := join.New(h.cfg)
		must(err)
		s := op.(exec.Stateful)
		if s.Load("left-rows", c) == nil {
			must(s.Open(&exec.Task{Kernel: &kernels.Ctx{}, Metrics: &exec.Metrics{}}))
		}
	})
}
