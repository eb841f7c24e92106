package json

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/vstream/vstream/internal/javatime"
	"github.com/vstream/vstream/vector"
)

// show prints a value for comparison: null, 1, "text", [..], {k: v}.
func show(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	return a.ValueStr(i)
}

func rows(cols []arrow.Array, n int) []string {
	out := make([]string, n)
	for i := range out {
		parts := make([]string, len(cols))
		for j, c := range cols {
			parts[j] = show(c, i)
		}
		out[i] = strings.Join(parts, " | ")
	}
	return out
}

func field(name string, t *vector.Type) vector.Field {
	return vector.Field{Name: name, Type: t, Nullable: true}
}

func options() Options {
	return Options{Zone: time.UTC, CorruptRecordColumn: "_corrupt_record"}
}

func TestReaderRows(t *testing.T) {
	kv := vector.NewSchema(field("k", vector.String), field("v", vector.Long))
	corrupt := vector.NewSchema(field("k", vector.String), field("v", vector.Long), field("_corrupt_record", vector.String))
	lines := []string{`{"k":"a","v":1}`, `{"k":"b",`, `not json`, `{"k":"c","v":"x"}`, `{"v":2,"extra":true}`, ``, " \t", `[{"k":"d","v":4},{"k":"e","v":5}]`, `[]`}
	for _, tc := range []struct {
		name   string
		schema *vector.Schema
		mode   Mode
		lines  []string
		want   []string
	}{
		{"permissive", kv, Permissive, lines, []string{"a | 1", "null | null", "null | null", "c | null", "null | 2", "d | 4", "e | 5"}},
		{"drop", kv, DropMalformed, lines, []string{"a | 1", "null | 2", "d | 4", "e | 5"}},
		{"corrupt", corrupt, Permissive, lines[:5], []string{"a | 1 | null", `null | null | {"k":"b",`, "null | null | not json", `c | null | {"k":"c","v":"x"}`, "null | 2 | null"}},
		{"corrupt array", corrupt, Permissive, []string{`[{"k":"a"},{"v":"x"}]`, `[{"k":"a"},1]`}, []string{
			`a | null | [{"k":"a"},{"v":"x"}]`, `null | null | [{"k":"a"},{"v":"x"}]`, `null | null | [{"k":"a"},1]`}},
		{"order, repeats, escapes", kv, Permissive, []string{`{"v":7,"k":"q\"\u0041\ud83d\ude00\n"}`, `{"v":1,"v":2}`, ` { "k" : "x" , "v" : -3 } trailing`, `{'k':'s'}`, `{"K":"no"}`, `{}`},
			[]string{"q\"A😀\n | 7", "null | 2", "x | -3", "s | null", "null | null", "null | null"}},
		{"overflow and floats are no bigint", kv, Permissive, []string{`{"v":9223372036854775807}`, `{"v":9223372036854775808}`, `{"v":1.0}`, `{"v":1e3}`, `{"v":007}`, `{"v":-}`},
			[]string{"null | 9223372036854775807", "null | null", "null | null", "null | null", "null | null", "null | null"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options()
			o.Mode = tc.mode
			r := NewReader(tc.schema, o)
			for range 2 { // a reader goes on after Flush
				for _, l := range tc.lines {
					if err := r.AppendLine([]byte(l)); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(tc.want, rows(r.Flush())); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestFailFast(t *testing.T) {
	o := options()
	o.Mode = FailFast
	r := NewReader(vector.NewSchema(field("a", vector.Int), field("b", vector.ArrayOf(vector.Int, true))), o)
	for _, l := range []string{`{"a":1`, `{"a":"x","b":[1]}`, `{"a":1,"b":["x"]}`} {
		if err := r.AppendLine([]byte(l)); err == nil {
			t.Errorf("%s: no error", l)
		}
	}
	if err := r.AppendLine([]byte(`{"a":1,"b":[2,3]}`)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"1 | [2,3]"}, rows(r.Flush())); d != "" {
		t.Error(d)
	}
}

func TestConversions(t *testing.T) {
	pat, err := javatime.Compile("dd/MM/yyyy", true)
	if err != nil {
		t.Fatal(err)
	}
	custom := options()
	custom.TimestampFormat = pat
	exact := options()
	exact.ExactStrings = true
	for _, tc := range []struct {
		typ  *vector.Type
		text string
		want string
		o    Options
	}{
		{vector.String, `1.10`, "1.1", options()},
		{vector.String, `1.10`, "1.10", exact},
		{vector.String, ` [1, {"a" : 2.0e1}] `, `[1,{"a":20.0}]`, options()},
		{vector.String, `[1, {"a" : 2.0e1}]`, `[1, {"a" : 2.0e1}]`, exact},
		{vector.String, `NaN`, `"NaN"`, options()},
		{vector.String, `-0`, `0`, options()},
		{vector.String, `"\ud800x"`, `?x`, options()},
		{vector.String, `true`, `true`, options()},
		{vector.Bool, `true`, "true", options()},
		{vector.Bool, `"true"`, "null", options()},
		{vector.Byte, `200`, "-56", options()},
		{vector.Short, `40000`, "null", options()},
		{vector.Int, `"1"`, "null", options()},
		{vector.Int, `1.5`, "null", options()},
		{vector.Float, `"NaN"`, "NaN", options()},
		{vector.Double, `-Infinity`, "-Inf", options()},
		{vector.Double, `"1.5"`, "null", options()},
		{vector.Double, `9999999999`, "9.999999999e+09", options()},
		{vector.Decimal(5, 2), `1.235`, "1.24", options()},
		{vector.Decimal(5, 2), `"1,2.5"`, "12.5", options()},
		{vector.Decimal(5, 2), `12345.6`, "null", options()},
		{vector.Decimal(38, 0), `-1e37`, "-10000000000000000000000000000000000000", options()},
		{vector.Binary, `"YWJj"`, "YWJj", options()},
		{vector.Date, `"2024-02-29"`, "2024-02-29", options()},
		{vector.Date, `"123"`, "1970-05-04", options()},
		{vector.Date, `"2024-02-30"`, "null", options()},
		{vector.Timestamp, `"2024-02-29T12:34:56Z"`, "2024-02-29T12:34:56Z", options()},
		{vector.Timestamp, `1704067200`, "2024-01-01T00:00:00Z", options()},
		{vector.Timestamp, `"26/08/2015"`, "2015-08-26T00:00:00Z", custom},
		{vector.Timestamp, `"2015-08-26"`, "null", custom},
		{vector.TimestampNTZ, `"2024-02-29T12:34:56"`, "2024-02-29T12:34:56", options()},
		{vector.ArrayOf(vector.Int, true), `[1,"x"]`, "null", options()},
		{vector.ArrayOf(vector.Int, true), `[1,null]`, "[1,null]", options()},
		{vector.StructOf(field("a", vector.Int), field("b", vector.Int)), `{"a":"x","b":2}`, `{"a":null,"b":2}`, options()},
		{vector.ArrayOf(vector.StructOf(field("a", vector.Int)), true), `[{"a":1},{"a":"x"}]`, `[{"a":1},{"a":null}]`, options()},
		{vector.MapOf(vector.String, vector.Int, true), `{"b":1,"a":2,"b":3}`, `[{"key":"a","value":2},{"key":"b","value":3}]`, options()},
		{vector.MapOf(vector.String, vector.Int, true), `{"a":"x"}`, "null", options()},
	} {
		r := NewReader(vector.NewSchema(field("x", tc.typ), field("y", vector.Int)), tc.o)
		// The field behind survives whatever happens in front of it.
		if err := r.AppendLine([]byte(`{"x":` + tc.text + `,"y":7}`)); err != nil {
			t.Fatal(err)
		}
		got := rows(r.Flush())
		if want := tc.want + " | 7"; got[0] != want {
			t.Errorf("%s as %s: got %s, want %s", tc.text, tc.typ, got[0], want)
		}
	}
}

func TestValueReader(t *testing.T) {
	a := vector.StructOf(field("a", vector.Int))
	for _, tc := range []struct {
		typ  *vector.Type
		in   []string
		want []string
	}{
		{a, []string{`{"a":1}`, ``, `bad`, `[{"a":1}]`, `null`, `{"a":1}{"a":2}`}, []string{`{"a":1}`, `null`, `{"a":null}`, `{"a":null}`, `{"a":null}`, `{"a":1}`}},
		{vector.ArrayOf(a, true), []string{`{"a":1}`, `[]`, `[{"a":1},{"a":"x"}]`, `{`, `[1]`}, []string{`[{"a":1}]`, `[]`, `[{"a":1},{"a":null}]`, `null`, `null`}},
		{vector.MapOf(vector.String, vector.Int, true), []string{`{"a":1}`, `[]`, `{"a":"x"}`, ``}, []string{`[{"key":"a","value":1}]`, `null`, `null`, `null`}},
	} {
		r := NewValueReader(tc.typ, options())
		for _, s := range tc.in {
			if err := r.Append([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		got := r.Flush()
		for i, w := range tc.want {
			if g := show(got, i); g != w {
				t.Errorf("%s as %s: got %s, want %s", tc.in[i], tc.typ, g, w)
			}
		}
	}
}

var fuzzSchema = vector.NewSchema(
	field("s", vector.String), field("l", vector.Long), field("d", vector.Double), field("b", vector.Bool),
	field("n", vector.Decimal(10, 2)), field("t", vector.Timestamp), field("dt", vector.Date), field("bin", vector.Binary),
	field("a", vector.ArrayOf(vector.ArrayOf(vector.String, true), true)),
	field("m", vector.MapOf(vector.String, vector.StructOf(field("x", vector.Int), field("y", vector.String)), true)),
	field("st", vector.StructOf(field("p", vector.Byte), field("q", vector.MapOf(vector.String, vector.Bool, true)))),
	field("_corrupt_record", vector.String))

// FuzzReader checks that whatever the text, a reader neither panics nor mixes up
// the rows around it.
func FuzzReader(f *testing.F) {
	f.Add(`{"s":"x\u00e9","l":1,"d":1e3,"b":true,"n":"1.5","t":"2024-01-01","a":[["x"],[1]],"m":{"k":{"x":1},"k":{"y":"z"}}}`)
	f.Add(`{"st":{"p":1,"q":{"a":true,"a":1}},"m":{"k":{"x":`)
	f.Add(`[{"s":1},{"a":[[{"x":[1]}],3]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(fuzzSchema, options())
		const good = `{"s":"x","l":5,"a":[["q"]],"m":{"k":{"x":1}},"st":{"p":3}}`
		for _, l := range []string{good, text, good} {
			if err := r.AppendLine([]byte(l)); err != nil {
				t.Fatal(err)
			}
		}
		cols, n := r.Flush()
		for _, c := range cols {
			if c.Len() != n {
				t.Fatalf("column of %d rows, want %d", c.Len(), n)
			}
		}
		got := rows(cols, n)
		if got[0] != got[n-1] {
			t.Errorf("the row behind differs: %s, %s", got[0], got[n-1])
		}
	})
}

func BenchmarkReader(b *testing.B) {
	var lines [][]byte
	size := 0
	rnd := rand.New(rand.NewSource(1))
	for i := range 10000 {
		l := fmt.Appendf(nil, `{"auction":%d,"bidder":%d,"price":%d,"channel":"channel-%d","url":"https://www.nexmark.com/%d/item.htm?query=1","dateTime":%d}`,
			rnd.Int63n(1e6), rnd.Int63n(1e6), rnd.Int63n(1e8), rnd.Int63n(1e4), rnd.Int63n(1e9), 1704067200000+int64(i))
		lines = append(lines, l)
		size += len(l)
	}
	r := NewReader(vector.NewSchema(field("auction", vector.Long), field("bidder", vector.Long), field("price", vector.Long),
		field("channel", vector.String), field("url", vector.String), field("dateTime", vector.Long)), options())
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, l := range lines {
			if err := r.AppendLine(l); err != nil {
				b.Fatal(err)
			}
		}
		r.Flush()
	}
}

// TestNoFields: a query that needs no column counts the records.
func TestNoFields(t *testing.T) {
	r := NewReader(vector.NewSchema(), options())
	for _, record := range []string{`{"a":1}`, `{}`, `{"a":1,"b":{"c":2}}`} {
		if _, err := r.AppendRow([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	if _, n := r.Flush(); n != 3 {
		t.Errorf("%d rows", n)
	}
}

// TestMemberOrder reads records of changing shapes with one reader and each with a
// reader of its own: what it has learned about names must not show.
func TestMemberOrder(t *testing.T) {
	schema := vector.NewSchema(field("a", vector.Long), field("b", vector.String), field("a", vector.String), field("q\"", vector.Long))
	pieces := []string{`"a":1`, `"a" :2`, ` "b":"x"`, `"\u0061":3`, `"c":{"a":4}`, `"q\"":5`, `'b':"y"`, `"":0`, `"a:":6`, `"b":[1,2]`, `"q"":7`, `"d\\\":8`, "\"e\xff\":9"}
	r := rand.New(rand.NewSource(1))
	shared := NewReader(schema, options())
	for range 2000 {
		var parts []string
		for range r.Intn(6) {
			parts = append(parts, pieces[r.Intn(len(pieces))])
		}
		record := []byte("{" + strings.Join(parts, ",") + "}")
		own := NewReader(schema, options())
		for _, reader := range []*Reader{shared, own} {
			if _, err := reader.AppendRow(record); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(rows(own.Flush()), rows(shared.Flush())); d != "" {
			t.Fatalf("%s: %s", record, d)
		}
	}
}
