package csv_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/vector"
)

// null stands for a null value in the rows of a test.
const null = "\x00null"

func row(values ...string) *vector.Batch {
	s, cols := vector.NewSchema(), []arrow.Array(nil)
	for i, v := range values {
		valid := vector.NewValid(1)
		if v == null {
			v, valid = "", vector.NewBitmap(1)
		}
		s.Fields = append(s.Fields, vector.Field{Name: string(rune('a' + i)), Type: vector.String})
		cols = append(cols, vector.NewString(vector.String, []int32{0, int32(len(v))}, []byte(v), valid))
	}
	return vector.NewBatch(s, cols, 1)
}

func write(t *testing.T, options map[string]string, b *vector.Batch) string {
	t.Helper()
	o, err := csv.ParseWriteOptions(options, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w, err := csv.NewWriter(&buf, b.Schema, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// The expected lines are what Spark 4.3 writes.
func TestStrings(t *testing.T) {
	tests := []struct {
		options map[string]string
		row     *vector.Batch
		want    string
	}{
		{nil, row("a,b", "", null, "  x ", `"q"`, `back\slash`, "#c", "x\ny", "\r"), `"a,b","",,x,"\"q\"",back\slash,#c,"x` + "\ny\",\"\"\n"},
		{nil, row("#1", null, `"`, " ", `a"b`, `\`, "", "\t", "é"), `"#1",,"\"","","a\"b",\,"","",é` + "\n"},
		{nil, row(`a\"b`, `a\,b`, `\`, `a\`, `\,`, `a\\b,`), `"a\\\"b","a\\,b",\,a\,"\\,","a\\\\b,"` + "\n"},
		{map[string]string{"quoteAll": "true"}, row("", null, "x"), `"","","x"` + "\n"},
		{map[string]string{"escapeQuotes": "false", "ignoreLeadingWhiteSpace": "false"}, row(`a"b`, " y ", "q,"), `a"b, y,"q,"` + "\n"},
		{map[string]string{"quote": "'", "escape": "'", "nullValue": "NUL", "emptyValue": "EMP", "sep": "|"}, row(`a"b`, " y ", "q,", "", null), `a"b|y|q,|EMP|NUL` + "\n"},
		{map[string]string{"quote": ""}, row(`a"b,`), "\x00a\"b,\x00\n"},
		{map[string]string{"HEADER": "true", "delimiter": `\t`, "lineSep": "\r\n"}, row("x", "y"), "a\tb\r\nx\ty\r\n"},
	}
	for _, tt := range tests {
		if got := write(t, tt.options, tt.row); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.options, got, tt.want)
		}
	}
}

func TestTypes(t *testing.T) {
	s, cols := vector.NewSchema(), []arrow.Array(nil)
	add := func(typ *vector.Type, a arrow.Array) {
		s.Fields = append(s.Fields, vector.Field{Name: "x", Type: typ})
		cols = append(cols, a)
	}
	add(vector.Double, vector.NewFixed(vector.Double, []float64{1e10}, nil))
	add(vector.Decimal(7, 7), vector.NewFixed(vector.Decimal(7, 7), [][16]byte{{1}}, nil))
	add(vector.Date, vector.NewFixed(vector.Date, []int32{19782}, nil))
	add(vector.Timestamp, vector.NewFixed(vector.Timestamp, []int64{1717236000_123456}, nil))
	add(vector.Binary, vector.NewString(vector.Binary, []int32{0, 2}, []byte("Hi"), nil))
	want := "1.0E10,1E-7,2024-02-29,2024-06-01T10:00:00.123Z,[48 69]\n"
	if got := write(t, nil, vector.NewBatch(s, cols, 1)); got != want {
		t.Errorf("got %q", got)
	}
	want = "1.0E10,1E-7,29.02.24,12:00,[48 69]\n"
	if got := write(t, map[string]string{"dateFormat": "dd.MM.yy", "timestampFormat": "HH:mm", "timeZone": "Europe/Berlin"}, vector.NewBatch(s, cols, 1)); got != want {
		t.Errorf("got %q", got)
	}
}

func TestErrors(t *testing.T) {
	for _, o := range []map[string]string{{"header": "maybe"}, {"sep": ""}, {"sep": "||"}, {"quote": "ab"}, {"encoding": "latin1"}} {
		if _, err := csv.ParseWriteOptions(o, nil); !errors.Is(err, condition.Name("VSTREAM_INVALID_OPTION")) {
			t.Errorf("%v: %v", o, err)
		}
	}
	s := vector.NewSchema(vector.Field{Name: "a", Type: vector.ArrayOf(vector.Int, true)})
	if _, err := csv.NewWriter(&bytes.Buffer{}, s, csv.DefaultWriteOptions()); !errors.Is(err, condition.Name("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")) {
		t.Errorf("got %v", err)
	}
}

func TestHeaderWithoutRows(t *testing.T) {
	if got := write(t, map[string]string{"header": "true"}, row("x").Slice(0, 0)); got != "a\n" {
		t.Errorf("got %q", got)
	}
}
