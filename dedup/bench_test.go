package dedup_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/dedup"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// BenchmarkDedup is the operator with its commit on 10 million bigint keys, all new or
// half of them duplicates.
func BenchmarkDedup(b *testing.B) {
	const rows, batches = 16384, 610
	schema := vector.NewSchema(vector.Field{Name: "k", Type: vector.Long}, vector.Field{Name: "ts", Type: vector.Timestamp}, vector.Field{Name: "v", Type: vector.Long})
	for _, repeat := range []int{1, 2} {
		for _, kind := range []string{"plain", "timed", "within"} {
			b.Run(fmt.Sprintf("%s/%d", kind, repeat), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				in := make([]*vector.Batch, batches)
				for i := range in {
					k, ts := make([]int64, rows), make([]int64, rows)
					for j := range k {
						k[j] = int64(r.Uint64()) / int64(repeat)
						if repeat > 1 && j%2 == 1 {
							k[j] = k[j-1]
						}
						ts[j] = int64(i)*100_000 + int64(r.IntN(1_000_000))
						if repeat > 1 && j%2 == 1 {
							ts[j] = ts[j-1]
						}
					}
					in[i] = vector.NewBatch(schema, []arrow.Array{vector.NewFixed(vector.Long, k, nil), vector.NewFixed(vector.Timestamp, ts, nil), vector.NewFixed(vector.Long, k, nil)}, rows)
				}
				cfg := dedup.Config{Output: schema, EventTime: -1, KeyTime: -1, Keys: []dedup.Key{{Column: 0, Name: "k", Type: vector.Long}}}
				switch kind {
				case "timed":
					cfg.EventTime, cfg.KeyTime = 1, 1
					cfg.Keys = append(cfg.Keys, dedup.Key{Column: 1, Name: "ts", Type: vector.Timestamp})
				case "within":
					cfg.EventTime, cfg.Within, cfg.Delay = 1, true, 10_000_000
				}
				none := func(*vector.Batch) error { return nil }
				var total int
				b.ResetTimer()
				for range b.N {
					op, err := dedup.New(cfg)
					if err != nil {
						b.Fatal(err)
					}
					d := op.(exec.Stateful)
					for lo := 0; lo < len(in); lo += 8 {
						wm := int64(lo)*100 - 10_000
						task := &exec.Task{Metrics: &exec.Metrics{}, Watermark: watermark.Pair{Set: true, Late: wm - 800, Evict: wm}}
						if err := d.Open(task); err != nil {
							b.Fatal(err)
						}
						for _, x := range in[lo:min(lo+8, len(in))] {
							total += x.Len()
							if err := d.Process(0, x, none); err != nil {
								b.Fatal(err)
							}
						}
						if err := d.EndBatch(none); err != nil {
							b.Fatal(err)
						}
						if err := d.Commit(func(string, *statestore.Changes) error { return nil }); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}
