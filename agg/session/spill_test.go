package session_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/watermark"
)

// TestSpillOrder: sessions of the tier come out among the others, in the same order as without a tier, in append
// mode and in complete mode; memory is bounded by what may be kept, of which the state is ten times as much in the end.
func TestSpillOrder(t *testing.T) {
	for _, mode := range []string{"append", "complete"} {
		batches := int64(30)
		if mode == "complete" {
			batches = 12
		}
		run := func(keep int64) (outs [][]string, most int64) {
			e := newEngine(t, mode, mode == "append", keep)
			rng := rand.New(rand.NewPCG(1, 2))
			w := watermark.Pair{Set: mode == "append", Late: -1, Evict: -1}
			for batch := range batches {
				var events []event
				for i := range 300 {
					// Few distinct times, so that many sessions begin and end together.
					key := fmt.Sprint("key ", rng.IntN(6000))
					events = append(events, event{key: &key, time: batch*100 + 10*rng.Int64N(10), gap: 10 + 10*rng.Int64N(3), v: int64(i), s: fmt.Sprint(i)})
				}
				_, c := e.run([][]event{events}, w)
				outs, most = append(outs, e.out), max(most, c.MemoryBytes)
				if w.Late = w.Evict; batch%20 == 18 {
					w.Evict = batch*100 - 405
				}
			}
			return outs, most
		}
		want, all := run(noTier)
		keep := all / 10
		got, most := run(keep)
		for batch := range want {
			if d := gocmp.Diff(want[batch], got[batch]); d != "" {
				t.Fatalf("%s, batch %d (-without +with a tier):\n%.2000s", mode, batch, d)
			}
		}
		if mode == "append" && most > 3*keep {
			t.Errorf("%s: %d bytes in memory, of which %d may be kept", mode, most, keep)
		}
	}
}

// TestSpillManyAtOnce: more sessions than are emitted at a time leave the tier together, many with the same end.
func TestSpillManyAtOnce(t *testing.T) {
	var outs [][]string
	for _, keep := range []int64{noTier, 100_000} {
		e := newEngine(t, "append", true, keep)
		for batch := range 4 {
			var events []event
			for i := range 5000 {
				key := fmt.Sprint("key ", batch, i)
				events = append(events, event{key: &key, time: int64(i*7919%5) * 10, gap: 10 + 10*int64(i%3), v: int64(i)})
			}
			e.run([][]event{events}, watermark.Pair{Set: true, Late: -1, Evict: -1})
		}
		_, c := e.run(nil, watermark.Pair{Set: true, Late: -1, Evict: 1000})
		if c.NumRowsRemoved != 20_000 || c.NumRowsTotal != 0 {
			t.Errorf("%d sessions left, %d stayed", c.NumRowsRemoved, c.NumRowsTotal)
		}
		outs = append(outs, e.out)
	}
	if d := gocmp.Diff(outs[0], outs[1]); d != "" {
		t.Errorf("(-without +with a tier):\n%.2000s", d)
	}
}
