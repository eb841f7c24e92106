package parquet

import (
	"io"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// A row group is closed at whichever bound is reached first; it is what a
// Writer keeps in memory.
const (
	rowGroupRows  = 1 << 20
	rowGroupBytes = 64 << 20 // compressed
)

// codec is a compression codec and the suffix that Spark gives to its files.
type codec struct {
	codec  compress.Compression
	suffix string
}

var codecs = map[string]codec{
	"none": {compress.Codecs.Uncompressed, ""}, "uncompressed": {compress.Codecs.Uncompressed, ""},
	"snappy": {compress.Codecs.Snappy, ".snappy"}, "gzip": {compress.Codecs.Gzip, ".gz"},
	"zstd": {compress.Codecs.Zstd, ".zstd"}, "brotli": {compress.Codecs.Brotli, ".br"},
	"lz4_raw": {compress.Codecs.Lz4Raw, ".lz4raw"},
}

// Codecs are the names that WriteOptions.Compression takes, sorted.
func Codecs() []string {
	var out []string
	for n := range codecs {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// WriteOptions are the options of a Writer.
type WriteOptions struct {
	// Compression is one of Codecs, in any case; "" is snappy.
	Compression string
}

func (o WriteOptions) codec() (codec, error) {
	if o.Compression == "" {
		return codecs["snappy"], nil
	}
	c, ok := codecs[strings.ToLower(o.Compression)]
	if !ok {
		return codec{}, condition.New("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
			"codecName", o.Compression, "availableCodecs", strings.Join(Codecs(), ", "))
	}
	return c, nil
}

// Extension is the suffix of a file's name: ".snappy.parquet".
func (o WriteOptions) Extension() (string, error) {
	c, err := o.codec()
	return c.suffix + ".parquet", err
}

// Writer writes batches as one Parquet file whose schema and types are those
// that Spark writes and reads back.
type Writer struct {
	file   *file.Writer
	schema *vector.Schema
	group  file.BufferedRowGroupWriter
	rows   int // in the open row group
	col    int // the next leaf column of the row being written

	levels  [][]int16 // levels[d] is a run of the level d
	int32s  []int32
	int64s  []int64
	floats  []float32
	doubles []float64
	bools   []bool
	bytes   []parquet.ByteArray
	fixed   []parquet.FixedLenByteArray
	arena   []byte // of fixed
}

// NewWriter starts a file on w. The error is UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE
// for a type that Parquet files cannot hold, or CODEC_NOT_AVAILABLE.
func NewWriter(w io.Writer, s *vector.Schema, o WriteOptions) (*Writer, error) {
	c, err := o.codec()
	if err != nil {
		return nil, err
	}
	root, err := fileSchema(s)
	if err != nil {
		return nil, err
	}
	props := []parquet.WriterProperty{
		parquet.WithCompression(c.codec),
		parquet.WithCreatedBy("vstream"),
		parquet.WithDictionaryDefault(false),
		parquet.WithBatchSize(8192),
	}
	for _, f := range s.Fields {
		if f.Type.Kind == vector.KindString {
			props = append(props, parquet.WithDictionaryPath(parquet.ColumnPath{f.Name}, true))
		}
	}
	meta := metadata.NewKeyValueMetadata()
	if err := meta.Append(rowMetadataKey, schemaJSON(s)); err != nil {
		return nil, err
	}
	// arrow-go would close w if it could.
	fw, err := file.NewParquetWriterWithError(struct{ io.Writer }{w}, root, file.WithWriterProps(parquet.NewWriterProperties(props...)), file.WithWriteMetadata(meta))
	if err != nil {
		return nil, err
	}
	return &Writer{file: fw, schema: s}, nil
}

// Write adds the rows of b, whose columns have the types of the writer's schema.
func (w *Writer) Write(b *vector.Batch) error {
	for lo := 0; lo < b.Len(); {
		if w.group == nil {
			g, err := w.file.AppendBufferedRowGroupChecked()
			if err != nil {
				return err
			}
			w.group, w.rows = g, 0
		}
		part := b.Slice(lo, min(b.Len(), lo+rowGroupRows-w.rows))
		w.col = 0
		for i, f := range w.schema.Fields {
			if err := w.node(f.Type, part.Col(i), slots{n: part.Len()}, 0); err != nil {
				return err
			}
		}
		lo += part.Len()
		w.rows += part.Len()
		if w.rows >= rowGroupRows || w.group.TotalCompressedBytes() >= rowGroupBytes {
			if err := w.closeGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) closeGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group = nil
	return err
}

// Close writes the footer; it does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.closeGroup(); err != nil {
		return err
	}
	return w.file.Close()
}

// node writes an optional node of type t and everything below it. rep is the
// repetition level of the lists around it.
func (w *Writer) node(t *vector.Type, a arrow.Array, s slots, rep int16) error {
	return w.required(t, a, s.optional(a), rep)
}

// required writes a node whose places s already account for its nulls.
func (w *Writer) required(t *vector.Type, a arrow.Array, s slots, rep int16) error {
	switch t.Kind {
	case vector.KindStruct:
		for i, f := range t.Fields {
			if err := w.node(f.Type, a.(*array.Struct).Field(i), s, rep); err != nil {
				return err
			}
		}
		return nil
	case vector.KindVariant:
		for i := range 2 {
			if err := w.leaf(vector.Binary, a.(*array.Struct).Field(i), s); err != nil {
				return err
			}
		}
		return nil
	case vector.KindArray:
		elems := s.repeated(vector.Offsets(a), rep+1)
		return w.node(t.Elem, array.MakeFromData(a.Data().Children()[0]), elems, rep+1)
	case vector.KindMap:
		entries := s.repeated(vector.Offsets(a), rep+1)
		kv := array.MakeFromData(a.Data().Children()[0]).(*array.Struct)
		if err := w.required(t.Key, kv.Field(0), entries, rep+1); err != nil {
			return err
		}
		return w.node(t.Elem, kv.Field(1), entries, rep+1)
	}
	return w.leaf(t, a, s)
}

// run is n times the level d.
func (w *Writer) run(d int16, n int) []int16 {
	for len(w.levels) <= int(d) {
		w.levels = append(w.levels, nil)
	}
	if len(w.levels[d]) < n {
		l := make([]int16, n)
		for i := range l {
			l[i] = d
		}
		w.levels[d] = l
	}
	return w.levels[d][:n]
}
