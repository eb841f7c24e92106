package json

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// VariantReader reads JSON texts as variants, as parse_json does.
type VariantReader struct {
	p parser
	o Options
	b variant.Builder
}

// NewVariantReader makes a reader of strict JSON.
func NewVariantReader() *VariantReader {
	r := &VariantReader{o: Options{NoSingleQuotes: true, NoNonNumericNumbers: true}}
	r.p.o = &r.o
	return r
}

// Read reads the value that a text begins with; twice is a name that comes twice
// in an object. The value is good until the next call.
func (r *VariantReader) Read(record []byte) (v *variant.Builder, twice string, ok bool) {
	r.p.d, r.p.i = record, 0
	r.b.Reset()
	t, num := r.p.next()
	twice, ok = r.p.variant(&r.b, t, num, 0)
	return &r.b, twice, ok
}

// variant adds the value whose class next has told.
func (p *parser) variant(b *variant.Builder, t token, num []byte, depth int) (twice string, ok bool) {
	start := b.Len()
	next := func() bool {
		t, num := p.next()
		twice, ok = p.variant(b, t, num, depth+1)
		return ok
	}
	switch t {
	case tokNull:
		b.Null()
	case tokTrue, tokFalse:
		b.Bool(t == tokTrue)
	case tokString:
		s, ok := p.str()
		if !ok {
			return "", false
		}
		b.String(s)
	case tokInt, tokFloat, tokSpecial:
		variantNumber(b, t, num)
	case tokArray:
		var offsets []int
		if !p.elements(depth, func() bool {
			offsets = append(offsets, b.Len()-start)
			return next()
		}) {
			return twice, false
		}
		b.EndArray(start, offsets)
	case tokObject:
		var fields []variant.Field
		if !p.members(depth, func(name []byte) bool {
			fields = append(fields, b.Field(name, start))
			return next()
		}) {
			return twice, false
		}
		return b.EndObject(start, fields)
	default:
		return "", false
	}
	return "", true
}

// variantNumber adds an integer, a decimal if it has no exponent and at most 38
// digits, or else a double.
func variantNumber(b *variant.Builder, t token, num []byte) {
	if t == tokInt {
		if v, ok := parseInt(num); ok {
			b.Int(v)
			return
		}
	}
	exponent := false
	for _, c := range num {
		exponent = exponent || c|0x20 == 'e'
	}
	if d, _, scale, ok := decimal.ParseExact(num); ok && !exponent && t != tokSpecial {
		b.Decimal(d, scale)
		return
	}
	v, ok := special(num)
	if !ok {
		v, _ = strconv.ParseFloat(view(num), 64)
	}
	b.Double(v)
}

// Variants reads the values of a variant column.
func Variants(a arrow.Array) func(i int) variant.Value {
	s := a.(*array.Struct)
	voff, values := vector.Strings(s.Field(0))
	moff, metadata := vector.Strings(s.Field(1))
	return func(i int) variant.Value {
		return variant.Value{Metadata: metadata[moff[i]:moff[i+1]], Data: values[voff[i]:voff[i+1]]}
	}
}

// AppendVariant prints a variant as JSON, as to_json does. zone is that of
// timestamps; what is malformed prints as null.
func AppendVariant(dst []byte, v variant.Value, zone *time.Location) []byte {
	parts := len(v.Data)
	return appendVariant(dst, v, zone, &parts)
}

// appendVariant prints at most so many parts, as a malformed value may have more
// of them than bytes.
func appendVariant(dst []byte, v variant.Value, zone *time.Location, parts *int) []byte {
	if *parts--; *parts < 0 {
		v = variant.Value{}
	}
	quoted := func(print func(b []byte) []byte) []byte { return append(print(append(dst, '"')), '"') }
	switch v.Kind() {
	case variant.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case variant.Long:
		return strconv.AppendInt(dst, v.Int(), 10)
	case variant.Double:
		return appendNumber(dst, v.Double())
	case variant.Float:
		f := v.Double()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return appendNumber(dst, f)
		}
		return text.AppendFloat(dst, float32(f))
	case variant.Decimal:
		d, scale := v.Decimal()
		return decimal.Append(dst, d, scale)
	case variant.String:
		return AppendQuoted(dst, v.Bytes())
	case variant.Binary:
		return quoted(func(b []byte) []byte { return base64.StdEncoding.AppendEncode(b, v.Bytes()) })
	case variant.Date:
		return quoted(func(b []byte) []byte { return text.AppendDate(b, v.Int()) })
	case variant.TimestampNTZ:
		return quoted(func(b []byte) []byte { return text.AppendTimestamp(b, v.Int()) })
	case variant.Timestamp:
		local := text.LocalMicros(v.Int(), zone)
		return quoted(func(b []byte) []byte {
			return append(text.AppendTimestamp(b, local), text.FormatOffset(int((local-v.Int())/text.MicrosPerSecond))...)
		})
	case variant.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			dst = appendVariant(comma(dst, i > 0), v.Elem(i), zone, parts)
		}
		return append(dst, ']')
	case variant.Object:
		dst = append(dst, '{')
		for i := range v.Len() {
			name, value := v.Field(i)
			dst = append(AppendQuoted(comma(dst, i > 0), name), ':')
			dst = appendVariant(dst, value, zone, parts)
		}
		return append(dst, '}')
	case variant.UUID:
		return quoted(func(b []byte) []byte { return appendUUID(b, v.Bytes()) })
	}
	return append(dst, "null"...)
}

func appendUUID(dst, id []byte) []byte {
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[c>>4]|0x20, hexDigits[c&15]|0x20)
	}
	return dst
}
