package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/vstream/vstream/vector"
)

// innerCast is castKernel that leaves equal types alone.
func innerCast(from, to *vector.Type, mode CastMode) castFn {
	if from.Equal(to) {
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) { return a, nil }
	}
	return castKernel(from, to, mode)
}

// castNested casts arrays, maps and structs by their inner values.
func castNested(from, to *vector.Type, mode CastMode) castFn {
	switch to.Kind {
	case vector.KindArray:
		elem := innerCast(from.Elem, to.Elem, mode)
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			valid := vector.Validity(a)
			off := vector.Offsets(a)
			child, err := elem(ctx, maskUnused(listChild(a), off, valid))
			if err != nil {
				return nil, err
			}
			return vector.NewList(to, off, child, valid), nil
		}
	case vector.KindMap:
		key, value := innerCast(from.Key, to.Key, mode), innerCast(from.Elem, to.Elem, mode)
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			valid := vector.Validity(a)
			off := vector.Offsets(a)
			keys, values := mapChildren(a)
			keys, err := key(ctx, maskUnused(keys, off, valid))
			if err != nil {
				return nil, err
			}
			if values, err = value(ctx, maskUnused(values, off, valid)); err != nil {
				return nil, err
			}
			return vector.NewMap(to, off, keys, values, valid), nil
		}
	}
	fields := make([]castFn, len(to.Fields))
	for i, f := range to.Fields {
		fields[i] = innerCast(from.Fields[i].Type, f.Type, mode)
	}
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		s := a.(*array.Struct)
		valid := vector.Validity(a)
		out := make([]arrow.Array, len(fields))
		for i, cast := range fields {
			var err error
			if out[i], err = cast(ctx, maskNulls(s.Field(i), valid)); err != nil {
				return nil, err
			}
		}
		return vector.NewStruct(to, out, a.Len(), valid), nil
	}
}

// maskUnused makes the elements null that no valid list holds, so that a cast
// does not fail for a value that nobody sees.
func maskUnused(child arrow.Array, off []int32, valid vector.Bitmap) arrow.Array {
	n := len(off) - 1
	used := int32(0)
	for i := range n {
		if valid.Get(i) {
			used += off[i+1] - off[i]
		}
	}
	if int(used) == child.Len() {
		return child
	}
	keep := vector.NewBitmap(child.Len())
	for i := range n {
		if valid.Get(i) && off[i+1] > off[i] {
			bitutil.SetBitsTo(keep, int64(off[i]), int64(off[i+1]-off[i]), true)
		}
	}
	return maskNulls(child, keep)
}

// maskNulls makes the values null whose bit is not set in keep; nil keeps all.
func maskNulls(a arrow.Array, keep vector.Bitmap) arrow.Array {
	n := a.Len()
	if keep == nil || n == 0 || a.DataType().ID() == arrow.NULL {
		return a
	}
	d := a.Data()
	bits := make(vector.Bitmap, bitutil.BytesForBits(int64(d.Offset()+n)))
	if v := vector.Validity(a); v != nil {
		both := andBits(make(vector.Bitmap, len(v)), v, keep[:len(v)])
		bitutil.CopyBitmap(both, 0, n, bits, d.Offset())
	} else {
		bitutil.CopyBitmap(keep, 0, n, bits, d.Offset())
	}
	bufs := append([]*memory.Buffer{memory.NewBufferBytes(bits)}, d.Buffers()[1:]...)
	nulls := n - bitutil.CountSetBits(bits, d.Offset(), n)
	return array.MakeFromData(array.NewData(a.DataType(), n, bufs, d.Children(), nulls, d.Offset()))
}
