// Package render prints single values as text, as Spark's CAST(x AS STRING) and
// its show() do. Writers of text formats and tables share it.
package render

import (
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// Style says how values are printed.
type Style struct {
	// Zone is the session's time zone, in which timestamps are printed; nil is UTC.
	Zone *time.Location
	// Null stands for a null: "null" inside a cast's arrays and structs, "NULL" in show().
	Null string
	// JavaDecimals prints decimals as BigDecimal.toString does, with an exponent once
	// six zeros would follow the point, as casts do outside of ANSI mode.
	JavaDecimals bool
	// HexBinary prints binary values as show() does, [48 69], instead of as UTF-8 text.
	HexBinary bool
}

// Append prints one value behind b.
type Append func(b []byte, i int) []byte

// Column is the printer of the values of a column of type t.
func (s Style) Column(t *vector.Type, a arrow.Array) Append {
	value := s.Value(t, a)
	if a.NullN() == 0 {
		return value
	}
	return func(b []byte, i int) []byte {
		if a.IsNull(i) {
			return append(b, s.Null...)
		}
		return value(b, i)
	}
}

// Value is the printer of values that are not null.
func (s Style) Value(t *vector.Type, a arrow.Array) Append {
	switch t.Kind {
	case vector.KindBool:
		bits := vector.Bools(a)
		return func(b []byte, i int) []byte { return strconv.AppendBool(b, bits.Get(i)) }
	case vector.KindByte:
		return integer[int8](a)
	case vector.KindShort:
		return integer[int16](a)
	case vector.KindInt:
		return integer[int32](a)
	case vector.KindLong:
		return integer[int64](a)
	case vector.KindFloat:
		v := vector.Values[float32](a)
		return func(b []byte, i int) []byte { return text.AppendFloat(b, v[i]) }
	case vector.KindDouble:
		v := vector.Values[float64](a)
		return func(b []byte, i int) []byte { return text.AppendDouble(b, v[i]) }
	case vector.KindDecimal:
		if s.JavaDecimals {
			return JavaDecimal(t, a)
		}
		v := vector.Values[decimal.Num](a)
		return func(b []byte, i int) []byte { return decimal.Append(b, v[i], t.Scale) }
	case vector.KindString:
		off, data := vector.Strings(a)
		return func(b []byte, i int) []byte { return append(b, data[off[i]:off[i+1]]...) }
	case vector.KindBinary:
		return s.binary(a)
	case vector.KindDate:
		v := vector.Values[int32](a)
		return func(b []byte, i int) []byte { return text.AppendDate(b, int64(v[i])) }
	case vector.KindTimestamp:
		v, clock := vector.Values[int64](a), text.NewClock(s.Zone)
		return func(b []byte, i int) []byte { return text.AppendTimestamp(b, clock.Local(v[i])) }
	case vector.KindTimestampNTZ:
		v := vector.Values[int64](a)
		return func(b []byte, i int) []byte { return text.AppendTimestamp(b, v[i]) }
	case vector.KindDayTimeInterval:
		v := vector.Values[int64](a)
		return func(b []byte, i int) []byte { return text.AppendDayTime(b, t, v[i]) }
	case vector.KindYearMonthInterval:
		v := vector.Values[int32](a)
		return func(b []byte, i int) []byte { return text.AppendYearMonth(b, t, v[i]) }
	case vector.KindCalendarInterval:
		v := vector.Values[arrow.MonthDayNanoInterval](a)
		return func(b []byte, i int) []byte {
			return text.AppendCalendarInterval(b, v[i].Months, v[i].Days, v[i].Nanoseconds/1000)
		}
	case vector.KindTime:
		v := vector.Values[int64](a)
		return func(b []byte, i int) []byte { return text.AppendTime(b, v[i]) }
	case vector.KindVariant:
		at := Variants(a)
		return func(b []byte, i int) []byte { return AppendVariant(b, at(i), s.Zone) }
	case vector.KindArray:
		off, elem := vector.Offsets(a), s.Column(t.Elem, array.MakeFromData(a.Data().Children()[0]))
		return func(b []byte, i int) []byte {
			b = append(b, '[')
			for j := off[i]; j < off[i+1]; j++ {
				b = elem(separate(b, j > off[i]), int(j))
			}
			return append(b, ']')
		}
	case vector.KindMap:
		entries := array.MakeFromData(a.Data().Children()[0]).(*array.Struct)
		off, key, val := vector.Offsets(a), s.Column(t.Key, entries.Field(0)), s.Column(t.Elem, entries.Field(1))
		return func(b []byte, i int) []byte {
			b = append(b, '{')
			for j := off[i]; j < off[i+1]; j++ {
				b = key(separate(b, j > off[i]), int(j))
				b = val(append(b, " -> "...), int(j))
			}
			return append(b, '}')
		}
	case vector.KindStruct:
		fields := make([]Append, len(t.Fields))
		for j, f := range t.Fields {
			fields[j] = s.Column(f.Type, a.(*array.Struct).Field(j))
		}
		return func(b []byte, i int) []byte {
			b = append(b, '{')
			for j, f := range fields {
				b = f(separate(b, j > 0), i)
			}
			return append(b, '}')
		}
	}
	return func(b []byte, _ int) []byte { return append(b, s.Null...) }
}

// JavaDecimal is the printer of the values, which are not null, of a decimal
// column as BigDecimal.toString: with an exponent once six zeros would follow the point.
func JavaDecimal(t *vector.Type, a arrow.Array) Append {
	v := vector.Values[decimal.Num](a)
	return func(b []byte, i int) []byte { return decimal.AppendJava(b, v[i], t.Scale) }
}

func (s Style) binary(a arrow.Array) Append {
	off, data := vector.Strings(a)
	if !s.HexBinary {
		return func(b []byte, i int) []byte { return text.AppendUTF8(b, data[off[i]:off[i+1]]) }
	}
	const digits = "0123456789ABCDEF"
	return func(b []byte, i int) []byte {
		b = append(b, '[')
		for j, c := range data[off[i]:off[i+1]] {
			if j > 0 {
				b = append(b, ' ')
			}
			b = append(b, digits[c>>4], digits[c&15])
		}
		return append(b, ']')
	}
}

func integer[T int8 | int16 | int32 | int64](a arrow.Array) Append {
	v := vector.Values[T](a)
	return func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(v[i]), 10) }
}

func separate(b []byte, yes bool) []byte {
	if yes {
		return append(b, ", "...)
	}
	return b
}
