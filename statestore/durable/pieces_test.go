package durable_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/merge"
)

var smallPieces = map[string]string{"spark.sql.streaming.stateStore.minDeltasForSnapshot": "2", "vstream.state.snapshotPieceSize": "100"}

// rowsAt are the rows at version n, and how often the loader was told to begin anew.
func rowsAt(t *testing.T, dir objstore.Store, n int64) (rows map[uint64]uint64, clears int) {
	t.Helper()
	table := merge.New(schema)
	err := open(t, dir, smallPieces).Load(ctx, id, version(n), func(c *statestore.Changes) error {
		if c.Clear {
			clears++
		}
		table.Apply(c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows = map[uint64]uint64{}
	for _, b := range table.Blocks() {
		for i := range b.Rows {
			rows[binary.LittleEndian.Uint64(b.Cols[0].Data[8*i:])] = binary.LittleEndian.Uint64(b.Cols[1].Data[8*i:])
		}
	}
	return rows, clears
}

// TestBrokenPieceFallsBack: a snapshot of which one piece is broken or gone is as good as none, also if
// other pieces of it have been loaded already.
func TestBrokenPieceFallsBack(t *testing.T) {
	for name, breakIt := range map[string]func(dir objstore.Store, file string) error{
		"torn":   func(dir objstore.Store, file string) error { return dir.Put(ctx, file, []byte("VSSP")) },
		"absent": func(dir objstore.Store, file string) error { return dir.Delete(ctx, file) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := mem.New()
			s := open(t, dir, smallPieces)
			for n := int64(1); n <= 40; n++ {
				v := version(n)
				err := s.Stage(ctx, id, n, v.Attempt, put(int(n*31%500), 40, int(n)))
				if err == nil {
					err = s.Commit(ctx, n, v.Attempt, version(n-1))
				}
				if err == nil {
					err = s.Maintain(ctx, v, lineage, 0)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			want, clears := rowsAt(t, dir, 40)
			if clears > 0 || len(want) < 100 {
				t.Fatalf("%d rows, begun anew %d times", len(want), clears)
			}
			newest, files := int64(0), names(t, dir, "piece/")
			for _, f := range files {
				var n int64
				fmt.Sscanf(strings.TrimPrefix(f, "piece/0/0/default/"), "%d.", &n)
				newest = max(newest, n)
			}
			last := ""
			for _, f := range files {
				if strings.HasPrefix(f, fmt.Sprintf("piece/0/0/default/%d.", newest)) {
					last = f
				}
			}
			if last == "" {
				t.Fatalf("no snapshot is in pieces: %v", files)
			}
			if err := breakIt(dir, last); err != nil {
				t.Fatal(err)
			}
			got, clears := rowsAt(t, dir, 40)
			if !maps.Equal(want, got) || clears != 1 {
				t.Errorf("%d rows, want %d; begun anew %d times", len(got), len(want), clears)
			}
		})
	}
}
