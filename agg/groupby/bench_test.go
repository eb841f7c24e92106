package groupby_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/agg/groupby"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// benchRows is the number of rows of a batch.
const benchRows = 16384

// benchBatches are batches of keys and a bigint argument, uniform over n keys.
func benchBatches(kind string, n, batches int) ([]*vector.Type, []*vector.Batch) {
	r := rand.New(rand.NewPCG(1, 2))
	var out []*vector.Batch
	var types []*vector.Type
	for range batches {
		ids, v := make([]int64, benchRows), make([]int64, benchRows)
		off, data := make([]int32, benchRows+1), []byte(nil)
		for i := range ids {
			ids[i] = int64(r.IntN(n))
			v[i] = int64(r.IntN(1000))
			data = strconv.AppendInt(append(data, "user-000000-"...), ids[i], 10)
			off[i+1] = int32(len(data))
		}
		var keys []arrow.Array
		switch kind {
		case "int":
			types, keys = []*vector.Type{vector.Long}, []arrow.Array{vector.NewFixed(vector.Long, ids, nil)}
		case "pair":
			types, keys = []*vector.Type{vector.Long, vector.Timestamp}, []arrow.Array{vector.NewFixed(vector.Long, ids, nil), vector.NewFixed(vector.Timestamp, ids, nil)}
		case "string":
			types, keys = []*vector.Type{vector.String}, []arrow.Array{vector.NewString(vector.String, off, data, nil)}
		}
		fs := make([]vector.Field, 0, 3)
		for _, t := range append(types[:len(types):len(types)], vector.Long) {
			fs = append(fs, vector.Field{Name: "c", Type: t})
		}
		out = append(out, vector.NewBatch(vector.NewSchema(fs...), append(keys, vector.NewFixed(vector.Long, v, nil)), benchRows))
	}
	return types, out
}

func benchAggs(b *testing.B, arg int) []groupby.Agg {
	return []groupby.Agg{
		{Impl: bind(b, "count"), Filter: -1},
		{Impl: bind(b, "sum", vector.Long), Args: []int{arg}, Filter: -1},
		{Impl: bind(b, "max", vector.Long), Args: []int{arg}, Filter: -1},
	}
}

// BenchmarkStates is the table and the states alone: find the groups of a batch
// and fold count, sum and max in.
func BenchmarkStates(b *testing.B) {
	for _, kind := range []string{"int", "pair", "string"} {
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				types, batches := benchBatches(kind, n, 128)
				table := vector.NewGroupTable(types)
				var impls []*agg.Impl
				for _, a := range benchAggs(b, len(types)) {
					impls = append(impls, a.Impl)
				}
				states := agg.NewStates(impls)
				gid := make([]uint32, benchRows)
				var dirty []uint32
				fold := func(in *vector.Batch, epoch uint32) {
					for lo := 0; lo < benchRows; lo += 4096 {
						part := in.Slice(lo, lo+4096)
						cols := part.Columns()
						g := gid[:4096]
						table.Find(cols[:len(types)], g)
						states.Grow(table.Len())
						dirty = states.Touch(g, epoch, dirty[:0])
						for i := range impls {
							if err := states.Update(i, g, cols[len(types):][:min(i, 1)]); err != nil {
								b.Fatal(err)
							}
						}
					}
				}
				for _, in := range batches {
					fold(in, 1)
				}
				b.ResetTimer()
				for i := range b.N {
					fold(batches[i%len(batches)], uint32(2+i/8))
				}
				b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}

// BenchmarkOperators is Partial and Final in update mode, eight batches to a micro-batch.
func BenchmarkOperators(b *testing.B) {
	for _, kind := range []string{"int", "pair", "string"} {
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				types, batches := benchBatches(kind, n, 128)
				cfg := groupby.Config{Keys: types, Mode: "append", EventTime: -1, Aggs: benchAggs(b, len(types))}
				p, err := groupby.NewPartial(cfg)
				if err != nil {
					b.Fatal(err)
				}
				f, err := groupby.NewFinal(cfg)
				if err != nil {
					b.Fatal(err)
				}
				task := &exec.Task{Metrics: &exec.Metrics{}, Watermark: watermark.Pair{}}
				toFinal := func(x *vector.Batch) error { return f.Process(0, x, nil) }
				none := func(*vector.Batch) error { return nil }
				check := func(err error) {
					if err != nil {
						b.Fatal(err)
					}
				}
				run := func(i int) {
					if i%8 == 0 {
						check(p.Open(task))
						check(f.Open(task))
					}
					check(p.Process(0, batches[i%len(batches)], toFinal))
					if i%8 == 7 {
						check(p.EndBatch(toFinal))
						check(f.EndBatch(none))
					}
				}
				for i := range batches {
					run(i)
				}
				b.ResetTimer()
				for i := range b.N {
					run(i)
				}
				b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}
