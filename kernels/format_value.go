package kernels

import (
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/vector"
)

// appendValue appends value i, which is not null, as CAST(x AS STRING) prints
// it; clock is the session's zone. Decimals are plain in ANSI mode only.
func appendValue(dst []byte, t *vector.Type, a arrow.Array, i int, clock *Clock, ansi bool) []byte {
	switch t.Kind {
	case vector.KindBool:
		return strconv.AppendBool(dst, vector.Bools(a).Get(i))
	case vector.KindByte:
		return strconv.AppendInt(dst, int64(vector.Values[int8](a)[i]), 10)
	case vector.KindShort:
		return strconv.AppendInt(dst, int64(vector.Values[int16](a)[i]), 10)
	case vector.KindInt:
		return strconv.AppendInt(dst, int64(vector.Values[int32](a)[i]), 10)
	case vector.KindLong:
		return strconv.AppendInt(dst, vector.Values[int64](a)[i], 10)
	case vector.KindFloat:
		return AppendFloat(dst, vector.Values[float32](a)[i])
	case vector.KindDouble:
		return AppendDouble(dst, vector.Values[float64](a)[i])
	case vector.KindDecimal:
		d := vector.Values[Dec](a)[i]
		if ansi {
			return AppendDecimal(dst, d, t.Scale)
		}
		return appendDecimalJava(dst, d, t.Scale)
	case vector.KindString:
		off, data := vector.Strings(a)
		return append(dst, data[off[i]:off[i+1]]...)
	case vector.KindBinary:
		off, data := vector.Strings(a)
		return appendUTF8(dst, data[off[i]:off[i+1]])
	case vector.KindDate:
		return AppendDate(dst, int64(vector.Values[int32](a)[i]))
	case vector.KindTimestamp:
		return AppendTimestamp(dst, clock.Local(vector.Values[int64](a)[i]))
	case vector.KindTimestampNTZ:
		return AppendTimestamp(dst, vector.Values[int64](a)[i])
	case vector.KindDayTimeInterval:
		return AppendDayTime(dst, t, vector.Values[int64](a)[i])
	case vector.KindYearMonthInterval:
		return AppendYearMonth(dst, t, vector.Values[int32](a)[i])
	case vector.KindCalendarInterval:
		v := vector.Values[arrow.MonthDayNanoInterval](a)[i]
		return AppendCalendarInterval(dst, v.Months, v.Days, v.Nanoseconds/1000)
	case vector.KindTime:
		return appendTimeOfDay(dst, vector.Values[int64](a)[i])
	case vector.KindArray:
		off, elems := vector.Offsets(a), listChild(a)
		dst = append(dst, '[')
		for j := off[i]; j < off[i+1]; j++ {
			dst = appendInner(separate(dst, j > off[i]), t.Elem, elems, int(j), clock, ansi)
		}
		return append(dst, ']')
	case vector.KindMap:
		off := vector.Offsets(a)
		keys, values := mapChildren(a)
		dst = append(dst, '{')
		for j := off[i]; j < off[i+1]; j++ {
			dst = appendInner(separate(dst, j > off[i]), t.Key, keys, int(j), clock, ansi)
			dst = appendInner(append(dst, " -> "...), t.Elem, values, int(j), clock, ansi)
		}
		return append(dst, '}')
	case vector.KindStruct:
		s := a.(*array.Struct)
		dst = append(dst, '{')
		for j, f := range t.Fields {
			dst = appendInner(separate(dst, j > 0), f.Type, s.Field(j), i, clock, ansi)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func separate(dst []byte, yes bool) []byte {
	if yes {
		return append(dst, ", "...)
	}
	return dst
}

func appendInner(dst []byte, t *vector.Type, a arrow.Array, i int, clock *Clock, ansi bool) []byte {
	if isNullAt(a, i) {
		return append(dst, "null"...)
	}
	return appendValue(dst, t, a, i, clock, ansi)
}

func appendTimeOfDay(dst []byte, nanos int64) []byte {
	micros := nanos / 1000
	dst = append2(dst, micros/microsPerHour)
	dst = append2(append(dst, ':'), micros/microsPerMinute%60)
	dst = append2(append(dst, ':'), micros/microsPerSecond%60)
	return appendFraction(dst, micros%microsPerSecond, false)
}

// appendUTF8 appends bytes as text; as in Java each longest start of a character
// that is cut off, and each other byte that is not UTF-8, becomes U+FFFD.
func appendUTF8(dst, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r != utf8.RuneError || size > 1 {
			dst = append(dst, s[:size]...)
			s = s[size:]
			continue
		}
		dst = append(dst, "\uFFFD"...)
		s = s[cutOff(s):]
	}
	return dst
}

// cutOff is the length of the incomplete or wrong character at the start of s.
func cutOff(s []byte) int {
	for size := min(3, len(s)); size > 1; size-- {
		if !utf8.FullRune(s[:size]) {
			return size
		}
	}
	return 1
}

// listChild is the elements of a list array; the offsets of vector.Offsets index it.
func listChild(a arrow.Array) arrow.Array { return array.MakeFromData(a.Data().Children()[0]) }

// mapChildren are the keys and values of a map array.
func mapChildren(a arrow.Array) (keys, values arrow.Array) {
	entries := array.MakeFromData(a.Data().Children()[0]).(*array.Struct)
	return entries.Field(0), entries.Field(1)
}
