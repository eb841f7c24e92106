package verify_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint/verify"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
)

// input writes the nth file that the query reads.
func input(t *testing.T, dir string, n int) {
	t.Helper()
	var text strings.Builder
	for k := range 20 {
		fmt.Fprintf(&text, `{"k":"k%d","ts":"2026-01-01T00:%02d:%02dZ"}`+"\n", k+n, n, k)
	}
	file := filepath.Join(dir, "in", fmt.Sprintf("%04d.json", n))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1700000000+int64(n), 0)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// run reads what is new, a batch for each file, with a file sink and state of which there are snapshots in pieces.
func run(t *testing.T, dir string) error {
	t.Helper()
	s, err := vstream.New(vstream.WithDir(dir), vstream.WithLogger(slog.New(slog.DiscardHandler)), vstream.WithConf("spark.sql.shuffle.partitions", "2"),
		vstream.WithConf("spark.sql.streaming.stateStore.minDeltasForSnapshot", "2"), vstream.WithConf("vstream.state.snapshotPieceSize", "256B"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING, ts TIMESTAMP").Load()
	if err == nil {
		in, err = in.WithWatermark("ts", "2 minutes")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := in.View("e"); err != nil {
		t.Fatal(err)
	}
	out, err := s.SQL("SELECT window(ts, '1 minute').start AS at, k, count(*) AS n FROM e GROUP BY window(ts, '1 minute'), k")
	if err != nil {
		t.Fatal(err)
	}
	q, err := out.Write().Format("json").Option("path", "out").Checkpoint("cp").Trigger(vstream.AvailableNow()).Start(t.Context())
	if err == nil {
		err = q.Wait(t.Context())
	}
	return err
}

const files = 7

// query is a folder in which the query has run for some batches.
func query(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for n := range files {
		input(t, dir, n)
	}
	if err := run(t, dir); err != nil {
		t.Fatal(condition.Render(err))
	}
	return dir
}

func check(t *testing.T, dir string) *verify.Report {
	t.Helper()
	store, err := objstore.Open(t.Context(), filepath.Join(dir, "cp"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Run(t.Context(), store)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	return r
}

// rows are the visible rows of the output, sorted.
func rows(t *testing.T, dir string) []string {
	t.Helper()
	store, err := objstore.Open(t.Context(), filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	visible, _, err := manifest.Read(t.Context(), store)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	var out []string
	for _, f := range visible {
		name, err := f.Name(store)
		if err != nil {
			t.Fatal(err)
		}
		text, err := store.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.Sort(out)
	return out
}

// last is the newest file whose name matches a pattern below the query's folder, by the number that its
// base name begins with.
func last(t *testing.T, dir, pattern string, nth int) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) <= nth {
		t.Fatalf("%s: %d files, %v", pattern, len(found), err)
	}
	number := func(name string) int {
		digits, _, _ := strings.Cut(filepath.Base(name), ".")
		n, _ := strconv.Atoi(digits)
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return number(b) - number(a) })
	return found[nth]
}

func remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

// flip changes the byte in the middle of a file.
func flip(t *testing.T, name string) {
	t.Helper()
	edit(t, name, func(b []byte) []byte {
		b[len(b)/2] ^= 0x55
		return b
	})
}

func edit(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(data), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func cut(t *testing.T, name string) {
	edit(t, name, func(b []byte) []byte { return b[:len(b)/2] })
}

func write(t *testing.T, name, text string) {
	edit(t, name, func([]byte) []byte { return []byte(text) })
}

// damages are the kinds of damage. The names of files that they give are those of which problems must
// tell.
var damages = map[string]struct {
	level verify.Level
	do    func(t *testing.T, dir string) (file string)
}{
	"metadata missing": {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/metadata"); return "metadata" }},
	"metadata cut":     {verify.Fatal, func(t *testing.T, dir string) string { cut(t, dir+"/cp/metadata"); return "metadata" }},
	"metadata of another query": {verify.Fatal, func(t *testing.T, dir string) string {
		write(t, dir+"/cp/metadata", `{"id":"3f0c5f2e-0000-4000-8000-000000000000"}`)
		return "metadata"
	}},
	"spec broken":             {verify.Fatal, func(t *testing.T, dir string) string { cut(t, dir+"/cp/vstream-query"); return "vstream-query" }},
	"newest offset empty":     {verify.Fatal, func(t *testing.T, dir string) string { write(t, dir+"/cp/offsets/7", ""); return "offsets/7" }},
	"newest offset cut":       {verify.Fatal, func(t *testing.T, dir string) string { cut(t, dir+"/cp/offsets/7"); return "offsets/7" }},
	"newest offset missing":   {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/offsets/7"); return "offsets/7" }},
	"offset before missing":   {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/offsets/6"); return "offsets/6" }},
	"older offset missing":    {verify.Damage, func(t *testing.T, dir string) string { remove(t, dir+"/cp/offsets/3"); return "offsets/3" }},
	"older offset broken":     {verify.Damage, func(t *testing.T, dir string) string { write(t, dir+"/cp/offsets/3", "v1\n{"); return "offsets/3" }},
	"offset version too high": {verify.Fatal, func(t *testing.T, dir string) string { write(t, dir+"/cp/offsets/7", "v9\n{}"); return "offsets/7" }},
	"offset log gone":         {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/offsets"); return "offsets" }},
	"newest commit broken":    {verify.Fatal, func(t *testing.T, dir string) string { cut(t, dir+"/cp/commits/7"); return "commits/7" }},
	"newest commit empty":     {verify.Fatal, func(t *testing.T, dir string) string { write(t, dir+"/cp/commits/7", ""); return "commits/7" }},
	"older commit missing":    {verify.Damage, func(t *testing.T, dir string) string { remove(t, dir+"/cp/commits/3"); return "commits/3" }},
	"older commit malformed":  {verify.Damage, func(t *testing.T, dir string) string { write(t, dir+"/cp/commits/3", "x"); return "commits/3" }},
	"operator metadata gone": {verify.Fatal, func(t *testing.T, dir string) string {
		remove(t, dir+"/cp/state/0/_metadata")
		return "state/0/_metadata/metadata"
	}},
	"operator metadata broken": {verify.Fatal, func(t *testing.T, dir string) string {
		cut(t, dir+"/cp/state/0/_metadata/metadata")
		return "state/0/_metadata/metadata"
	}},
	"state gone": {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/state"); return "state/0/_metadata/metadata" }},
	"schema broken": {verify.Fatal, func(t *testing.T, dir string) string {
		cut(t, dir+"/cp/state/schema/0/default.json")
		return "state/schema/0/default.json"
	}},
	"schema missing": {verify.Damage, func(t *testing.T, dir string) string {
		remove(t, dir+"/cp/state/schema")
		return "state/schema/0/default.json"
	}},
	"newest changelog missing": {verify.Fatal, func(t *testing.T, dir string) string { return newestState(t, dir, remove1) }},
	"newest changelog flipped": {verify.Fatal, func(t *testing.T, dir string) string { return newestState(t, dir, flip) }},
	"newest changelog cut":     {verify.Fatal, func(t *testing.T, dir string) string { return newestState(t, dir, cut) }},
	"newest changelog too new": {verify.Fatal, func(t *testing.T, dir string) string {
		return newestState(t, dir, func(t *testing.T, name string) { edit(t, name, func(b []byte) []byte { b[4] = 99; return b }) })
	}},
	"newest changelog of another version": {verify.Fatal, func(t *testing.T, dir string) string {
		return newestState(t, dir, func(t *testing.T, name string) {
			other, err := os.ReadFile(last(t, dir, "cp/state/changelog/*", 2))
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, string(other))
		})
	}},
	"snapshot flipped": {verify.Damage, func(t *testing.T, dir string) string {
		return below(dir, last(t, dir, "cp/state/snapshot/0/*/default/*", 0), flip, t)
	}},
	"snapshot cut": {verify.Damage, func(t *testing.T, dir string) string {
		return below(dir, last(t, dir, "cp/state/snapshot/0/*/default/*", 0), cut, t)
	}},
	"piece missing": {verify.Damage, func(t *testing.T, dir string) string {
		return below(dir, last(t, dir, "cp/state/piece/0/*/default/*/*", 0), remove1, t)
	}},
	"source log cut":       {verify.Fatal, func(t *testing.T, dir string) string { cut(t, dir+"/cp/sources/0/3"); return "sources/0/3" }},
	"source log malformed": {verify.Fatal, func(t *testing.T, dir string) string { write(t, dir+"/cp/sources/0/3", "x"); return "sources/0/3" }},
	"source log gap":       {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/sources/0/3"); return "sources/0/3" }},
	"source log short":     {verify.Fatal, func(t *testing.T, dir string) string { remove(t, dir+"/cp/sources/0/6"); return "sources/0/6" }},
	"sink entry cut": {verify.Damage, func(t *testing.T, dir string) string {
		cut(t, dir+"/out/_spark_metadata/5")
		return "/out/_spark_metadata"
	}},
	"sink log short": {verify.Damage, func(t *testing.T, dir string) string {
		remove(t, dir+"/out/_spark_metadata/7")
		return "/out/_spark_metadata"
	}},
	"sink log gap": {verify.Damage, func(t *testing.T, dir string) string {
		remove(t, dir+"/out/_spark_metadata/5")
		return "/out/_spark_metadata"
	}},
	"data file missing": {verify.Damage, func(t *testing.T, dir string) string { return below(dir, last(t, dir, "out/part-*", 0), remove1, t) }},
	"data file cut": {verify.Damage, func(t *testing.T, dir string) string {
		return below(dir, last(t, dir, "out/part-*", 0), func(t *testing.T, name string) { write(t, name, "{") }, t)
	}},
	"checksum of Hadoop": {verify.Damage, func(t *testing.T, dir string) string {
		if err := os.WriteFile(dir+"/cp/offsets/.7.crc", []byte("crc\x00\x00\x00\x02\x00\x01\x02\x03\x04"), 0o666); err != nil {
			t.Fatal(err)
		}
		return "offsets/7"
	}},
}

func remove1(t *testing.T, name string) { remove(t, name) }

// newestState damages the newest changelog, and takes snapshots of that version away.
func newestState(t *testing.T, dir string, do func(*testing.T, string)) string {
	name := last(t, dir, "cp/state/changelog/*", 0)
	snapshots, err := filepath.Glob(dir + "/cp/state/snapshot/0/*/default/" + filepath.Base(name))
	if err != nil {
		t.Fatal(err)
	}
	remove(t, snapshots...)
	return below(dir, name, do, t)
}

// below damages a file and gives its name in the checkpoint or in the output.
func below(dir, name string, do func(*testing.T, string), t *testing.T) string {
	do(t, name)
	if in, ok := strings.CutPrefix(name, dir+"/cp/"); ok {
		return in
	}
	return strings.TrimPrefix(name, dir)
}

func TestWhole(t *testing.T) {
	dir := query(t)
	r := check(t, dir)
	if r.Next == nil || *r.Next != files+1 || len(r.Problems) > 0 || r.Files < 20 {
		t.Errorf("%+v", r)
	}
	for _, pattern := range []string{"cp/state/piece/0/*/default/*/*", "cp/state/snapshot/0/*/default/*"} {
		last(t, dir, pattern, 0)
	}
}

// TestDamage: each kind of damage is found in its file, and what the report says of the query's next start is what
// that start does. Where a way back is named, it leads to the output of the whole query.
func TestDamage(t *testing.T) {
	whole := query(t)
	input(t, whole, files)
	if err := run(t, whole); err != nil {
		t.Fatal(condition.Render(err))
	}
	want := rows(t, whole)
	for name, d := range damages {
		t.Run(name, func(t *testing.T) {
			dir := query(t)
			file := d.do(t, dir)
			r := check(t, dir)
			at := slices.IndexFunc(r.Problems, func(p verify.Problem) bool {
				return p.File == file || strings.HasPrefix(file, "/") && strings.HasSuffix(p.File, file)
			})
			if at < 0 {
				t.Fatalf("no problem with %s: %+v", file, r)
			}
			p := r.Problems[at]
			if p.Level != d.level || p.What == "" || p.Means == "" || p.Do == "" {
				t.Errorf("%+v", p)
			}
			if goesOn := r.Next != nil; goesOn != (d.level != verify.Fatal) {
				t.Errorf("goes on: %v", goesOn)
			}
			if strings.HasPrefix(file, "/") {
				return // the sink's part is not one of the start
			}
			input(t, dir, files)
			err := run(t, dir)
			if (err == nil) != (r.Next != nil) {
				t.Fatalf("next %v, but the query ended with %v", r.Next, err)
			}
			if r.Next == nil {
				if r.Back == nil {
					return
				}
				goBack(t, dir, *r.Back, *r.BackOffsets)
				if after := check(t, dir); after.Next == nil {
					t.Fatalf("after going back to batch %d: %+v", *r.Back, after)
				}
				if err := run(t, dir); err != nil {
					t.Fatal(condition.Render(err))
				}
			}
			again := check(t, dir)
			if again.Next == nil {
				t.Errorf("after the run: %+v", again)
			}
			if got := rows(t, dir); !slices.Equal(got, want) {
				t.Errorf("%d rows of output, not %d", len(got), len(want))
			}
		})
	}
}

// TestRunsAhead: gaps that asynchronous progress tracking leaves are no damage.
func TestRunsAhead(t *testing.T) {
	dir := query(t)
	edit(t, dir+"/cp/vstream-query", func(b []byte) []byte {
		return []byte(strings.Replace(string(b), `{"key":"query.async","value":"off"}`, `{"key":"query.async","value":"every 1s"}`, 1))
	})
	for _, log := range []string{"offsets", "commits"} {
		remove(t, dir+"/cp/"+log+"/6")
	}
	r := check(t, dir)
	if r.Broken() || r.Next == nil || *r.Next != files+1 || len(r.Problems) != 2 || r.Problems[0].Level != verify.Note {
		t.Errorf("%+v", r)
	}
}

// TestNothing: a place without a checkpoint is no whole one.
func TestNothing(t *testing.T) {
	store, err := objstore.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Run(t.Context(), store); !errors.Is(err, condition.Name("PATH_NOT_FOUND")) {
		t.Error(err)
	}
}

// goBack does what the report says about going back to a batch.
func goBack(t *testing.T, dir string, batch, offsets int64) {
	t.Helper()
	for folder, newest := range map[string]int64{"cp/commits": batch, "cp/offsets": offsets, "out/_spark_metadata": batch} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && n > newest {
				remove(t, filepath.Join(dir, folder, e.Name()))
			}
		}
	}
}
