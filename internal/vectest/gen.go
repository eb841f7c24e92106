// Package vectest draws random types, columns and batches for property tests.
package vectest

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/vector"
)

// flat are the types without inner types that files can hold.
var flat = []*vector.Type{
	vector.Bool, vector.Byte, vector.Short, vector.Int, vector.Long, vector.Float, vector.Double,
	vector.String, vector.Binary, vector.Date, vector.Timestamp, vector.TimestampNTZ,
	vector.Decimal(5, 2), vector.Decimal(15, 4), vector.Decimal(30, 10),
}

// Type draws a type with at most depth levels of nesting.
func Type(t *rapid.T, depth int) *vector.Type {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "nested") == 0 {
		return rapid.SampledFrom(flat).Draw(t, "flat")
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return vector.ArrayOf(Type(t, depth-1), true)
	case 1:
		return vector.MapOf(vector.String, Type(t, depth-1), true)
	}
	return vector.StructOf(fields(t, depth-1)...)
}

func fields(t *rapid.T, depth int) []vector.Field {
	out := make([]vector.Field, rapid.IntRange(1, 4).Draw(t, "fields"))
	for i := range out {
		out[i] = vector.Field{Name: fmt.Sprintf("f%d", i), Type: Type(t, depth), Nullable: true}
	}
	return out
}

// Schema draws a schema with names f0, f1, … and types of at most depth levels.
func Schema(t *rapid.T, depth int) *vector.Schema { return vector.NewSchema(fields(t, depth)...) }

// Batch draws n rows of a schema.
func Batch(t *rapid.T, s *vector.Schema, n int) *vector.Batch {
	cols := make([]arrow.Array, s.Len())
	for i, f := range s.Fields {
		cols[i] = Column(t, f.Type, n)
	}
	return vector.NewBatch(s, cols, n)
}

// Column draws n values of a type, some of them null.
func Column(t *rapid.T, typ *vector.Type, n int) arrow.Array {
	valid := validity(t, n)
	switch typ.Kind {
	case vector.KindBool:
		bits := vector.NewBitmap(n)
		for i := range n {
			if rapid.Bool().Draw(t, "bool") {
				bits.Set(i)
			}
		}
		return vector.NewBool(bits, n, valid)
	case vector.KindByte:
		return vector.NewFixed(typ, draw(t, n, rapid.Int8()), valid)
	case vector.KindShort:
		return vector.NewFixed(typ, draw(t, n, rapid.Int16()), valid)
	case vector.KindInt:
		return vector.NewFixed(typ, draw(t, n, rapid.Int32()), valid)
	case vector.KindLong:
		return vector.NewFixed(typ, draw(t, n, rapid.Int64()), valid)
	case vector.KindFloat:
		return vector.NewFixed(typ, draw(t, n, rapid.Float32()), valid)
	case vector.KindDouble:
		return vector.NewFixed(typ, draw(t, n, rapid.Float64()), valid)
	case vector.KindDate:
		return vector.NewFixed(typ, draw(t, n, rapid.Int32Range(-700000, 2900000)), valid)
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		return vector.NewFixed(typ, draw(t, n, rapid.Int64Range(-62_000_000_000_000_000, 250_000_000_000_000_000)), valid)
	case vector.KindDecimal:
		return vector.NewFixed(typ, decimals(t, typ.Precision, n), valid)
	case vector.KindString, vector.KindBinary:
		off, data := make([]int32, n+1), []byte(nil)
		for i := range n {
			data = append(data, rapid.StringN(0, 8, -1).Draw(t, "string")...)
			off[i+1] = int32(len(data))
		}
		return vector.NewString(typ, off, data, valid)
	case vector.KindArray:
		off := offsets(t, n)
		return vector.NewList(typ, off, Column(t, typ.Elem, int(off[n])), valid)
	case vector.KindMap:
		off := offsets(t, n)
		return vector.NewMap(typ, off, keys(typ.Key, int(off[n])), Column(t, typ.Elem, int(off[n])), valid)
	case vector.KindStruct:
		kids := make([]arrow.Array, len(typ.Fields))
		for i, f := range typ.Fields {
			kids[i] = Column(t, f.Type, n)
		}
		return vector.NewStruct(typ, kids, n, valid)
	}
	panic("vectest: no generator for " + typ.String())
}

func draw[T any](t *rapid.T, n int, g *rapid.Generator[T]) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = g.Draw(t, "value")
	}
	return out
}

func validity(t *rapid.T, n int) vector.Bitmap {
	if rapid.Bool().Draw(t, "no nulls") {
		return nil
	}
	v := vector.NewValid(n)
	for i := range n {
		if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			v.Clear(i)
		}
	}
	return v
}

func offsets(t *rapid.T, n int) []int32 {
	off := make([]int32, n+1)
	for i := range n {
		off[i+1] = off[i] + rapid.Int32Range(0, 3).Draw(t, "length")
	}
	return off
}

// keys are n distinct strings without nulls.
func keys(typ *vector.Type, n int) arrow.Array {
	off, data := make([]int32, n+1), []byte(nil)
	for i := range n {
		data = fmt.Appendf(data, "k%d", i)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(typ, off, data, nil)
}

// decimals are unscaled values of at most precision digits, little-endian.
func decimals(t *rapid.T, precision, n int) [][16]byte {
	limit := int64(1)
	for range min(precision, 18) {
		limit *= 10
	}
	out := make([][16]byte, n)
	for i := range out {
		v := rapid.Int64Range(1-limit, limit-1).Draw(t, "unscaled")
		for b := range 8 {
			out[i][b] = byte(v >> (8 * b))
			out[i][8+b] = byte(v >> 63)
		}
	}
	return out
}
