package runner

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// A value is JSON as goldens have it: nil, bool, json.Number, string, []any or object.

// member is one field of an object.
type member struct {
	name  string
	value any
}

// object is a struct or row; its fields keep their order for printing only.
type object []member

// MarshalJSON prints the fields in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	writeValue(&b, o, false)
	return b.Bytes(), nil
}

// rowsOf are the rows of batches as values.
func rowsOf(s *vector.Schema, batches []*vector.Batch) []any {
	out := []any{}
	for _, b := range batches {
		cols := make([]func(i int) any, b.NumCols())
		for j, f := range s.Fields {
			cols[j] = valuesOf(f.Type, b.Col(j))
		}
		names := fieldNames(s.Fields)
		for i := range b.Len() {
			row := make(object, len(cols))
			for j, at := range cols {
				row[j] = member{names[j], at(i)}
			}
			out = append(out, row)
		}
	}
	return out
}

// fieldNames makes repeated names differ: a, a#2, a#3.
func fieldNames(fields []vector.Field) []string {
	out := make([]string, len(fields))
	seen := map[string]bool{}
	for i, f := range fields {
		name := f.Name
		for n := 2; seen[name]; n++ {
			name = f.Name + "#" + strconv.Itoa(n)
		}
		seen[name] = true
		out[i] = name
	}
	return out
}

// valuesOf reads the values of a column.
func valuesOf(t *vector.Type, a arrow.Array) func(i int) any {
	if a.DataType().ID() == arrow.NULL {
		return func(int) any { return nil }
	}
	value := notNull(t, a)
	return func(i int) any {
		if a.IsNull(i) {
			return nil
		}
		return value(i)
	}
}

func notNull(t *vector.Type, a arrow.Array) func(i int) any {
	switch t.Kind {
	case vector.KindBool:
		bits := vector.Bools(a)
		return func(i int) any { return bits.Get(i) }
	case vector.KindByte:
		return integers[int8](a)
	case vector.KindShort:
		return integers[int16](a)
	case vector.KindInt:
		return integers[int32](a)
	case vector.KindLong:
		return integers[int64](a)
	case vector.KindFloat:
		v := vector.Values[float32](a)
		return func(i int) any { return double(float64(v[i])) }
	case vector.KindDouble:
		v := vector.Values[float64](a)
		return func(i int) any { return double(v[i]) }
	case vector.KindBinary:
		off, data := vector.Strings(a)
		return func(i int) any { return "hex:" + hex.EncodeToString(data[off[i]:off[i+1]]) }
	case vector.KindTimestamp:
		return timestamps(a, "Z")
	case vector.KindTimestampNTZ:
		return timestamps(a, "")
	case vector.KindDayTimeInterval:
		v := vector.Values[int64](a)
		return func(i int) any { return object{{"micros", json.Number(strconv.FormatInt(v[i], 10))}} }
	case vector.KindArray:
		at := valuesOf(t.Elem, vector.ListChild(a))
		off := vector.Offsets(a)
		return func(i int) any {
			out := []any{}
			for k := off[i]; k < off[i+1]; k++ {
				out = append(out, at(int(k)))
			}
			return out
		}
	case vector.KindMap:
		return maps(t, a)
	case vector.KindStruct:
		return structs(t, a)
	}
	// Strings, decimals, dates and the rest print as a cast does.
	text := render.Style{Zone: time.UTC}.Column(t, a)
	return func(i int) any { return string(text(nil, i)) }
}

func integers[T int8 | int16 | int32 | int64](a arrow.Array) func(i int) any {
	v := vector.Values[T](a)
	return func(i int) any { return json.Number(strconv.FormatInt(int64(v[i]), 10)) }
}

func double(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return json.Number(s)
}

func timestamps(a arrow.Array, suffix string) func(i int) any {
	v := vector.Values[int64](a)
	return func(i int) any { return time.UnixMicro(v[i]).UTC().Format("2006-01-02T15:04:05.000000") + suffix }
}

// maps are lists of entries, sorted by their JSON.
func maps(t *vector.Type, a arrow.Array) func(i int) any {
	entries := vector.ListChild(a)
	key, value := valuesOf(t.Key, vector.StructField(entries, 0)), valuesOf(t.Elem, vector.StructField(entries, 1))
	off := vector.Offsets(a)
	return func(i int) any {
		out := []any{}
		for k := off[i]; k < off[i+1]; k++ {
			out = append(out, object{{"key", key(int(k))}, {"value", value(int(k))}})
		}
		sortRows(out)
		return out
	}
}

func structs(t *vector.Type, a arrow.Array) func(i int) any {
	names := fieldNames(t.Fields)
	fields := make([]func(i int) any, len(t.Fields))
	for j, f := range t.Fields {
		fields[j] = valuesOf(f.Type, vector.StructField(a, j))
	}
	return func(i int) any {
		out := make(object, len(fields))
		for j, at := range fields {
			out[j] = member{names[j], at(i)}
		}
		return out
	}
}

// sortRows sorts rows by their JSON with sorted keys; numbers are rounded for this,
// so that the order does not hang on a double's last digits.
func sortRows(rows []any) {
	keys := make([]string, len(rows))
	for i, r := range rows {
		var b bytes.Buffer
		writeSorted(&b, r)
		keys[i] = b.String()
	}
	sort.Sort(&byKey{keys, rows})
}

type byKey struct {
	keys []string
	rows []any
}

func (s *byKey) Len() int           { return len(s.keys) }
func (s *byKey) Less(i, j int) bool { return s.keys[i] < s.keys[j] }
func (s *byKey) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.rows[i], s.rows[j] = s.rows[j], s.rows[i]
}

func writeSorted(b *bytes.Buffer, v any) { writeValue(b, v, true) }

// writeValue prints a value as JSON; sorted: with sorted keys and rounded doubles.
func writeValue(b *bytes.Buffer, v any, sorted bool) {
	switch v := v.(type) {
	case object:
		if sorted {
			v = append(object(nil), v...)
			sort.Slice(v, func(i, j int) bool { return v[i].name < v[j].name })
		}
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, m.name)
			b.WriteString(": ")
			writeValue(b, m.value, sorted)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeValue(b, x, sorted)
		}
		b.WriteByte(']')
	case json.Number:
		if f, err := v.Float64(); sorted && err == nil && !isInteger(v) {
			b.WriteString(strconv.FormatFloat(f, 'g', 7, 64))
			return
		}
		b.WriteString(string(v))
	case string:
		writeText(b, v)
	default: // nil, bool
		text, _ := json.Marshal(v)
		b.Write(text)
	}
}

func writeText(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("runner: " + err.Error()) // a string always encodes
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
