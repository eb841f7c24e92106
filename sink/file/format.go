package file

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

// rowWriter writes the rows of one data file.
type rowWriter interface {
	Write(b *vector.Batch) error
	Close() error
}

// format is a data format with its options.
type format struct {
	name      string
	extension string
	zone      *time.Location
	newWriter func(w io.Writer, s *vector.Schema) (rowWriter, error)
	compress  func(w io.Writer) (io.WriteCloser, error)
	checked   *vector.Schema
}

// check refuses a schema that the format cannot hold.
func (f *format) check(s *vector.Schema) error {
	if f.checked == s {
		return nil
	}
	_, err := f.newWriter(io.Discard, s)
	if err == nil {
		f.checked = s
	}
	return err
}

// formats hold, per sink name, what makes its rowWriters.
var formats = map[string]func(f *format, c sink.Context, o sink.Options) error{
	"parquet": parquetFormat, "json": jsonFormat, "csv": csvFormat, "text": textFormat,
}

func newFormat(name string, c sink.Context, o sink.Options) (*format, error) {
	f := &format{name: name, zone: time.UTC, compress: uncompressed}
	if c.TimeZone != "" {
		zone, ok := text.ParseZone(c.TimeZone)
		if !ok {
			return nil, condition.New("INVALID_TIMEZONE", "timeZone", c.TimeZone)
		}
		f.zone = zone
	}
	return f, formats[name](f, c, o)
}

func parquetFormat(f *format, c sink.Context, o sink.Options) error {
	codec, ok := o.Get("compression")
	if !ok {
		codec = c.Conf["spark.sql.parquet.compression.codec"]
	}
	wo := parquet.WriteOptions{Compression: codec}
	f.newWriter = func(w io.Writer, s *vector.Schema) (rowWriter, error) { return parquet.NewWriter(w, s, wo) }
	var err error
	f.extension, err = wo.Extension()
	return err
}

func jsonFormat(f *format, c sink.Context, o sink.Options) error {
	wo, err := json.ParseWriteOptions(o, f.zone)
	if err != nil {
		return err
	}
	if _, ok := o.Get("ignoreNullFields"); !ok {
		wo.KeepNullFields = strings.EqualFold(c.Conf["spark.sql.jsonGenerator.ignoreNullFields"], "false")
	}
	f.newWriter = func(w io.Writer, s *vector.Schema) (rowWriter, error) { return json.NewLineWriter(w, s, wo) }
	return f.compressed(".json", o)
}

func csvFormat(f *format, _ sink.Context, o sink.Options) error {
	wo, err := csv.ParseWriteOptions(o, f.zone)
	if err != nil {
		return err
	}
	f.newWriter = func(w io.Writer, s *vector.Schema) (rowWriter, error) { return csv.NewWriter(w, s, wo) }
	return f.compressed(".csv", o)
}

func textFormat(f *format, _ sink.Context, o sink.Options) error {
	sep, ok := o.Get("lineSep")
	if !ok {
		sep = "\n"
	}
	f.newWriter = func(w io.Writer, s *vector.Schema) (rowWriter, error) { return newTextWriter(w, s, sep) }
	return f.compressed(".txt", o)
}

type codec struct {
	suffix string
	open   func(w io.Writer) (io.WriteCloser, error)
}

// codecs are those of Spark's text formats that Hadoop's readers understand and Go can write.
var codecs = map[string]codec{
	"none": {"", uncompressed}, "uncompressed": {"", uncompressed},
	"gzip":    {".gz", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	"deflate": {".deflate", func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }},
	"zstd":    {".zst", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }},
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func uncompressed(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }

// compressed sets the extension and the codec of a text format.
func (f *format) compressed(extension string, o sink.Options) error {
	f.extension = extension
	name, ok := o.Get("compression")
	if !ok {
		if name, ok = o.Get("codec"); !ok {
			return nil
		}
	}
	c, ok := codecs[strings.ToLower(name)]
	if !ok {
		names := make([]string, 0, len(codecs))
		for n := range codecs {
			names = append(names, n)
		}
		sort.Strings(names)
		return condition.New("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
			"codecName", name, "availableCodecs", strings.Join(names, ", "))
	}
	f.extension += c.suffix
	f.compress = c.open
	return nil
}
