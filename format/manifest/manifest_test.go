package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/objstore/mem"
)

var ctx = context.Background()

// sparkEntry is an entry that Spark 4.3 wrote.
const sparkEntry = `v1
{"path":"file:///tmp/sp%20out%20json/k=a%20b/part-00000-4e756934-edd6-47ee-9c4e-bc2a816dfecb.c000.json","size":8,"isDir":false,"modificationTime":1796082031120,"blockReplication":1,"blockSize":33554432,"action":"add"}
{"path":"file:///tmp/sp%20out%20json/k=c/part-00000-67859b33-a296-4f85-bd03-656847341caa.c000.json","size":8,"isDir":false,"modificationTime":1796082031308,"blockReplication":1,"blockSize":33554432,"action":"add"}`

func TestSparksFormat(t *testing.T) {
	files, err := manifest.Decode("0", []byte(sparkEntry))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(manifest.Encode(files)); got != sparkEntry {
		t.Errorf("got\n%s", got)
	}
	s, err := local.Open("/tmp/sp out json")
	if err != nil {
		t.Fatal(err)
	}
	name, err := files[0].Name(s)
	if want := "k=a b/part-00000-4e756934-edd6-47ee-9c4e-bc2a816dfecb.c000.json"; name != want || err != nil {
		t.Errorf("name %q, %v", name, err)
	}
	if got := manifest.URI(s, name); got != files[0].Path {
		t.Errorf("URI %s", got)
	}
	if got := string(manifest.Encode(nil)); got != "v1" {
		t.Errorf("empty entry %q", got)
	}
	moved, err := local.Open("/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files[0].Name(moved); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Errorf("moved: %v", err)
	}
}

func TestDamagedEntries(t *testing.T) {
	for data, want := range map[string]string{
		"":                "VSTREAM_CORRUPT_FILE",
		"{}":              "VSTREAM_CORRUPT_FILE",
		"v2\n":            "VSTREAM_NEWER_FORMAT",
		"v1\n{\"path\":1": "VSTREAM_CORRUPT_FILE",
		"v1\n{}":          "VSTREAM_CORRUPT_FILE",
	} {
		if _, err := manifest.Decode("x", []byte(data)); !errors.Is(err, condition.Name(want)) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func file(n int) manifest.File {
	return manifest.File{Path: fmt.Sprintf("mem:///f%d", n), Size: int64(n), Action: "add"}
}

func visible(t *testing.T, s objstore.Store) []string {
	t.Helper()
	files, ok, err := manifest.Read(ctx, s)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var out []string
	for _, f := range files {
		name, err := f.Name(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, name)
	}
	return out
}

func names(t *testing.T, s objstore.Store) []string {
	t.Helper()
	infos, err := s.List(ctx, manifest.Folder+"/")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range infos {
		out = append(out, i.Name[len(manifest.Folder)+1:])
	}
	return out
}

func TestLog(t *testing.T) {
	s := mem.New()
	if _, ok, err := manifest.Read(ctx, s); ok || err != nil {
		t.Fatal(ok, err)
	}
	now := time.Now()
	o := manifest.LogOptions{CompactInterval: 3, CleanupDelay: time.Minute, Now: func() time.Time { return now }}
	var want []string
	for b := range 8 {
		l, err := manifest.OpenLog(ctx, s, o) // as if the process restarted each time
		if err != nil {
			t.Fatal(err)
		}
		if l.Latest() != int64(b)-1 {
			t.Fatalf("latest %d before batch %d", l.Latest(), b)
		}
		if err := l.Add(ctx, int64(b), []manifest.File{file(2 * b), file(2*b + 1)}); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint("f", 2*b), fmt.Sprint("f", 2*b+1))
		if got := visible(t, s); !slices.Equal(got, want) {
			t.Fatalf("after batch %d: %v", b, got)
		}
	}
	if got := names(t, s); !slices.Equal(got, []string{"0", "1", "2.compact", "3", "4", "5.compact", "6", "7"}) {
		t.Errorf("log: %v", got)
	}
	l, err := manifest.OpenLog(ctx, s, o)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if err := l.Add(ctx, 8, nil); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s); !slices.Equal(got, []string{"8.compact"}) {
		t.Errorf("log after the delay: %v", got)
	}
	if got := visible(t, s); !slices.Equal(got, want) {
		t.Errorf("visible after the delay: %v", got)
	}
}

func TestLogFillsGaps(t *testing.T) {
	s := mem.New()
	l, err := manifest.OpenLog(ctx, s, manifest.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []int64{0, 3, 12} {
		if err := l.Add(ctx, b, []manifest.File{file(int(b))}); err != nil {
			t.Fatal(err)
		}
	}
	if got := visible(t, s); !slices.Equal(got, []string{"f0", "f3", "f12"}) {
		t.Errorf("visible: %v", got)
	}
	if err := s.Delete(ctx, manifest.Folder+"/11"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := manifest.Read(ctx, s); !errors.Is(err, condition.Name("VSTREAM_CORRUPT_FILE")) {
		t.Errorf("with a gap: %v", err)
	}
}

// TestLogRetention: files that are too old drop out with the next compact entry, and entries that
// are not to be deleted stay.
func TestLogRetention(t *testing.T) {
	now := time.UnixMilli(100_000)
	s := mem.New()
	l, err := manifest.OpenLog(ctx, s, manifest.LogOptions{CompactInterval: 3, FileAge: time.Minute, KeepAll: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for b, age := range []time.Duration{2 * time.Minute, time.Second, 3 * time.Minute} {
		f := file(b)
		f.ModificationTime = now.Add(-age).UnixMilli()
		if err := l.Add(ctx, int64(b), []manifest.File{f}); err != nil {
			t.Fatal(err)
		}
	}
	// The files of the batch itself are visible in any case.
	if got := visible(t, s); !slices.Equal(got, []string{"f1", "f2"}) {
		t.Errorf("visible: %v", got)
	}
	if got := names(t, s); !slices.Equal(got, []string{"0", "1", "2.compact"}) {
		t.Errorf("entries: %v", got)
	}
}

func TestLogRace(t *testing.T) {
	s := mem.New()
	a, err := manifest.OpenLog(ctx, s, manifest.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := manifest.OpenLog(ctx, s, manifest.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(ctx, 0, []manifest.File{file(1)}); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(ctx, 0, []manifest.File{file(2)}); !errors.Is(err, condition.Name("CONCURRENT_STREAM_LOG_UPDATE")) {
		t.Errorf("got %v", err)
	}
	if got := visible(t, s); !slices.Equal(got, []string{"f1"}) {
		t.Errorf("visible: %v", got)
	}
}

// A log compacted with one interval goes on with a compatible one.
func TestIntervalOfOldLog(t *testing.T) {
	for _, tt := range []struct {
		old, want int64
		next      string // the compact entry that follows
	}{{12, 5, "17.compact"}, {3, 10, "5.compact"}, {12, 12, "23.compact"}, {12, 8, "23.compact"}} {
		s := mem.New()
		put := func(interval, from, to int64) {
			l, err := manifest.OpenLog(ctx, s, manifest.LogOptions{CompactInterval: interval, CleanupDelay: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			for b := from; b < to; b++ {
				if err := l.Add(ctx, b, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		put(tt.old, 0, tt.old)
		put(tt.want, tt.old, tt.old+12)
		if got := names(t, s); !slices.Contains(got, tt.next) {
			t.Errorf("%d after %d: %v lacks %s", tt.want, tt.old, got, tt.next)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(sparkEntry))
	f.Add([]byte("v1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := manifest.Decode("x", data)
		if err != nil {
			return
		}
		again, err := manifest.Decode("x", manifest.Encode(files))
		if err != nil || !slices.Equal(again, files) {
			t.Errorf("%v, %v", again, err)
		}
	})
}
