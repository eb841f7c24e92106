package vector

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// SliceArray is the values lo..hi of a, without a copy.
func SliceArray(a arrow.Array, lo, hi int) arrow.Array {
	s := array.NewSlice(a, int64(lo), int64(hi))
	s.NullN() // counted now: arrays are shared between goroutines later
	return s
}

// Concat joins arrays of one type.
func Concat(arrs []arrow.Array) arrow.Array {
	if len(arrs) == 1 {
		return arrs[0]
	}
	out, err := array.Concatenate(arrs, memory.DefaultAllocator)
	if err != nil {
		panic("vector: concatenate: " + err.Error())
	}
	return out
}

// ConcatColumns joins parts of the same columns, of which there is at least one.
func ConcatColumns(parts [][]arrow.Array) []arrow.Array {
	if len(parts) == 1 {
		return parts[0]
	}
	cols, col := make([]arrow.Array, len(parts[0])), make([]arrow.Array, len(parts))
	for i := range cols {
		for k, p := range parts {
			col[k] = p[i]
		}
		cols[i] = Concat(col)
	}
	return cols
}

// Take gathers values by index; indexes may repeat and come in any order.
func Take(a arrow.Array, idx []uint32) arrow.Array {
	n := len(idx)
	dt := a.DataType()
	valid := takeValidity(a, idx)
	switch dt.ID() {
	case arrow.NULL:
		return array.NewNull(n)
	case arrow.BOOL:
		src, out := Bools(a), NewBitmap(n)
		for i, j := range idx {
			if src[j>>3]&(1<<(j&7)) != 0 {
				out[i>>3] |= 1 << (i & 7)
			}
		}
		return rawArray(dt, n, valid, out)
	case arrow.STRING, arrow.BINARY:
		off, data := Strings(a)
		total := 0
		for _, j := range idx {
			total += int(off[j+1] - off[j])
		}
		noff, nd := make([]int32, n+1), make([]byte, 0, total)
		for i, j := range idx {
			nd = append(nd, data[off[j]:off[j+1]]...)
			noff[i+1] = int32(len(nd))
		}
		return rawArray(dt, n, valid, asBytes(noff), nd)
	case arrow.LIST, arrow.MAP:
		d := a.Data()
		off := Offsets(a)
		var child []uint32
		noff := make([]int32, n+1)
		for i, j := range idx {
			for k := off[j]; k < off[j+1]; k++ {
				child = append(child, uint32(k))
			}
			noff[i+1] = int32(len(child))
		}
		kid := Take(array.MakeFromData(d.Children()[0]), child)
		return rawNested(dt, n, valid, asBytes(noff), kid)
	case arrow.STRUCT:
		s := a.(*array.Struct)
		kids := make([]arrow.Array, s.NumField())
		for i := range kids {
			kids[i] = Take(s.Field(i), idx)
		}
		return rawNested(dt, n, valid, nil, kids...)
	}
	switch dt.(arrow.FixedWidthDataType).BitWidth() / 8 {
	case 1:
		return rawArray(dt, n, valid, asBytes(gather[uint8](a, idx)))
	case 2:
		return rawArray(dt, n, valid, asBytes(gather[uint16](a, idx)))
	case 4:
		return rawArray(dt, n, valid, asBytes(gather[uint32](a, idx)))
	case 8:
		return rawArray(dt, n, valid, asBytes(gather[uint64](a, idx)))
	case 16:
		return rawArray(dt, n, valid, asBytes(gather[[2]uint64](a, idx)))
	}
	panic("vector: take of " + dt.String())
}

// Offsets are the n+1 offsets of a list or map array into its child.
func Offsets(a arrow.Array) []int32 {
	d := a.Data()
	n := a.Len()
	if n == 0 || d.Buffers()[1] == nil || d.Buffers()[1].Len() == 0 {
		return make([]int32, n+1)
	}
	b := d.Buffers()[1].Bytes()
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), d.Offset()+n+1)[d.Offset():]
}

func gather[T any](a arrow.Array, idx []uint32) []T {
	src, out := Values[T](a), make([]T, len(idx))
	for i, j := range idx {
		out[i] = src[j]
	}
	return out
}

func takeValidity(a arrow.Array, idx []uint32) Bitmap {
	src := Validity(a)
	if src == nil {
		return nil
	}
	out := NewBitmap(len(idx))
	for i, j := range idx {
		if src[j>>3]&(1<<(j&7)) != 0 {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}

func rawArray(dt arrow.DataType, n int, valid Bitmap, bufs ...[]byte) arrow.Array {
	nulls := 0
	all := make([]*memory.Buffer, 1, 1+len(bufs))
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			all[0] = memory.NewBufferBytes(valid)
		}
	}
	for _, b := range bufs {
		if b == nil {
			b = []byte{}
		}
		all = append(all, memory.NewBufferBytes(b))
	}
	return array.MakeFromData(array.NewData(dt, n, all, nil, nulls, 0))
}

func rawNested(dt arrow.DataType, n int, valid Bitmap, off []byte, kids ...arrow.Array) arrow.Array {
	nulls := 0
	bufs := []*memory.Buffer{nil}
	if valid != nil {
		if nulls = n - valid.CountSet(n); nulls > 0 {
			bufs[0] = memory.NewBufferBytes(valid)
		}
	}
	if off != nil {
		bufs = append(bufs, memory.NewBufferBytes(off))
	}
	data := make([]arrow.ArrayData, len(kids))
	for i, k := range kids {
		data[i] = k.Data()
	}
	return array.MakeFromData(array.NewData(dt, n, bufs, data, nulls, 0))
}
