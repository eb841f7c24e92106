package durable_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
)

var twoDeltas = map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"}

// spread is n rows whose keys and values do not compress.
func spread(n int) *statestore.Changes {
	var cols [2]statestore.ColumnData
	for i := range n {
		cols[0].Data = binary.LittleEndian.AppendUint64(cols[0].Data, uint64(i+1)*0x9E3779B97F4A7C15)
		cols[1].Data = binary.LittleEndian.AppendUint64(cols[1].Data, uint64(i+1)*0xD6E8FEB86659FD93)
	}
	return &statestore.Changes{Puts: []statestore.Block{{Rows: n, Cols: cols[:]}}}
}

// grow commits a table of 20,000 rows and then versions up to n, of three rows each.
func grow(t *testing.T, dir objstore.Store, conf map[string]string, n int64) {
	t.Helper()
	s := open(t, dir, conf)
	v := version(1)
	err := s.Stage(ctx, id, 1, v.Attempt, spread(20_000))
	if err == nil {
		err = s.Commit(ctx, 1, v.Attempt, version(0))
	}
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, 2, n, 5)
}

// TestLargeTableIsNotRewritten: a large table of which little changes gets increments between its snapshots.
func TestLargeTableIsNotRewritten(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		conf                  map[string]string
		versions              int64
		snapshots, increments int
	}{
		{"changelogs", twoDeltas, 200, 1, 9},
		{"a snapshot in each batch", map[string]string{"spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false"}, 18, 2, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := mem.New()
			grow(t, dir, tt.conf, tt.versions)
			snapshots, increments := names(t, dir, "snapshot/"), names(t, dir, "increment/")
			if len(snapshots) != tt.snapshots || len(increments) != tt.increments {
				t.Errorf("snapshots %v, increments %v", snapshots, increments)
			}
			rows, _ := rowsAt(t, dir, tt.versions)
			if len(rows) != 20_009 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
}

// TestBrokenIncrement: the changelogs stand in for an increment that is broken or gone, and increments for changelogs.
func TestBrokenIncrement(t *testing.T) {
	whole := mem.New()
	grow(t, whole, twoDeltas, 130)
	want, _ := rowsAt(t, whole, 130)
	for name, breakIt := range map[string]func(dir objstore.Store, file string) error{
		"torn": func(dir objstore.Store, file string) error {
			data, err := dir.Get(ctx, file)
			if err != nil {
				return err
			}
			return dir.Put(ctx, file, data[:len(data)-3])
		},
		"flipped": func(dir objstore.Store, file string) error {
			data, err := dir.Get(ctx, file)
			if err != nil {
				return err
			}
			data = slices.Clone(data)
			data[len(data)-1] ^= 1
			return dir.Put(ctx, file, data)
		},
		"of another version": func(dir objstore.Store, file string) error {
			data, err := dir.Get(ctx, "changelog/9.a9")
			if err != nil {
				return err
			}
			return dir.Put(ctx, file, data)
		},
		"absent": func(dir objstore.Store, file string) error { return dir.Delete(ctx, file) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := mem.New()
			grow(t, dir, twoDeltas, 130)
			files := names(t, dir, "increment/")
			if len(files) < 3 {
				t.Fatalf("increments %v", files)
			}
			for i, f := range files {
				if i%2 == 0 {
					if err := breakIt(dir, f); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got, _ := rowsAt(t, dir, 130); !maps.Equal(want, got) {
				t.Errorf("%d rows, want %d, or other values", len(got), len(want))
			}
		})
	}
	var n int64
	files := names(t, whole, "increment/")
	fmt.Sscanf(strings.TrimPrefix(files[len(files)-1], "increment/0/0/default/"), "%d.", &n)
	for v := int64(3); v <= n; v++ {
		if err := whole.Delete(ctx, fmt.Sprintf("changelog/%d.a%d", v, v)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := rowsAt(t, whole, 130); !maps.Equal(want, got) {
		t.Errorf("without changelogs: %d rows, want %d, or other values", len(got), len(want))
	}
}
