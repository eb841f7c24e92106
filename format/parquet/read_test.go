package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

// open reads the footer of a file in testdata.
func open(t testing.TB, name string) (*os.File, *parquet.Footer) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	ft, err := parquet.Open(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return f, ft
}

// readAll gives the wanted columns of all row groups, joined.
func readAll(t testing.TB, name string, want *vector.Schema) []arrow.Array {
	t.Helper()
	f, ft := open(t, name)
	parts := make([][]arrow.Array, len(want.Fields))
	err := ft.Read(context.Background(), f, want, 0, ft.RowGroups(), func(cols []arrow.Array, rows int) error {
		for i, c := range cols {
			if c.Len() != rows {
				t.Fatalf("column %d has %d rows of %d", i, c.Len(), rows)
			}
			parts[i] = append(parts[i], c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]arrow.Array, len(parts))
	for i, p := range parts {
		if len(p) > 0 {
			out[i] = vector.Concat(p)
		}
	}
	return out
}

func text(a arrow.Array) string {
	parts := make([]string, a.Len())
	for i := range parts {
		parts[i] = a.ValueStr(i)
	}
	return strings.Join(parts, " | ")
}

func field(name string, t *vector.Type) vector.Field {
	return vector.Field{Name: name, Type: t, Nullable: true}
}

var intString = vector.StructOf(field("x", vector.Int), field("y", vector.String))

func TestSchema(t *testing.T) {
	tests := []struct{ file, want string }{
		{"flat.parquet", "struct<b:boolean,i8:tinyint,i16:smallint,i32:int,i64:bigint,u32:bigint,u64:decimal(20,0),f:float,d:double," +
			"s:string,bin:binary,day:date,ts:timestamp,tsms:timestamp,ntz:timestamp_ntz,dec:decimal(10,2),big:decimal(38,2)>"},
		{"decimal_int.parquet", "struct<dec:decimal(10,2),small:decimal(5,1)>"},
		{"int96.parquet", "struct<ts:timestamp>"},
		{"nested.parquet", "struct<l:array<int>,st:struct<x:int,y:string>,m:map<string,int>,ll:array<array<bigint>>," +
			"ls:array<struct<x:int,y:string>>,deep:struct<m:map<string,array<struct<x:int,y:string>>>>>"},
	}
	for _, tt := range tests {
		_, ft := open(t, tt.file)
		s, err := ft.Schema()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.String(); got != tt.want {
			t.Errorf("%s: %s", tt.file, got)
		}
	}
	_, ft := open(t, "nanos.parquet")
	if _, err := ft.Schema(); !errors.Is(err, condition.Name("PARQUET_TYPE_ILLEGAL")) {
		t.Errorf("nanoseconds: %v", err)
	}
}

func TestReadFlat(t *testing.T) {
	tests := []struct {
		name string
		t    *vector.Type
		want string
	}{
		{"b", vector.Bool, "true | (null) | false | true | (null) | true | false"},
		{"i8", vector.Byte, "1 | -2 | (null) | 4 | 5 | 6 | 7"},
		{"i16", vector.Short, "1 | -2 | (null) | 4 | 5 | 6 | 7"},
		{"i16", vector.Int, "1 | -2 | (null) | 4 | 5 | 6 | 7"},
		{"I32", vector.Int, "1 | -2 | (null) | 2147483647 | -2147483648 | 6 | 7"},
		{"i32", vector.Long, "1 | -2 | (null) | 2147483647 | -2147483648 | 6 | 7"},
		{"i32", vector.Double, "1 | -2 | (null) | 2.147483647e+09 | -2.147483648e+09 | 6 | 7"},
		{"i32", vector.Decimal(12, 2), "1 | -2 | (null) | 2147483647 | -2147483648 | 6 | 7"},
		{"i64", vector.Long, "1 | -2 | (null) | 9223372036854775807 | -9223372036854775808 | 6 | 7"},
		{"u32", vector.Long, "1 | 2 | (null) | 4294967295 | 5 | 6 | 7"},
		{"u64", vector.Decimal(20, 0), "1 | 2 | (null) | 18446744073709551615 | 5 | 6 | 7"},
		{"f", vector.Float, "1.5 | (null) | NaN | +Inf | -0 | 0 | 2"},
		{"f", vector.Double, "1.5 | (null) | NaN | +Inf | -0 | 0 | 2"},
		{"d", vector.Double, "1.5 | (null) | NaN | +Inf | -0 | 0 | 2"},
		{"s", vector.String, "a |  | (null) | wörld | xxxxxxxxxxxxxxxxxxxx | b | a"},
		{"bin", vector.Binary, "YQ== |  | (null) | AP8= | eA== | Yg== | YQ=="},
		{"day", vector.Date, "1970-01-01 | (null) | 2026-01-01 | 0001-01-01 | 9999-12-31 | 1969-12-31 | 2000-02-29"},
		{"ts", vector.Timestamp, "1970-01-01T00:00:00Z | (null) | 2026-01-01T00:00:00.000001Z | 1969-12-31T23:59:59.999999Z | 1970-01-01T00:00:00.000005Z | 1970-01-01T00:00:00.000006Z | 1970-01-01T00:00:00.000007Z"},
		{"tsms", vector.Timestamp, "1970-01-01T00:00:00Z | (null) | 2026-01-01T00:00:00.001Z | 1969-12-31T23:59:59.999Z | 1970-01-01T00:00:00.005Z | 1970-01-01T00:00:00.006Z | 1970-01-01T00:00:00.007Z"},
		{"ntz", vector.TimestampNTZ, "1970-01-01T00:00:00 | (null) | 2026-01-01T00:00:00.000001 | 1969-12-31T23:59:59.999999 | 1970-01-01T00:00:00.000005 | 1970-01-01T00:00:00.000006 | 1970-01-01T00:00:00.000007"},
		{"dec", vector.Decimal(10, 2), "1.23 | (null) | -0.01 | 99999999.99 | 0 | 1 | 2"},
		{"dec", vector.Decimal(13, 4), "1.23 | (null) | -0.01 | 99999999.99 | 0 | 1 | 2"},
		{"big", vector.Decimal(38, 2), "1.23 | (null) | -0.01 | 123456789012345678901234567890.12 | 0 | 1 | 2"},
		{"absent", vector.String, "(null) | (null) | (null) | (null) | (null) | (null) | (null)"},
	}
	for _, file := range []string{"flat.parquet", "flat_v2.parquet"} {
		for _, tt := range tests {
			cols := readAll(t, file, vector.NewSchema(field(tt.name, tt.t)))
			if got := text(cols[0]); got != tt.want {
				t.Errorf("%s %s as %s:\n got %s\nwant %s", file, tt.name, tt.t, got, tt.want)
			}
			if !arrow.TypeEqual(cols[0].DataType(), tt.t.Arrow()) {
				t.Errorf("%s %s: layout %s", file, tt.name, cols[0].DataType())
			}
		}
	}
	for _, tt := range []struct {
		file, name string
		t          *vector.Type
		want       string
	}{
		{"decimal_int.parquet", "dec", vector.Decimal(10, 2), "1.23 | (null) | -0.01 | 99999999.99 | 0 | 1 | 2"},
		{"decimal_int.parquet", "small", vector.Decimal(7, 2), "1.2 | (null) | -3.4 | 1.2 | (null) | -3.4 | 0"},
		{"int96.parquet", "ts", vector.Timestamp, "1970-01-01T00:00:00Z | (null) | 2026-01-01T00:00:00.000001Z | 1969-12-31T23:59:59.999999Z | 1970-01-01T00:00:00.000005Z | 1970-01-01T00:00:00.000006Z | 1970-01-01T00:00:00.000007Z"},
		{"required.parquet", "k", vector.String, "a | b"},
		{"required.parquet", "v", vector.Long, "1 | 2"},
	} {
		if got := text(readAll(t, tt.file, vector.NewSchema(field(tt.name, tt.t)))[0]); got != tt.want {
			t.Errorf("%s %s: got %s", tt.file, tt.name, got)
		}
	}
}

func TestReadNested(t *testing.T) {
	tests := []struct {
		name string
		t    *vector.Type
		want string
	}{
		{"l", vector.ArrayOf(vector.Int, true), `[1,2] | [] | (null) | [null,3] | [4] | [] | [5,6,7]`},
		{"l", vector.ArrayOf(vector.Long, true), `[1,2] | [] | (null) | [null,3] | [4] | [] | [5,6,7]`},
		{"st", intString, `{"x":1,"y":"a"} | (null) | {"x":null,"y":"b"} | {"x":2,"y":null} | {"x":3,"y":"c"} | (null) | {"x":4,"y":"d"}`},
		{"st", vector.StructOf(field("Y", vector.String)), `{"Y":"a"} | (null) | {"Y":"b"} | {"Y":null} | {"Y":"c"} | (null) | {"Y":"d"}`},
		{"st", vector.StructOf(field("z", vector.Int)), `{"z":null} | (null) | {"z":null} | {"z":null} | {"z":null} | (null) | {"z":null}`},
		{"m", vector.MapOf(vector.String, vector.Int, true), `[{"key":"a","value":1}] | [] | (null) | [{"key":"b","value":null},{"key":"c","value":2}] | [{"key":"d","value":3}] | (null) | []`},
		{"ll", vector.ArrayOf(vector.ArrayOf(vector.Long, true), true), `[[1],[]] | [] | (null) | [null,[2,null]] | [[3,4],[5]] | [[]] | [[6]]`},
		{"ls", vector.ArrayOf(intString, true), `[{"x":1,"y":"a"},null] | [] | (null) | [{"x":null,"y":"b"}] | [{"x":2,"y":null}] | [] | [{"x":3,"y":"c"}]`},
		{"deep", vector.StructOf(field("m", vector.MapOf(vector.String, vector.ArrayOf(intString, true), true))),
			`{"m":[{"key":"a","value":[{"x":1,"y":"q"}]}]} | (null) | {"m":null} | {"m":[{"key":"b","value":null},{"key":"c","value":[]}]} | {"m":[]} | {"m":[{"key":"d","value":[null,{"x":2,"y":null}]}]} | (null)`},
	}
	for _, file := range []string{"nested.parquet", "nested_groups.parquet"} {
		for _, tt := range tests {
			if got := text(readAll(t, file, vector.NewSchema(field(tt.name, tt.t)))[0]); got != tt.want {
				t.Errorf("%s %s as %s:\n got %s\nwant %s", file, tt.name, tt.t, got, tt.want)
			}
		}
	}
}

// Many pages, row groups larger than a batch, flat and nested columns together.
func TestReadManyBatches(t *testing.T) {
	cols := readAll(t, "many.parquet", vector.NewSchema(field("l", vector.ArrayOf(vector.Long, true)), field("id", vector.Long), field("s", vector.String)))
	ids := vector.Values[int64](cols[1])
	off := vector.Offsets(cols[0])
	soff, sdata := vector.Strings(cols[2])
	if len(ids) != 100000 {
		t.Fatal(len(ids))
	}
	for i, id := range ids {
		want := int32(i % 4)
		if i%7 == 0 {
			want = 0
		}
		if id != int64(i) || cols[0].IsNull(i) != (i%7 == 0) || off[i+1]-off[i] != want || cols[2].IsNull(i) != (i%3 == 0) {
			t.Fatalf("row %d: %d, %d elements", i, id, off[i+1]-off[i])
		}
		if s := string(sdata[soff[i]:soff[i+1]]); i%3 != 0 && s != "v"+strconv.Itoa(i%1000) {
			t.Fatalf("row %d: %q", i, s)
		}
	}
}

func TestReadMismatch(t *testing.T) {
	tests := []struct {
		file, name string
		t          *vector.Type
		actual     string
	}{
		{"flat.parquet", "s", vector.Int, "BYTE_ARRAY"},
		{"flat.parquet", "i64", vector.Int, "INT64"},
		{"flat.parquet", "d", vector.Float, "DOUBLE"},
		{"flat.parquet", "ts", vector.TimestampNTZ, "INT64"},
		{"flat.parquet", "i64", vector.Timestamp, "INT64"},
		{"flat.parquet", "dec", vector.Decimal(10, 3), "FIXED_LEN_BYTE_ARRAY"},
		{"nested.parquet", "l", vector.Int, "group"},
		{"nested.parquet", "st", vector.ArrayOf(vector.Int, true), "group"},
	}
	for _, tt := range tests {
		f, ft := open(t, tt.file)
		err := ft.Read(context.Background(), f, vector.NewSchema(field(tt.name, tt.t)), 0, 1, func([]arrow.Array, int) error { return nil })
		var e *condition.Error
		if !errors.As(err, &e) || e.Name != "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH" {
			t.Errorf("%s as %s: %v", tt.name, tt.t, err)
		} else if e.Params["path"] != tt.file || e.Params["column"] != "["+tt.name+"]" || e.Params["expectedType"] != tt.t.String() {
			t.Errorf("%s as %s: %v", tt.name, tt.t, e.Params)
		}
	}
}

func TestOpenDamaged(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "flat.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("a,b\n1,2\n"), "truncated": whole[:len(whole)-10], "half": whole[:len(whole)/2],
	} {
		_, err := parquet.Open(bytes.NewReader(data), name)
		var e *condition.Error
		if !errors.As(err, &e) || e.Name != "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER" || e.Params["path"] != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Damaged files give an error or other values, never a panic.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"flat_v2.parquet", "int96.parquet", "required.parquet", "decimal_int.parquet", "nested_groups.parquet"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint32(len(data)/2), byte(1))
		f.Add(data, uint32(20), byte(0x80))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint32, flip byte) {
		if len(data) > 0 {
			data = bytes.Clone(data)
			data[int(at)%len(data)] ^= flip
		}
		in := bytes.NewReader(data)
		ft, err := parquet.Open(in, "f")
		if err != nil {
			return
		}
		s, err := ft.Schema()
		if err != nil || ft.NumRows() > 1<<20 {
			return
		}
		_ = ft.Read(context.Background(), in, s, 0, ft.RowGroups(), func(cols []arrow.Array, rows int) error { return nil })
	})
}

func BenchmarkRead(b *testing.B) {
	for _, col := range []vector.Field{field("id", vector.Long), field("s", vector.String), field("l", vector.ArrayOf(vector.Long, true))} {
		b.Run(col.Name, func(b *testing.B) {
			rows := 0
			for b.Loop() {
				rows += readAll(b, "many.parquet", vector.NewSchema(col))[0].Len()
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
