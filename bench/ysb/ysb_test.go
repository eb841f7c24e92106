package ysb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vstream/vstream/bench/dataset"
	"github.com/vstream/vstream/bench/ysb"
)

func TestModel(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		o := dataset.Options{Dir: dir, Events: 30_000, PerFile: 10_000, Seed: 42, Workers: i + 1}
		if ysb.Model.Exists(o) {
			t.Error("exists before it is generated")
		}
		if err := ysb.Model.Generate(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if !ysb.Model.Exists(o) {
			t.Error("does not exist")
		}
	}
	names, err := filepath.Glob(filepath.Join(dirs[0], "*", "*"))
	if err != nil || len(names) != 4 {
		t.Fatalf("%v, %v", names, err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	n, views, ads := 0, 0, map[string]bool{}
	for _, name := range names {
		rel, err := filepath.Rel(dirs[0], name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := os.ReadFile(filepath.Join(dirs[1], rel)); err != nil || !bytes.Equal(data, other) {
			t.Errorf("%s differs: %v", rel, err)
		}
		if filepath.Ext(name) != ".json" {
			continue
		}
		for line := range bytes.Lines(data) {
			var e struct {
				Ad   string    `json:"ad_id"`
				Type string    `json:"event_type"`
				At   time.Time `json:"event_time"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if at := start.Add(time.Duration(n) * 100 * time.Microsecond).Truncate(time.Millisecond); !e.At.Equal(at) {
				t.Fatalf("event %d at %v", n, e.At)
			}
			if e.Type == "view" {
				views++
			}
			ads[e.Ad] = true
			n++
		}
	}
	if n != 30_000 || len(ads) != 1000 || views < 9_500 || views > 10_500 {
		t.Errorf("%d events of %d advertisements, %d views", n, len(ads), views)
	}
}
