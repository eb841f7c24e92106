package vstream_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
)

// sparkCheckpoint is a directory that conformance/spark_checkpoint.py recorded, as Spark
// left it at another place.
func sparkCheckpoint(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join("testdata/spark_checkpoint", name)
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(text), "{{DIR}}", dir)), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 { // the times that Spark's log has
		at := time.Unix(1700000000+int64(n), 0)
		os.Chtimes(filepath.Join(dir, "in", fmt.Sprintf("%04d.json", n)), at, at)
	}
	return dir
}

// visible are the rows that the log of a file sink shows, sorted.
func visible(t *testing.T, dir string) []string {
	t.Helper()
	store, err := objstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := manifest.Read(t.Context(), store)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	rows := []string{}
	for _, f := range files {
		name, err := f.Name(store)
		if err != nil {
			t.Fatal(err)
		}
		text, err := store.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Fields(string(text))...)
	}
	slices.Sort(rows)
	return rows
}

// TestSparkFilesCheckpoint goes on with a query of Spark's from files to files, with and without
// a last batch that Spark did not finish: no row is lost or comes twice.
func TestSparkFilesCheckpoint(t *testing.T) {
	tests := []struct {
		name   string
		remove []string // what a crash of Spark would not have written
		want   string   // the batches that run here
	}{
		{"finished", nil, "[12 13]"},
		{"planned", []string{"checkpoint/commits/11", "out/_spark_metadata/11"}, "[11 12 13]"},
		// The sink has the batch, which is therefore not run again.
		{"not committed", []string{"checkpoint/commits/11"}, "[11 12 13]"},
		{"not planned", []string{"checkpoint/commits/11", "checkpoint/offsets/11", "out/_spark_metadata/11"}, "[11 12 13]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := sparkCheckpoint(t, "files")
			for _, name := range tt.remove {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for n := range 14 {
				want = append(want, fmt.Sprintf(`{"k":"k%d","v":%d}`, n, n*10))
				if n < 12 {
					continue
				}
				file := filepath.Join(dir, "in", fmt.Sprintf("%04d.json", n))
				if err := os.WriteFile(file, fmt.Appendf(nil, "{\"k\":\"k%d\",\"v\":%d}\n", n, n), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			s, err := vstream.New(vstream.WithDir(dir))
			if err != nil {
				t.Fatal(err)
			}
			in, err := s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING, v BIGINT").Load()
			if err != nil {
				t.Fatal(err)
			}
			if in, err = in.Select("k", "v * 10 AS v"); err != nil {
				t.Fatal(err)
			}
			for i, batches := range []string{tt.want, "[]"} {
				w := in.Write().Format("json").Option("path", "out").Checkpoint("checkpoint").Trigger(vstream.AvailableNow())
				c, err := w.Compare(t.Context())
				if err != nil || c.Refused() {
					t.Fatalf("%+v, %v", c, err)
				}
				q, err := w.Start(t.Context())
				if err == nil {
					err = q.Wait(t.Context())
				}
				if err != nil {
					t.Fatal(condition.Render(err))
				}
				ids := []int64{}
				for _, p := range q.RecentProgress() {
					ids = append(ids, p.BatchID)
				}
				if fmt.Sprint(ids) != batches {
					t.Errorf("run %d: batches %v, want %s", i, ids, batches)
				}
				compareRows(t, "output", want, visible(t, filepath.Join(dir, "out")))
			}
		})
	}
}

// fixedClock stands still.
type fixedClock struct{ at time.Time }

func (c fixedClock) Now() time.Time                     { return c.at }
func (fixedClock) Sleep(context.Context, time.Duration) {}

// TestSparkRateCheckpoint goes on with a rate source of Spark's, whose last batch was planned
// and not finished.
func TestSparkRateCheckpoint(t *testing.T) {
	dir := sparkCheckpoint(t, "rate")
	const created, seconds = 1796095736739, 20 // sources/0/0
	s, err := vstream.New(vstream.WithDir(dir), vstream.WithClock(fixedClock{time.UnixMilli(created + seconds*1000)}))
	if err != nil {
		t.Fatal(err)
	}
	rate, err := s.Read("rate").Option("rowsPerSecond", "2").Load()
	if err != nil {
		t.Fatal(err)
	}
	if rate, err = rate.Select("value"); err != nil {
		t.Fatal(err)
	}
	q, err := rate.Write().Format("json").Option("path", "out").Checkpoint("checkpoint").Trigger(vstream.Once()).Start(t.Context())
	if err == nil {
		err = q.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	if id := q.LastProgress().BatchID; id != 4 {
		t.Errorf("batch %d", id)
	}
	// Once makes one batch: the planned one, up to second 8.
	var want []string
	for n := range 2 * 8 {
		want = append(want, fmt.Sprintf(`{"value":%d}`, n))
	}
	slices.Sort(want)
	compareRows(t, "output", want, visible(t, filepath.Join(dir, "out")))
}
