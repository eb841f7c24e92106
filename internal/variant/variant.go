// Package variant reads and builds values of type VARIANT in the binary encoding
// of Spark and Parquet: a metadata part with the field names and a value part.
package variant

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/vstream/vstream/internal/decimal"
)

// Value is a variant. Bytes that are no variant read as kind Malformed, also
// within objects and arrays.
type Value struct{ Metadata, Data []byte }

// Kind is the class of a value.
type Kind uint8

// The kinds. Integers of all widths are Long.
const (
	Malformed Kind = iota
	Null
	Bool
	Long
	Float
	Double
	Decimal
	Date         // days since 1970-01-01
	Timestamp    // microseconds since 1970-01-01T00:00Z
	TimestampNTZ // microseconds on the wall clock
	Binary
	String
	UUID
	Object
	Array
)

// The two low bits of a value's first byte.
const (
	basicPrimitive = iota
	basicShortString
	basicObject
	basicArray
)

// The types of primitives, in the upper bits of the first byte.
const (
	typeNull = iota
	typeTrue
	typeFalse
	typeInt8
	typeInt16
	typeInt32
	typeInt64
	typeDouble
	typeDecimal4
	typeDecimal8
	typeDecimal16
	typeDate
	typeTimestamp
	typeTimestampNTZ
	typeFloat
	typeBinary
	typeString
	typeUUID = 20
)

// primitives are the kind and the size behind the first byte of each type; -1:
// a length of four bytes, then so many bytes.
var primitives = [...]struct {
	kind Kind
	size int
}{
	typeNull: {Null, 0}, typeTrue: {Bool, 0}, typeFalse: {Bool, 0},
	typeInt8: {Long, 1}, typeInt16: {Long, 2}, typeInt32: {Long, 4}, typeInt64: {Long, 8},
	typeDouble: {Double, 8}, typeDecimal4: {Decimal, 5}, typeDecimal8: {Decimal, 9}, typeDecimal16: {Decimal, 17},
	typeDate: {Date, 4}, typeTimestamp: {Timestamp, 8}, typeTimestampNTZ: {TimestampNTZ, 8}, typeFloat: {Float, 4},
	typeBinary: {Binary, -1}, typeString: {String, -1}, typeUUID: {UUID, 16},
}

// Kind is the value's class.
func (v Value) Kind() Kind {
	if len(v.Data) == 0 {
		return Malformed
	}
	h := v.Data[0]
	switch h & 3 {
	case basicShortString:
		if len(v.Data) > int(h>>2) {
			return String
		}
		return Malformed
	case basicObject, basicArray:
		if _, ok := v.open(); !ok {
			return Malformed
		}
		return Object + Kind(h&3) - basicObject
	}
	t := int(h >> 2)
	if t >= len(primitives) {
		return Malformed
	}
	p := primitives[t]
	size := p.size
	if size < 0 {
		if len(v.Data) < 5 {
			return Malformed
		}
		size = 4 + int(binary.LittleEndian.Uint32(v.Data[1:]))
	}
	if len(v.Data) <= size && size > 0 {
		return Malformed
	}
	return p.kind
}

// Bool is the value of kind Bool.
func (v Value) Bool() bool { return v.Data[0]>>2 == typeTrue }

// Int is the value of kind Long, Date, Timestamp or TimestampNTZ.
func (v Value) Int() int64 {
	b := v.Data[1:]
	switch v.Data[0] >> 2 {
	case typeInt8:
		return int64(int8(b[0]))
	case typeInt16:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case typeInt32, typeDate:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// Double is the value of kind Double or Float.
func (v Value) Double() float64 {
	if v.Data[0]>>2 == typeFloat {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.Data[1:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v.Data[1:]))
}

// Decimal is the value of kind Decimal without trailing zeros behind the point,
// and its scale.
func (v Value) Decimal() (d decimal.Num, scale int) {
	scale = min(int(v.Data[1]), decimal.MaxPrecision)
	b := v.Data[2:]
	switch v.Data[0] >> 2 {
	case typeDecimal4:
		d = decimal.FromInt(int64(int32(binary.LittleEndian.Uint32(b))))
	case typeDecimal8:
		d = decimal.FromInt(int64(binary.LittleEndian.Uint64(b)))
	default:
		d = decimal.FromWords(int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b))
	}
	for ten := big.NewInt(10); scale > 0; scale-- {
		q, r := d.BigInt().QuoRem(d.BigInt(), ten, new(big.Int))
		if r.Sign() != 0 {
			break
		}
		d = decimal.FromBig(q)
	}
	return d, scale
}

// Bytes are those of kind String, Binary or UUID.
func (v Value) Bytes() []byte {
	if h := v.Data[0]; h&3 == basicShortString {
		return v.Data[1 : 1+h>>2]
	} else if h>>2 == typeUUID {
		return v.Data[1:17]
	}
	return v.Data[5 : 5+binary.LittleEndian.Uint32(v.Data[1:])]
}

// container is an object or array taken apart.
type container struct {
	n          int
	ids        []byte // field numbers, of an object
	idSize     int
	offsets    []byte
	offsetSize int
	values     []byte
}

func (v Value) open() (c container, ok bool) {
	h, b := v.Data[0], v.Data[1:]
	large := h>>4&1 != 0
	c.offsetSize = int(h>>2&3) + 1
	if h&3 == basicObject {
		c.idSize = int(h>>4&3) + 1
		large = h>>6&1 != 0
	}
	head := 1
	if large {
		head = 4
	}
	if len(b) < head {
		return c, false
	}
	c.n = number(b[:head])
	b = b[head:]
	if c.n > len(b) || c.n*c.idSize+(c.n+1)*c.offsetSize > len(b) {
		return c, false
	}
	c.ids, b = b[:c.n*c.idSize], b[c.n*c.idSize:]
	c.offsets, c.values = b[:(c.n+1)*c.offsetSize], b[(c.n+1)*c.offsetSize:]
	return c, true
}

// number reads an unsigned little-endian number of one to four bytes.
func number(b []byte) int {
	v := 0
	for i, c := range b {
		v |= int(c) << (8 * i)
	}
	return v
}

func (c container) value(metadata []byte, i int) Value {
	at := number(c.offsets[i*c.offsetSize : (i+1)*c.offsetSize])
	if at > len(c.values) {
		return Value{}
	}
	return Value{metadata, c.values[at:]}
}

func (c container) id(i int) int { return number(c.ids[i*c.idSize : (i+1)*c.idSize]) }

// Len is the number of fields or elements.
func (v Value) Len() int {
	c, _ := v.open()
	return c.n
}

// Elem is element i of an array, 0 <= i < Len.
func (v Value) Elem(i int) Value {
	c, _ := v.open()
	return c.value(v.Metadata, i)
}

// Field is field i of an object in the order of the names, 0 <= i < Len.
func (v Value) Field(i int) (name []byte, value Value) {
	c, _ := v.open()
	return fieldName(v.Metadata, c.id(i)), c.value(v.Metadata, i)
}

// Get is the field of a name.
func (v Value) Get(name []byte) (Value, bool) {
	c, _ := v.open()
	for i := range c.n {
		if string(fieldName(v.Metadata, c.id(i))) == string(name) {
			return c.value(v.Metadata, i), true
		}
	}
	return Value{}, false
}

// fieldName is a name of the metadata; nil if there is none of that number.
func fieldName(metadata []byte, id int) []byte {
	if len(metadata) == 0 {
		return nil
	}
	size := int(metadata[0]>>6) + 1
	if len(metadata) < 1+size {
		return nil
	}
	n := number(metadata[1 : 1+size])
	offsets := metadata[1+size:]
	if id >= n || len(offsets) < (n+1)*size {
		return nil
	}
	from, to := number(offsets[id*size:(id+1)*size]), number(offsets[(id+1)*size:(id+2)*size])
	names := offsets[(n+1)*size:]
	if from > to || to > len(names) {
		return nil
	}
	return names[from:to]
}
