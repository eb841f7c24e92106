package vector_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/vector"
)

// keyTypes are flat types with few distinct values, so that groups repeat.
var keyTypes = []*vector.Type{
	vector.Bool, vector.Byte, vector.Short, vector.Int, vector.Long, vector.Float, vector.Double,
	vector.Date, vector.Timestamp, vector.Decimal(30, 2), vector.String, vector.Binary, vector.Null, vector.CalendarInterval,
}

// randomColumn draws n values of a flat type; want[i] is value i as a comparable string.
func randomColumn(t *rapid.T, typ *vector.Type, n int) (col arrow.Array, want []string) {
	nullable := rapid.Bool().Draw(t, "nullable")
	vals := rapid.SliceOfN(rapid.IntRange(-3, 6), n, n).Draw(t, "values")
	valid := vector.NewValid(n)
	want = make([]string, n)
	for i, v := range vals {
		if typ.Kind == vector.KindNull || nullable && v == 6 {
			valid.Clear(i)
			want[i] = "null"
			continue
		}
		want[i] = fmt.Sprint(v)
	}
	if typ.Kind == vector.KindNull {
		return vector.NewNull(typ, n), want
	}
	switch typ.Kind {
	case vector.KindBool:
		bits := vector.NewBitmap(n)
		for i, v := range vals {
			if v > 0 {
				bits.Set(i)
			}
			if want[i] != "null" {
				want[i] = fmt.Sprint(v > 0)
			}
		}
		return vector.NewBool(bits, n, valid), want
	case vector.KindString, vector.KindBinary:
		off, data := make([]int32, n+1), []byte(nil)
		for i, v := range vals {
			for range v + 3 {
				data = append(data, "abcdefghij"[v+3])
			}
			if v == 5 {
				data = append(data, "a long tail that does not fit a word"...)
			}
			off[i+1] = int32(len(data))
		}
		return vector.NewString(typ, off, data, valid), want
	case vector.KindFloat, vector.KindDouble:
		f := make([]float64, n)
		g := make([]float32, n)
		for i, v := range vals {
			f[i] = float64(v)
			switch v {
			case 5:
				f[i] = math.Float64frombits(math.Float64bits(math.NaN()) + uint64(i%3))
			case 0:
				if i%2 == 1 {
					f[i] = math.Copysign(0, -1)
				}
			}
			g[i] = float32(f[i])
		}
		if typ.Kind == vector.KindFloat {
			return vector.NewFixed(typ, g, valid), want
		}
		return vector.NewFixed(typ, f, valid), want
	}
	switch typ.Width() {
	case 1:
		return vector.NewFixed(typ, convert[int8](vals), valid), want
	case 2:
		return vector.NewFixed(typ, convert[int16](vals), valid), want
	case 4:
		return vector.NewFixed(typ, convert[int32](vals), valid), want
	case 16:
		w := make([][2]int64, n)
		for i, v := range vals {
			w[i] = [2]int64{int64(v), int64(v) >> 63}
		}
		return vector.NewFixed(typ, w, valid), want
	}
	return vector.NewFixed(typ, convert[int64](vals), valid), want
}

func convert[T int8 | int16 | int32 | int64](v []int) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

func TestGroupTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(keyTypes), 0, 6).Draw(t, "types")
		table := vector.NewGroupTable(types)
		model := map[string]uint32{}
		var firstRow [][2]int // batch and row where each group was first seen
		var batches [][]arrow.Array
		for batch := range rapid.IntRange(1, 4).Draw(t, "batches") {
			if rapid.IntRange(0, 3).Draw(t, "reset") == 0 {
				table.Reset()
				clear(model)
				firstRow = nil
			}
			n := rapid.IntRange(0, 60).Draw(t, "rows")
			cols := make([]arrow.Array, len(types))
			keys := make([]string, n)
			for c, typ := range types {
				col, want := randomColumn(t, typ, n)
				if n > 2 && rapid.Bool().Draw(t, "slice") {
					// A sliced column has an offset into its buffers.
					col = vector.SliceArray(vector.Concat([]arrow.Array{vector.Take(col, []uint32{0, 1, 1}), col}), 3, n+3)
				}
				cols[c] = col
				for i := range keys {
					keys[i] += want[i] + "|"
				}
			}
			batches = append(batches, cols)
			gid := make([]uint32, n)
			table.Lookup(cols, gid)
			for i, k := range keys {
				want, ok := model[k]
				if !ok {
					want = vector.NoGroup
				}
				if gid[i] != want {
					t.Fatalf("row %d of batch %d: Lookup gives %d, want %d", i, batch, gid[i], want)
				}
			}
			table.Find(cols, gid)
			for i, k := range keys {
				g, ok := model[k]
				if !ok {
					g = uint32(len(model))
					model[k] = g
					firstRow = append(firstRow, [2]int{batch, i})
				}
				if gid[i] != g {
					t.Fatalf("row %d of batch %d: group %d, want %d", i, batch, gid[i], g)
				}
			}
			if table.Len() != len(model) {
				t.Fatalf("Len %d, want %d", table.Len(), len(model))
			}
		}
		g := vector.AllGroups(len(model))
		for c := range types {
			parts := make([]arrow.Array, len(firstRow))
			for i, at := range firstRow {
				parts[i] = vector.SliceArray(batches[at[0]][c], at[1], at[1]+1)
			}
			if len(parts) == 0 {
				continue
			}
			want, got := vector.Concat(parts), table.Column(c, g)
			if !sameKeys(types[c], got, want) {
				t.Fatalf("column %d (%s) reads back as %v, want %v", c, types[c], got, want)
			}
		}
		table.Free()
	})
}

// sameKeys compares columns as keys: NaN equals NaN and -0.0 equals 0.0.
func sameKeys(t *vector.Type, a, b arrow.Array) bool {
	switch t.Kind {
	case vector.KindFloat, vector.KindDouble:
		h1, h2 := make([]uint64, a.Len()), make([]uint64, b.Len())
		vector.HashColumns([]arrow.Array{a}, h1)
		vector.HashColumns([]arrow.Array{b}, h2)
		return fmt.Sprint(h1) == fmt.Sprint(h2)
	}
	return array.Equal(a, b)
}

func TestGroupTableGrows(t *testing.T) {
	const n = 300_000
	v := make([]int64, n)
	off, data := make([]int32, n+1), []byte(nil)
	for i := range v {
		v[i] = int64(i) * 1_000_003
		data = fmt.Appendf(data, "key-%d", i)
		off[i+1] = int32(len(data))
	}
	ints, strs := vector.NewFixed(vector.Long, v, nil), vector.NewString(vector.String, off, data, nil)
	for _, c := range []struct {
		types []*vector.Type
		cols  []arrow.Array
	}{
		{[]*vector.Type{vector.Long}, []arrow.Array{ints}},
		{[]*vector.Type{vector.Long, vector.Long}, []arrow.Array{ints, ints}},
		{[]*vector.Type{vector.String}, []arrow.Array{strs}},
		{[]*vector.Type{vector.Long, vector.String}, []arrow.Array{ints, strs}},
	} {
		table := vector.NewGroupTable(c.types)
		gid := make([]uint32, n)
		for range 2 {
			table.Find(c.cols, gid)
			for i, g := range gid {
				if int(g) != i {
					t.Fatalf("%v: row %d is group %d", c.types, i, g)
				}
			}
		}
		for i, col := range table.Columns(gid) {
			if !array.Equal(col, c.cols[i]) {
				t.Fatalf("%v: column %d does not read back", c.types, i)
			}
		}
		table.Free()
	}
}

func TestHashColumnsIsStable(t *testing.T) {
	// The values are part of the checkpoint format: they must never change.
	out := make([]uint64, 2)
	vector.HashColumns([]arrow.Array{vector.NewFixed(vector.Long, []int64{1, -1}, nil),
		vector.NewString(vector.String, []int32{0, 0, 20}, []byte("twenty bytes of text"), nil)}, out)
	want := []uint64{0xa2bb7477ffbb44e4, 0x89b6c922620f868d}
	if out[0] != want[0] || out[1] != want[1] {
		t.Errorf("got %#x, want %#x", out, want)
	}
}
