package vector

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Markers of the value encoding. What follows a marker sorts after every null.
const (
	encNull  = 0x01
	encValue = 0x02
	encEnd   = 0x00 // of an array or map; below every element
)

// EncodeKey is the canonical encoding of values of any type as a binary column:
// two values are equal as grouping keys exactly if their encodings are equal
// bytes. -0.0 becomes 0.0, every NaN the same, a map's entries are sorted by
// key. A null stays null.
//
// Encodings of a type with an order compare as bytes as its values compare in
// ORDER BY, null first. The layout of a value:
//
//	boolean              1 byte
//	integers, times      big endian, sign bit inverted
//	float, double        big endian, sign bit inverted, negative ones all inverted
//	decimal              16 bytes as an integer
//	string, binary       bytes with 00 as 00 ff, then 00 00
//	struct               each field: 01 if null, else 02 and the field
//	array                each element as a field; then 00
//	map                  each entry: 02, the key, the value as a field; then 00
//	calendar interval    months, days, nanoseconds as integers
func EncodeKey(t *Type, a arrow.Array) arrow.Array { return encodeColumn(t, a, true) }

// EncodeValue is EncodeKey for a value that must come back as it was: -0.0 stays
// (and sorts below 0.0), maps keep their order.
func EncodeValue(t *Type, a arrow.Array) arrow.Array { return encodeColumn(t, a, false) }

func encodeColumn(t *Type, a arrow.Array, canonical bool) arrow.Array {
	n := a.Len()
	e := newEncoder(t, a, canonical)
	off, data := make([]int32, n+1), []byte(nil)
	for i := range n {
		if e.valid.Get(i) {
			data = e.append(data, i)
		}
		off[i+1] = int32(len(data))
	}
	return NewString(Binary, off, data, e.valid)
}

// encoder reads one column of one type. It is opened once per batch.
type encoder struct {
	kind      Kind
	canonical bool
	valid     Bitmap
	bits      Bitmap
	fixed     []byte // values of fixed width
	width     int
	off       []int32
	data      []byte
	kids      []*encoder // fields; element; key and value
}

func newEncoder(t *Type, a arrow.Array, canonical bool) *encoder {
	e := &encoder{kind: t.Kind, canonical: canonical, valid: Validity(a)}
	switch t.Kind {
	case KindNull:
	case KindBool:
		e.bits = Bools(a)
	case KindString, KindBinary:
		e.off, e.data = Strings(a)
	case KindStruct:
		for i, f := range t.Fields {
			e.kids = append(e.kids, newEncoder(f.Type, StructField(a, i), canonical))
		}
	case KindVariant:
		e.kids = []*encoder{newEncoder(Binary, StructField(a, 0), canonical), newEncoder(Binary, StructField(a, 1), canonical)}
	case KindArray:
		e.off = Offsets(a)
		e.kids = []*encoder{newEncoder(t.Elem, ListChild(a), canonical)}
	case KindMap:
		e.off = Offsets(a)
		entries := ListChild(a)
		e.kids = []*encoder{newEncoder(t.Key, StructField(entries, 0), canonical), newEncoder(t.Elem, StructField(entries, 1), canonical)}
	default:
		e.width = t.Width()
		e.fixed = fixedBytes(a, e.width)
	}
	return e
}

// ListChild is the column into which a list's or map's offsets point.
func ListChild(a arrow.Array) arrow.Array { return array.MakeFromData(a.Data().Children()[0]) }

// fixedBytes are the bytes of a fixed-width column's values.
func fixedBytes(a arrow.Array, width int) []byte {
	switch width {
	case 1:
		return asBytes(Values[uint8](a))
	case 2:
		return asBytes(Values[uint16](a))
	case 4:
		return asBytes(Values[uint32](a))
	case 8:
		return asBytes(Values[uint64](a))
	}
	return asBytes(Values[[2]uint64](a))
}

// field appends value i with its marker.
func (e *encoder) field(dst []byte, i int) []byte {
	if e.kind == KindNull || !e.valid.Get(i) {
		return append(dst, encNull)
	}
	return e.append(append(dst, encValue), i)
}

// append appends value i, which is not null.
func (e *encoder) append(dst []byte, i int) []byte {
	switch e.kind {
	case KindNull:
		return dst
	case KindBool:
		return append(dst, e.bits[i>>3]>>(i&7)&1)
	case KindString, KindBinary:
		return appendEscaped(dst, e.data[e.off[i]:e.off[i+1]])
	case KindStruct, KindVariant:
		for _, k := range e.kids {
			dst = k.field(dst, i)
		}
		return dst
	case KindArray:
		for j := e.off[i]; j < e.off[i+1]; j++ {
			dst = e.kids[0].field(dst, int(j))
		}
		return append(dst, encEnd)
	case KindMap:
		return e.entries(dst, int(e.off[i]), int(e.off[i+1]))
	}
	p := e.fixed[i*e.width:]
	switch e.kind {
	case KindFloat:
		return binary.BigEndian.AppendUint32(dst, e.float32(binary.LittleEndian.Uint32(p)))
	case KindDouble:
		return binary.BigEndian.AppendUint64(dst, e.float64(binary.LittleEndian.Uint64(p)))
	case KindDecimal:
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(p[8:])^1<<63)
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(p))
	case KindCalendarInterval:
		dst = binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(p)^1<<31)
		dst = binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(p[4:])^1<<31)
		return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(p[8:])^1<<63)
	}
	switch e.width {
	case 1:
		return append(dst, p[0]^0x80)
	case 2:
		return binary.BigEndian.AppendUint16(dst, binary.LittleEndian.Uint16(p)^1<<15)
	case 4:
		return binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(p)^1<<31)
	}
	return binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(p)^1<<63)
}

func (e *encoder) float32(b uint32) uint32 {
	v := math.Float32frombits(b)
	switch {
	case v != v:
		b = math.Float32bits(float32(math.NaN()))
	case v == 0 && e.canonical:
		b = 0
	}
	if b>>31 != 0 {
		return ^b
	}
	return b | 1<<31
}

func (e *encoder) float64(b uint64) uint64 {
	v := math.Float64frombits(b)
	switch {
	case v != v:
		b = math.Float64bits(math.NaN())
	case v == 0 && e.canonical:
		b = 0
	}
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// entries appends the entries lo..hi of a map.
func (e *encoder) entries(dst []byte, lo, hi int) []byte {
	start := len(dst)
	ends := make([]int, 0, hi-lo)
	for j := lo; j < hi; j++ {
		dst = e.kids[0].append(append(dst, encValue), j)
		dst = e.kids[1].field(dst, j)
		ends = append(ends, len(dst))
	}
	if e.canonical && len(ends) > 1 {
		// Keys are unique and self-delimiting, so entries sort by their keys.
		all := append([]byte(nil), dst[start:]...)
		parts := make([][]byte, len(ends))
		from := 0
		for j, end := range ends {
			parts[j] = all[from : end-start]
			from = end - start
		}
		sort.Slice(parts, func(a, b int) bool { return bytes.Compare(parts[a], parts[b]) < 0 })
		dst = dst[:start]
		for _, p := range parts {
			dst = append(dst, p...)
		}
	}
	return append(dst, encEnd)
}

// appendEscaped appends p so that it ends itself and sorts as p does.
func appendEscaped(dst, p []byte) []byte {
	for {
		z := bytes.IndexByte(p, 0)
		if z < 0 {
			dst = append(dst, p...)
			return append(dst, 0, 0)
		}
		dst = append(dst, p[:z]...)
		dst = append(dst, 0, 0xff)
		p = p[z+1:]
	}
}
