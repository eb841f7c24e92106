package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/vectest"
	"github.com/vstream/vstream/vector"
)

func stringColumn(t *vector.Type, values ...string) arrow.Array {
	off, data := make([]int32, len(values)+1), []byte(nil)
	for i, v := range values {
		data = append(data, v...)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(t, off, data, nil)
}

func fixed[T any](t *vector.Type, values ...T) arrow.Array { return vector.NewFixed(t, values, nil) }

// decimal is a decimal column of small unscaled values.
func decimal(t *vector.Type, unscaled ...byte) arrow.Array {
	v := make([][16]byte, len(unscaled))
	for i, u := range unscaled {
		v[i][0] = u
	}
	return vector.NewFixed(t, v, nil)
}

// The expected texts are what Spark 4.3 prints.
func TestColumn(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	one := fixed[int32](vector.Int, 1)
	mapOf := func(key *vector.Type, keys arrow.Array) (*vector.Type, arrow.Array) {
		m := vector.MapOf(key, vector.Int, true)
		return m, vector.NewMap(m, []int32{0, 1}, keys, one, nil)
	}
	check := func(name, want string, typ *vector.Type, a arrow.Array) {
		t.Helper()
		o := json.WriteOptions{Formats: render.Formats{Zone: berlin}}
		if got := string(json.NewWriter(typ, a, o).Append(nil, 0)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	check("double", `1.5`, vector.Double, fixed(vector.Double, 1.5))
	check("large double", `1.0E10`, vector.Double, fixed(vector.Double, 1e10))
	nan := 0.0
	check("NaN", `"NaN"`, vector.Double, fixed(vector.Double, nan/nan))
	check("infinite float", `"-Infinity"`, vector.Float, fixed(vector.Float, float32(-1/nan)))
	check("float", `0.1`, vector.Float, fixed(vector.Float, float32(0.1)))
	check("small decimal", `1E-7`, vector.Decimal(7, 7), decimal(vector.Decimal(7, 7), 1))
	check("zero decimal", `0E-8`, vector.Decimal(10, 8), decimal(vector.Decimal(10, 8), 0))
	check("decimal", `1.50`, vector.Decimal(3, 2), decimal(vector.Decimal(3, 2), 150))
	check("string", `"a\"b/é\n\t\u0001"`, vector.String, stringColumn(vector.String, "a\"b/é\n\t\u0001"))
	check("binary", `"SGk="`, vector.Binary, stringColumn(vector.Binary, "Hi"))
	check("date", `"2024-02-29"`, vector.Date, fixed[int32](vector.Date, 19782))
	check("timestamp", `"2024-06-01T12:00:00.123+02:00"`, vector.Timestamp, fixed[int64](vector.Timestamp, 1717236000_123456))
	check("old timestamp", `"0001-01-01T00:00:00.000+00:53:28"`, vector.Timestamp, fixed[int64](vector.Timestamp, -62135600008_000000))
	check("far timestamp", `"+12024-06-01T12:00:00.123+02:00"`, vector.Timestamp, fixed[int64](vector.Timestamp, 317286756000_123456))
	check("timestamp_ntz", `"2024-06-01T12:00:00.000"`, vector.TimestampNTZ, fixed[int64](vector.TimestampNTZ, 1717243200_000000))
	check("year-month", `"INTERVAL '1-2' YEAR TO MONTH"`, vector.YearMonth, fixed[int32](vector.YearMonth, 14))
	for _, k := range []struct {
		want string
		t    *vector.Type
		a    arrow.Array
	}{
		{`{"k\n":1}`, vector.String, stringColumn(vector.String, "k\n")},
		{`{"1717236000000000":1}`, vector.Timestamp, fixed[int64](vector.Timestamp, 1717236000_000000)},
		{`{"19782":1}`, vector.Date, fixed[int32](vector.Date, 19782)},
		{`{"1.50":1}`, vector.Decimal(3, 2), decimal(vector.Decimal(3, 2), 150)},
		{`{"2.0":1}`, vector.Double, fixed(vector.Double, 2.0)},
		{`{"86400000000":1}`, vector.DayTime, fixed[int64](vector.DayTime, 86400_000000)},
	} {
		typ, a := mapOf(k.t, k.a)
		check("map of "+k.t.String(), k.want, typ, a)
	}
}

func TestWriterNulls(t *testing.T) {
	nulls := vector.NewBitmap(1)
	pair := vector.StructOf(vector.Field{Name: "a", Type: vector.Int}, vector.Field{Name: "b", Type: vector.Int})
	list := vector.ArrayOf(vector.Int, true)
	null := vector.NewFixed(vector.Int, []int32{0}, nulls)
	s := vector.NewSchema(vector.Field{Name: "n", Type: vector.Int}, vector.Field{Name: "p", Type: pair}, vector.Field{Name: "l", Type: list})
	b := vector.NewBatch(s, []arrow.Array{
		null,
		vector.NewStruct(pair, []arrow.Array{null, fixed[int32](vector.Int, 2)}, 1, nil),
		vector.NewList(list, []int32{0, 1}, null, nil),
	}, 1)
	for _, tt := range []struct {
		o    map[string]string
		want string
	}{
		{nil, `{"p":{"b":2},"l":[null]}` + "\n"},
		{map[string]string{"ignoreNullFields": "false", "lineSep": ";"}, `{"n":null,"p":{"a":null,"b":2},"l":[null]};`},
	} {
		o, err := json.ParseWriteOptions(tt.o, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		w, err := json.NewLineWriter(&buf, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if got := buf.String(); got != tt.want {
			t.Errorf("%v: got %s want %s", tt.o, got, tt.want)
		}
	}
}

func TestWriteOptionErrors(t *testing.T) {
	for _, tt := range []struct{ key, value, want string }{
		{"timeZone", "Nowhere/Land", "INVALID_TIMEZONE"},
		{"encoding", "UTF-16", "VSTREAM_INVALID_OPTION"},
	} {
		if _, err := json.ParseWriteOptions(map[string]string{tt.key: tt.value}, time.UTC); !errors.Is(err, condition.Name(tt.want)) {
			t.Errorf("%s: %v", tt.key, err)
		}
	}
}

// Every line is JSON, whatever the schema and values.
func TestWriterMakesJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := vectest.Schema(rt, 2)
		n := rapid.IntRange(0, 10).Draw(rt, "rows")
		var buf bytes.Buffer
		w, err := json.NewLineWriter(&buf, s, json.WriteOptions{KeepNullFields: rapid.Bool().Draw(rt, "nulls")})
		if err != nil {
			rt.Fatal(err)
		}
		if err := w.Write(vectest.Batch(rt, s, n)); err != nil {
			rt.Fatal(err)
		}
		lines := bytes.Split(buf.Bytes(), []byte("\n"))
		if len(lines) != n+1 {
			rt.Fatalf("%d lines for %d rows", len(lines)-1, n)
		}
		for _, l := range lines[:n] {
			if !stdjson.Valid(l) {
				rt.Fatalf("not JSON: %s", l)
			}
		}
	})
}
