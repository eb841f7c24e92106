package agg

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// cell keeps one value of any type per group: 16 bytes of the group's row. A
// fixed-width value (at most 16 bytes) lies there itself; of others there is a
// reference into the cell's arena. Nested values are kept as their ordered
// encoding. A cell does not say whether it holds a value; its owner does.
type cell struct {
	typ   *vector.Type
	form  cellForm
	off   uintptr // of the cell in the state
	arena []byte
	live  int // bytes of the arena that some group refers to
	n     int // groups
}

type cellForm uint8

const (
	cellBool cellForm = iota
	cell1
	cell2
	cell4
	cell8
	cell16
	cellBytes  // string and binary
	cellNested // encoded
)

// cellRef is where the bytes of a value lie in the arena.
type cellRef struct {
	off uint64
	len uint32
	cap uint32 // bytes there that a later value may use
}

func newCell(t *vector.Type) cell {
	c := cell{typ: t}
	switch {
	case t.Kind == vector.KindBool, t.Kind == vector.KindNull:
		c.form = cellBool
	case t.Kind == vector.KindString, t.Kind == vector.KindBinary:
		c.form = cellBytes
	case t.Width() == 0:
		c.form = cellNested
	case t.Width() == 1:
		c.form = cell1
	case t.Width() == 2:
		c.form = cell2
	case t.Width() == 4:
		c.form = cell4
	case t.Width() == 8:
		c.form = cell8
	default:
		c.form = cell16
	}
	return c
}

// stored is the type of the column in which the values are exchanged.
func (c *cell) stored() *vector.Type {
	if c.form == cellNested {
		return vector.Binary
	}
	return c.typ
}

// Width is the size of the cell in the row.
func (c *cell) Width() int { return 16 }

// Bytes is the size of the arena.
func (c *cell) Bytes() int { return cap(c.arena) }

func (c *cell) init(r Rows, lo, hi int) {
	for g := lo; g < hi; g++ {
		*at[[2]uint64](r, uint32(g), c.off) = [2]uint64{}
		*r.flagOf(uint32(g)) = 0
	}
	c.n = max(c.n, hi)
}

// encode brings a column of the cell's type into the stored form.
func (c *cell) encode(a arrow.Array) arrow.Array {
	if c.form == cellNested {
		return vector.EncodeValue(c.typ, a)
	}
	return a
}

// decode is the reverse of encode.
func (c *cell) decode(a arrow.Array) arrow.Array {
	if c.form == cellNested {
		return vector.DecodeKey(c.typ, a)
	}
	return a
}

// cellInput is a column in stored form, opened for reading.
type cellInput struct {
	bits vector.Bitmap
	v1   []int8
	v2   []int16
	v4   []int32
	v8   []int64
	v16  []dec
	off  []int32
	data []byte
	f4   []float32
	f8   []float64
}

func (c *cell) read(a arrow.Array) *cellInput {
	in := &cellInput{}
	switch c.form {
	case cellBool:
		if c.typ.Kind == vector.KindNull {
			in.bits = vector.NewBitmap(a.Len())
		} else {
			in.bits = vector.Bools(a)
		}
	case cell1:
		in.v1 = vector.Values[int8](a)
	case cell2:
		in.v2 = vector.Values[int16](a)
	case cell4:
		in.v4 = vector.Values[int32](a)
		in.f4 = vector.Values[float32](a)
	case cell8:
		in.v8 = vector.Values[int64](a)
		in.f8 = vector.Values[float64](a)
	case cell16:
		in.v16 = vector.Values[dec](a)
	default:
		in.off, in.data = vector.Strings(a)
	}
	return in
}

// put stores value i of a column as the value of group g.
func (c *cell) put(r Rows, g uint32, in *cellInput, i int) {
	switch c.form {
	case cellBool:
		*at[uint8](r, g, c.off) = in.bits[i>>3] >> (i & 7) & 1
	case cell1:
		*at[int8](r, g, c.off) = in.v1[i]
	case cell2:
		*at[int16](r, g, c.off) = in.v2[i]
	case cell4:
		*at[int32](r, g, c.off) = in.v4[i]
	case cell8:
		*at[int64](r, g, c.off) = in.v8[i]
	case cell16:
		*at[dec](r, g, c.off) = in.v16[i]
	default:
		c.putBytes(r, g, in.data[in.off[i]:in.off[i+1]])
	}
}

func (c *cell) putBytes(r Rows, g uint32, p []byte) {
	ref := at[cellRef](r, g, c.off)
	if len(p) <= int(ref.cap) {
		copy(c.arena[ref.off:], p)
		ref.len = uint32(len(p))
		return
	}
	c.live -= int(ref.cap)
	if len(c.arena) > 1<<16 && c.live < len(c.arena)/2 {
		*ref = cellRef{}
		c.compact(r)
	}
	*ref = cellRef{off: uint64(len(c.arena)), len: uint32(len(p)), cap: uint32(len(p))}
	c.arena = append(c.arena, p...)
	c.live += len(p)
}

// compact drops the arena's bytes that no group refers to any more.
func (c *cell) compact(r Rows) {
	out := make([]byte, 0, c.live+c.live/2)
	for g := range c.n {
		ref := at[cellRef](r, uint32(g), c.off)
		p := c.arena[ref.off : ref.off+uint64(ref.len)]
		*ref = cellRef{off: uint64(len(out)), len: ref.len, cap: ref.len}
		out = append(out, p...)
	}
	c.arena, c.live = out, len(out)
}

func (c *cell) bytesOf(r Rows, g uint32) []byte {
	ref := at[cellRef](r, g, c.off)
	return c.arena[ref.off : ref.off+uint64(ref.len)]
}

// compare orders the value of group g against value i of a column, as ORDER BY does.
func (c *cell) compare(r Rows, g uint32, in *cellInput, i int) int {
	switch c.form {
	case cellBool:
		return int(*at[uint8](r, g, c.off)) - int(in.bits[i>>3]>>(i&7)&1)
	case cell1:
		return compareInt(*at[int8](r, g, c.off), in.v1[i])
	case cell2:
		return compareInt(*at[int16](r, g, c.off), in.v2[i])
	case cell4:
		if c.typ.Kind == vector.KindFloat {
			return compareFloat(*at[float32](r, g, c.off), in.f4[i])
		}
		return compareInt(*at[int32](r, g, c.off), in.v4[i])
	case cell8:
		if c.typ.Kind == vector.KindDouble {
			return compareFloat(*at[float64](r, g, c.off), in.f8[i])
		}
		return compareInt(*at[int64](r, g, c.off), in.v8[i])
	case cell16:
		return at[dec](r, g, c.off).Cmp(in.v16[i])
	}
	return bytes.Compare(c.bytesOf(r, g), in.data[in.off[i]:in.off[i+1]])
}

func compareInt[T int8 | int16 | int32 | int64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloat puts NaN above all; -0.0 equals 0.0.
func compareFloat[T float32 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	case a == a:
		return -1
	case b == b:
		return 1
	}
	return 0
}

// column is the values of groups in stored form; ok says which groups have one.
func (c *cell) column(r Rows, g []uint32, ok vector.Bitmap) arrow.Array {
	t := c.stored()
	switch c.form {
	case cellBool:
		if c.typ.Kind == vector.KindNull {
			return vector.NewNull(c.typ, len(g))
		}
		out := vector.NewBitmap(len(g))
		for i, x := range g {
			out[i>>3] |= *at[uint8](r, x, c.off) << (i & 7)
		}
		return vector.NewBool(out, len(g), ok)
	case cell1:
		return vector.NewFixed(t, gather[int8](r, g, c.off), ok)
	case cell2:
		return vector.NewFixed(t, gather[int16](r, g, c.off), ok)
	case cell4:
		return vector.NewFixed(t, gather[int32](r, g, c.off), ok)
	case cell8:
		return vector.NewFixed(t, gather[int64](r, g, c.off), ok)
	case cell16:
		return vector.NewFixed(t, gather[dec](r, g, c.off), ok)
	}
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		if ok.Get(i) {
			data = append(data, c.bytesOf(r, x)...)
		}
		off[i+1] = int32(len(data))
	}
	return vector.NewString(t, off, data, ok)
}
