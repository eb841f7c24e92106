package join_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/join"
)

// TestSpillManyMatches: a key with more rows than are read at a time comes out in bounded batches, the newest first.
func TestSpillManyMatches(t *testing.T) {
	k, at := "k", int64(1)
	many := make([]row, 20_000)
	for i := range many {
		many[i] = row{&k, &at, int64(i)}
	}
	var outs [][]string
	for _, keep := range []int64{noTier, 0} {
		h := newSpillingHarness(config(join.Inner, 10, 0), keep)
		h.batch([2][]row{many, nil}, 0, 0, 8192)
		h.batch([2][]row{nil, {{&k, &at, 0}}}, 0, 0, 1)
		if h.largest > 8192 {
			t.Errorf("a batch of %d rows", h.largest)
		}
		outs = append(outs, h.out)
	}
	if d := cmp.Diff(outs[0], outs[1]); d != "" || len(outs[0]) != len(many) {
		t.Errorf("%d rows, want %d; with a tier (-without +with):\n%.1000s", len(outs[0]), len(many), d)
	}
}

// TestSpillOrder: rows without a match come out in the order in which they came, also when
// they are too many to be sorted in memory.
func TestSpillOrder(t *testing.T) {
	for _, bytes := range []int{16 << 20, 32 << 10} {
		defer join.SortInTier(bytes)()
		rng := rand.New(rand.NewPCG(1, 2))
		in := make([]row, 4000)
		for i := range in {
			k, at := fmt.Sprint("key ", rng.IntN(2000)), rng.Int64N(100)
			in[i] = row{&k, &at, int64(i)}
		}
		var outs [2][]string
		for i, keep := range []int64{noTier, 100_000} {
			h := newSpillingHarness(config(join.LeftOuter, 1, 0), keep)
			h.batch([2][]row{in[:3000], nil}, -1, -1, 2000)
			h.batch([2][]row{in[3000:], in[:1000]}, -1, -1, 2000)
			for _, evict := range []int64{30_000, 200_000} {
				h.batch([2][]row{}, -1, evict, 1)
				outs[i] = append(outs[i], h.out...)
			}
			if h.metrics.NumRowsTotal != 0 {
				t.Errorf("%d rows are left", h.metrics.NumRowsTotal)
			}
		}
		if d := cmp.Diff(outs[0], outs[1]); d != "" {
			t.Errorf("with a tier (-without +with):\n%.1000s", d)
		}
	}
}

// TestSpillWithinBatch: memory is looked at within a long micro-batch, when rows have had their first match in it; they are
// known to have one after a restart, and those of a semi join to have left.
func TestSpillWithinBatch(t *testing.T) {
	for _, kind := range []join.Kind{join.LeftOuter, join.LeftSemi} {
		h := newSpillingHarness(config(kind, 10, 0), 100_000)
		at := int64(1)
		left, right := make([]row, 2000), make([]row, 66_000)
		for i := range left {
			k := fmt.Sprint(i)
			left[i] = row{&k, &at, int64(i)}
		}
		for i := range right {
			right[i] = row{nil, &at, 0}
			if i%100 == 0 {
				right[i].k = left[i/100].k
			}
		}
		h.batch([2][]row{left, nil}, 0, 0, 500)
		if n := len(h.batch([2][]row{nil, right}, 0, 0, 20_000)); n != 660 {
			t.Errorf("%d matches, want 660", n)
		}
		h.restart()
		want := 1340
		if kind == join.LeftSemi {
			want = 0
		}
		if n := len(h.batch([2][]row{}, 0, 100_000, 1)); n != want || h.metrics.NumRowsTotal != 0 {
			t.Errorf("%d rows without a match, want %d; %d are left", n, want, h.metrics.NumRowsTotal)
		}
		if want := int64(len(left) + len(right)); kind == join.LeftSemi {
			if want -= 660; h.metrics.NumRowsRemoved != want {
				t.Errorf("%d rows left, want %d", h.metrics.NumRowsRemoved, want)
			}
		}
	}
}

// TestMemoryIsBounded: state of ten times the memory that it may take goes to the tier, without a difference in
// what comes out.
func TestMemoryIsBounded(t *testing.T) {
	run := func(keep int64) (outs [][]string, most int64) {
		h := newSpillingHarness(config(join.FullOuter, 1000, 0), keep)
		rng := rand.New(rand.NewPCG(1, 2))
		for b := range int64(40) {
			var in [2][]row
			for side := range in {
				for i := range int64(300) {
					k, at := fmt.Sprint("key ", rng.IntN(5000)), 10*b+rng.Int64N(10)
					in[side] = append(in[side], row{&k, &at, i})
				}
			}
			outs = append(outs, h.batch(in, -1, 1000*(10*b-300), 100))
			most = max(most, h.metrics.MemoryBytes)
		}
		return outs, most
	}
	want, all := run(noTier)
	keep := all / 10
	got, most := run(keep)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows differ (-want +got):\n%.2000s", d)
	}
	if most > 2*keep {
		t.Errorf("%d bytes in memory, of which %d may be kept", most, keep)
	}
}
