//go:build rocksdb

package rocksdb

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
	"github.com/vstream/vstream/statestore/storetest"
)

func open(t testing.TB, conf map[string]string) *store {
	t.Helper()
	d, ok := statestore.Lookup("rocksdb")
	if !ok {
		t.Fatal("the driver is not registered")
	}
	s, err := d.Open(context.Background(), mem.New(), conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*store)
}

func TestDriver(t *testing.T) {
	for _, name := range []string{"rocksdb", statestore.SparkRocksDB} {
		if d, _ := statestore.Lookup(name); d != (driver{}) {
			t.Errorf("%s is %T", name, d)
		}
	}
	storetest.Run(t, driver{})
}

func TestTier(t *testing.T) {
	storetest.RunTier(t, func(t *testing.T) statestore.Tier {
		return open(t, map[string]string{statestore.MemoryBudget: "1MB", durable.LocalDir: t.TempDir()}).Tier()
	})
}

// TestScratch: the folder appears with the first row, goes with the store, and one that a dead process
// left is removed, but not that of a living one.
func TestScratch(t *testing.T) {
	parent := t.TempDir()
	folders := func() []string {
		found, err := filepath.Glob(filepath.Join(parent, scratchPrefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	write := func(s *store) {
		table, err := s.Tier().Table(statestore.Schema{OrderCol: -1, Values: []statestore.Column{{Name: "v", Width: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Write(statestore.Block{Rows: 1, Cols: []statestore.ColumnData{{Data: []byte{1}}}}); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(parent, scratchPrefix+"1")
	if err := os.MkdirAll(filepath.Join(stale, "db"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stale, ownerFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	conf := map[string]string{durable.LocalDir: parent}
	a, b := open(t, conf), open(t, conf)
	if got := folders(); len(got) != 1 {
		t.Fatalf("before the first row: %v", got)
	}
	write(a)
	write(b)
	if got := folders(); len(got) != 2 {
		t.Fatalf("of two stores: %v", got)
	}
	for _, s := range []*store{a, b} {
		if err := s.tier.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := folders(); len(got) != 0 {
		t.Fatalf("at the end: %v", got)
	}

}

// Stores that open at the same time look for stale folders while others make theirs.
func TestScratchFoldersAtOnce(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				s, err := newScratch(parent)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(s.dir, "file"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := s.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
