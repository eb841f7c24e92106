package variant

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf16"

	"github.com/vstream/vstream/internal/decimal"
)

// Builder builds one value at a time. Add the parts of objects and arrays first,
// then close them with EndObject or EndArray.
type Builder struct {
	buf   []byte
	ids   map[string]int
	names []string
}

// Reset begins another value.
func (b *Builder) Reset() {
	b.buf, b.names = b.buf[:0], b.names[:0]
	clear(b.ids)
}

// Len is the place where the next part will stand.
func (b *Builder) Len() int { return len(b.buf) }

// Null adds a null.
func (b *Builder) Null() { b.buf = append(b.buf, typeNull<<2) }

// Bool adds a boolean.
func (b *Builder) Bool(v bool) {
	if v {
		b.buf = append(b.buf, typeTrue<<2)
	} else {
		b.buf = append(b.buf, typeFalse<<2)
	}
}

// Int adds an integer in the narrowest width.
func (b *Builder) Int(v int64) {
	switch {
	case int64(int8(v)) == v:
		b.buf = append(b.buf, typeInt8<<2, byte(v))
	case int64(int16(v)) == v:
		b.buf = binary.LittleEndian.AppendUint16(append(b.buf, typeInt16<<2), uint16(v))
	case int64(int32(v)) == v:
		b.buf = binary.LittleEndian.AppendUint32(append(b.buf, typeInt32<<2), uint32(v))
	default:
		b.eight(typeInt64, uint64(v))
	}
}

func (b *Builder) eight(t byte, v uint64) {
	b.buf = binary.LittleEndian.AppendUint64(append(b.buf, t<<2), v)
}

// Double adds a DOUBLE.
func (b *Builder) Double(v float64) { b.eight(typeDouble, math.Float64bits(v)) }

// Float adds a FLOAT.
func (b *Builder) Float(v float32) {
	b.buf = binary.LittleEndian.AppendUint32(append(b.buf, typeFloat<<2), math.Float32bits(v))
}

// Decimal adds a decimal.
func (b *Builder) Decimal(d decimal.Num, scale int) {
	switch digits := decimal.Digits(d); {
	case digits <= 9 && scale <= 9:
		b.buf = binary.LittleEndian.AppendUint32(append(b.buf, typeDecimal4<<2, byte(scale)), uint32(d.LowBits()))
	case digits <= 18 && scale <= 18:
		b.buf = binary.LittleEndian.AppendUint64(append(b.buf, typeDecimal8<<2, byte(scale)), d.LowBits())
	default:
		b.buf = binary.LittleEndian.AppendUint64(append(b.buf, typeDecimal16<<2, byte(scale)), d.LowBits())
		b.buf = binary.LittleEndian.AppendUint64(b.buf, uint64(d.HighBits()))
	}
}

// Date adds days since 1970-01-01.
func (b *Builder) Date(days int32) {
	b.buf = binary.LittleEndian.AppendUint32(append(b.buf, typeDate<<2), uint32(days))
}

// Timestamp adds microseconds since 1970-01-01T00:00Z.
func (b *Builder) Timestamp(micros int64) { b.eight(typeTimestamp, uint64(micros)) }

// TimestampNTZ adds microseconds on the wall clock.
func (b *Builder) TimestampNTZ(micros int64) { b.eight(typeTimestampNTZ, uint64(micros)) }

// Binary adds bytes.
func (b *Builder) Binary(s []byte) { b.long(typeBinary, s) }

// String adds a text.
func (b *Builder) String(s []byte) {
	if len(s) < 64 {
		b.buf = append(append(b.buf, byte(len(s))<<2|basicShortString), s...)
	} else {
		b.long(typeString, s)
	}
}

func (b *Builder) long(t byte, s []byte) {
	b.buf = append(binary.LittleEndian.AppendUint32(append(b.buf, t<<2), uint32(len(s))), s...)
}

// Value adds a copy of a value; what is malformed becomes null.
func (b *Builder) Value(v Value) {
	parts := len(v.Data)
	b.copy(v, &parts)
}

// copy adds a copy of a value of at most so many parts: each takes a byte at
// least, unless malformed parts overlap.
func (b *Builder) copy(v Value, parts *int) {
	start := b.Len()
	if *parts--; *parts < 0 {
		v = Value{}
	}
	switch v.Kind() {
	case Object:
		fields := make([]Field, v.Len())
		for i := range fields {
			name, value := v.Field(i)
			fields[i] = b.Field(name, start)
			b.copy(value, parts)
		}
		if _, ok := b.EndObject(start, fields); !ok {
			b.buf = b.buf[:start]
			b.Null()
		}
	case Array:
		offsets := make([]int, v.Len())
		for i := range offsets {
			offsets[i] = b.Len() - start
			b.copy(v.Elem(i), parts)
		}
		b.EndArray(start, offsets)
	case Malformed:
		b.Null()
	default:
		b.buf = append(b.buf, v.Data[:v.size()]...)
	}
}

// size is the length of a scalar.
func (v Value) size() int {
	h := v.Data[0]
	if h&3 == basicShortString {
		return 1 + int(h>>2)
	}
	if size := primitives[h>>2].size; size >= 0 {
		return 1 + size
	}
	return 5 + int(binary.LittleEndian.Uint32(v.Data[1:]))
}

// Field is a field of an object under construction.
type Field struct {
	name   string
	id     int
	offset int
}

// Field says that the next part is the field of a name in the object that began
// at start.
func (b *Builder) Field(name []byte, start int) Field {
	id, ok := b.ids[string(name)]
	if !ok {
		if b.ids == nil {
			b.ids = map[string]int{}
		}
		id = len(b.names)
		b.names = append(b.names, string(name))
		b.ids[b.names[id]] = id
	}
	return Field{b.names[id], id, b.Len() - start}
}

// EndObject makes an object of the parts since start. It returns a name that
// comes twice, and then false.
func (b *Builder) EndObject(start int, fields []Field) (twice string, ok bool) {
	slices.SortFunc(fields, func(x, y Field) int { return compareUTF16(x.name, y.name) })
	maxID := 0
	for i, f := range fields {
		maxID = max(maxID, f.id)
		if i > 0 && f.id == fields[i-1].id {
			return f.name, false
		}
	}
	size := b.Len() - start
	idSize, offsetSize := width(maxID), width(size)
	header := byte(basicObject | (offsetSize-1)<<2 | (idSize-1)<<4)
	var head []byte
	if len(fields) > math.MaxUint8 {
		head = binary.LittleEndian.AppendUint32([]byte{header | 1<<6}, uint32(len(fields)))
	} else {
		head = []byte{header, byte(len(fields))}
	}
	for _, f := range fields {
		head = appendNumber(head, f.id, idSize)
	}
	for _, f := range fields {
		head = appendNumber(head, f.offset, offsetSize)
	}
	b.buf = slices.Insert(b.buf, start, appendNumber(head, size, offsetSize)...)
	return "", true
}

// EndArray makes an array of the parts since start, which begin at the offsets.
func (b *Builder) EndArray(start int, offsets []int) {
	size := b.Len() - start
	offsetSize := width(size)
	header := byte(basicArray | (offsetSize-1)<<2)
	var head []byte
	if len(offsets) > math.MaxUint8 {
		head = binary.LittleEndian.AppendUint32([]byte{header | 1<<4}, uint32(len(offsets)))
	} else {
		head = []byte{header, byte(len(offsets))}
	}
	for _, o := range offsets {
		head = appendNumber(head, o, offsetSize)
	}
	b.buf = slices.Insert(b.buf, start, appendNumber(head, size, offsetSize)...)
}

// Data is the value part; it is good until Reset.
func (b *Builder) Data() []byte { return b.buf }

// AppendMetadata appends the metadata part.
func (b *Builder) AppendMetadata(dst []byte) []byte {
	size := 0
	for _, n := range b.names {
		size += len(n)
	}
	const version = 1
	w := width(max(size, len(b.names)))
	dst = appendNumber(append(dst, byte(version|(w-1)<<6)), len(b.names), w)
	at := 0
	for _, n := range b.names {
		dst = appendNumber(dst, at, w)
		at += len(n)
	}
	dst = appendNumber(dst, at, w)
	for _, n := range b.names {
		dst = append(dst, n...)
	}
	return dst
}

// width is the number of bytes that hold v.
func width(v int) int {
	switch {
	case v < 1<<8:
		return 1
	case v < 1<<16:
		return 2
	case v < 1<<24:
		return 3
	}
	return 4
}

func appendNumber(b []byte, v, size int) []byte {
	for range size {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// compareUTF16 orders texts as Java does, by their UTF-16 units.
func compareUTF16(x, y string) int {
	a, b := []rune(x), []rune(y)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return slices.Compare(utf16.AppendRune(nil, a[i]), utf16.AppendRune(nil, b[i]))
		}
	}
	return len(a) - len(b)
}
