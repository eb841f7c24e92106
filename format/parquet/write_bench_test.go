package parquet_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

// BenchmarkWrite writes three BIGINTs, a timestamp and a unique string of 16 bytes per row.
func BenchmarkWrite(b *testing.B) {
	const n = 1 << 16
	s := vector.NewSchema()
	var cols []arrow.Array
	add := func(name string, t *vector.Type, a arrow.Array) {
		s.Fields = append(s.Fields, vector.Field{Name: name, Type: t, Nullable: true})
		cols = append(cols, a)
	}
	for i, typ := range []*vector.Type{vector.Long, vector.Long, vector.Long, vector.Timestamp} {
		v := make([]int64, n)
		for j := range v {
			v[j] = int64(j*(i+7)) * 0x9E3779B9 >> 11
		}
		add(fmt.Sprint("n", i), typ, vector.NewFixed(typ, v, nil))
	}
	off, data := make([]int32, n+1), []byte(nil)
	for i := range n {
		data = fmt.Appendf(data, "%016x", uint64(i)*0x9E3779B97F4A7C15)
		off[i+1] = int32(len(data))
	}
	add("s", vector.String, vector.NewString(vector.String, off, data, nil))
	batch := vector.NewBatch(s, cols, n)
	b.ResetTimer()
	for b.Loop() {
		w, err := parquet.NewWriter(io.Discard, s, parquet.WriteOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for range 8 {
			if err := w.Write(batch); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*8*n)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
