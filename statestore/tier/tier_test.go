package tier

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/storetest"
)

// unordered is a tier of such tables alone.
type unordered struct{ *Space }

func (u unordered) Table(s statestore.Schema) (statestore.TierTable, error) {
	return u.Space.Table(s), nil
}

func (u unordered) Account() *statestore.Account { return statestore.FixedAccount(0) }

func newSpace(t *testing.T, filters int64) *Space {
	dir := t.TempDir()
	s := NewSpace(func() (string, error) { return dir, nil }, filters)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestTier(t *testing.T) {
	for name, filters := range map[string]int64{"Filters": 1 << 20, "NoFilters": 0} {
		t.Run(name, func(t *testing.T) {
			storetest.RunUnorderedTier(t, func(t *testing.T) statestore.Tier { return unordered{newSpace(t, filters)} })
		})
	}
}

// collide is a tier whose tables know only few hashes; the tests give it memory for some filters only.
type collide struct{ unordered }

func (c collide) Table(s statestore.Schema) (statestore.TierTable, error) {
	t, err := c.unordered.Table(s)
	table := t.(*Table)
	hash := table.layout.hash
	table.layout.hash = func(key []byte) uint64 { return hash(key) >> 55 << 55 }
	return t, err
}

func TestTierCollisions(t *testing.T) {
	storetest.RunUnorderedTier(t, func(t *testing.T) statestore.Tier { return collide{unordered{newSpace(t, 600)}} })
}

func TestFilter(t *testing.T) {
	const n = 10_000
	s := newSpace(t, 1<<20)
	f := s.filter(n)
	for i := range uint64(n) {
		f.add(i * 0x9E3779B97F4A7C15)
	}
	wrong := 0
	for i := range uint64(n) {
		if !f.has(i * 0x9E3779B97F4A7C15) {
			t.Fatalf("hash %d is not there", i)
		}
		if f.has((i + n) * 0x9E3779B97F4A7C15) {
			wrong++
		}
	}
	if wrong > n/20 {
		t.Errorf("%d of %d other hashes seem to be there", wrong, n)
	}
}

// keys is a block of the keys from lo to hi, 8 bytes each and without values.
func keys(lo, hi uint64) statestore.Block {
	var data []byte
	for k := lo; k < hi; k++ {
		data = binary.LittleEndian.AppendUint64(data, k)
	}
	return statestore.Block{Rows: int(hi - lo), Cols: []statestore.ColumnData{{Data: data}}}
}

var keySchema = statestore.Schema{Keys: []statestore.Column{{Name: "k", Width: 8}}, OrderCol: -1}

// TestFilesGo: a table has few files, none when it is empty, and the memory of their filters comes back.
func TestFilesGo(t *testing.T) {
	const memory = 1 << 20
	s := newSpace(t, memory)
	table := s.Table(keySchema)
	files := func() int {
		dir, err := s.folder()
		if err != nil {
			t.Fatal(err)
		}
		found, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	for i := range uint64(300) {
		if err := table.Write(keys(100*i, 100*i+200)); err != nil {
			t.Fatal(err)
		}
		if n := files(); n > 12 || n != len(table.runs) {
			t.Fatalf("%d files of %d runs after %d writes", n, len(table.runs), i)
		}
	}
	if s.filters.Load() >= memory {
		t.Error("there are no filters")
	}
	// A scan sees the rows as they were when it began.
	rows := 0
	if err := table.Scan(statestore.Range{}, func(b statestore.Block) error {
		rows += b.Rows
		return table.DeleteRange(statestore.Range{})
	}); err != nil || rows != 30_100 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if n := files(); n > 0 || s.filters.Load() != memory {
		t.Errorf("%d files are left, and %d bytes of memory", n, s.filters.Load())
	}
}

// TestDamage: a block that is not as it was written is an error of lookups, scans and merges.
func TestDamage(t *testing.T) {
	for _, cut := range []bool{false, true} {
		s := newSpace(t, 1<<20)
		table := s.Table(keySchema)
		if err := table.Write(keys(0, 1000)); err != nil {
			t.Fatal(err)
		}
		f := table.runs[0].file
		if cut {
			if err := f.Truncate(100); err != nil {
				t.Fatal(err)
			}
		} else if _, err := f.WriteAt([]byte{1, 2, 3}, 50); err != nil {
			t.Fatal(err)
		}
		_, _, err := table.Get(keys(0, 1000))
		errs := []error{err, table.Scan(statestore.Range{}, func(statestore.Block) error { return nil })}
		for len(table.runs) < mergeRunsAt {
			if err = table.Write(keys(0, 1000)); err != nil {
				break
			}
		}
		for i, err := range append(errs, err) {
			if !errors.Is(err, condition.Name("VSTREAM_IO")) {
				t.Errorf("cut %v, case %d: %v", cut, i, err)
			}
		}
	}
}
