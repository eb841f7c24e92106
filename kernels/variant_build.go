package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// variantColumn collects a variant column row by row.
type variantColumn struct {
	valueOff, metaOff []int32
	values, metadata  []byte
	valid             vector.Bitmap
}

func newVariantColumn(n int, valid vector.Bitmap) *variantColumn {
	return &variantColumn{valueOff: make([]int32, 1, n+1), metaOff: make([]int32, 1, n+1), valid: valid}
}

// add ends a row with the value that b has built, or with a null if b is nil.
func (c *variantColumn) add(b *variant.Builder) {
	if b != nil {
		c.values = append(c.values, b.Data()...)
		c.metadata = b.AppendMetadata(c.metadata)
	} else {
		c.valid.Clear(len(c.valueOff) - 1)
	}
	c.valueOff, c.metaOff = append(c.valueOff, int32(len(c.values))), append(c.metaOff, int32(len(c.metadata)))
}

func (c *variantColumn) finish() vector.Vec {
	n := len(c.valueOff) - 1
	return vector.Vec{Arr: vector.NewStruct(vector.Variant, []arrow.Array{
		vector.NewString(vector.Binary, c.valueOff, c.values, nil),
		vector.NewString(vector.Binary, c.metaOff, c.metadata, nil),
	}, n, c.valid)}
}

// fitsVariant tells whether values of a type can become variants; a cast takes no
// structs and maps, to_variant_object does.
func fitsVariant(t *vector.Type, objects bool) bool {
	switch t.Kind {
	case vector.KindNull, vector.KindCalendarInterval, vector.KindDayTimeInterval, vector.KindYearMonthInterval, vector.KindTime:
		return false
	case vector.KindArray:
		return fitsVariant(t.Elem, objects)
	case vector.KindMap:
		return objects && isString(t.Key) && fitsVariant(t.Elem, objects)
	case vector.KindStruct:
		if !objects {
			return false
		}
		for _, f := range t.Fields {
			if !fitsVariant(f.Type, objects) {
				return false
			}
		}
	}
	return true
}

// castToVariant makes variants of values of a type that fitsVariant.
func castToVariant(from *vector.Type) castFn {
	return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
		put := variantParts(from, a)
		valid := vector.Validity(a)
		out := newVariantColumn(a.Len(), append(vector.Bitmap(nil), valid...))
		var b variant.Builder
		for i := range a.Len() {
			if b.Reset(); valid == nil || valid.Get(i) {
				put(&b, i)
			}
			out.add(&b)
		}
		if valid == nil {
			out.valid = nil
		}
		return out.finish().Arr, nil
	}
}

// variantParts adds the values of an array to a builder. Of a field name that
// comes twice in a struct the value becomes null.
func variantParts(t *vector.Type, a arrow.Array) func(b *variant.Builder, i int) {
	put := variantValues(t, a)
	return func(b *variant.Builder, i int) {
		if isNullAt(a, i) {
			b.Null()
		} else {
			put(b, i)
		}
	}
}

func variantValues(t *vector.Type, a arrow.Array) func(b *variant.Builder, i int) {
	switch t.Kind {
	case vector.KindBool:
		v := vector.Bools(a)
		return func(b *variant.Builder, i int) { b.Bool(v.Get(i)) }
	case vector.KindByte, vector.KindShort, vector.KindInt, vector.KindLong:
		return func(b *variant.Builder, i int) { b.Int(integerAt(t, a, i)) }
	case vector.KindFloat:
		v := vector.Values[float32](a)
		return func(b *variant.Builder, i int) { b.Float(v[i]) }
	case vector.KindDouble:
		v := vector.Values[float64](a)
		return func(b *variant.Builder, i int) { b.Double(v[i]) }
	case vector.KindDecimal:
		v := vector.Values[Dec](a)
		return func(b *variant.Builder, i int) { b.Decimal(v[i], t.Scale) }
	case vector.KindDate:
		v := vector.Values[int32](a)
		return func(b *variant.Builder, i int) { b.Date(v[i]) }
	case vector.KindTimestamp:
		v := vector.Values[int64](a)
		return func(b *variant.Builder, i int) { b.Timestamp(v[i]) }
	case vector.KindTimestampNTZ:
		v := vector.Values[int64](a)
		return func(b *variant.Builder, i int) { b.TimestampNTZ(v[i]) }
	case vector.KindString:
		v := textsOf(vector.Vec{Arr: a})
		return func(b *variant.Builder, i int) { b.String(v.at(i)) }
	case vector.KindBinary:
		v := textsOf(vector.Vec{Arr: a})
		return func(b *variant.Builder, i int) { b.Binary(v.at(i)) }
	case vector.KindVariant:
		at := render.Variants(a)
		return func(b *variant.Builder, i int) { b.Value(at(i)) }
	case vector.KindArray:
		off, put := vector.Offsets(a), variantParts(t.Elem, listChild(a))
		return func(b *variant.Builder, i int) {
			start, offsets := b.Len(), make([]int, 0, off[i+1]-off[i])
			for j := off[i]; j < off[i+1]; j++ {
				offsets = append(offsets, b.Len()-start)
				put(b, int(j))
			}
			b.EndArray(start, offsets)
		}
	case vector.KindMap:
		keys, vals := mapChildren(a)
		off, name, put := vector.Offsets(a), textsOf(vector.Vec{Arr: keys}), variantParts(t.Elem, vals)
		return func(b *variant.Builder, i int) {
			start, fields := b.Len(), make([]variant.Field, 0, off[i+1]-off[i])
			for j := off[i]; j < off[i+1]; j++ {
				fields = append(fields, b.Field(name.at(int(j)), start))
				put(b, int(j))
			}
			b.EndObject(start, fields)
		}
	}
	return variantStruct(t, a.(*array.Struct))
}

func variantStruct(t *vector.Type, a *array.Struct) func(b *variant.Builder, i int) {
	put := make([]func(*variant.Builder, int), len(t.Fields))
	for j, f := range t.Fields {
		put[j] = variantParts(f.Type, a.Field(j))
	}
	return func(b *variant.Builder, i int) {
		start, fields := b.Len(), make([]variant.Field, len(put))
		for j, p := range put {
			fields[j] = b.Field([]byte(t.Fields[j].Name), start)
			p(b, i)
		}
		b.EndObject(start, fields)
	}
}

// variantText prints a variant as a cast to STRING does: a text as it is,
// objects and arrays as JSON.
func variantText(dst []byte, v variant.Value, clock *text.Clock) []byte {
	switch v.Kind() {
	case variant.String, variant.Binary:
		return append(dst, v.Bytes()...)
	case variant.Timestamp:
		return text.AppendTimestamp(dst, clock.Local(v.Int()))
	case variant.TimestampNTZ:
		return text.AppendTimestamp(dst, v.Int())
	case variant.Date:
		return text.AppendDate(dst, v.Int())
	case variant.Double:
		return text.AppendDouble(dst, v.Double())
	case variant.Float:
		return text.AppendFloat(dst, float32(v.Double()))
	}
	return render.AppendVariant(dst, v, clock.Zone())
}
