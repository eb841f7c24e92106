package join

import (
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// column holds the values of one column of the kept rows, in the form of the
// state store: fixed-width values one after the other, a boolean as a byte, others
// as bytes behind offsets (nested values in their encoding). It has no pointers per row.
type column struct {
	typ   *vector.Type
	width int // bytes of a value; 0: variable
	rows  int
	words []uint64 // fixed-width values, in whole words so that they are aligned
	off   []uint64 // of variable values: rows+1
	data  []byte
	valid []byte // bitmap; nil as long as nothing is null
}

func newColumn(t *vector.Type) *column {
	c := &column{typ: t, width: storedWidth(t)}
	if c.width == 0 {
		c.off = []uint64{0}
	}
	return c
}

// storedWidth is the number of bytes of a stored value, 0 for a variable one.
func storedWidth(t *vector.Type) int {
	switch t.Kind {
	case vector.KindBool, vector.KindNull:
		return 1
	}
	return t.Width()
}

// fixed is the memory of the first rows fixed-width values.
func (c *column) fixed(rows int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.words))), rows*c.width)
}

// values is the column as a slice; T has its width.
func values[T any](c *column) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.words))), c.rows)
}

// bytes is the memory in use.
func (c *column) bytes() int {
	return 8*cap(c.words) + 8*cap(c.off) + cap(c.data) + cap(c.valid)
}

// grow makes room for n more fixed-width rows and counts them.
func (c *column) grow(n int) {
	need := ((c.rows+n)*c.width + 7) / 8
	if need > len(c.words) {
		c.words = slices.Grow(c.words, need-len(c.words))[:need]
	}
}

// append adds all values of an array.
func (c *column) append(a arrow.Array) {
	n := a.Len()
	if n == 0 {
		return
	}
	valid := vector.Validity(a)
	c.appendValidity(valid, n)
	switch {
	case c.typ.Kind == vector.KindNull:
		c.grow(n)
		clear(c.fixed(c.rows + n)[c.rows:])
	case c.typ.Kind == vector.KindBool:
		c.grow(n)
		bits := vector.Bools(a)
		dst := c.fixed(c.rows + n)[c.rows:]
		for i := range dst {
			dst[i] = bits[i>>3] >> (i & 7) & 1
		}
		c.clearNulls(valid, n)
	case c.width > 0:
		c.grow(n)
		d := a.Data()
		src := d.Buffers()[1].Bytes()[d.Offset()*c.width:][:n*c.width]
		copy(c.fixed(c.rows + n)[c.rows*c.width:], src)
		c.clearNulls(valid, n)
	default:
		if !c.typ.Atomic() {
			a = vector.EncodeValue(c.typ, a)
		}
		off, data := vector.Strings(a)
		if valid != nil {
			c.appendNullable(off, data, valid, n)
			break
		}
		base := c.off[c.rows] - uint64(off[0])
		for _, o := range off[1 : n+1] {
			c.off = append(c.off, base+uint64(o))
		}
		c.data = append(c.data, data[off[0]:off[n]]...)
	}
	c.rows += n
}

// clearNulls zeroes the bytes of nulls among the n fixed-width values behind the rows.
func (c *column) clearNulls(valid vector.Bitmap, n int) {
	if valid == nil {
		return
	}
	dst := c.fixed(c.rows + n)[c.rows*c.width:]
	for i := range n {
		if !valid.Get(i) {
			clear(dst[i*c.width : (i+1)*c.width])
		}
	}
}

// appendNullable adds variable values; a null has no bytes.
func (c *column) appendNullable(off []int32, data []byte, valid vector.Bitmap, n int) {
	for i := range n {
		if valid.Get(i) {
			c.data = append(c.data, data[off[i]:off[i+1]]...)
		}
		c.off = append(c.off, uint64(len(c.data)))
	}
}

func (c *column) appendValidity(valid vector.Bitmap, n int) {
	if valid == nil && c.valid == nil {
		return
	}
	if c.valid == nil {
		c.valid = vector.NewValid(c.rows)
	}
	need := (c.rows + n + 7) / 8
	for len(c.valid) < need {
		c.valid = append(c.valid, 0)
	}
	b := vector.Bitmap(c.valid)
	for i := range n {
		if valid.Get(i) {
			b.Set(c.rows + i)
		} else {
			b.Clear(c.rows + i)
		}
	}
}

// gather is the given rows as an array.
func (c *column) gather(rows []uint32) arrow.Array {
	valid := c.gatherValidity(rows)
	switch {
	case c.typ.Kind == vector.KindNull:
		return vector.NewNull(c.typ, len(rows))
	case c.typ.Kind == vector.KindBool:
		src, bits := values[uint8](c), vector.NewBitmap(len(rows))
		for i, r := range rows {
			bits[i>>3] |= src[r] << (i & 7)
		}
		return vector.NewBool(bits, len(rows), valid)
	case c.width == 1:
		return vector.NewFixed(c.typ, take[uint8](c, rows), valid)
	case c.width == 2:
		return vector.NewFixed(c.typ, take[uint16](c, rows), valid)
	case c.width == 4:
		return vector.NewFixed(c.typ, take[uint32](c, rows), valid)
	case c.width == 8:
		return vector.NewFixed(c.typ, take[uint64](c, rows), valid)
	case c.width == 16:
		return vector.NewFixed(c.typ, take[[2]uint64](c, rows), valid)
	}
	size := uint64(0)
	for _, r := range rows {
		size += c.off[r+1] - c.off[r]
	}
	off, data := make([]int32, len(rows)+1), make([]byte, 0, size)
	for i, r := range rows {
		data = append(data, c.data[c.off[r]:c.off[r+1]]...)
		off[i+1] = int32(len(data))
	}
	if c.typ.Atomic() {
		return vector.NewString(c.typ, off, data, valid)
	}
	return vector.DecodeKey(c.typ, vector.NewString(vector.Binary, off, data, valid))
}

func take[T any](c *column, rows []uint32) []T {
	src, out := values[T](c), make([]T, len(rows))
	for i, r := range rows {
		out[i] = src[r]
	}
	return out
}

func (c *column) gatherValidity(rows []uint32) vector.Bitmap {
	if c.valid == nil {
		return nil
	}
	out := vector.NewBitmap(len(rows))
	for i, r := range rows {
		out[i>>3] |= c.valid[r>>3] >> (r & 7) & 1 << (i & 7)
	}
	return out
}

// keep reduces the column to the given rows, in ascending order.
func (c *column) keep(rows []uint32) {
	if c.valid != nil {
		c.valid = c.gatherValidity(rows)
	}
	switch c.width {
	case 0:
		c.keepVariable(rows)
	case 1:
		keepFixed[uint8](c, rows)
	case 2:
		keepFixed[uint16](c, rows)
	case 4:
		keepFixed[uint32](c, rows)
	case 8:
		keepFixed[uint64](c, rows)
	case 16:
		keepFixed[[2]uint64](c, rows)
	}
	c.rows = len(rows)
	if c.width > 0 {
		c.words = shrink(c.words[:(c.rows*c.width+7)/8])
	}
}

func keepFixed[T any](c *column, rows []uint32) {
	v := values[T](c)
	for i, r := range rows {
		v[i] = v[r]
	}
}

func (c *column) keepVariable(rows []uint32) {
	at := uint64(0)
	for i, r := range rows {
		lo, hi := c.off[r], c.off[r+1]
		c.off[i] = at
		at += uint64(copy(c.data[at:], c.data[lo:hi]))
	}
	c.off[len(rows)] = at
	c.off, c.data = shrink(c.off[:len(rows)+1]), shrink(c.data[:at])
}

// shrink gives memory back that is not needed for long.
func shrink[T any](s []T) []T {
	if cap(s) > 4096 && cap(s) > 4*len(s) {
		return slices.Clone(s)
	}
	return s
}
