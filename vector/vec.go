package vector

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Vec is one column as a kernel sees it: an Arrow array with a value per row,
// or, if Const, an array of length 1 whose value stands for every row.
//
// Kernels index a Vec with i & v.Mask(), which is right in both cases:
//
//	a, am := vector.Values[int64](x.Arr), x.Mask()
//	for i := range out { out[i] = a[i&am] }
//
// Arrays are garbage-collected; nobody calls Retain or Release.
type Vec struct {
	Arr   arrow.Array
	Const bool
}

// Mask is 0 for a constant and -1 (all ones) otherwise.
func (v Vec) Mask() int {
	if v.Const {
		return 0
	}
	return -1
}

// IsNull tells whether row i is null.
func (v Vec) IsNull(i int) bool {
	return v.Arr.IsNull(i&v.Mask()) || v.Arr.DataType().ID() == arrow.NULL
}

// MayHaveNulls is false when no value is null.
func (v Vec) MayHaveNulls() bool { return v.Arr.NullN() > 0 }

// Dense is the column as an array of n values: a constant is repeated.
func (v Vec) Dense(n int) arrow.Array {
	if !v.Const {
		return v.Arr
	}
	if n == 1 {
		return v.Arr
	}
	return Repeat(v.Arr, n)
}

// Repeat is an array of n copies of the first value of a.
func Repeat(a arrow.Array, n int) arrow.Array {
	return Take(a, make([]uint32, n))
}

// ConstNull is a constant null of type t.
func ConstNull(t *Type) Vec {
	return Vec{Arr: array.MakeArrayOfNull(memory.DefaultAllocator, t.Arrow(), 1), Const: true}
}

// Bitmap is an Arrow validity or boolean bitmap, least significant bit first;
// nil as validity means that every row is valid.
type Bitmap []byte

// NewBitmap is a bitmap of n zero bits.
func NewBitmap(n int) Bitmap { return make(Bitmap, bitutil.BytesForBits(int64(n))) }

// NewValid is a bitmap of n one bits.
func NewValid(n int) Bitmap {
	b := NewBitmap(n)
	for i := range b {
		b[i] = 0xff
	}
	if r := n & 7; r != 0 {
		b[len(b)-1] = byte(1<<r - 1)
	}
	return b
}

// Get reads bit i; of a nil bitmap every bit is set.
func (b Bitmap) Get(i int) bool { return b == nil || b[i>>3]&(1<<(i&7)) != 0 }

// Set sets bit i.
func (b Bitmap) Set(i int) { b[i>>3] |= 1 << (i & 7) }

// Clear clears bit i.
func (b Bitmap) Clear(i int) { b[i>>3] &^= 1 << (i & 7) }

// CountSet counts the set bits among the first n; n for nil.
func (b Bitmap) CountSet(n int) int {
	if b == nil {
		return n
	}
	return bitutil.CountSetBits(b, 0, n)
}

// Validity is the array's validity as a bitmap that starts at bit 0, or nil if
// no value is null.
func Validity(a arrow.Array) Bitmap {
	if a.NullN() == 0 {
		return nil
	}
	n := a.Len()
	if a.DataType().ID() == arrow.NULL {
		return NewBitmap(n)
	}
	src, off := a.NullBitmapBytes(), a.Data().Offset()
	if src == nil {
		return nil
	}
	if off&7 == 0 {
		return Bitmap(src[off>>3:])[:bitutil.BytesForBits(int64(n))]
	}
	out := NewBitmap(n)
	bitutil.CopyBitmap(src, off, n, out, 0)
	return out
}

// Bools is the boolean array's values as a bitmap that starts at bit 0. It must
// not be changed.
func Bools(a arrow.Array) Bitmap {
	d := a.Data()
	n, off := a.Len(), d.Offset()
	if n == 0 {
		return Bitmap{}
	}
	src := d.Buffers()[1].Bytes()
	if off&7 == 0 {
		return Bitmap(src[off>>3:])[:bitutil.BytesForBits(int64(n))]
	}
	out := NewBitmap(n)
	bitutil.CopyBitmap(src, off, n, out, 0)
	return out
}

// Fixed is a Go type that a fixed-width column can be read as.
type Fixed interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64 | ~float32 | ~float64 | [16]byte
}

// Values is the array's values as a slice (no copy). T must have the width of
// the column's type: int64 for timestamps, int32 for dates, [16]byte for decimals.
func Values[T any](a arrow.Array) []T {
	d := a.Data()
	n := a.Len()
	if n == 0 || d.Buffers()[1] == nil {
		return make([]T, n)
	}
	var z T
	b := d.Buffers()[1].Bytes()
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b[d.Offset()*int(unsafe.Sizeof(z)):]))), n)
}

// Strings are the offsets (n+1 of them) and bytes of a string or binary array:
// value i is data[off[i]:off[i+1]]. No copy.
func Strings(a arrow.Array) (off []int32, data []byte) {
	d := a.Data()
	n := a.Len()
	if n == 0 || d.Buffers()[1] == nil || d.Buffers()[1].Len() == 0 {
		return make([]int32, n+1), nil
	}
	off = Offsets(a)
	if d.Buffers()[2] != nil {
		data = d.Buffers()[2].Bytes()
	}
	return off, data
}

func asBytes[T any](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(z)))
}

func newData(t *Type, n int, valid Bitmap, bufs ...[]byte) arrow.Array {
	nulls := 0
	all := make([]*memory.Buffer, 1, 1+len(bufs))
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			all[0] = memory.NewBufferBytes(valid)
		}
	}
	for _, b := range bufs {
		all = append(all, memory.NewBufferBytes(b))
	}
	return array.MakeFromData(array.NewData(t.Arrow(), n, all, nil, nulls, 0))
}

// NewFixed makes a column of a fixed-width type from its values (not copied)
// and validity (nil: no nulls).
func NewFixed[T any](t *Type, values []T, valid Bitmap) arrow.Array {
	return newData(t, len(values), valid, asBytes(values))
}

// NewBool makes a boolean column of n rows from a bitmap.
func NewBool(bits Bitmap, n int, valid Bitmap) arrow.Array { return newData(Bool, n, valid, bits) }

// NewString makes a string or binary column from n+1 offsets and the bytes.
func NewString(t *Type, off []int32, data []byte, valid Bitmap) arrow.Array {
	if data == nil {
		data = []byte{}
	}
	return newData(t, len(off)-1, valid, asBytes(off), data)
}

// NewList makes an array column from n+1 offsets into child.
func NewList(t *Type, off []int32, child arrow.Array, valid Bitmap) arrow.Array {
	n := len(off) - 1
	bufs := []*memory.Buffer{nil, memory.NewBufferBytes(asBytes(off))}
	nulls := 0
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			bufs[0] = memory.NewBufferBytes(valid)
		}
	}
	return array.MakeFromData(array.NewData(t.Arrow(), n, bufs, []arrow.ArrayData{child.Data()}, nulls, 0))
}

// NewMap makes a map column from n+1 offsets into keys and values.
func NewMap(t *Type, off []int32, keys, values arrow.Array, valid Bitmap) arrow.Array {
	n := len(off) - 1
	dt := t.Arrow().(*arrow.MapType)
	entries := array.NewData(dt.Elem(), keys.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{keys.Data(), values.Data()}, 0, 0)
	bufs := []*memory.Buffer{nil, memory.NewBufferBytes(asBytes(off))}
	nulls := 0
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			bufs[0] = memory.NewBufferBytes(valid)
		}
	}
	return array.MakeFromData(array.NewData(dt, n, bufs, []arrow.ArrayData{entries}, nulls, 0))
}

// NewStruct makes a struct column of n rows from its fields.
func NewStruct(t *Type, fields []arrow.Array, n int, valid Bitmap) arrow.Array {
	bufs := []*memory.Buffer{nil}
	nulls := 0
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			bufs[0] = memory.NewBufferBytes(valid)
		}
	}
	kids := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		kids[i] = f.Data()
	}
	return array.MakeFromData(array.NewData(t.Arrow(), n, bufs, kids, nulls, 0))
}

// NewNull is a column of n nulls.
func NewNull(t *Type, n int) arrow.Array {
	if t.Kind == KindStruct { // Arrow's maker knows no fields of the null type
		fields := make([]arrow.Array, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = NewNull(f.Type, n)
		}
		return NewStruct(t, fields, n, NewBitmap(n))
	}
	return array.MakeArrayOfNull(memory.DefaultAllocator, t.Arrow(), n)
}
