package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/statestore"
)

// RunTier tests a capacity tier. newTier makes an empty one; it ends with the test.
func RunTier(t *testing.T, newTier func(t *testing.T) statestore.Tier) {
	runTier(t, tierSchemas, newTier)
	t.Run("Order", func(t *testing.T) { testTierOrder(t, newTier(t)) })
}

// RunUnorderedTier tests a capacity tier that takes only tables without an order column.
func RunUnorderedTier(t *testing.T, newTier func(t *testing.T) statestore.Tier) {
	schemas := slices.Clone(tierSchemas)
	for i := range schemas {
		schemas[i].OrderCol = -1
	}
	runTier(t, schemas, newTier)
}

func runTier(t *testing.T, schemas []statestore.Schema, newTier func(t *testing.T) statestore.Tier) {
	tier := newTier(t)
	t.Run("Model", func(t *testing.T) { rapid.Check(t, func(rt *rapid.T) { testTier(rt, tier, schemas) }) })
	t.Run("Large", func(t *testing.T) { testLargeTier(t, tier) })
	t.Run("Concurrent", func(t *testing.T) { testConcurrentTier(t, tier) })
	t.Run("Untouched", func(t *testing.T) { testUntouchedTier(t, newTier(t), schemas[0]) })
}

// tierSchemas are layouts of all kinds; the first is that of the store's tests.
var tierSchemas = []statestore.Schema{
	schema,
	{Keys: []statestore.Column{{Name: "k", Width: 8}}, Values: []statestore.Column{{Name: "v", Width: 4, Nullable: true}}, OrderCol: -1},
	{Keys: []statestore.Column{{Name: "s", Nullable: true}, {Name: "t", Width: 8}, {Name: "u"}}, OrderCol: 1},
	{Keys: []statestore.Column{{Name: "t", Width: 8, Nullable: true}}, Values: []statestore.Column{{Name: "v"}}, OrderCol: 0},
	{OrderCol: -1, Values: []statestore.Column{{Name: "v", Width: 1}, {Name: "w", Nullable: true}}},
}

func drawCells(t *rapid.T, cols []statestore.Column, orderCol int) []cell {
	out := make([]cell, len(cols))
	for i, c := range cols {
		switch {
		case c.Nullable && rapid.IntRange(0, 4).Draw(t, "null") == 0:
			out[i].null = true
		case i == orderCol:
			v := uint64(rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, 2, 5, math.MaxInt64}).Draw(t, "order"))
			b := make([]byte, 8)
			for j := range b {
				b[j] = byte(v >> (8 * j))
			}
			out[i].data = string(b)
		case c.Width > 0:
			b := make([]byte, c.Width)
			b[rapid.IntRange(0, c.Width-1).Draw(t, "at")] = byte(rapid.IntRange(0, 3).Draw(t, "byte"))
			out[i].data = string(b)
		default:
			out[i].data = rapid.SampledFrom([]string{"", "a", "ab", "\x00", "longer than sixteen bytes", "longer than sixteen byte"}).Draw(t, "text")
		}
	}
	return out
}

func drawRows(t *rapid.T, s statestore.Schema, cols []statestore.Column) [][]cell {
	seen := map[string]bool{}
	var rows [][]cell
	for range rapid.IntRange(0, 12).Draw(t, "rows") {
		r := drawCells(t, cols, s.OrderCol)
		if k := fmt.Sprintf("%q", r[:len(s.Keys)]); !seen[k] {
			seen[k] = true
			rows = append(rows, r)
		}
	}
	return rows
}

func drawRange(t *rapid.T, s statestore.Schema) statestore.Range {
	if s.OrderCol < 0 || rapid.IntRange(0, 4).Draw(t, "all") == 0 {
		return statestore.Range{}
	}
	if rapid.IntRange(0, 4).Draw(t, "nulls") == 0 {
		return statestore.Range{Kind: statestore.NullOrder}
	}
	bounds := []int64{math.MinInt64, -2, -1, 0, 1, 4, 5, math.MaxInt64 - 1, math.MaxInt64}
	return statestore.Range{Kind: statestore.Between, Lo: rapid.SampledFrom(bounds).Draw(t, "lo"), Hi: rapid.SampledFrom(bounds).Draw(t, "hi")}
}

// contentsOf are the rows of a range as sorted text.
func contentsOf(t fataler, s statestore.Schema, table statestore.TierTable, r statestore.Range) []string {
	t.Helper()
	var out []string
	cols := append(slices.Clone(s.Keys), s.Values...)
	must(t, table.Scan(r, func(b statestore.Block) error {
		if b.Rows == 0 {
			t.Fatal("an empty block")
		}
		for row := range b.Rows {
			out = append(out, fmt.Sprintf("%q", cells(cols, b, row)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// testTier runs random operations on two tables of a tier and on the naive one.
func testTier(t *rapid.T, tier statestore.Tier, schemas []statestore.Schema) {
	type pair struct {
		schema     statestore.Schema
		got, naive statestore.TierTable
	}
	var pairs []pair
	for range 2 {
		s := rapid.SampledFrom(schemas).Draw(t, "schema")
		got, err := tier.Table(s)
		must(t, err)
		naive, _ := (&NaiveTier{}).Table(s)
		pairs = append(pairs, pair{s, got, naive})
	}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		p := pairs[rapid.IntRange(0, 1).Draw(t, "table")]
		s := p.schema
		cols := append(slices.Clone(s.Keys), s.Values...)
		switch rapid.IntRange(0, 6).Draw(t, "step") {
		default:
			b := blockOf(cols, drawRows(t, s, cols))
			must(t, p.naive.Write(b))
			must(t, p.got.Write(b))
		case 3:
			b := blockOf(s.Keys, drawRows(t, s, s.Keys))
			must(t, p.naive.Delete(b))
			must(t, p.got.Delete(b))
		case 4:
			r := drawRange(t, s)
			must(t, p.naive.DeleteRange(r))
			must(t, p.got.DeleteRange(r))
		case 5:
			b := blockOf(s.Keys, drawRows(t, s, s.Keys))
			wantRows, want, _ := p.naive.Get(b)
			rows, values, err := p.got.Get(b)
			must(t, err)
			if !slices.Equal(wantRows, rows) {
				t.Fatalf("found %v, want %v", rows, wantRows)
			}
			for i := range rows {
				if d := cmp.Diff(cells(s.Values, want, i), cells(s.Values, values, i), cmp.AllowUnexported(cell{})); d != "" {
					t.Fatalf("row %d (-want +got)\n%s", rows[i], d)
				}
			}
		case 6:
			r := drawRange(t, s)
			if d := cmp.Diff(contentsOf(t, s, p.naive, r), contentsOf(t, s, p.got, r)); d != "" {
				t.Fatalf("range %+v (-want +got)\n%s", r, d)
			}
		}
	}
	for _, p := range pairs {
		if d := cmp.Diff(contentsOf(t, p.schema, p.naive, statestore.Range{}), contentsOf(t, p.schema, p.got, statestore.Range{})); d != "" {
			t.Fatalf("(-want +got)\n%s", d)
		}
		must(t, p.got.DeleteRange(statestore.Range{}))
	}
}

// numbers is a block of the rows k -> v of tierSchemas[1], or of its keys alone.
func numbers(k []uint64, v func(k uint64) uint32) statestore.Block {
	cols := make([]column, 2)
	if v == nil {
		cols = cols[:1]
	}
	for _, x := range k {
		cols[0].add(false, false, []byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24), 0, 0, 0, byte(x * 7)})
		if v != nil {
			y := v(x)
			cols[1].add(false, false, []byte{byte(y), byte(y >> 8), byte(y >> 16), byte(y >> 24)})
		}
	}
	return block(cols, len(k))
}

// testLargeTier writes enough rows in one block for the ways that large ones go.
func testLargeTier(t *testing.T, tier statestore.Tier) {
	s := tierSchemas[1]
	table, err := tier.Table(s)
	must(t, err)
	const n = 500_000
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(i) * 40503 % n // a permutation
	}
	for round := range uint32(3) {
		must(t, table.Write(numbers(keys[:n>>round], func(k uint64) uint32 { return uint32(k)<<2 + round })))
	}
	rows, values, err := table.Get(numbers([]uint64{n, keys[n-1], n + 2, keys[0], keys[n/3], n + 1}, nil))
	must(t, err)
	if !slices.Equal(rows, []uint32{1, 3, 4}) || values.Rows != 3 {
		t.Fatal(rows)
	}
	for i, want := range []uint64{keys[n-1] << 2, keys[0]<<2 + 2, keys[n/3]<<2 + 1} {
		if got := cells(s.Values, values, i)[0].data; got != string([]byte{byte(want), byte(want >> 8), byte(want >> 16), byte(want >> 24)}) {
			t.Errorf("key %d has value %q", i, got)
		}
	}
	scanned := 0
	stop := errors.New("stop")
	if err := table.Scan(statestore.Range{}, func(b statestore.Block) error {
		scanned += b.Rows
		if scanned > n/2 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	must(t, table.DeleteRange(statestore.Range{}))
	if left := contentsOf(t, s, table, statestore.Range{}); len(left) > 0 {
		t.Fatal(len(left), "rows are left")
	}
}

// testConcurrentTier uses tables of one tier at the same time.
func testConcurrentTier(t *testing.T, tier statestore.Tier) {
	var wg sync.WaitGroup
	for w := range uint64(4) {
		wg.Go(func() {
			table, err := tier.Table(tierSchemas[1])
			if err != nil {
				t.Error(err)
				return
			}
			var keys []uint64
			for i := range uint64(2000) {
				keys = append(keys, i*(w+1))
				if i%200 != 199 {
					continue
				}
				if err := table.Write(numbers(keys, func(k uint64) uint32 { return uint32(k + w) })); err != nil {
					t.Error(err)
				}
				rows, values, err := table.Get(numbers(keys, nil))
				if err != nil || len(rows) != len(keys) || values.Rows != len(keys) || values.Cols[0].Data[0] != byte(w) {
					t.Errorf("%d of %d found: %v", len(rows), len(keys), err)
				}
			}
			if n := len(contentsOf(t, tierSchemas[1], table, statestore.Range{})); n != 2000 {
				t.Errorf("%d rows", n)
			}
			if err := table.DeleteRange(statestore.Range{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// testUntouchedTier reads a tier that nothing was ever written to.
func testUntouchedTier(t *testing.T, tier statestore.Tier, schema statestore.Schema) {
	table, err := tier.Table(schema)
	must(t, err)
	if rows := contentsOf(t, schema, table, statestore.Range{}); len(rows) > 0 {
		t.Error(rows)
	}
	rows, _, err := table.Get(blockOf(schema.Keys, [][]cell{{{null: true}, {data: "x"}}}))
	if err != nil || len(rows) > 0 {
		t.Error(rows, err)
	}
	r := statestore.Range{}
	if schema.OrderCol >= 0 {
		r.Kind = statestore.NullOrder
	}
	must(t, table.DeleteRange(r))
}
