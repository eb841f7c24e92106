package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/vector"
)

func writeFile(t *testing.T, path string, values ...int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})
	w, err := parquet.NewWriter(f, s, parquet.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(vector.NewBatch(s, []arrow.Array{vector.NewFixed(vector.Long, values, nil)}, len(values))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestResultIgnoresOrderAndInvisibleFiles(t *testing.T) {
	ctx := context.Background()
	results := make([]result, 3)
	for i, files := range [][][]int64{{{1, 2}, {3}}, {{3, 2, 1}}, {{1, 2}, {4}}} {
		dir := t.TempDir()
		for n, values := range files {
			writeFile(t, filepath.Join(dir, string(rune('a'+n))+".parquet"), values...)
		}
		var err error
		if results[i], err = resultOf(ctx, dir); err != nil {
			t.Fatal(err)
		}
	}
	if results[0] != results[1] || results[0] == results[2] || results[0].rows != 3 {
		t.Errorf("%v", results)
	}

	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "seen.parquet"), 1)
	writeFile(t, filepath.Join(dir, "unseen.parquet"), 2)
	s, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := manifest.OpenLog(ctx, s, manifest.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(ctx, 0, []manifest.File{{Path: manifest.URI(s, "seen.parquet"), Action: "add"}}); err != nil {
		t.Fatal(err)
	}
	if r, err := resultOf(ctx, dir); err != nil || r.rows != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if n, err := rowsIn(dir); err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestRender(t *testing.T) {
	one, two := result{1, 10}, result{1, 20}
	s := settings{events: 100, cores: 2, reps: 3}
	text, agree := render(s, []row{
		{"q2", "spark", sample{2, 3, 400}, one},
		{"q2", "vstream", sample{1, 1.5, 40}, one},
	})
	if !agree || !strings.Contains(text, "| q2 | spark | 50 | 2.00 | 3.00 | 400 | 0.50 | 1 rows, same |") {
		t.Errorf("%v\n%s", agree, text)
	}
	if _, agree := render(s, []row{{"q2", "vstream", sample{1, 1, 1}, one}, {"q2", "spark", sample{1, 1, 1}, two}}); agree {
		t.Error("different results agree")
	}
}
