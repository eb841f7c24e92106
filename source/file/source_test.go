package file_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/source"
	_ "github.com/vstream/vstream/source/file"
	"github.com/vstream/vstream/vector"
)

var ctx = context.Background()

func field(name string, t *vector.Type) vector.Field {
	return vector.Field{Name: name, Type: t, Nullable: true}
}

var keyValue = vector.NewSchema(field("k", vector.String), field("v", vector.Int))

// dir is a source directory whose files get rising modification times.
type dir struct {
	t    testing.TB
	path string
	at   time.Time
}

func newDir(t testing.TB) *dir {
	return &dir{t, t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (d *dir) write(name, content string) {
	d.at = d.at.Add(time.Second)
	d.writeAt(name, content, d.at)
}

func (d *dir) writeAt(name, content string, at time.Time) {
	d.t.Helper()
	p := filepath.Join(d.path, name)
	err := os.MkdirAll(filepath.Dir(p), 0o777)
	if err == nil {
		err = os.WriteFile(p, []byte(content), 0o666)
	}
	if err == nil {
		err = os.Chtimes(p, at, at)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// run is one run of a query on a source.
type run struct {
	t      testing.TB
	src    source.Source
	offset source.Offset
}

func open(format, path string, log objstore.Store, o source.Options, schema *vector.Schema) (source.Source, error) {
	spec, ok := source.Lookup(format)
	if !ok {
		return nil, errors.New("no source " + format)
	}
	opts := source.Options{"path": path}
	for k, v := range o {
		opts[k] = v
	}
	return spec.Open(ctx, source.Context{Name: "e", Log: log, NowMs: func() int64 { return 1 }, TimeZone: "UTC"}, opts, schema)
}

func start(t testing.TB, format, path string, log objstore.Store, o source.Options, schema *vector.Schema, from source.Offset) *run {
	t.Helper()
	src, err := open(format, path, log, o, schema)
	if err != nil {
		t.Fatal(err)
	}
	return &run{t, src, from}
}

// next runs a batch and gives its rows, "-" if there is none.
func (r *run) next() string {
	r.t.Helper()
	end, err := r.src.Latest(ctx, r.offset, false)
	if err != nil {
		r.t.Fatal(err)
	}
	if end == r.offset {
		return "-"
	}
	rows, err := read(r.src, r.offset, end)
	if err != nil {
		r.t.Fatal(err)
	}
	r.offset = end
	if err := r.src.Commit(ctx, end); err != nil {
		r.t.Fatal(err)
	}
	return strings.Join(rows, " ")
}

// drain runs batches as long as there are any.
func (r *run) drain() []string {
	r.t.Helper()
	var out []string
	for {
		rows := r.next()
		if rows == "-" {
			return out
		}
		out = append(out, rows)
	}
}

func read(src source.Source, from, to source.Offset) ([]string, error) {
	var all []int
	for i := range src.Schema().Fields {
		all = append(all, i)
	}
	splits, err := src.Plan(ctx, from, to, source.Pushdown{Columns: all})
	if err != nil {
		return nil, err
	}
	return rowsOf(splits)
}

func rowsOf(splits []source.Split) ([]string, error) {
	var rows []string
	for _, s := range splits {
		err := s.Read(ctx, func(b *vector.Batch) error {
			cols := b.Columns()
			base := len(rows)
			rows = append(rows, make([]string, b.Len())...)
			for c, a := range cols {
				value := render.Style{Zone: time.UTC, Null: "null"}.Column(b.Schema.Fields[c].Type, a)
				for i := range b.Len() {
					if c > 0 {
						rows[base+i] += ":"
					}
					rows[base+i] += string(value(nil, i))
				}
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func TestFormats(t *testing.T) {
	tests := []struct {
		format, name, content string
		options               source.Options
		schema                *vector.Schema
		want                  string
	}{
		{"csv", "a.csv", "a,1\nb,x\n", nil, keyValue, "a:1 b:null"},
		{"csv", "a.csv", "k,v\na,1\n", source.Options{"HEADER": "true"}, keyValue, "a:1"},
		{"json", "a.json", "{\"k\":\"a\",\"v\":1}\n\n{\"k\":\"b\",\n[{\"k\":\"c\",\"v\":3},{\"v\":4}]\n", nil, keyValue, "a:1 null:null c:3 null:4"},
		{"json", "a.json", "{\"k\":\n\"a\",\"v\":1}", source.Options{"multiLine": "true"}, keyValue, "a:1"},
		{"text", "a.txt", "hello\n\nwörld", nil, nil, "hello  wörld"},
		{"text", "a.txt", "a\r\nb\rc\n", nil, nil, "a b c"},
		{"text", "a.txt", "a\nb|c", source.Options{"lineSep": "|"}, nil, "a\nb c"},
		{"text", "a.txt", "a\nb\n", source.Options{"wholetext": "true"}, nil, "a\nb\n"},
		{"csv", "empty.csv", "", nil, keyValue, ""},
	}
	for _, tt := range tests {
		d := newDir(t)
		d.write(tt.name, tt.content)
		if got := start(t, tt.format, d.path, mem.New(), tt.options, tt.schema, "").next(); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.format, tt.content, got, tt.want)
		}
	}
}

func TestBatches(t *testing.T) {
	tests := []struct {
		options source.Options
		want    []string
	}{
		{nil, []string{"a b c d"}},
		{source.Options{"maxFilesPerTrigger": "1"}, []string{"a", "b", "c", "d"}},
		{source.Options{"maxFilesPerTrigger": "3"}, []string{"a b c", "d"}},
		{source.Options{"maxFilesPerTrigger": "1", "latestFirst": "true"}, []string{"d", "c", "b", "a"}},
		{source.Options{"latestFirst": "true"}, []string{"d c b a"}},
		{source.Options{"maxBytesPerTrigger": "3b"}, []string{"a", "b", "c", "d"}},
		{source.Options{"maxBytesPerTrigger": "4b"}, []string{"a b", "c d"}},
		{source.Options{"maxFileAge": "1500ms"}, []string{"a b c d"}},
		{source.Options{"pathGlobFilter": "{2,3}*"}, []string{"b c"}},
	}
	for _, tt := range tests {
		d := newDir(t)
		for _, f := range []string{"4a", "2b", "3c", "1d", "_hidden", ".hidden", "x._COPYING_"} {
			d.write(f, f[1:]+"\n")
		}
		got := start(t, "text", d.path, mem.New(), tt.options, nil, "").drain()
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: %q", tt.options, got)
		}
	}
}

// Files of one time go by path, files that come later into later batches.
func TestOrderAndNewFiles(t *testing.T) {
	d := newDir(t)
	for _, f := range []string{"c", "a", "b"} {
		d.writeAt(f, f, d.at)
	}
	r := start(t, "text", d.path, mem.New(), nil, nil, "")
	if got := r.next(); got != "a b c" {
		t.Error(got)
	}
	if got := r.next(); got != "-" {
		t.Error(got)
	}
	d.write("A", "late")
	if got := r.next(); got != "late" {
		t.Error(got)
	}
	if r.offset != `{"logOffset":1}` {
		t.Error(r.offset)
	}
}

func TestMaxFileAge(t *testing.T) {
	d := newDir(t)
	d.write("new", "new")
	r := start(t, "text", d.path, mem.New(), source.Options{"maxFileAge": "1h"}, nil, "")
	r.next()
	d.writeAt("old", "old", d.at.Add(-2*time.Hour))
	d.writeAt("middle", "middle", d.at.Add(-time.Minute))
	if got := r.next(); got != "middle" {
		t.Error(got)
	}
}

func TestFileNameOnly(t *testing.T) {
	d := newDir(t)
	d.write("x=1/f", "one")
	o := source.Options{"fileNameOnly": "true", "recursiveFileLookup": "true"}
	r := start(t, "text", d.path, mem.New(), o, nil, "")
	r.next()
	d.write("x=2/f", "the same name")
	d.write("x=2/g", "another")
	if got := r.next(); got != "another" {
		t.Error(got)
	}
}

// The log is Spark's, a batch can be planned again from it, and files of batches
// whose offset was never logged come with the next offset.
func TestRestart(t *testing.T) {
	d, log := newDir(t), mem.New()
	o := source.Options{"maxFilesPerTrigger": "1"}
	r := start(t, "text", d.path, log, o, nil, "")
	for i := range 25 {
		d.write(fmt.Sprintf("f %02d", i), fmt.Sprint(i))
	}
	for i := range 23 {
		if got := r.next(); got != fmt.Sprint(i) {
			t.Fatalf("batch %d: %s", i, got)
		}
	}
	data, err := log.Get(ctx, "8")
	want := fmt.Sprintf("v1\n{\"path\":\"file://%s/f%%2008\",\"timestamp\":%d,\"batchId\":8}", d.path, time.Date(2026, 1, 1, 0, 0, 9, 0, time.UTC).UnixMilli())
	if err != nil || string(data) != want {
		t.Errorf("log: %s %v, want %s", data, err, want)
	}
	if data, err = log.Get(ctx, "19.compact"); err != nil || strings.Count(string(data), "\n") != 20 {
		t.Errorf("compact: %s %v", data, err)
	}
	r = start(t, "text", d.path, log, o, nil, `{"logOffset":20}`)
	for _, span := range [][2]int{{-1, 0}, {3, 4}, {7, 12}, {18, 22}, {21, 22}} {
		from := source.Offset("")
		if span[0] >= 0 {
			from = source.Offset(fmt.Sprintf(`{"logOffset":%d}`, span[0]))
		}
		rows, err := read(r.src, from, source.Offset(fmt.Sprintf(`{"logOffset":%d}`, span[1])))
		var want []string
		for i := span[0] + 1; i <= span[1]; i++ {
			want = append(want, fmt.Sprint(i))
		}
		// A batch's larger files come first.
		slices.SortStableFunc(want, func(a, b string) int { return len(b) - len(a) })
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%v: %v %v", span, rows, err)
		}
	}
	// Batches that were planned before a crash stay as they were.
	for _, want := range []string{"21", "22", "23", "24"} {
		if got := r.next(); got != want {
			t.Errorf("after a crash: %s, want %s", got, want)
		}
	}
}

func TestRestartRefused(t *testing.T) {
	d, log := newDir(t), mem.New()
	d.write("a", "a")
	start(t, "text", d.path, log, nil, nil, "").next()
	if _, err := open("text", newDir(t).path, log, nil, nil); !errors.Is(err, condition.Name("VSTREAM_SOURCE_PATH_CHANGED")) {
		t.Error(err)
	}
	src, err := open("text", d.path, log, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Latest(ctx, `{"logOffset":5}`, false); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) {
		t.Error(err)
	}
	// Another run has written the next batch.
	d.write("b", "b")
	if err := log.CreateExclusive(ctx, "1", []byte("v1")); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Latest(ctx, `{"logOffset":0}`, false); !errors.Is(err, condition.Name("CONCURRENT_STREAM_LOG_UPDATE")) {
		t.Error(err)
	}
}

func TestAvailableNow(t *testing.T) {
	d := newDir(t)
	d.write("a", "a")
	d.write("b", "b")
	r := start(t, "text", d.path, mem.New(), source.Options{"maxFilesPerTrigger": "1"}, nil, "")
	if err := r.src.(source.AvailableNow).PrepareAvailableNow(ctx, ""); err != nil {
		t.Fatal(err)
	}
	d.write("c", "c")
	if got := r.drain(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Error(got)
	}
	if r.src.Describe() != "FileStreamSource[file:"+d.path+"]" {
		t.Error(r.src.Describe())
	}
}

func TestPaths(t *testing.T) {
	d := newDir(t)
	for _, f := range []string{"in/a.txt", "in/sub/b.txt", "in2/c.txt", "in/k=1/d.txt", "odd #%ü.txt"} {
		d.write(f, strings.TrimSuffix(filepath.Base(f), ".txt"))
	}
	tests := []struct {
		path    string
		options source.Options
		want    string
	}{
		{"in", nil, "a d"},
		{"in", source.Options{"recursiveFileLookup": "true"}, "a b d"},
		{"in2/c.txt", nil, "c"},
		{"in*", nil, "a c d"},
		{"{in2,none}/*.txt", nil, "c"},
		{"odd #%ü.txt", nil, "odd #%ü"},
	}
	for _, tt := range tests {
		for _, prefix := range []string{"", "file:", "file://"} {
			if got := start(t, "text", prefix+filepath.Join(d.path, tt.path), mem.New(), tt.options, nil, "").next(); got != tt.want {
				t.Errorf("%s%s %v: %q", prefix, tt.path, tt.options, got)
			}
		}
	}
}

func TestOpenRefused(t *testing.T) {
	d := newDir(t)
	d.write("a.json", "{}")
	tests := []struct {
		format, path string
		options      source.Options
		schema       *vector.Schema
		want         string
	}{
		{"csv", d.path + "/none", nil, keyValue, "PATH_NOT_FOUND"},
		{"csv", "s3://bucket/x", nil, keyValue, "VSTREAM_UNKNOWN_SCHEME"},
		{"json", d.path, nil, nil, "_LEGACY_ERROR_TEMP_2048"},
		{"text", d.path, nil, keyValue, "_LEGACY_ERROR_TEMP_1290"},
		{"text", d.path, nil, vector.NewSchema(field("n", vector.Int)), "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"},
		{"csv", d.path, source.Options{"maxFilesPerTrigger": "0"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"maxFilesPerTrigger": "x"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"maxBytesPerTrigger": "1k", "maxFilesPerTrigger": "1"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"latestFirst": "maybe"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"maxFileAge": "soon"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"cleanSource": "archive"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"cleanSource": "archive", "sourceArchiveDir": d.path + "/old"}, keyValue, "VSTREAM_INVALID_OPTION"},
		{"csv", d.path, source.Options{"sep": ""}, keyValue, "INVALID_DELIMITER_VALUE"},
	}
	for _, tt := range tests {
		if _, err := open(tt.format, tt.path, mem.New(), tt.options, tt.schema); !errors.Is(err, condition.Name(tt.want)) {
			t.Errorf("%s %s %v: %v, want %s", tt.format, tt.path, tt.options, err, tt.want)
		}
	}
}

func gz(s string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func TestDamagedFiles(t *testing.T) {
	long := gz(strings.Repeat("some text that repeats\n", 10000))
	tests := []struct {
		format, name, content string
		schema                *vector.Schema
		want                  string
	}{
		{"text", "a.gz", long[:len(long)-20], nil, "FAILED_READ_FILE.NO_HINT"},
		{"text", "a.gz", "not gzip", nil, "FAILED_READ_FILE.NO_HINT"},
		{"text", "a.zst", "not zstd", nil, "FAILED_READ_FILE.NO_HINT"},
		{"text", "a.bz2", "not bzip2", nil, "FAILED_READ_FILE.NO_HINT"},
		{"parquet", "a.parquet", "PAR1PAR1", keyValue, "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"},
		{"parquet", "a.parquet", "", keyValue, "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"},
		{"csv", "gone.csv", "a,1", keyValue, "FAILED_READ_FILE.FILE_NOT_EXIST"},
	}
	for _, tt := range tests {
		d := newDir(t)
		d.write(tt.name, tt.content)
		src, err := open(tt.format, d.path, mem.New(), nil, tt.schema)
		if err != nil {
			t.Fatal(err)
		}
		end, err := src.Latest(ctx, "", false)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(tt.name, "gone") {
			os.Remove(filepath.Join(d.path, tt.name))
		}
		_, err = read(src, "", end)
		var e *condition.Error
		if !errors.As(err, &e) || e.Name != tt.want || e.Params["path"] != "file://"+d.path+"/"+tt.name {
			t.Errorf("%s %s: %v", tt.format, tt.name, err)
		}
		src, err = open(tt.format, d.path, mem.New(), source.Options{"ignoreCorruptFiles": "true", "ignoreMissingFiles": "true"}, tt.schema)
		if err != nil {
			t.Fatal(err)
		}
		if end, err = src.Latest(ctx, "", false); err == nil && end != "" {
			_, err = read(src, "", end)
		}
		if err != nil {
			t.Errorf("%s %s ignored: %v", tt.format, tt.name, err)
		}
	}
}

func TestFailFastNamesTheLine(t *testing.T) {
	for format, content := range map[string]string{"csv": "a,1\nb,2\nc,x\n", "json": "{\"v\":1}\n{\"v\":2}\n{\"v\":\n"} {
		d := newDir(t)
		d.write("f", content)
		src, err := open(format, d.path, mem.New(), source.Options{"mode": "FAILFAST"}, keyValue)
		if err != nil {
			t.Fatal(err)
		}
		end, err := src.Latest(ctx, "", false)
		if err == nil {
			_, err = read(src, "", end)
		}
		if !errors.Is(err, condition.Name("MALFORMED_RECORD_IN_PARSING")) || !strings.Contains(err.Error(), "file "+d.path+"/f, line 3") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestCleanSource(t *testing.T) {
	d, archive := newDir(t), t.TempDir()
	d.write("a", "a")
	if got := start(t, "text", d.path, mem.New(), source.Options{"cleanSource": "archive", "sourceArchiveDir": archive}, nil, "").drain(); len(got) != 1 {
		t.Error(got)
	}
	if b, err := os.ReadFile(filepath.Join(archive, d.path, "a")); err != nil || string(b) != "a" {
		t.Error(err)
	}
	d.write("b", "b")
	start(t, "text", d.path, mem.New(), source.Options{"cleanSource": "delete"}, nil, "").drain()
	if left, _ := os.ReadDir(d.path); len(left) != 0 {
		t.Error(left)
	}
}
