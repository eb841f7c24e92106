package join_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// BenchmarkInterval joins two streams of 100,000 rows a second each, over a million keys
// and a range of ten seconds: about two million rows are kept, a row has about one match.
func BenchmarkInterval(b *testing.B) {
	const rows, keys, span, cut = 100_000, 1_000_000, 10, 16_384
	schema := vector.NewSchema(vector.Field{Name: "k", Type: vector.Long}, vector.Field{Name: "ts", Type: vector.Timestamp}, vector.Field{Name: "v", Type: vector.Long})
	cfg := config(join.Inner, span, 0)
	for i := range cfg.Sides {
		cfg.Sides[i].Schema = schema
	}
	for i := range cfg.Schema.Fields {
		cfg.Schema.Fields[i].Type = schema.Fields[i%3].Type
	}
	op, err := join.New(cfg)
	must(err)
	j := op.(exec.Stateful)
	rng := rand.New(rand.NewPCG(1, 2))
	batches := func(second int64) (out []*vector.Batch) {
		for lo := 0; lo < rows; lo += cut {
			n := min(cut, rows-lo)
			k, ts, v := make([]int64, n), make([]int64, n), make([]int64, n)
			for i := range n {
				k[i] = int64(rng.Uint64N(keys) * 0x9E3779B97F4A7C15)
				ts[i] = second*1e6 + int64(lo+i)*10
			}
			out = append(out, vector.NewBatch(schema, []arrow.Array{vector.NewFixed(vector.Long, k, nil), vector.NewFixed(vector.Timestamp, ts, nil), vector.NewFixed(vector.Long, v, nil)}, n))
		}
		return out
	}
	second, out := int64(0), int64(0)
	run := func(in [2][]*vector.Batch) {
		m := &exec.Metrics{}
		must(j.Open(&exec.Task{Ctx: context.Background(), Kernel: &kernels.Ctx{}, Metrics: m, Watermark: watermark.Pair{Evict: second * 1000, Set: true}}))
		emit := func(b *vector.Batch) error { out += int64(b.Len()); return nil }
		for port, bs := range in {
			for _, x := range bs {
				must(j.Process(port, x, emit))
			}
		}
		must(j.EndBatch(emit))
		must(j.Commit(func(string, *statestore.Changes) error { return nil }))
		second++
	}
	for range 30 {
		run([2][]*vector.Batch{batches(second), batches(second)})
	}
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		in := [2][]*vector.Batch{batches(second), batches(second)}
		out = 0
		b.StartTimer()
		run(in)
	}
	b.ReportMetric(float64(2*rows*b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(out), "matches/batch")
}
