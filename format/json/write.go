package json

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// WriteOptions are the options of Spark's JSON writer and of to_json.
type WriteOptions struct {
	render.Formats
	// KeepNullFields prints the null fields of objects (ignoreNullFields=false).
	KeepNullFields bool
	// SortKeys prints the fields of objects and the entries of maps in the order of their names (sortKeys=true).
	SortKeys bool
	// LineSep ends a row of a file; "" is a newline.
	LineSep string
}

// ParseWriteOptions reads Spark's option map; keys compare without regard to
// case, unknown ones are ignored. zone is the session's time zone.
func ParseWriteOptions(m map[string]string, zone *time.Location) (WriteOptions, error) {
	o := WriteOptions{Formats: render.Formats{Zone: zone}}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := m[k]
		if err := o.Formats.Option(k, v); err != nil {
			return o, err
		}
		switch strings.ToLower(k) {
		case "ignorenullfields":
			o.KeepNullFields = strings.EqualFold(v, "false")
		case "sortkeys":
			o.SortKeys = strings.EqualFold(v, "true")
		case "linesep":
			o.LineSep = v
		case "encoding", "charset":
			if !strings.EqualFold(v, "UTF-8") && !strings.EqualFold(v, "UTF8") {
				return o, condition.New("VSTREAM_INVALID_OPTION", "option", k, "value", v, "expected", "UTF-8")
			}
		}
	}
	return o, nil
}

// Writer prints the values of one array as JSON, as to_json does.
type Writer struct{ value render.Append }

// NewWriter makes a writer of the values of a, of type t.
func NewWriter(t *vector.Type, a arrow.Array, o WriteOptions) *Writer {
	return &Writer{o.value(t, a)}
}

// Append prints value i, which must not be null.
func (w *Writer) Append(b []byte, i int) []byte { return w.value(b, i) }

// nullable is the printer of values that may be null.
func (o WriteOptions) nullable(t *vector.Type, a arrow.Array) render.Append {
	value := o.value(t, a)
	if a.NullN() == 0 {
		return value
	}
	return func(b []byte, i int) []byte {
		if a.IsNull(i) {
			return append(b, "null"...)
		}
		return value(b, i)
	}
}

// value is the printer of values that are not null.
func (o WriteOptions) value(t *vector.Type, a arrow.Array) render.Append {
	switch t.Kind {
	case vector.KindFloat:
		v, print := vector.Values[float32](a), render.Style{}.Column(t, a)
		return func(b []byte, i int) []byte {
			if v[i]-v[i] != 0 { // NaN or infinite
				return append(print(append(b, '"'), i), '"')
			}
			return print(b, i)
		}
	case vector.KindDouble:
		v := vector.Values[float64](a)
		return func(b []byte, i int) []byte { return render.AppendJSONDouble(b, v[i]) }
	case vector.KindDecimal:
		return render.JavaDecimal(t, a)
	case vector.KindString:
		off, data := vector.Strings(a)
		return func(b []byte, i int) []byte { return text.AppendJSONString(b, data[off[i]:off[i+1]]) }
	case vector.KindBinary:
		off, data := vector.Strings(a)
		return quoted(func(b []byte, i int) []byte {
			return base64.StdEncoding.AppendEncode(b, data[off[i]:off[i+1]])
		})
	case vector.KindDate, vector.KindTimestamp, vector.KindTimestampNTZ:
		print, custom := o.Formats.Column(t, a)
		if custom {
			return escaped(print)
		}
		return quoted(print)
	case vector.KindDayTimeInterval: // Spark's JSON forgets the fields of the type
		return quoted(render.Style{}.Column(vector.DayTime, a))
	case vector.KindYearMonthInterval:
		return quoted(render.Style{}.Column(vector.YearMonth, a))
	case vector.KindTime, vector.KindCalendarInterval:
		return quoted(render.Style{}.Column(t, a))
	case vector.KindArray:
		off, elem := vector.Offsets(a), o.nullable(t.Elem, array.MakeFromData(a.Data().Children()[0]))
		return func(b []byte, i int) []byte {
			b = append(b, '[')
			for j := off[i]; j < off[i+1]; j++ {
				b = elem(comma(b, j > off[i]), int(j))
			}
			return append(b, ']')
		}
	case vector.KindMap:
		return o.mapping(t, a)
	case vector.KindStruct:
		fields := make([]arrow.Array, len(t.Fields))
		for j := range fields {
			fields[j] = a.(*array.Struct).Field(j)
		}
		return o.object(t.Fields, fields)
	case vector.KindVariant:
		at := render.Variants(a)
		return func(b []byte, i int) []byte { return render.AppendVariant(b, at(i), o.Formats.Zone) }
	}
	return render.Style{Null: "null"}.Column(t, a)
}

// object prints a row of columns as an object.
func (o WriteOptions) object(fs []vector.Field, cols []arrow.Array) render.Append {
	type member struct {
		field string
		name  []byte // with quotes and colon
		a     arrow.Array
		nulls bool
		value render.Append
	}
	members := make([]member, len(fs))
	for j, f := range fs {
		members[j] = member{f.Name, append(text.AppendJSONString(nil, []byte(f.Name)), ':'), cols[j], cols[j].NullN() > 0, o.value(f.Type, cols[j])}
	}
	if o.SortKeys {
		slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.field, b.field) })
	}
	return func(b []byte, i int) []byte {
		b = append(b, '{')
		start := len(b)
		for j := range members {
			m := &members[j]
			null := m.nulls && m.a.IsNull(i)
			if null && !o.KeepNullFields {
				continue
			}
			b = append(comma(b, len(b) > start), m.name...)
			if null {
				b = append(b, "null"...)
			} else {
				b = m.value(b, i)
			}
		}
		return append(b, '}')
	}
}

// mapping prints a map as an object. Like Spark it takes a key's internal value
// for its name: a date is a number of days, a timestamp one of microseconds.
func (o WriteOptions) mapping(t *vector.Type, a arrow.Array) render.Append {
	entries := array.MakeFromData(a.Data().Children()[0]).(*array.Struct)
	key := entries.Field(0)
	var name render.Append
	switch k := t.Key; k.Kind {
	case vector.KindString:
		name = o.value(k, key)
	case vector.KindDecimal:
		name = quoted(o.value(k, key))
	case vector.KindDate, vector.KindYearMonthInterval:
		v := vector.Values[int32](key)
		name = quoted(func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(v[i]), 10) })
	case vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		v := vector.Values[int64](key)
		name = quoted(func(b []byte, i int) []byte { return strconv.AppendInt(b, v[i], 10) })
	default:
		name = escaped(render.Style{Null: "null"}.Column(k, key))
	}
	off, val := vector.Offsets(a), o.nullable(t.Elem, entries.Field(1))
	if o.SortKeys {
		return sortedMap(off, name, val)
	}
	return func(b []byte, i int) []byte {
		b = append(b, '{')
		for j := off[i]; j < off[i+1]; j++ {
			b = append(name(comma(b, j > off[i]), int(j)), ':')
			b = val(b, int(j))
		}
		return append(b, '}')
	}
}

// sortedMap prints a map in the order of its names.
func sortedMap(off []int32, name, val render.Append) render.Append {
	type entry struct {
		name string
		at   int
	}
	var entries []entry
	return func(b []byte, i int) []byte {
		entries = entries[:0]
		for j := off[i]; j < off[i+1]; j++ {
			entries = append(entries, entry{string(name(nil, int(j))), int(j)})
		}
		slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
		b = append(b, '{')
		for k, e := range entries {
			b = append(append(comma(b, k > 0), e.name...), ':')
			b = val(b, e.at)
		}
		return append(b, '}')
	}
}

func comma(b []byte, yes bool) []byte {
	if yes {
		return append(b, ',')
	}
	return b
}

// escaped prints a text as a JSON string.
func escaped(f render.Append) render.Append {
	var tmp []byte
	return func(b []byte, i int) []byte {
		tmp = f(tmp[:0], i)
		return text.AppendJSONString(b, tmp)
	}
}

// quoted puts quotes around a text that needs no escapes.
func quoted(f render.Append) render.Append {
	return func(b []byte, i int) []byte { return append(f(append(b, '"'), i), '"') }
}
