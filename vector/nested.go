package vector

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// StructField is field i of a struct column as a column of its own: null where
// the struct or the field is null.
func StructField(a arrow.Array, i int) arrow.Array {
	f := a.(*array.Struct).Field(i)
	outer := Validity(a)
	if outer == nil {
		return f
	}
	return WithValidity(f, And(outer, Validity(f), a.Len()))
}

// And is the bitwise and of two validity bitmaps of n bits, either of which may be nil.
func And(a, b Bitmap, n int) Bitmap {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := NewBitmap(n)
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return out
}

// WithValidity is the array with another validity bitmap; the values are shared.
func WithValidity(a arrow.Array, valid Bitmap) arrow.Array {
	d := a.Data()
	n := a.Len()
	if d.Offset() != 0 {
		// The bitmap starts at bit 0, the values at the array's offset: line them up.
		idx := make([]uint32, n)
		for i := range idx {
			idx[i] = uint32(i)
		}
		a = Take(a, idx)
		d = a.Data()
	}
	kids := make([]arrow.Array, len(d.Children()))
	for i, c := range d.Children() {
		kids[i] = array.MakeFromData(c)
	}
	if len(kids) > 0 {
		var off []byte
		if len(d.Buffers()) > 1 {
			off = d.Buffers()[1].Bytes()
		}
		return rawNested(d.DataType(), n, valid, off, kids...)
	}
	var bufs [][]byte
	for _, b := range d.Buffers()[1:] {
		if b == nil {
			bufs = append(bufs, nil)
			continue
		}
		bufs = append(bufs, b.Bytes())
	}
	return rawArray(d.DataType(), n, valid, bufs...)
}

// AppendNull is the array with one null more at its end.
func AppendNull(a arrow.Array) arrow.Array {
	null := array.MakeArrayOfNull(memory.DefaultAllocator, a.DataType(), 1)
	return Concat([]arrow.Array{a, null})
}
