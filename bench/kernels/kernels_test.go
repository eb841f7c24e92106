package main

import "testing"

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
