package vector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
)

var errEncoding = errors.New("vector: malformed value encoding")

// DecodeKey is the column of type t that EncodeKey or EncodeValue encoded. Any
// other bytes are a bug and panic; see ParseKey.
func DecodeKey(t *Type, a arrow.Array) arrow.Array {
	out, err := ParseKey(t, a)
	if err != nil {
		panic(err)
	}
	return out
}

// ParseKey is DecodeKey for bytes that may be damaged.
func ParseKey(t *Type, a arrow.Array) (arrow.Array, error) {
	d := newDecoder(t)
	off, data := Strings(a)
	valid := Validity(a)
	for i := range a.Len() {
		if !valid.Get(i) {
			d.null()
			continue
		}
		rest, ok := d.value(data[off[i]:off[i+1]])
		if !ok || len(rest) > 0 {
			return nil, errEncoding
		}
	}
	return d.finish(), nil
}

// decoder builds one column.
type decoder struct {
	typ   *Type
	n     int
	nulls []int // rows
	fixed []byte
	bits  Bitmap
	off   []int32
	data  []byte
	kids  []*decoder
}

func newDecoder(t *Type) *decoder {
	d := &decoder{typ: t, off: []int32{0}}
	switch t.Kind {
	case KindStruct:
		for _, f := range t.Fields {
			d.kids = append(d.kids, newDecoder(f.Type))
		}
	case KindVariant:
		d.kids = []*decoder{newDecoder(Binary), newDecoder(Binary)}
	case KindArray:
		d.kids = []*decoder{newDecoder(t.Elem)}
	case KindMap:
		d.kids = []*decoder{newDecoder(t.Key), newDecoder(t.Elem)}
	}
	return d
}

// null appends a null.
func (d *decoder) null() {
	d.nulls = append(d.nulls, d.n)
	switch d.typ.Kind {
	case KindNull:
	case KindBool:
		d.bit(0)
	case KindString, KindBinary, KindArray, KindMap:
		d.off = append(d.off, d.off[len(d.off)-1])
	case KindStruct, KindVariant:
		for _, k := range d.kids {
			k.null()
		}
	default:
		d.fixed = append(d.fixed, make([]byte, d.typ.Width())...)
	}
	d.n++
}

func (d *decoder) bit(b byte) {
	if d.n&7 == 0 {
		d.bits = append(d.bits, 0)
	}
	d.bits[d.n>>3] |= b << (d.n & 7)
}

// field appends a value with its marker and returns what follows it.
func (d *decoder) field(p []byte) ([]byte, bool) {
	if len(p) == 0 {
		return nil, false
	}
	switch p[0] {
	case encNull:
		d.null()
		return p[1:], true
	case encValue:
		return d.value(p[1:])
	}
	return nil, false
}

// value appends a value that is not null.
func (d *decoder) value(p []byte) ([]byte, bool) {
	switch d.typ.Kind {
	case KindNull:
		return nil, false
	case KindBool:
		if len(p) == 0 || p[0] > 1 {
			return nil, false
		}
		d.bit(p[0])
		d.n++
		return p[1:], true
	case KindString, KindBinary:
		return d.escaped(p)
	case KindStruct, KindVariant:
		ok := true
		for _, k := range d.kids {
			if p, ok = k.field(p); !ok {
				return nil, false
			}
		}
		d.n++
		return p, true
	case KindArray, KindMap:
		return d.elements(p)
	}
	w := d.typ.Width()
	if len(p) < w {
		return nil, false
	}
	d.scalar(p, w)
	d.n++
	return p[w:], true
}

func (d *decoder) scalar(p []byte, w int) {
	le := binary.LittleEndian
	be := binary.BigEndian
	switch d.typ.Kind {
	case KindFloat:
		b := be.Uint32(p)
		if b>>31 != 0 {
			b ^= 1 << 31
		} else {
			b = ^b
		}
		d.fixed = le.AppendUint32(d.fixed, b)
		return
	case KindDouble:
		b := be.Uint64(p)
		if b>>63 != 0 {
			b ^= 1 << 63
		} else {
			b = ^b
		}
		d.fixed = le.AppendUint64(d.fixed, b)
		return
	case KindDecimal:
		d.fixed = le.AppendUint64(d.fixed, be.Uint64(p[8:]))
		d.fixed = le.AppendUint64(d.fixed, be.Uint64(p)^1<<63)
		return
	case KindCalendarInterval:
		d.fixed = le.AppendUint32(d.fixed, be.Uint32(p)^1<<31)
		d.fixed = le.AppendUint32(d.fixed, be.Uint32(p[4:])^1<<31)
		d.fixed = le.AppendUint64(d.fixed, be.Uint64(p[8:])^1<<63)
		return
	}
	switch w {
	case 1:
		d.fixed = append(d.fixed, p[0]^0x80)
	case 2:
		d.fixed = le.AppendUint16(d.fixed, be.Uint16(p)^1<<15)
	case 4:
		d.fixed = le.AppendUint32(d.fixed, be.Uint32(p)^1<<31)
	case 8:
		d.fixed = le.AppendUint64(d.fixed, be.Uint64(p)^1<<63)
	}
}

func (d *decoder) escaped(p []byte) ([]byte, bool) {
	for {
		z := bytes.IndexByte(p, 0)
		if z < 0 || z+1 >= len(p) {
			return nil, false
		}
		d.data = append(d.data, p[:z]...)
		next := p[z+1]
		p = p[z+2:]
		switch next {
		case 0:
			if len(d.data) > math.MaxInt32 {
				return nil, false
			}
			d.off = append(d.off, int32(len(d.data)))
			d.n++
			return p, true
		case 0xff:
			d.data = append(d.data, 0)
		default:
			return nil, false
		}
	}
}

func (d *decoder) elements(p []byte) ([]byte, bool) {
	for {
		if len(p) == 0 {
			return nil, false
		}
		if p[0] == encEnd {
			d.off = append(d.off, int32(d.kids[0].n))
			d.n++
			return p[1:], true
		}
		ok := true
		if d.typ.Kind == KindMap && p[0] != encValue {
			return nil, false // a map's key is never null
		}
		for _, k := range d.kids {
			if p, ok = k.field(p); !ok {
				return nil, false
			}
		}
	}
}

// finish is the column.
func (d *decoder) finish() arrow.Array {
	var valid Bitmap
	if len(d.nulls) > 0 {
		valid = NewValid(d.n)
		for _, i := range d.nulls {
			valid.Clear(i)
		}
	}
	switch d.typ.Kind {
	case KindNull:
		return NewNull(d.typ, d.n)
	case KindBool:
		return NewBool(append(Bitmap{}, d.bits...), d.n, valid)
	case KindString, KindBinary:
		return NewString(d.typ, d.off, d.data, valid)
	case KindStruct, KindVariant:
		kids := make([]arrow.Array, len(d.kids))
		for i, k := range d.kids {
			kids[i] = k.finish()
		}
		return NewStruct(d.typ, kids, d.n, valid)
	case KindArray:
		return NewList(d.typ, d.off, d.kids[0].finish(), valid)
	case KindMap:
		return NewMap(d.typ, d.off, d.kids[0].finish(), d.kids[1].finish(), valid)
	}
	if d.n == 0 {
		d.fixed = []byte{}
	}
	return newData(d.typ, d.n, valid, d.fixed)
}
