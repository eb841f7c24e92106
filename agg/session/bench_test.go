package session_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// BenchmarkSessions is the partial aggregate and the sessions with their commit: count,
// sum, max, first and last over keys that come back now and then, in micro-batches of 8.
func BenchmarkSessions(b *testing.B) {
	const rows, batches = 16384, 64
	for _, keys := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			in := make([]*vector.Batch, batches)
			for i := range in {
				events := make([]event, rows)
				for j := range events {
					key := "user-" + strconv.Itoa(r.IntN(keys))
					events[j] = event{key: &key, time: int64(i)*1000 + int64(r.IntN(1000)), gap: 800, v: int64(j), s: "abc"}
				}
				in[i] = batchOf(events)
			}
			check := func(err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			total := 0
			b.ResetTimer()
			for range b.N {
				e := newEngine(b, "append", true, noTier)
				toFinal := func(x *vector.Batch) error { return e.op.Process(0, x, nil) }
				for lo := 0; lo < batches; lo += 8 {
					wm := int64(lo)*1000 - 2000
					check(e.op.Open(&exec.Task{Metrics: &exec.Metrics{}, Watermark: watermark.Pair{Set: true, Late: wm - 8000, Evict: wm}}))
					check(e.partial.Open(&exec.Task{Metrics: &exec.Metrics{}}))
					for _, x := range in[lo : lo+8] {
						total += x.Len()
						check(e.partial.Process(0, x, toFinal))
					}
					check(e.partial.EndBatch(toFinal))
					check(e.op.EndBatch(func(*vector.Batch) error { return nil }))
					check(e.op.Commit(func(string, *statestore.Changes) error { return nil }))
				}
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
