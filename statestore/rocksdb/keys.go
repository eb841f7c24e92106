//go:build rocksdb

package rocksdb

import (
	"bytes"
	"encoding/binary"

	"github.com/vstream/vstream/statestore"
)

// A key is
//
//	number of the table (4 bytes, big endian)
//	with an order column: 0 and its value (8 bytes, big endian, sign flipped), or 1 if it is null
//	null bits of the other key columns, if there are any (a byte for each 8)
//	their values: those of fixed width, then the variable ones, each with its length (4 bytes) in front
//
// so that the rows of a range of the order column lie together. The values of a row
// have the same form without the first two.

const tableBytes = 4

// form is the layout of the columns of a key or a value.
type form struct {
	fixed, variable []int // columns by kind
	width           []int // of each column
	head            int   // bytes of null bits
	offs            []int // of each fixed column, from the null bits on
	size            int   // of null bits and fixed columns
}

// newForm is the form of columns, without the one that is skipped (-1: none is).
func newForm(cols []statestore.Column, skip int) *form {
	f := &form{width: make([]int, len(cols)), offs: make([]int, len(cols)), head: (len(cols) + 7) / 8}
	if skip >= 0 && len(cols) == 1 {
		f.head = 0
	}
	f.size = f.head
	for i, c := range cols {
		f.width[i] = c.Width
		switch {
		case i == skip:
		case c.Width > 0:
			f.fixed = append(f.fixed, i)
			f.offs[i] = f.size
			f.size += c.Width
		default:
			f.variable = append(f.variable, i)
		}
	}
	return f
}

// lengths adds the length of each row's form to n.
func (f *form) lengths(cols []statestore.ColumnData, n []uint32) {
	fixed := uint32(f.size + 4*len(f.variable))
	for i := range n {
		n[i] += fixed
	}
	for _, c := range f.variable {
		off := cols[c].Off
		for i := range n {
			n[i] += off[i+1] - off[i]
		}
	}
}

// put writes the form of each row at its place in dst, and moves the places behind it.
func (f *form) put(dst []byte, at []uint32, cols []statestore.ColumnData) {
	if f.head > 0 {
		for _, p := range at {
			clear(dst[p : p+uint32(f.head)])
		}
	}
	for c := range cols {
		valid := cols[c].Valid
		if valid == nil || f.head == 0 {
			continue
		}
		for i, p := range at {
			if valid[i>>3]>>(i&7)&1 == 0 {
				dst[int(p)+c>>3] |= 1 << (c & 7)
			}
		}
	}
	for _, c := range f.fixed {
		src, off := cols[c].Data, uint32(f.offs[c])
		switch w := f.width[c]; w {
		case 8:
			for i, p := range at {
				binary.LittleEndian.PutUint64(dst[p+off:], binary.LittleEndian.Uint64(src[8*i:]))
			}
		default:
			for i, p := range at {
				copy(dst[p+off:], src[i*w:(i+1)*w])
			}
		}
	}
	for i := range at {
		at[i] += uint32(f.size)
	}
	for _, c := range f.variable {
		off, src := cols[c].Off, cols[c].Data
		for i, p := range at {
			n := off[i+1] - off[i]
			binary.LittleEndian.PutUint32(dst[p:], n)
			copy(dst[p+4:], src[off[i]:off[i+1]])
			at[i] = p + 4 + n
		}
	}
}

// get reads the columns of rows from their forms, which begin at the places; the skipped
// column is left alone.
func (f *form) get(src []byte, at []uint32, cols []statestore.ColumnData) {
	rows := len(at)
	for _, c := range f.fixed {
		w, off := f.width[c], f.offs[c]
		data := make([]byte, rows*w)
		for i, p := range at {
			copy(data[i*w:(i+1)*w], src[int(p)+off:])
		}
		cols[c].Data = data
	}
	ends := make([]uint32, rows)
	for i, p := range at {
		ends[i] = p + uint32(f.size)
	}
	for _, c := range f.variable {
		off, total := make([]uint32, rows+1), uint32(0)
		for i, p := range ends {
			total += binary.LittleEndian.Uint32(src[p:])
			off[i+1] = total
		}
		data := make([]byte, 0, total)
		for i, p := range ends {
			n := binary.LittleEndian.Uint32(src[p:])
			data = append(data, src[p+4:p+4+n]...)
			ends[i] = p + 4 + n
		}
		cols[c].Off, cols[c].Data = off, data
	}
	f.getNulls(src, at, cols)
}

// getNulls sets the validity of the columns that have nulls.
func (f *form) getNulls(src []byte, at []uint32, cols []statestore.ColumnData) {
	if f.head == 0 {
		return
	}
	for k := range f.head {
		var any byte
		for _, p := range at {
			any |= src[int(p)+k]
		}
		for bit := range 8 {
			if any>>bit&1 == 0 {
				continue
			}
			valid := make([]byte, (len(at)+7)/8)
			for i, p := range at {
				valid[i>>3] |= (^src[int(p)+k] >> bit & 1) << (i & 7)
			}
			cols[8*k+bit].Valid = valid
		}
	}
}

// keyForm is the form of whole keys.
type keyForm struct {
	table  uint32
	order  int // column, -1 if there is none
	rest   *form
	prefix int // bytes of table and order
}

func newKeyForm(table uint32, s statestore.Schema) *keyForm {
	k := &keyForm{table: table, order: s.OrderCol, rest: newForm(s.Keys, s.OrderCol), prefix: tableBytes}
	if k.order >= 0 {
		k.prefix += 9
	}
	return k
}

// encode writes the keys of rows one after another; key i ends at off[i+1].
func (k *keyForm) encode(cols []statestore.ColumnData, rows int) (keys []byte, off []uint32) {
	off = make([]uint32, rows+1)
	n := off[1:]
	for i := range n {
		n[i] = uint32(k.prefix)
	}
	k.rest.lengths(cols, n)
	for i := range n {
		n[i] += off[i]
	}
	keys = make([]byte, off[rows])
	at := make([]uint32, rows)
	for i := range at {
		p := off[i]
		binary.BigEndian.PutUint32(keys[p:], k.table)
		at[i] = p + uint32(k.prefix)
	}
	if k.order >= 0 {
		c := &cols[k.order]
		for i := range at {
			p := off[i] + tableBytes
			if c.Valid != nil && c.Valid[i>>3]>>(i&7)&1 == 0 {
				keys[p] = 1
				continue
			}
			binary.BigEndian.PutUint64(keys[p+1:], binary.LittleEndian.Uint64(c.Data[8*i:])^1<<63)
		}
	}
	k.rest.put(keys, at, cols)
	return keys, off
}

// decode reads the columns of the keys at the places.
func (k *keyForm) decode(src []byte, at []uint32, cols []statestore.ColumnData) {
	rest := make([]uint32, len(at))
	for i, p := range at {
		rest[i] = p + uint32(k.prefix)
	}
	k.rest.get(src, rest, cols)
	if k.order < 0 {
		return
	}
	data, valid := make([]byte, 8*len(at)), []byte(nil)
	for i, p := range at {
		p += tableBytes
		if src[p] != 0 {
			if valid == nil {
				valid = make([]byte, (len(at)+7)/8)
				for j := range valid {
					valid[j] = 0xff
				}
			}
			valid[i>>3] &^= 1 << (i & 7)
			continue
		}
		binary.LittleEndian.PutUint64(data[8*i:], binary.BigEndian.Uint64(src[p+1:])^1<<63)
	}
	cols[k.order].Data, cols[k.order].Valid = data, valid
}

// bounds are the keys from which and up to which a range's rows lie, and last, a key between
// all of them and end.
func (k *keyForm) bounds(r statestore.Range) (begin, end, last []byte) {
	begin = binary.BigEndian.AppendUint32(nil, k.table)
	end = binary.BigEndian.AppendUint32(nil, k.table)
	switch r.Kind {
	case statestore.NullOrder:
		begin = append(begin, 1)
		last, end = begin, append(end, 2)
	case statestore.Between:
		lo, hi := uint64(r.Lo)^1<<63, uint64(r.Hi)^1<<63
		last = binary.BigEndian.AppendUint64(append(begin[:tableBytes:tableBytes], 0), hi)
		begin = binary.BigEndian.AppendUint64(append(begin, 0), lo)
		if hi+1 == 0 {
			end = append(end, 1)
		} else {
			end = binary.BigEndian.AppendUint64(append(end, 0), hi+1)
		}
	default:
		last, end = begin, binary.BigEndian.AppendUint32(nil, k.table+1)
	}
	return begin, end, append(last[:len(last):len(last)], bytes.Repeat([]byte{0xff}, 16)...)
}
