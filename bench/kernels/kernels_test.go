package main

import (
	"testing"
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// TestExpressions compiles and runs every expression on a few rows.
func TestExpressions(t *testing.T) {
	data := generate(200, 1)
	for _, c := range expressions {
		e, err := compile(c.spark, data.Schema)
		if err == nil {
			err = evaluate(e, batches(data, 64))
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := parquetFile(data); err != nil {
		t.Error(err)
	}
}

// TestTransient evaluates every expression on batches whose results share memory, which
// is overwritten in between, and on the whole: no result may depend on it.
func TestTransient(t *testing.T) {
	vector.PoisonBuffers = true
	defer func() { vector.PoisonBuffers = false }()
	const rows = 300
	data := generate(rows, 2)
	more := []expression{
		{name: "nested", spark: "CAST(CAST(l % 1000 AS INT) + i % 7 AS STRING)"},
		{name: "shared", spark: "CASE WHEN l % 100 > 50 THEN l % 100 + 1 ELSE abs(l % 100 - 100) END"},
		{name: "alias", spark: "coalesce(CAST(n AS BIGINT), l * 2) + 1"},
		{name: "hash of", spark: "hash(l % 10, d * 2, m + m)"},
		{name: "filter", spark: "year(date_add(dt, 3)) BETWEEN 2010 AND 2020 AND sqrt(abs(d - 1D)) > 20 OR m * 2BD > m / 2BD"},
	}
	for _, c := range append(more, expressions...) {
		e, err := compile(c.spark, data.Schema)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		ctx := &kernels.Ctx{Zone: time.UTC, ANSI: true}
		whole, err := e.Eval(ctx, data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		row := 0
		for _, b := range batches(data, 37) {
			v, err := kernels.Transient(ctx, e, b)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for i := range b.Len() {
				got, want := vector.SliceArray(v.Dense(b.Len()), i, i+1).String(), vector.SliceArray(whole.Dense(rows), row, row+1).String()
				if got != want {
					t.Fatalf("%s: row %d is %s, want %s", c.name, row, got, want)
				}
				row++
			}
		}
	}
}

// BenchmarkExpressions evaluates each expression over batches of 16 Ki rows.
func BenchmarkExpressions(b *testing.B) {
	const rows = 1 << 18
	data := generate(rows, 1)
	bs := batches(data, 1<<14)
	for _, c := range expressions {
		b.Run(c.name, func(b *testing.B) {
			e, err := compile(c.spark, data.Schema)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := evaluate(e, bs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
