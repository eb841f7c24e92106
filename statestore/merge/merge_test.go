package merge_test

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/merge"
)

var schema = statestore.Schema{
	Keys:     []statestore.Column{{Width: 8, Nullable: true}, {Nullable: true}},
	Values:   []statestore.Column{{Width: 4, Nullable: true}},
	OrderCol: 0,
}

type key struct {
	end     int64
	k       string
	nullEnd bool
	nullK   bool
}

// newBlock puts rows into columns: keys, and values if they are not nil (-1 is null).
func newBlock(keys []key, values []int32) statestore.Block {
	b := statestore.Block{Rows: len(keys), Cols: make([]statestore.ColumnData, 2)}
	bitmap := func() []byte { return make([]byte, (len(keys)+7)/8) }
	b.Cols[0].Valid, b.Cols[1].Valid, b.Cols[1].Off = bitmap(), bitmap(), []uint32{0}
	for i, k := range keys {
		b.Cols[0].Data = binary.LittleEndian.AppendUint64(b.Cols[0].Data, uint64(k.end))
		b.Cols[1].Data = append(b.Cols[1].Data, k.k...)
		b.Cols[1].Off = append(b.Cols[1].Off, uint32(len(b.Cols[1].Data)))
		if !k.nullEnd {
			b.Cols[0].Valid[i/8] |= 1 << (i % 8)
		}
		if !k.nullK {
			b.Cols[1].Valid[i/8] |= 1 << (i % 8)
		}
	}
	if values == nil {
		return b
	}
	v := statestore.ColumnData{Valid: bitmap()}
	for i, n := range values {
		v.Data = binary.LittleEndian.AppendUint32(v.Data, uint32(n))
		if n >= 0 {
			v.Valid[i/8] |= 1 << (i % 8)
		}
	}
	b.Cols = append(b.Cols, v)
	return b
}

func contents(t *rapid.T, blocks []statestore.Block) map[key]int32 {
	valid := func(c statestore.ColumnData, i int) bool { return c.Valid == nil || c.Valid[i/8]>>(i%8)&1 == 1 }
	got := map[key]int32{}
	for _, b := range blocks {
		for i := range b.Rows {
			k := key{end: int64(binary.LittleEndian.Uint64(b.Cols[0].Data[8*i:])), k: string(b.Cols[1].Data[b.Cols[1].Off[i]:b.Cols[1].Off[i+1]]),
				nullEnd: !valid(b.Cols[0], i), nullK: !valid(b.Cols[1], i)}
			v := int32(binary.LittleEndian.Uint32(b.Cols[2].Data[4*i:]))
			if valid(b.Cols[2], i) != (v >= 0) {
				t.Fatalf("%v: value %d with another validity", k, v)
			}
			if _, twice := got[k]; twice {
				t.Fatalf("%v comes twice", k)
			}
			got[k] = v
		}
	}
	return got
}

func TestAgainstMap(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) key {
		k := key{end: int64(rapid.IntRange(-3, 12).Draw(t, "end")), k: rapid.SampledFrom([]string{"", "a", "b", "\x00", "longer"}).Draw(t, "k")}
		if rapid.IntRange(0, 6).Draw(t, "null") == 0 {
			k.end, k.nullEnd = 0, true
		}
		if k.k == "" {
			k.nullK = rapid.Bool().Draw(t, "nullK")
		}
		return k
	})
	rapid.Check(t, func(t *rapid.T) {
		table, want := merge.New(schema), map[key]int32{}
		var all []*statestore.Changes
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			c := &statestore.Changes{Clear: rapid.IntRange(0, 5).Draw(t, "clear") == 0, HasDeleteBelow: rapid.Bool().Draw(t, "evict")}
			if c.Clear {
				clear(want)
			}
			if c.HasDeleteBelow {
				c.DeleteBelow = int64(rapid.IntRange(-4, 12).Draw(t, "below"))
				maps.DeleteFunc(want, func(k key, _ int32) bool { return !k.nullEnd && k.end <= c.DeleteBelow })
			}
			deletes := rapid.SliceOfN(draw, 0, 5).Draw(t, "deletes")
			c.Deletes = append(c.Deletes, newBlock(deletes, nil))
			for _, k := range deletes {
				delete(want, k)
			}
			for range rapid.IntRange(0, 2).Draw(t, "blocks") {
				keys := rapid.SliceOfNDistinct(draw, 0, 20, rapid.ID).Draw(t, "puts")
				values := make([]int32, len(keys))
				for i := range values {
					values[i] = int32(rapid.IntRange(-1, 99).Draw(t, "v"))
					want[keys[i]] = values[i]
				}
				c.Puts = append(c.Puts, newBlock(keys, values))
			}
			table.Apply(c)
			all = append(all, c)
		}
		if table.Len() != len(want) {
			t.Errorf("%d rows, want %d", table.Len(), len(want))
		}
		if d := cmp.Diff(want, contents(t, merge.All(schema, all).Blocks()), cmp.AllowUnexported(key{})); d != "" {
			t.Errorf("all at once (-want +got)\n%s", d)
		}
		if d := cmp.Diff(want, contents(t, table.Blocks()), cmp.AllowUnexported(key{})); d != "" {
			t.Fatal(d)
		}
	})
}

// TestNoKeys: a global aggregate has a single row and no key columns.
func TestNoKeys(t *testing.T) {
	table := merge.New(statestore.Schema{Values: []statestore.Column{{Width: 1}}, OrderCol: -1})
	for _, v := range []byte{1, 2, 3} {
		table.Apply(&statestore.Changes{HasDeleteBelow: true, DeleteBelow: 99,
			Puts: []statestore.Block{{Rows: 1, Cols: []statestore.ColumnData{{Data: []byte{v}}}}}})
	}
	if b := table.Blocks(); len(b) != 1 || b[0].Rows != 1 || b[0].Cols[0].Data[0] != 3 {
		t.Errorf("%+v", b)
	}
	table.Apply(&statestore.Changes{Deletes: []statestore.Block{{Rows: 1, Cols: []statestore.ColumnData{}}}})
	if table.Len() != 0 || table.Blocks() != nil {
		t.Errorf("%d rows", table.Len())
	}
}

func BenchmarkApply(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	var cols [2]statestore.ColumnData
	for range n {
		cols[0].Data = binary.LittleEndian.AppendUint64(cols[0].Data, rng.Uint64N(1<<20))
		cols[1].Data = binary.LittleEndian.AppendUint64(cols[1].Data, 1)
	}
	c := &statestore.Changes{Puts: []statestore.Block{{Rows: n, Cols: cols[:]}}}
	table := merge.New(statestore.Schema{Keys: []statestore.Column{{Width: 8}}, Values: []statestore.Column{{Width: 8}}, OrderCol: -1})
	for b.Loop() {
		table.Apply(c)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
