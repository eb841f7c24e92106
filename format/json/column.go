package json

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// column collects the values of one column or nested field. Exactly one of the
// value slices is in use, as its type's layout demands.
type column struct {
	typ    *vector.Type
	n      int     // values so far
	nulls  []int32 // positions of the nulls, ascending
	bits   vector.Bitmap
	i8     []int8
	i16    []int16
	i32    []int32
	i64    []int64
	f32    []float32
	f64    []float64
	dec    []decimal.Num
	off    []int32
	data   []byte
	kids   []*column // struct fields; the element; key and value
	fields members   // of a struct
	drop   []int32   // map entries whose key came again behind them
	absent *absent   // of the rows' struct, if it is asked for
}

func newColumn(t *vector.Type) *column {
	c := &column{typ: t}
	switch t.Kind {
	case vector.KindStruct:
		for i, f := range t.Fields {
			c.kids = append(c.kids, newColumn(f.Type))
			c.fields.add(f.Name, i)
		}
	case vector.KindVariant:
		c.kids = []*column{newColumn(vector.Binary), newColumn(vector.Binary)} // value and metadata
	case vector.KindArray:
		c.kids = []*column{newColumn(t.Elem)}
	case vector.KindMap:
		c.kids = []*column{newColumn(t.Key), newColumn(t.Elem)}
	}
	c.reset(0, 0)
	return c
}

// reset gives the column fresh memory with room for rows values and size bytes:
// what was built before belongs to the arrays that were handed out.
func (c *column) reset(rows, size int) {
	c.n, c.nulls, c.drop = 0, nil, nil
	switch c.typ.Kind {
	case vector.KindBool:
		c.bits = make(vector.Bitmap, 0, rows/8+1)
	case vector.KindByte:
		c.i8 = make([]int8, 0, rows)
	case vector.KindShort:
		c.i16 = make([]int16, 0, rows)
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		c.i32 = make([]int32, 0, rows)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		c.i64 = make([]int64, 0, rows)
	case vector.KindFloat:
		c.f32 = make([]float32, 0, rows)
	case vector.KindDouble:
		c.f64 = make([]float64, 0, rows)
	case vector.KindDecimal, vector.KindCalendarInterval:
		c.dec = make([]decimal.Num, 0, rows)
	case vector.KindString, vector.KindBinary:
		c.data = make([]byte, 0, size)
		c.off = append(make([]int32, 0, rows+1), 0)
	case vector.KindArray, vector.KindMap:
		c.off = append(make([]int32, 0, rows+1), 0)
	}
}

// appendNull adds a null.
func (c *column) appendNull() {
	c.nulls = append(c.nulls, int32(c.n))
	c.appendZero()
}

// appendZero adds a value of zero bytes, an empty string, array or map, or a
// struct of nulls.
func (c *column) appendZero() {
	switch c.typ.Kind {
	case vector.KindBool:
		c.appendBit(false)
		return
	case vector.KindByte:
		c.i8 = append(c.i8, 0)
	case vector.KindShort:
		c.i16 = append(c.i16, 0)
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		c.i32 = append(c.i32, 0)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		c.i64 = append(c.i64, 0)
	case vector.KindFloat:
		c.f32 = append(c.f32, 0)
	case vector.KindDouble:
		c.f64 = append(c.f64, 0)
	case vector.KindDecimal, vector.KindCalendarInterval:
		c.dec = append(c.dec, decimal.Num{})
	case vector.KindString, vector.KindBinary:
		c.off = append(c.off, int32(len(c.data)))
	case vector.KindArray, vector.KindMap:
		c.off = append(c.off, int32(c.kids[0].n))
	case vector.KindStruct, vector.KindVariant:
		for _, k := range c.kids {
			k.appendNull()
		}
	}
	c.n++
}

func (c *column) appendBit(v bool) {
	if c.n>>3 == len(c.bits) {
		c.bits = append(c.bits, 0)
	}
	if v {
		c.bits.Set(c.n)
	} else {
		c.bits.Clear(c.n)
	}
	c.n++
}

func (c *column) appendBytes(b []byte) {
	c.data = append(c.data, b...)
	c.off = append(c.off, int32(len(c.data)))
	c.n++
}

// truncate drops all values from n on, and what a syntax error has left behind
// of an unfinished value.
func (c *column) truncate(n int) {
	if c.n <= n && len(c.kids) == 0 {
		return
	}
	n = min(n, c.n)
	for len(c.nulls) > 0 && int(c.nulls[len(c.nulls)-1]) >= n {
		c.nulls = c.nulls[:len(c.nulls)-1]
	}
	switch c.typ.Kind {
	case vector.KindBool:
		c.bits = c.bits[:(n+7)>>3]
	case vector.KindByte:
		c.i8 = c.i8[:n]
	case vector.KindShort:
		c.i16 = c.i16[:n]
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		c.i32 = c.i32[:n]
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		c.i64 = c.i64[:n]
	case vector.KindFloat:
		c.f32 = c.f32[:n]
	case vector.KindDouble:
		c.f64 = c.f64[:n]
	case vector.KindDecimal, vector.KindCalendarInterval:
		c.dec = c.dec[:n]
	case vector.KindString, vector.KindBinary:
		c.off = c.off[:n+1]
		c.data = c.data[:c.off[n]]
	case vector.KindArray, vector.KindMap:
		c.off = c.off[:n+1]
		c.truncateEntries(int(c.off[n]))
	case vector.KindStruct, vector.KindVariant:
		for _, k := range c.kids {
			k.truncate(n)
		}
	}
	c.n = n
}

// truncateEntries drops the elements or entries from n on.
func (c *column) truncateEntries(n int) {
	for _, k := range c.kids {
		k.truncate(n)
	}
	c.drop = slices.DeleteFunc(c.drop, func(e int32) bool { return int(e) >= n })
}

// finish makes the array and empties the column.
func (c *column) finish() arrow.Array {
	n := c.n
	var valid vector.Bitmap
	if len(c.nulls) > 0 {
		valid = vector.NewValid(n)
		for _, i := range c.nulls {
			valid.Clear(int(i))
		}
	}
	var a arrow.Array
	switch t := c.typ; t.Kind {
	case vector.KindBool:
		a = vector.NewBool(c.bits, n, valid)
	case vector.KindByte:
		a = vector.NewFixed(t, c.i8, valid)
	case vector.KindShort:
		a = vector.NewFixed(t, c.i16, valid)
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		a = vector.NewFixed(t, c.i32, valid)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		a = vector.NewFixed(t, c.i64, valid)
	case vector.KindFloat:
		a = vector.NewFixed(t, c.f32, valid)
	case vector.KindDouble:
		a = vector.NewFixed(t, c.f64, valid)
	case vector.KindDecimal, vector.KindCalendarInterval:
		a = vector.NewFixed(t, c.dec, valid)
	case vector.KindString, vector.KindBinary:
		a = vector.NewString(t, c.off, c.data, valid)
	case vector.KindArray:
		a = vector.NewList(t, c.off, c.kids[0].finish(), valid)
	case vector.KindMap:
		off, keys, vals := c.off, c.kids[0].finish(), c.kids[1].finish()
		if len(c.drop) > 0 {
			slices.Sort(c.drop)
			off, keys, vals = dropEntries(off, keys, vals, c.drop)
		}
		a = vector.NewMap(t, off, keys, vals, valid)
	case vector.KindStruct, vector.KindVariant:
		fields := make([]arrow.Array, len(c.kids))
		for i, k := range c.kids {
			fields[i] = k.finish()
		}
		a = vector.NewStruct(t, fields, n, valid)
	default:
		a = vector.NewNull(t, n)
	}
	c.reset(n, len(c.data))
	return a
}

// dropEntries removes map entries by their ascending positions.
func dropEntries(off []int32, keys, vals arrow.Array, drop []int32) ([]int32, arrow.Array, arrow.Array) {
	keep := make([]uint32, 0, keys.Len()-len(drop))
	noff := make([]int32, len(off))
	d := 0
	for r := 0; r+1 < len(off); r++ {
		for e := off[r]; e < off[r+1]; e++ {
			if d < len(drop) && drop[d] == e {
				d++
				continue
			}
			keep = append(keep, uint32(e))
		}
		noff[r+1] = int32(len(keep))
	}
	return noff, vector.Take(keys, keep), vector.Take(vals, keep)
}
