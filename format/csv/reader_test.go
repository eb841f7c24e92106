package csv_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

var typeNames = map[string]*vector.Type{
	"STRING": vector.String, "INT": vector.Int, "DOUBLE": vector.Double, "BOOLEAN": vector.Bool, "DATE": vector.Date,
	"TIMESTAMP": vector.Timestamp, "TIMESTAMP_NTZ": vector.TimestampNTZ, "DECIMAL(5,2)": vector.Decimal(5, 2),
	"DECIMAL(10,2)": vector.Decimal(10, 2), "INTERVAL DAY TO SECOND": vector.DayTime,
}

func schemaOf(t testing.TB, ddl string) *vector.Schema {
	t.Helper()
	s := &vector.Schema{}
	for _, f := range strings.Split(ddl, ", ") {
		name, typ, _ := strings.Cut(f, " ")
		if typeNames[typ] == nil {
			t.Fatalf("type %q", typ)
		}
		s.Fields = append(s.Fields, vector.Field{Name: name, Type: typeNames[typ], Nullable: true})
	}
	return s
}

// read gives the rows as text, nil for null.
func read(t testing.TB, input string, schema *vector.Schema, names []string, options map[string]string) ([][]*string, error) {
	t.Helper()
	o, err := csv.ParseOptions(options, csv.Session{Zone: time.UTC})
	if err != nil {
		return nil, err
	}
	var needed []int
	for _, n := range names {
		needed = append(needed, schema.Index(n))
	}
	r, err := csv.NewReader(schema, needed, o)
	if err != nil {
		return nil, err
	}
	var rows [][]*string
	err = r.Read(strings.NewReader(input), true, func(cols []arrow.Array, n int) error {
		base := len(rows)
		rows = append(rows, make([][]*string, n)...)
		for k, c := range cols {
			if c.Len() != n {
				t.Fatalf("column %d has %d of %d rows", k, c.Len(), n)
			}
			value := render.Style{Zone: time.UTC}.Column(schema.Fields[needed[k]].Type, c)
			for i := range n {
				var v *string
				if c.IsValid(i) {
					s := string(value(nil, i))
					v = &s
				}
				rows[base+i] = append(rows[base+i], v)
			}
		}
		return nil
	})
	return rows, err
}

// The cases were recorded from Spark 4.3.0.
func TestReadAsSpark(t *testing.T) {
	f, err := os.Open("testdata/spark.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var c struct {
			Text, Schema string
			Select       []string
			Options      map[string]string
			Rows         json.RawMessage
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		got, err := read(t, c.Text, schemaOf(t, c.Schema), c.Select, c.Options)
		if err != nil {
			t.Errorf("%q: %v", c.Text, err)
			continue
		}
		if len(c.Select) == 0 {
			var n int
			if err := json.Unmarshal(c.Rows, &n); err != nil || n != len(got) {
				t.Errorf("%q: %d rows, want %d", c.Text, len(got), n)
			}
			continue
		}
		var want [][]*string
		if err := json.Unmarshal(c.Rows, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			g, _ := json.Marshal(got)
			t.Errorf("%q %v\n got %s\nwant %s", c.Text, c.Options, g, c.Rows)
		}
	}
}

func TestFailFast(t *testing.T) {
	tests := []struct {
		input, schema string
		line          int64
		record        string
	}{
		{"a,b\nx\n", "a STRING, b STRING", 2, "[x,null]"},
		{"1,2\n\n3,x\n", "a INT, b INT", 3, "[3,null]"},
		{"1,2\r\n3,x,4\r\n", "a INT, b INT", 2, "[3,null]"},
	}
	for _, tt := range tests {
		s := schemaOf(t, tt.schema)
		_, err := read(t, tt.input, s, []string{"a", "b"}, map[string]string{"mode": "FAILFAST"})
		var re *csv.RecordError
		if !errors.As(err, &re) || re.Line != tt.line || re.Err.Params["badRecord"] != tt.record ||
			!errors.Is(err, condition.Name("MALFORMED_RECORD_IN_PARSING")) {
			t.Errorf("%q: %v", tt.input, err)
		}
	}
}

func TestHeaderIsChecked(t *testing.T) {
	off := map[string]string{"header": "true", "enforceSchema": "false"}
	s := schemaOf(t, "a INT, b INT")
	if _, err := read(t, "A,b\n1,2\n", s, []string{"a", "b"}, off); err != nil {
		t.Error(err)
	}
	for _, h := range []string{"b,a\n", "a\n", "a,b,c\n"} {
		if _, err := read(t, h+"1,2\n", s, []string{"a", "b"}, off); !errors.Is(err, condition.Name("VSTREAM_CSV_HEADER")) {
			t.Errorf("%q: %v", h, err)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for cond, o := range map[string]map[string]string{
		"INVALID_DELIMITER_VALUE.EMPTY_STRING":                  {"sep": ""},
		"INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH":              {"sep": `\`},
		"INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER": {"delimiter": `\q`},
		"VSTREAM_INVALID_OPTION":                                {"quote": "ab"},
		"INVALID_TIMEZONE":                                      {"timeZone": "Nowhere"},
	} {
		if _, err := csv.ParseOptions(o, csv.Session{}); !errors.Is(err, condition.Name(cond)) {
			t.Errorf("%v: %v", o, err)
		}
	}
	for cond, s := range map[string]*vector.Schema{
		"UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE": vector.NewSchema(vector.Field{Name: "a", Type: vector.ArrayOf(vector.Int, true)}),
		"INVALID_CORRUPT_RECORD_TYPE":          vector.NewSchema(vector.Field{Name: "_corrupt_record", Type: vector.Int}),
	} {
		o, _ := csv.ParseOptions(nil, csv.Session{})
		if _, err := csv.NewReader(s, []int{0}, o); !errors.Is(err, condition.Name(cond)) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// Records that straddle chunks, lines longer than a chunk.
func TestReadLarge(t *testing.T) {
	var b strings.Builder
	long := strings.Repeat("y", 3<<20)
	for range 200_000 {
		b.WriteString("17,some text,\"quoted, text\"\r\n")
	}
	b.WriteString("18," + long + ",z")
	rows, err := read(t, b.String(), schemaOf(t, "a INT, b STRING, c STRING"), []string{"c", "a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 200_001 || *rows[199_999][0] != "quoted, text" || *rows[199_999][1] != "17" || *rows[200_000][2] != long {
		t.Fatal(len(rows))
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\"\"b\",\"c\\\"d\"\r\n", "\"a\nb\",1", "\"x\" y,z", "#c\n,,,\n", "\xff\"", "\"\\", "a;b|c;d"} {
		f.Add(s, `"`, `\`, false, "")
		f.Add(s, `"`, `"`, true, "")
		f.Add(s, `'`, `x`, true, "|")
	}
	f.Fuzz(func(t *testing.T, input, quote, escape string, multi bool, lineSep string) {
		m := map[string]string{"quote": quote, "escape": escape, "charToEscapeQuoteEscaping": lineSep, "lineSep": lineSep}
		if multi {
			m["multiLine"] = "true"
		}
		o, err := csv.ParseOptions(m, csv.Session{Zone: time.UTC})
		if err != nil {
			return
		}
		s := schemaOf(t, "a STRING, b INT, c TIMESTAMP, _corrupt_record STRING")
		r, err := csv.NewReader(s, []int{0, 1, 2, 3}, o)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Read(strings.NewReader(input), true, func(cols []arrow.Array, n int) error {
			for _, c := range cols {
				if c.Len() != n {
					t.Fatal("ragged")
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	line := "1007,1001,48123,channel-17,https://www.nexmark.com/abcde/item.htm?query=1,1767225600000\n"
	input := strings.Repeat(line, 200_000)
	s := vector.NewSchema(vector.Field{Name: "auction", Type: vector.Long}, vector.Field{Name: "bidder", Type: vector.Long},
		vector.Field{Name: "price", Type: vector.Long}, vector.Field{Name: "channel", Type: vector.String},
		vector.Field{Name: "url", Type: vector.String}, vector.Field{Name: "dateTime", Type: vector.Long})
	o, _ := csv.ParseOptions(nil, csv.Session{Zone: time.UTC})
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		r, err := csv.NewReader(s, []int{0, 1, 2, 3, 4, 5}, o)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Read(strings.NewReader(input), true, func([]arrow.Array, int) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
