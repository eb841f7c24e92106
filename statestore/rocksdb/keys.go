//go:build rocksdb

package rocksdb

import (
	"bytes"
	"encoding/binary"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/tier"
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

// keyForm is the form of whole keys.
type keyForm struct {
	table  uint32
	order  int // column, -1 if there is none
	rest   *tier.Form
	prefix int // bytes of table and order
}

func newKeyForm(table uint32, s statestore.Schema) *keyForm {
	k := &keyForm{table: table, order: s.OrderCol, rest: tier.NewForm(s.Keys, s.OrderCol), prefix: tableBytes}
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
	k.rest.Lengths(cols, n)
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
	k.rest.Put(keys, at, cols)
	return keys, off
}

// decode reads the columns of the keys at the places.
func (k *keyForm) decode(src []byte, at []uint32, cols []statestore.ColumnData) {
	rest := make([]uint32, len(at))
	for i, p := range at {
		rest[i] = p + uint32(k.prefix)
	}
	k.rest.Get(src, rest, cols)
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
