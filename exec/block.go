package exec

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// StoreColumns describes flat columns (fixed-width, boolean, string or binary) to the
// state store.
func StoreColumns(fields []vector.Field) []statestore.Column {
	out := make([]statestore.Column, len(fields))
	for i, f := range fields {
		out[i] = statestore.Column{Name: f.Name, Type: f.Type.String(), Width: storeWidth(f.Type), Nullable: f.Nullable}
	}
	return out
}

// storeWidth is the bytes of a value in the store; a boolean takes one.
func storeWidth(t *vector.Type) int {
	switch t.Kind {
	case vector.KindBool, vector.KindNull:
		return 1
	}
	return t.Width()
}

// Block brings flat columns of one length into the store's form: a null's bytes are
// zero. It may share the columns' memory.
func Block(fields []vector.Field, cols []arrow.Array, rows int) statestore.Block {
	out := statestore.Block{Rows: rows, Cols: make([]statestore.ColumnData, len(fields))}
	for i, f := range fields {
		out.Cols[i] = storeColumn(f.Type, cols[i])
	}
	return out
}

func storeColumn(t *vector.Type, a arrow.Array) statestore.ColumnData {
	n := a.Len()
	valid := vector.Validity(a)
	c := statestore.ColumnData{Valid: valid}
	switch {
	case t.Kind == vector.KindNull:
		c.Data = make([]byte, n)
	case t.Kind == vector.KindBool:
		bits := vector.Bools(a)
		c.Data = make([]byte, n)
		for i := range c.Data {
			if valid.Get(i) {
				c.Data[i] = bits[i>>3] >> (i & 7) & 1
			}
		}
	case t.Width() > 0:
		w := t.Width()
		c.Data = fixedBytes(a, w)
		if valid != nil {
			c.Data = append([]byte(nil), c.Data...)
			for i := range n {
				if !valid.Get(i) {
					clear(c.Data[i*w : (i+1)*w])
				}
			}
		}
	default:
		off, data := vector.Strings(a)
		c.Off = make([]uint32, n+1)
		for i, o := range off[:n+1] {
			c.Off[i] = uint32(o - off[0])
		}
		c.Data = data[off[0]:off[n]]
	}
	return c
}

// fixedBytes are the values of a column whose values are w bytes wide.
func fixedBytes(a arrow.Array, w int) []byte {
	if a.Len() == 0 {
		return nil
	}
	d := a.Data()
	return d.Buffers()[1].Bytes()[d.Offset()*w:][:a.Len()*w]
}

// BlockColumns are the columns of a recovered block. A block that does not fit the
// fields is an error.
func BlockColumns(fields []vector.Field, b statestore.Block) ([]arrow.Array, error) {
	if len(b.Cols) != len(fields) {
		return nil, fmt.Errorf("a block of %d columns for a table of %d", len(b.Cols), len(fields))
	}
	out := make([]arrow.Array, len(fields))
	for i, f := range fields {
		a, err := blockColumn(f.Type, b.Cols[i], b.Rows)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		out[i] = a
	}
	return out, nil
}

func blockColumn(t *vector.Type, c statestore.ColumnData, rows int) (arrow.Array, error) {
	valid := vector.Bitmap(c.Valid)
	if valid != nil && len(valid) < (rows+7)/8 {
		return nil, fmt.Errorf("%d bytes of validity for %d rows", len(valid), rows)
	}
	w := storeWidth(t)
	if w > 0 && len(c.Data) != rows*w {
		return nil, fmt.Errorf("%d bytes for %d values of %d", len(c.Data), rows, w)
	}
	switch {
	case t.Kind == vector.KindNull:
		return vector.NewNull(t, rows), nil
	case t.Kind == vector.KindBool:
		bits := vector.NewBitmap(rows)
		for i, v := range c.Data {
			bits[i>>3] |= v & 1 << (i & 7)
		}
		return vector.NewBool(bits, rows, valid), nil
	case w > 0:
		// The copy aligns the values; a recovered block may start anywhere.
		words := make([]uint64, (len(c.Data)+7)/8)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(c.Data)), c.Data)
		switch w {
		case 1:
			return vector.NewFixed(t, view[uint8](words, rows), valid), nil
		case 2:
			return vector.NewFixed(t, view[uint16](words, rows), valid), nil
		case 4:
			return vector.NewFixed(t, view[uint32](words, rows), valid), nil
		case 8:
			return vector.NewFixed(t, words, valid), nil
		}
		return vector.NewFixed(t, view[[2]uint64](words, rows), valid), nil
	}
	if len(c.Off) != rows+1 {
		return nil, fmt.Errorf("%d offsets for %d rows", len(c.Off), rows)
	}
	off := make([]int32, rows+1)
	for i, o := range c.Off {
		if int(o) > len(c.Data) || i > 0 && o < c.Off[i-1] {
			return nil, fmt.Errorf("offset %d of row %d", o, i)
		}
		off[i] = int32(o)
	}
	return vector.NewString(t, off, c.Data, valid), nil
}

// view is the memory of words as n values of another width.
func view[T any](words []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
