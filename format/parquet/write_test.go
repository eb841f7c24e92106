package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/internal/vectest"
	"github.com/vstream/vstream/vector"
)

func writeFile(t testing.TB, o parquet.WriteOptions, s *vector.Schema, batches ...*vector.Batch) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := parquet.NewWriter(&buf, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func readFile(t testing.TB, data []byte, s *vector.Schema) *vector.Batch {
	t.Helper()
	f, err := parquet.Open(bytes.NewReader(data), "test.parquet")
	if err != nil {
		t.Fatal(err)
	}
	parts := make([][]arrow.Array, s.Len())
	rows := 0
	err = f.Read(context.Background(), bytes.NewReader(data), s, 0, f.RowGroups(), func(cols []arrow.Array, n int) error {
		for i, c := range cols {
			parts[i] = append(parts[i], c)
		}
		rows += n
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	cols := make([]arrow.Array, s.Len())
	for i, p := range parts {
		if len(p) == 0 {
			cols[i] = vector.NewNull(s.Fields[i].Type, 0)
		} else {
			cols[i] = vector.Concat(p)
		}
	}
	return vector.NewBatch(s, cols, rows)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := vectest.Schema(rt, 2)
		n := rapid.IntRange(0, 40).Draw(rt, "rows")
		b := vectest.Batch(rt, s, n)
		cut := rapid.IntRange(0, n).Draw(rt, "cut")
		codec := rapid.SampledFrom([]string{"", "none", "gzip", "zstd", "lz4_raw"}).Draw(rt, "codec")
		got := readFile(t, writeFile(t, parquet.WriteOptions{Compression: codec}, s, b.Slice(0, cut), b.Slice(cut, n)), s)
		if got.Len() != n {
			rt.Fatalf("%d rows instead of %d", got.Len(), n)
		}
		for i := range s.Fields {
			if !array.ApproxEqual(got.Col(i), b.Col(i), array.WithNaNsEqual(true)) {
				rt.Fatalf("%s:\n got %v\nwant %v", s.Fields[i].Type, got.Col(i), b.Col(i))
			}
		}
	})
}

func TestUnsupportedType(t *testing.T) {
	s := vector.NewSchema(vector.Field{Name: "i", Type: vector.StructOf(vector.Field{Name: "x", Type: vector.CalendarInterval})})
	_, err := parquet.NewWriter(&bytes.Buffer{}, s, parquet.WriteOptions{})
	if !errors.Is(err, condition.Name("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownCodec(t *testing.T) {
	_, err := parquet.WriteOptions{Compression: "zip"}.Extension()
	if !errors.Is(err, condition.Name("CODEC_NOT_AVAILABLE")) {
		t.Errorf("got %v", err)
	}
	if ext, err := (parquet.WriteOptions{Compression: "GZIP"}).Extension(); ext != ".gz.parquet" || err != nil {
		t.Errorf("got %q, %v", ext, err)
	}
}
