package vector_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/vector"
)

// nested draws a type with inner types, and a column of it.
func nested(t *rapid.T, depth, n int) (*vector.Type, arrow.Array) {
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if depth == 0 {
		kind = 0
	}
	valid := vector.NewValid(n)
	for i := range n {
		if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
			valid.Clear(i)
		}
	}
	off := make([]int32, n+1)
	for i := range n {
		off[i+1] = off[i]
		if valid.Get(i) {
			off[i+1] += int32(rapid.IntRange(0, 2).Draw(t, "len"))
		}
	}
	m := int(off[n])
	switch kind {
	case 1:
		e, child := nested(t, depth-1, m)
		typ := vector.ArrayOf(e, true)
		return typ, vector.NewList(typ, off, child, valid)
	case 2:
		v, values := nested(t, depth-1, m)
		keys := make([]int32, m)
		for i := range n {
			for j := off[i]; j < off[i+1]; j++ {
				keys[j] = 5 - (j - off[i]) // unique in a map, descending
			}
		}
		typ := vector.MapOf(vector.Int, v, true)
		return typ, vector.NewMap(typ, off, vector.NewFixed(vector.Int, keys, nil), values, valid)
	case 3:
		a, x := nested(t, depth-1, n)
		b, y := nested(t, depth-1, n)
		typ := vector.StructOf(vector.Field{Name: "a", Type: a, Nullable: true}, vector.Field{Name: "b", Type: b, Nullable: true})
		// Fields of a null struct are null, so that columns compare by value.
		return typ, vector.NewStruct(typ, []arrow.Array{mask(x, valid), mask(y, valid)}, n, valid)
	}
	typ := rapid.SampledFrom(keyTypes).Draw(t, "type")
	col, _ := randomColumn(t, typ, n)
	return typ, col
}

func mask(a arrow.Array, valid vector.Bitmap) arrow.Array {
	if a.DataType().ID() == arrow.NULL {
		return a
	}
	return vector.WithValidity(a, vector.And(valid, vector.Validity(a), a.Len()))
}

func TestEncodeValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "rows")
		typ, col := nested(t, 3, n)
		lo := rapid.IntRange(0, n).Draw(t, "lo")
		col = vector.SliceArray(col, lo, n)
		if typ.Kind == vector.KindNull {
			return // a void column has no encoding of its own: all its values are null
		}
		got := vector.DecodeKey(typ, vector.EncodeValue(typ, col))
		if !bytes.Equal(flatten(vector.EncodeValue(typ, got)), flatten(vector.EncodeValue(typ, col))) {
			t.Fatalf("%s: %v came back as %v", typ, col, got)
		}
		for i := range col.Len() {
			if col.IsNull(i) != got.IsNull(i) {
				t.Fatalf("row %d: null %v, want %v", i, got.IsNull(i), col.IsNull(i))
			}
		}
		if eq := array.ApproxEqual(col, got, array.WithNaNsEqual(true)); !eq && typ.Kind != vector.KindCalendarInterval && !hasVoid(typ) {
			t.Fatalf("%s: %v came back as %v", typ, col, got)
		}
		// Keys are canonical: encoding what a key decodes to gives the key.
		key := vector.EncodeKey(typ, col)
		if again := vector.EncodeKey(typ, vector.DecodeKey(typ, key)); !array.Equal(key, again) {
			t.Fatalf("%s: key is not canonical", typ)
		}
	})
}

func hasVoid(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindNull:
		return true
	case vector.KindArray, vector.KindMap:
		return hasVoid(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if hasVoid(f.Type) {
				return true
			}
		}
	}
	return false
}

func flatten(a arrow.Array) []byte {
	off, data := vector.Strings(a)
	return data[off[0]:off[a.Len()]]
}

func TestEncodingOrders(t *testing.T) {
	str := func(v ...string) arrow.Array {
		off, data := []int32{0}, []byte(nil)
		for _, s := range v {
			data = append(data, s...)
			off = append(off, int32(len(data)))
		}
		return vector.NewString(vector.String, off, data, nil)
	}
	list := vector.ArrayOf(vector.Int, true)
	pair := vector.StructOf(vector.Field{Name: "s", Type: vector.String}, vector.Field{Name: "n", Type: vector.Int})
	valid := vector.NewValid(4)
	valid.Clear(0)
	for _, c := range []struct {
		name string
		typ  *vector.Type
		col  arrow.Array // ascending
	}{
		{"int", vector.Int, vector.NewFixed(vector.Int, []int32{math.MinInt32, -1, 0, 7}, nil)},
		{"double", vector.Double, vector.NewFixed(vector.Double, []float64{math.Inf(-1), -2.5, -1, 0, 3, math.Inf(1), math.NaN()}, nil)},
		{"float", vector.Float, vector.NewFixed(vector.Float, []float32{-2.5, -1, 0, 3, float32(math.NaN())}, nil)},
		{"decimal", vector.Decimal(38, 0), vector.NewFixed(vector.Decimal(38, 0), [][2]int64{{-5, -1}, {-1, -1}, {0, 0}, {-1, 0}, {0, 1}}, nil)},
		{"string", vector.String, str("", "\x00", "\x00\x00", "\x00\x01", "a", "a\x00", "a\x00b", "aa", "b", "\xff")},
		{"array", list, vector.NewList(list, []int32{0, 0, 1, 2, 4}, vector.NewFixed(vector.Int, []int32{0, 1, 1, 5}, valid), nil)},
		{"struct", pair, vector.NewStruct(pair, []arrow.Array{str("", "a", "a", "ab"), vector.NewFixed(vector.Int, []int32{9, -1, 3, -7}, nil)}, 4, nil)},
	} {
		off, data := vector.Strings(vector.EncodeKey(c.typ, c.col))
		for i := 1; i < c.col.Len(); i++ {
			if a, b := data[off[i-1]:off[i]], data[off[i]:off[i+1]]; bytes.Compare(a, b) >= 0 {
				t.Errorf("%s: value %d (% x) is not below value %d (% x)", c.name, i-1, a, i, b)
			}
		}
	}
}

func TestEncodeKeyNormalises(t *testing.T) {
	nan := math.Float64frombits(0x7ff8_0000_0000_0abc)
	key := vector.EncodeKey(vector.Double, vector.NewFixed(vector.Double, []float64{0, math.Copysign(0, -1), math.NaN(), nan}, nil))
	off, data := vector.Strings(key)
	for _, i := range []int{0, 2} {
		if !bytes.Equal(data[off[i]:off[i+1]], data[off[i+1]:off[i+2]]) {
			t.Errorf("values %d and %d differ as keys", i, i+1)
		}
	}
	typ := vector.MapOf(vector.Int, vector.Int, true)
	maps := vector.NewMap(typ, []int32{0, 2, 4}, vector.NewFixed(vector.Int, []int32{1, 2, 2, 1}, nil), vector.NewFixed(vector.Int, []int32{10, 20, 20, 10}, nil), nil)
	off, data = vector.Strings(vector.EncodeKey(typ, maps))
	if !bytes.Equal(data[off[0]:off[1]], data[off[1]:off[2]]) {
		t.Error("the order of a map's entries makes another key")
	}
}

func FuzzParseKey(f *testing.F) {
	typ := vector.StructOf(
		vector.Field{Name: "m", Type: vector.MapOf(vector.String, vector.ArrayOf(vector.Bool, true), true)},
		vector.Field{Name: "d", Type: vector.Double}, vector.Field{Name: "x", Type: vector.Decimal(20, 2)},
		vector.Field{Name: "i", Type: vector.CalendarInterval}, vector.Field{Name: "v", Type: vector.Null})
	f.Add([]byte{1, 1, 1, 1, 1})
	f.Add([]byte{2, 2, 'k', 0, 0, 2, 2, 1, 0, 0, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := vector.NewString(vector.Binary, []int32{0, int32(len(data))}, data, nil)
		col, err := vector.ParseKey(typ, in)
		if err != nil {
			return
		}
		// Bytes that decode may not be canonical, but what they decode to is a value:
		// it encodes to bytes that decode to the same.
		key := vector.EncodeValue(typ, col)
		again, err := vector.ParseKey(typ, key)
		if err != nil {
			t.Fatalf("% x decodes, but its encoding % x does not", data, flatten(key))
		}
		if !bytes.Equal(flatten(vector.EncodeValue(typ, again)), flatten(key)) {
			t.Fatalf("% x does not come back", flatten(key))
		}
	})
}
