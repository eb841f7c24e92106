package file_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/sink"
	_ "github.com/vstream/vstream/sink/file"
	"github.com/vstream/vstream/vector"
)

var (
	ctx    = context.Background()
	schema = vector.NewSchema(vector.Field{Name: "k", Type: vector.String, Nullable: true}, vector.Field{Name: "v", Type: vector.Long, Nullable: true})
)

// null stands for a null key.
const null = "\x00null"

func rows(kv ...any) *vector.Batch {
	n := len(kv) / 2
	off, data, values, valid := make([]int32, n+1), []byte(nil), make([]int64, n), vector.NewValid(n)
	for i := range n {
		if k := kv[2*i].(string); k == null {
			valid.Clear(i)
		} else {
			data = append(data, k...)
		}
		off[i+1] = int32(len(data))
		values[i] = int64(kv[2*i+1].(int))
	}
	return vector.NewBatch(schema, []arrow.Array{vector.NewString(vector.String, off, data, valid), vector.NewFixed(vector.Long, values, nil)}, n)
}

func open(t *testing.T, s objstore.Store, format string, c sink.Context, o sink.Options) sink.Sink {
	t.Helper()
	spec, ok := sink.Lookup(format)
	if !ok {
		t.Fatal("no sink " + format)
	}
	c.OpenStore = func(string) (objstore.Store, error) { return s, nil }
	if o == nil {
		o = sink.Options{}
	}
	o["path"] = "out"
	out, err := spec.Open(ctx, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stage writes one partition per batch of rows.
func stage(t *testing.T, s sink.Sink, query string, id int64, parts ...*vector.Batch) (sink.BatchWriter, []sink.Message) {
	t.Helper()
	w, done, err := s.Begin(ctx, sink.BatchInfo{QueryID: query, BatchID: id, Schema: schema, Mode: "append"})
	if err != nil || done {
		t.Fatalf("begin batch %d: %v %v", id, done, err)
	}
	var messages []sink.Message
	for n, b := range parts {
		p, err := w.Partition(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(b); err != nil {
			t.Fatal(err)
		}
		m, err := p.Finish()
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	return w, messages
}

func run(t *testing.T, s sink.Sink, query string, id int64, parts ...*vector.Batch) {
	t.Helper()
	w, m := stage(t, s, query, id, parts...)
	if err := w.Commit(ctx, m); err != nil {
		t.Fatal(err)
	}
}

// contents are the visible files' texts by directory, sorted.
func contents(t *testing.T, s objstore.Store) []string {
	t.Helper()
	files, _, err := manifest.Read(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		name, err := f.Name(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(data)) != f.Size {
			t.Errorf("%s has %d bytes, the log says %d", name, len(data), f.Size)
		}
		dir := name[:strings.LastIndex(name, "/")+1]
		out = append(out, dir+string(data))
	}
	sort.Strings(out)
	return out
}

// dataFiles counts the data files, visible or not.
func dataFiles(t *testing.T, s objstore.Store) (n int) {
	t.Helper()
	infos, err := s.List(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if !strings.HasPrefix(i.Name, manifest.Folder) {
			n++
		}
	}
	return n
}

func want(t *testing.T, s objstore.Store, lines ...string) {
	t.Helper()
	if got := contents(t, s); !slices.Equal(got, lines) {
		t.Errorf("visible: %q, want %q", got, lines)
	}
}

func TestFormats(t *testing.T) {
	tests := []struct {
		format    string
		c         sink.Context
		o         sink.Options
		extension string
		want      []string // nil: binary
	}{
		{"json", sink.Context{}, nil, "-c000.json", []string{`{"k":"a","v":1}` + "\n" + `{"v":2}` + "\n"}},
		{"json", sink.Context{Conf: map[string]string{"spark.sql.jsonGenerator.ignoreNullFields": "false"}}, nil, "-c000.json", []string{`{"k":"a","v":1}` + "\n" + `{"k":null,"v":2}` + "\n"}},
		{"csv", sink.Context{}, sink.Options{"header": "true"}, "-c000.csv", []string{"k,v\na,1\n,2\n"}},
		{"csv", sink.Context{PartitionBy: []string{"V"}}, nil, ".c000.csv", []string{"v=1/a\n", "v=2/\n"}},
		{"text", sink.Context{PartitionBy: []string{"v"}}, nil, ".c000.txt", []string{"v=1/a\n", "v=2/\n"}},
		{"json", sink.Context{PartitionBy: []string{"k"}}, nil, ".c000.json", []string{"k=__HIVE_DEFAULT_PARTITION__/{\"v\":2}\n", "k=a/{\"v\":1}\n"}},
		{"json", sink.Context{}, sink.Options{"compression": "GZIP"}, "-c000.json.gz", nil},
		{"csv", sink.Context{}, sink.Options{"codec": "zstd"}, "-c000.csv.zst", nil},
		{"parquet", sink.Context{}, nil, "-c000.snappy.parquet", nil},
		{"parquet", sink.Context{Conf: map[string]string{"spark.sql.parquet.compression.codec": "zstd"}}, nil, "-c000.zstd.parquet", nil},
	}
	for _, tt := range tests {
		s := mem.New()
		run(t, open(t, s, tt.format, tt.c, tt.o), "q", 0, rows("a", 1, null, 2))
		files, _, err := manifest.Read(ctx, s)
		if err != nil || len(files) == 0 {
			t.Fatal(len(files), err)
		}
		if !strings.Contains(files[0].Path, "part-00000-") || !strings.HasSuffix(files[0].Path, tt.extension) {
			t.Errorf("%s %v: %s", tt.format, tt.o, files[0].Path)
		}
		if tt.want != nil {
			want(t, s, tt.want...)
		}
	}
}

func TestPartitionNames(t *testing.T) {
	s := mem.New()
	run(t, open(t, s, "csv", sink.Context{PartitionBy: []string{"k"}}, nil), "q", 0, rows(`a b:c/d%e=f"x`, 1, "", 2, "é", 3))
	want(t, s, "k=__HIVE_DEFAULT_PARTITION__/2\n", "k=a b%3Ac%2Fd%25e%3Df%22x/1\n", "k=é/3\n")
}

func TestMaxRecordsPerFile(t *testing.T) {
	s := mem.New()
	run(t, open(t, s, "csv", sink.Context{}, sink.Options{"maxRecordsPerFile": "2"}), "q", 0, rows("a", 1, "b", 2, "c", 3, "d", 4, "e", 5))
	want(t, s, "a,1\nb,2\n", "c,3\nd,4\n", "e,5\n")
}

func TestBatchesAppearAtOnceAndOnce(t *testing.T) {
	s := mem.New()
	out := open(t, s, "csv", sink.Context{}, nil)
	run(t, out, "q", 0, rows("a", 0), rows("b", 0))
	w, m := stage(t, out, "q", 1, rows("c", 1))
	want(t, s, "a,0\n", "b,0\n")
	if err := w.Commit(ctx, m); err != nil {
		t.Fatal(err)
	}
	want(t, s, "a,0\n", "b,0\n", "c,1\n")
	for _, again := range []sink.Sink{out, open(t, s, "csv", sink.Context{}, nil)} {
		if _, done, err := again.Begin(ctx, sink.BatchInfo{QueryID: "q", BatchID: 1, Schema: schema}); !done || err != nil {
			t.Errorf("batch 1 again: %v %v", done, err)
		}
	}
	run(t, out, "q", 2)
	run(t, out, "q", 3, rows("d", 3))
	want(t, s, "a,0\n", "b,0\n", "c,1\n", "d,3\n")
}

func TestEmptyFirstBatchHasSchema(t *testing.T) {
	s := mem.New()
	run(t, open(t, s, "csv", sink.Context{}, sink.Options{"header": "true"}), "q", 0)
	want(t, s, "k,v\n")
}

func TestAbortedAndLostAttempts(t *testing.T) {
	s := mem.New()
	out := open(t, s, "csv", sink.Context{}, nil)
	run(t, out, "q", 0, rows("a", 0))
	w, _ := stage(t, out, "q", 1, rows("dropped", 1), rows("dropped", 1))
	if err := w.Abort(ctx); err != nil {
		t.Fatal(err)
	}
	if n := dataFiles(t, s); n != 1 {
		t.Errorf("%d data files after Abort", n)
	}
	stage(t, out, "q", 1, rows("crashed", 1)) // and the process ends
	if err := s.Put(ctx, "part-00000-foreign.csv", nil); err != nil {
		t.Fatal(err)
	}
	out = open(t, s, "csv", sink.Context{}, nil)
	w, m := stage(t, out, "q", 1, rows("b", 1))
	if n := dataFiles(t, s); n != 4 {
		t.Errorf("%d data files before the commit: an attempt that may still commit was touched", n)
	}
	if err := w.Commit(ctx, m); err != nil {
		t.Fatal(err)
	}
	want(t, s, "a,0\n", "b,1\n")
	if n := dataFiles(t, s); n != 3 { // two visible ones and the foreign one
		t.Errorf("%d data files after the commit", n)
	}
}

func TestTwoRunsOfOneBatch(t *testing.T) {
	s := mem.New()
	first, second := open(t, s, "csv", sink.Context{}, nil), open(t, s, "csv", sink.Context{}, nil)
	w1, m1 := stage(t, first, "q", 0, rows("first", 0))
	w2, m2 := stage(t, second, "q", 0, rows("second", 0))
	if err := w2.Commit(ctx, m2); err != nil {
		t.Fatal(err)
	}
	if err := w1.Commit(ctx, m1); !errors.Is(err, condition.Name("CONCURRENT_STREAM_LOG_UPDATE")) {
		t.Errorf("got %v", err)
	}
	if err := w1.Abort(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, s, "second,0\n")
}

func TestOwnership(t *testing.T) {
	refused := func(name string, s objstore.Store, query string, next int64) {
		t.Helper()
		before := contents(t, s)
		out := open(t, s, "csv", sink.Context{}, nil)
		if err := out.(sink.Starter).Start(ctx, query, sink.Resumption{Next: next, Continued: true}); !errors.Is(err, condition.Name(name)) {
			t.Errorf("start: %v, want %s", err, name)
		}
		// A sink that was not used before learns of another query's output in Begin at the latest.
		_, _, err := out.Begin(ctx, sink.BatchInfo{QueryID: query, BatchID: next, Schema: schema})
		if lacks := name == "VSTREAM_SINK_LACKS_BATCHES"; lacks != (err == nil) || !lacks && !errors.Is(err, condition.Name(name)) {
			t.Errorf("begin: %v, want %s", err, name)
		}
		if after := contents(t, s); !slices.Equal(before, after) {
			t.Errorf("the directory changed: %q", after)
		}
	}
	s := mem.New()
	refused("VSTREAM_SINK_LACKS_BATCHES", s, "q", 2)
	out := open(t, s, "csv", sink.Context{}, nil)
	run(t, out, "q", 0, rows("a", 0))
	run(t, out, "q", 1, rows("b", 1))
	refused("VSTREAM_SINK_OF_ANOTHER_QUERY", s, "other", 0)
	refused("VSTREAM_SINK_OF_ANOTHER_QUERY", s, "other", 2)

	// A directory that Spark wrote has no owner.
	if err := s.Delete(ctx, manifest.Folder+"/_vstream_query"); err != nil {
		t.Fatal(err)
	}
	refused("VSTREAM_SINK_OF_ANOTHER_QUERY", s, "q", 1)
	// Spark planned the batch and ended between this log and the commit log.
	out = open(t, s, "csv", sink.Context{}, nil)
	if err := out.(sink.Starter).Start(ctx, "q", sink.Resumption{Next: 1, Planned: true}); err != nil {
		t.Fatal(err)
	}
	if _, done, err := out.Begin(ctx, sink.BatchInfo{QueryID: "q", BatchID: 1, Schema: schema}); !done || err != nil {
		t.Errorf("begin: %v, %v", done, err)
	}
	if err := open(t, s, "csv", sink.Context{}, nil).(sink.Starter).Start(ctx, "q", sink.Resumption{Next: 0, Planned: true}); !errors.Is(err, condition.Name("VSTREAM_SINK_OF_ANOTHER_QUERY")) {
		t.Errorf("a log that is two batches ahead: %v", err)
	}
	run(t, open(t, s, "csv", sink.Context{}, nil), "taken over", 2, rows("c", 2))
	want(t, s, "a,0\n", "b,1\n", "c,2\n")
	refused("VSTREAM_SINK_OF_ANOTHER_QUERY", s, "q", 3)
}

func TestRefusals(t *testing.T) {
	wide := vector.NewSchema(vector.Field{Name: "a", Type: vector.String}, vector.Field{Name: "l", Type: vector.ArrayOf(vector.Int, true)})
	tests := []struct {
		format string
		c      sink.Context
		b      sink.BatchInfo
		want   string
	}{
		{"parquet", sink.Context{}, sink.BatchInfo{Schema: schema, Mode: "complete"}, "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE"},
		{"csv", sink.Context{}, sink.BatchInfo{Schema: wide}, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"},
		{"text", sink.Context{}, sink.BatchInfo{Schema: schema}, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"},
		{"json", sink.Context{PartitionBy: []string{"zz"}}, sink.BatchInfo{Schema: schema}, "PARTITION_COLUMN_NOT_FOUND_IN_SCHEMA"},
		{"json", sink.Context{PartitionBy: []string{"k", "v"}}, sink.BatchInfo{Schema: schema}, "ALL_PARTITION_COLUMNS_NOT_ALLOWED"},
		{"json", sink.Context{PartitionBy: []string{"l"}}, sink.BatchInfo{Schema: wide}, "INVALID_PARTITION_COLUMN_DATA_TYPE"},
	}
	for _, tt := range tests {
		out := open(t, mem.New(), tt.format, tt.c, nil)
		if _, _, err := out.Begin(ctx, tt.b); !errors.Is(err, condition.Name(tt.want)) {
			t.Errorf("%s %v: %v", tt.format, tt.c.PartitionBy, err)
		}
	}
	spec, _ := sink.Lookup("json")
	for _, o := range []sink.Options{{}, {"path": "x", "compression": "zip"}, {"path": "x", "maxRecordsPerFile": "-1"}, {"path": "x", "dateFormat": "YYYY"}} {
		c := sink.Context{OpenStore: func(string) (objstore.Store, error) { return mem.New(), nil }}
		if _, err := spec.Open(ctx, c, o); err == nil {
			t.Errorf("%v is accepted", o)
		}
	}
}
