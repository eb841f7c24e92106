package file_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

func TestMetadataColumn(t *testing.T) {
	d := newDir(t)
	d.write("a b.txt", "x\ny\n")
	r := start(t, "text", d.path, mem.New(), nil, nil, "")
	end, err := r.src.Latest(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	hidden := r.src.(source.HiddenColumns).HiddenColumns()
	if len(hidden) != 1 || hidden[0].Name != "_metadata" {
		t.Fatal(hidden)
	}
	splits, err := r.src.Plan(ctx, "", end, source.Pushdown{Columns: []int{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(splits)
	meta := "{file://" + d.path + "/a%20b.txt, a%20b.txt, 4, 0, 4, 2026-01-01 00:00:01}"
	if want := []string{meta + ":x", meta + ":y"}; err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("%q %v", rows, err)
	}
}

func TestPartitionDirectories(t *testing.T) {
	d := newDir(t)
	d.write("v=1/w=a%20b/f.csv", "x\n")
	d.write("v=__HIVE_DEFAULT_PARTITION__/w=c/f.csv", "y\n")
	s := vector.NewSchema(field("v", vector.Int), field("k", vector.String), field("W", vector.String))
	if got := start(t, "csv", d.path, mem.New(), nil, s, "").next(); got != "1:x:a b null:y:c" {
		t.Error(got)
	}
	d.write("v=z/w=c/f.csv", "y\n")
	src, err := open("csv", d.path, mem.New(), nil, s)
	if err != nil {
		t.Fatal(err)
	}
	end, err := src.Latest(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(src, "", end); !errors.Is(err, condition.Name("INVALID_PARTITION_VALUE")) {
		t.Error(err)
	}
}

func TestPushdown(t *testing.T) {
	d := newDir(t)
	d.write("a.csv", "a,1\nb,2\nc,3\n")
	r := start(t, "csv", d.path, mem.New(), nil, keyValue, "")
	end, err := r.src.Latest(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]source.Pushdown{
		"[1 2 3]": {Columns: []int{1}},
		"[b]": {Columns: []int{0}, Filter: func(b *vector.Batch) (*vector.Batch, error) {
			return b.Select([]uint32{1}), nil
		}},
		"[]":   {Columns: []int{0}, Filter: func(*vector.Batch) (*vector.Batch, error) { return nil, nil }},
		"[  ]": {},
	} {
		splits, err := r.src.Plan(ctx, "", end, p)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := rowsOf(splits); err != nil || fmt.Sprint(rows) != want {
			t.Errorf("%q %v, want %s", rows, err, want)
		}
	}
	// An error of the consumer passes unchanged.
	splits, err := r.src.Plan(ctx, "", end, source.Pushdown{Columns: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := splits[0].Read(ctx, func(*vector.Batch) error { return stop }); err != stop {
		t.Error(err)
	}
}

// The splits of a large file give its lines once each, and the line of an error
// counts from the file's beginning.
func TestLargeTextIsSplit(t *testing.T) {
	d := newDir(t)
	var b strings.Builder
	lines := 0
	for ; b.Len() < 40<<20; lines++ {
		fmt.Fprintf(&b, "%s,%d\r\n", strings.Repeat("x", lines%97), lines)
	}
	d.write("a.csv", b.String()+"last,bad\n")
	s := vector.NewSchema(field("k", vector.String), field("v", vector.Int))
	src, err := open("csv", d.path, mem.New(), source.Options{"mode": "FAILFAST"}, s)
	if err != nil {
		t.Fatal(err)
	}
	end, err := src.Latest(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := src.Plan(ctx, "", end, source.Pushdown{Columns: []int{1, 0}})
	if err != nil || len(splits) < 2 {
		t.Fatal(len(splits), err)
	}
	next, size := 0, int64(0)
	for _, sp := range splits {
		size += sp.Size()
		err = sp.Read(ctx, func(b *vector.Batch) error {
			off, _ := vector.Strings(b.Col(1))
			for i, v := range vector.Values[int32](b.Col(0)) {
				if int(v) != next || int(off[i+1]-off[i]) != next%97 {
					t.Fatalf("row %d: %d", next, v)
				}
				next++
			}
			return nil
		})
	}
	if size != int64(b.Len()+9) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("line %d)", lines+1)) {
		t.Error(size, err, lines)
	}
}

func TestParquet(t *testing.T) {
	d := newDir(t)
	const rows = 300_000
	values := make([]int64, rows)
	for i := range values {
		values[i] = int64(i)
	}
	s := vector.NewSchema(field("a", vector.Long), field("b", vector.Long))
	f, err := os.Create(filepath.Join(d.path, "a.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := parquet.NewWriter(f, s, parquet.WriteOptions{Compression: "uncompressed"})
	if err != nil {
		t.Fatal(err)
	}
	a := vector.NewFixed(vector.Long, values, nil)
	for lo := 0; lo < rows; lo += 10_000 {
		if err := w.Write(vector.NewBatch(s, cols(a, a), rows).Slice(lo, lo+10_000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := vector.NewSchema(field("absent", vector.String), field("B", vector.Long))
	r := start(t, "parquet", d.path, mem.New(), nil, want, "")
	end, err := r.src.Latest(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := r.src.Plan(ctx, "", end, source.Pushdown{Columns: []int{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	next := int64(0)
	for _, sp := range splits {
		err := sp.Read(ctx, func(b *vector.Batch) error {
			for _, v := range vector.Values[int64](b.Col(0)) {
				if v != next {
					t.Fatalf("%d, want %d", v, next)
				}
				next++
			}
			if b.Col(1).NullN() != b.Len() {
				t.Fatal("absent column")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if next != rows {
		t.Error(next)
	}
	spec, _ := source.Lookup("parquet")
	inferred, err := spec.InferSchema(ctx, source.Context{}, source.Options{"path": d.path})
	if err != nil || inferred.String() != "struct<a:bigint,b:bigint>" {
		t.Error(inferred, err)
	}
}

// A stream infers its schema when the session allows it.
func TestStreamSchemaInference(t *testing.T) {
	for format, tt := range map[string]struct{ content, schema, rows string }{
		"json": {`{"k":"a","ts":"2026-01-01T00:00:01Z","v":1}`, "struct<k:string,ts:string,v:bigint>", "a:2026-01-01T00:00:01Z:1"},
		"csv":  {"a,1", "struct<_c0:string,_c1:string>", "a:1"},
	} {
		d := newDir(t)
		spec, _ := source.Lookup(format)
		c := source.Context{Name: "e", Log: mem.New(), NowMs: func() int64 { return 0 }, Conf: map[string]string{"spark.sql.streaming.schemaInference": "true"}}
		if _, err := spec.Open(ctx, c, source.Options{"path": d.path}, nil); !errors.Is(err, condition.Name("UNABLE_TO_INFER_SCHEMA")) {
			t.Errorf("%s: %v", format, err)
		}
		d.write("f", tt.content)
		src, err := spec.Open(ctx, c, source.Options{"path": d.path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &run{t, src, ""}
		if got := r.next(); got != tt.rows || src.Schema().String() != tt.schema {
			t.Errorf("%s: %s %s", format, src.Schema(), got)
		}
	}
}

func TestBatchRead(t *testing.T) {
	d := newDir(t)
	d.write("a.csv", "h,n\nx,1\ny,2\n")
	spec, _ := source.Lookup("csv")
	o := source.Options{"path": d.path, "header": "true", "inferSchema": "true"}
	b, err := spec.OpenBatch(ctx, source.Context{TimeZone: "UTC"}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Schema().String() != "struct<h:string,n:int>" {
		t.Error(b.Schema())
	}
	splits, err := b.Plan(ctx, source.Pushdown{Columns: []int{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := rowsOf(splits); err != nil || fmt.Sprint(rows) != "[x:1 y:2]" {
		t.Error(rows, err)
	}
	v1, err := b.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	d.writeAt("a.csv", "h,n\nx,1\ny,3\n", d.at.Add(time.Minute))
	if v2, err := b.Version(ctx); err != nil || v1 == v2 {
		t.Error(v1, v2, err)
	}
}

// A directory that a file sink writes is read after the sink's log.
func TestSinkDirectory(t *testing.T) {
	d := newDir(t)
	d.write("part-0", "seen")
	d.write("part-1", "left over")
	d.write("_spark_metadata/0", fmt.Sprintf(
		`v1`+"\n"+`{"path":"file://%s/part-0","size":4,"isDir":false,"modificationTime":1767225600000,"blockReplication":1,"blockSize":4,"action":"add"}`, d.path))
	if got := start(t, "text", d.path, mem.New(), nil, nil, "").next(); got != "seen" {
		t.Error(got)
	}
}

func cols(a ...arrow.Array) []arrow.Array { return a }
