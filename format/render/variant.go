package render

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
		return AppendJSONDouble(dst, v.Double())
	case variant.Float:
		f := v.Double()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return AppendJSONDouble(dst, f)
		}
		return text.AppendFloat(dst, float32(f))
	case variant.Decimal:
		d, scale := v.Decimal()
		return decimal.Append(dst, d, scale)
	case variant.String:
		return text.AppendJSONString(dst, v.Bytes())
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
			dst = append(text.AppendJSONString(comma(dst, i > 0), name), ':')
			dst = appendVariant(dst, value, zone, parts)
		}
		return append(dst, '}')
	case variant.UUID:
		return quoted(func(b []byte) []byte { return appendUUID(b, v.Bytes()) })
	}
	return append(dst, "null"...)
}

func appendUUID(dst, id []byte) []byte {
	const hexDigits = "0123456789abcdef"
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// AppendJSONDouble prints a double as Jackson does: NaN and the infinities quoted.
func AppendJSONDouble(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(text.AppendDouble(append(b, '"'), v), '"')
	}
	return text.AppendDouble(b, v)
}

func comma(b []byte, yes bool) []byte {
	if yes {
		return append(b, ',')
	}
	return b
}
