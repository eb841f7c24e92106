package durable_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	_ "github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
	_ "github.com/vstream/vstream/statestore/memory"
	"github.com/vstream/vstream/statestore/storetest"
)

var ctx = context.Background()

func driver(t testing.TB) statestore.Driver {
	t.Helper()
	d, ok := statestore.Lookup("memory")
	if !ok {
		t.Fatal("the driver is not registered")
	}
	return d
}

func TestDriver(t *testing.T) { storetest.Run(t, driver(t)) }

func TestNames(t *testing.T) {
	const spark = "org.apache.spark.sql.execution.streaming.state."
	for _, name := range []string{"memory", spark + "HDFSBackedStateStoreProvider", spark + "RocksDBStateStoreProvider"} {
		if _, ok := statestore.Lookup(name); !ok {
			t.Errorf("%s is not registered", name)
		}
	}
	d, ok := statestore.Lookup("rocksdb")
	if !ok {
		t.Fatal("rocksdb is not known")
	}
	if _, err := d.Open(ctx, mem.New(), nil); !errors.Is(err, condition.Name("VSTREAM_STATE_PROVIDER_NOT_BUILT_IN")) {
		t.Error(err)
	}
	if _, ok := statestore.Lookup("nothing"); ok {
		t.Error("an unknown driver was found")
	}
	_, err := driver(t).Open(ctx, mem.New(), map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "0"})
	if !errors.Is(err, condition.Name("VSTREAM_INVALID_OPTION")) {
		t.Error(err)
	}
}

var (
	id     = statestore.ID{Name: "default"}
	schema = statestore.Schema{
		Keys:   []statestore.Column{{Name: "k", Type: "bigint", Width: 8}},
		Values: []statestore.Column{{Name: "n", Type: "bigint", Width: 8}}, OrderCol: -1,
	}
)

func open(t testing.TB, dir objstore.Store, conf map[string]string) statestore.Store {
	t.Helper()
	s, err := driver(t).Open(ctx, dir, conf)
	if err == nil {
		err = s.Register(ctx, id, schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// put is n rows with the keys from first on.
func put(first, n, value int) *statestore.Changes {
	var cols [2]statestore.ColumnData
	for i := range n {
		cols[0].Data = binary.LittleEndian.AppendUint64(cols[0].Data, uint64(first+i))
		cols[1].Data = binary.LittleEndian.AppendUint64(cols[1].Data, uint64(value))
	}
	return &statestore.Changes{Puts: []statestore.Block{{Rows: n, Cols: cols[:]}}}
}

func version(n int64) statestore.Version {
	if n == 0 {
		return statestore.Version{}
	}
	return statestore.Version{N: n, Attempt: fmt.Sprint("a", n)}
}

func lineage(n int64) (string, bool) { return version(n).Attempt, true }

// commit writes versions from..to, one row each, and maintains after each one.
func commit(t testing.TB, s statestore.Store, from, to, keep int64) {
	t.Helper()
	for n := from; n <= to; n++ {
		v := version(n)
		err := s.Stage(ctx, id, n, v.Attempt, put(int(n%7), 3, int(n)))
		if err == nil {
			err = s.Commit(ctx, n, v.Attempt, version(n-1))
		}
		if err == nil {
			err = s.Maintain(ctx, v, lineage, max(0, n-keep))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// load gives the number of changes that lead to version n.
func load(s statestore.Store, n int64) (int, error) {
	count := 0
	err := s.Load(ctx, id, version(n), func(*statestore.Changes) error { count++; return nil })
	return count, err
}

func names(t testing.TB, dir objstore.Store, prefix string) []string {
	t.Helper()
	infos, err := dir.List(ctx, prefix)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range infos {
		out = append(out, i.Name)
	}
	return out
}

func TestSnapshotsAndPurge(t *testing.T) {
	dir := mem.New()
	s := open(t, dir, nil)
	commit(t, s, 1, 45, 5)
	m := s.Metrics()
	if m.ChangelogFiles != 45 || m.SnapshotFiles != 4 {
		t.Errorf("%d changelogs and %d snapshots, want 45 and 4 (every 10)", m.ChangelogFiles, m.SnapshotFiles)
	}
	// Version 40 is the oldest kept: its snapshot, the one before it, and the changelogs after that.
	if got := strings.Join(names(t, dir, "snapshot/"), " "); got != "snapshot/0/0/default/30.a30 snapshot/0/0/default/40.a40" {
		t.Errorf("snapshots %s", got)
	}
	if got := names(t, dir, "changelog/"); len(got) != 15 || got[0] != "changelog/31.a31" {
		t.Errorf("changelogs %v", got)
	}
	s = open(t, dir, nil)
	if n, err := load(s, 45); err != nil || n != 6 {
		t.Errorf("%d changes, %v; want a snapshot and 5", n, err)
	}
	if m := s.Metrics(); m.LoadedSnapshot != 40 || m.ReplayedChangelogs != 5 {
		t.Errorf("%+v", m)
	}
}

// TestBatchCost holds that a batch costs one durable write, without a listing.
func TestBatchCost(t *testing.T) {
	dir := faulty.New(mem.New())
	s := open(t, dir, nil)
	before := len(dir.Calls())
	commit(t, s, 1, 5, 100)
	for i, c := range dir.Calls()[before:] {
		if c.Op != faulty.CreateExclusive || i >= 5 {
			t.Errorf("call %d: %+v", i, c)
		}
	}
}

func TestBrokenSnapshotFallsBack(t *testing.T) {
	for name, breakIt := range map[string]func(dir objstore.Store, file string) error{
		"torn": func(dir objstore.Store, file string) error {
			data, err := dir.Get(ctx, file)
			if err != nil {
				return err
			}
			return dir.Put(ctx, file, data[:len(data)-5])
		},
		"flipped": func(dir objstore.Store, file string) error {
			data, err := dir.Get(ctx, file)
			if err != nil {
				return err
			}
			data[len(data)-1] ^= 1
			return dir.Put(ctx, file, data)
		},
		"empty":  func(dir objstore.Store, file string) error { return dir.Put(ctx, file, nil) },
		"absent": func(dir objstore.Store, file string) error { return dir.Delete(ctx, file) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := mem.New()
			commit(t, open(t, dir, nil), 1, 45, 5)
			if err := breakIt(dir, "snapshot/0/0/default/40.a40"); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, nil)
			if n, err := load(s, 45); err != nil || n != 16 {
				t.Errorf("%d changes, %v; want the snapshot before and 15", n, err)
			}
			// Going on from there makes good snapshots again.
			commit(t, s, 46, 70, 5)
			if n, err := load(open(t, dir, nil), 70); err != nil || n > 11 {
				t.Errorf("later %d changes, %v", n, err)
			}
		})
	}
}

func TestBrokenChangelogIsNamed(t *testing.T) {
	tests := map[string]struct {
		file    func(dir objstore.Store) error
		load    int64
		message []string
	}{
		"missing": {func(dir objstore.Store) error { return dir.Delete(ctx, "changelog/43.a43") }, 45,
			[]string{"state of batch 44", "43.a43 is missing", "newest batch whose state is whole is batch 41"}},
		"flipped": {func(dir objstore.Store) error {
			data, err := dir.Get(ctx, "changelog/45.a45")
			data[len(data)-1] ^= 1
			return errors.Join(err, dir.Put(ctx, "changelog/45.a45", data))
		}, 45, []string{"45.a45 is corrupt: the checksum of its section of operator 0, partition 0, store default is wrong", "batch 43"}},
		"renamed": {func(dir objstore.Store) error {
			data, err := dir.Get(ctx, "changelog/44.a44")
			return errors.Join(err, dir.Put(ctx, "changelog/45.a45", data))
		}, 45, []string{"it is of version 44.a44", "batch 43"}},
		"newer": {func(dir objstore.Store) error {
			data, err := dir.Get(ctx, "changelog/45.a45")
			data[4] = 9
			return errors.Join(err, dir.Put(ctx, "changelog/45.a45", data))
		}, 45, []string{"has format version 9", "at most version 2"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := mem.New()
			commit(t, open(t, dir, nil), 1, 45, 5)
			if err := tt.file(dir); err != nil {
				t.Fatal(err)
			}
			_, err := load(open(t, dir, nil), tt.load)
			want := condition.Name("VSTREAM_STATE_VERSION_UNAVAILABLE")
			if name == "newer" {
				want = "VSTREAM_NEWER_FORMAT"
			}
			if !errors.Is(err, want) {
				t.Fatal(err)
			}
			for _, m := range tt.message {
				if !strings.Contains(err.Error(), m) {
					t.Errorf("%q is not in %v", m, err)
				}
			}
		})
	}
}

func TestStateOfSpark(t *testing.T) {
	dir := mem.New()
	if err := dir.Put(ctx, "0/0/1.delta", nil); err != nil {
		t.Fatal(err)
	}
	_, err := load(open(t, dir, nil), 1)
	if err == nil || !strings.Contains(condition.Render(err), "0/0/1.delta was written by Spark") {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	dir := mem.New()
	full := faulty.New(dir, faulty.Named("changelog/", faulty.Fault{Err: syscall.ENOSPC}, faulty.CreateExclusive))
	s := open(t, full, nil)
	if err := s.Stage(ctx, id, 1, "a1", put(0, 1, 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx, 1, "a1", statestore.Version{}); !errors.Is(err, condition.Name("VSTREAM_DISK_FULL")) {
		t.Error(err)
	}
	// What failed is not staged any more; the batch runs again under another attempt.
	s = open(t, dir, nil)
	commit(t, s, 1, 1, 5)
	if n, err := load(open(t, dir, nil), 1); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}

// TestClearEndsHistory: tables that are rewritten whole do not need what was before, not
// even when it is gone.
func TestClearEndsHistory(t *testing.T) {
	dir := mem.New()
	s := open(t, dir, nil)
	commit(t, s, 1, 2, 100)
	c := put(0, 5, 5)
	c.Clear = true
	if err := errors.Join(s.Stage(ctx, id, 3, "a3", c), s.Commit(ctx, 3, "a3", version(2)), dir.Delete(ctx, "changelog/1.a1")); err != nil {
		t.Fatal(err)
	}
	if n, err := load(open(t, dir, nil), 3); err != nil || n != 1 {
		t.Errorf("%d changes, %v", n, err)
	}
}

// TestAbandonedTable: the snapshots of a table that a repartition left behind go, once no
// version that is kept can need them.
func TestAbandonedTable(t *testing.T) {
	dir := mem.New()
	for _, n := range []int64{3, 5} {
		if err := dir.Put(ctx, fmt.Sprintf("snapshot/0/1/default/%d.x", n), nil); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir, nil)
	commit(t, s, 1, 210, 5)
	if got := names(t, dir, "snapshot/0/1/"); len(got) != 2 {
		t.Errorf("removed too early: %v", got)
	}
	commit(t, s, 211, 211, 5)
	if got := names(t, dir, "snapshot/0/1/"); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

func TestCancelledLoad(t *testing.T) {
	dir := mem.New()
	commit(t, open(t, dir, nil), 1, 3, 5)
	s := open(t, dir, nil)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	none := func(*statestore.Changes) error { return nil }
	if err := s.Load(cancelled, id, version(3), none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := load(s, 3); err != nil || n != 3 {
		t.Errorf("afterwards: %d changes, %v", n, err)
	}
}

func TestBadAttemptIDs(t *testing.T) {
	s := open(t, mem.New(), nil)
	for _, a := range []string{"", "a/b"} {
		if err := s.Commit(ctx, 1, a, statestore.Version{}); !errors.Is(err, condition.Name("INTERNAL_ERROR")) {
			t.Errorf("%q: %v", a, err)
		}
	}
}

// TestLocal goes through the file system.
func TestLocal(t *testing.T) {
	at := t.TempDir()
	dir, err := objstore.Open(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	commit(t, open(t, dir, nil), 1, 25, 5)
	if n, err := load(open(t, dir, nil), 25); err != nil || n != 6 {
		t.Errorf("%d changes, %v", n, err)
	}
}

func BenchmarkCommit(b *testing.B) {
	dir, err := objstore.Open(ctx, "mem:bench")
	if err != nil {
		b.Fatal(err)
	}
	s := open(b, dir, nil)
	c := put(0, 100_000, 1)
	n := int64(0)
	for b.Loop() {
		n++
		v := version(n)
		if err := errors.Join(s.Stage(ctx, id, n, v.Attempt, c), s.Commit(ctx, n, v.Attempt, version(n-1)), dir.Delete(ctx, "changelog/"+v.Attempt)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e5*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
