package vstream

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/stream"
	"github.com/vstream/vstream/vector"
)

// maxPartitions is the number of key groups: more partitions would stay empty.
const maxPartitions = 1024

func positive(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && n > 0
}

// defaultPartitions is the number of state partitions without a setting: one per core.
func defaultPartitions() int { return runtime.GOMAXPROCS(0) }

// Reader describes a table to be read from a source.
type Reader struct {
	s       *Session
	format  string
	name    string
	options source.Options
	schema  *vector.Schema
	static  bool
	err     error
}

// Read starts the description of a streaming table of a format: csv, json,
// parquet, text, rate, rate-micro-batch, …
func (s *Session) Read(format string) *Reader {
	return &Reader{s: s, format: format, options: source.Options{}}
}

// ReadStatic describes a table that is read whole, once per micro-batch.
func (s *Session) ReadStatic(format string) *Reader {
	r := s.Read(format)
	r.static = true
	return r
}

// Option sets an option of the source, under Spark's name.
func (r *Reader) Option(key, value string) *Reader {
	r.options[key] = value
	return r
}

// Name names the source for source evolution.
func (r *Reader) Name(name string) *Reader {
	r.name = name
	return r
}

// Schema gives the columns as DDL: "id BIGINT, ts TIMESTAMP".
func (r *Reader) Schema(ddl string) *Reader {
	if r.err == nil {
		r.schema, r.err = plan.ParseSchema(ddl)
	}
	return r
}

// Load makes the table. Errors: an unknown format, a missing or bad schema, a path
// that does not exist (PATH_NOT_FOUND).
func (r *Reader) Load() (*Table, error) {
	if r.err != nil {
		return nil, r.err
	}
	spec, ok := source.Lookup(r.format)
	if !ok {
		return nil, condition.New("DATA_SOURCE_NOT_FOUND", "provider", r.format).
			WithHint("the formats are: %s", strings.Join(source.Names(), ", "))
	}
	if !r.static && spec.Open == nil {
		return nil, condition.New("_LEGACY_ERROR_TEMP_2049", "className", r.format, "operator", "reading").
			WithHint("it is a table: read it as a static one")
	}
	if !r.static {
		if err := checkSourceName(r.name, r.s.confCopy()); err != nil {
			return nil, err
		}
	}
	in := &stream.Input{Name: r.name, Relation: r.format, Format: r.format, Spec: spec, Options: r.options, Schema: r.schema, Static: r.static}
	schema := r.schema
	if spec.Schema != nil {
		if schema != nil {
			return nil, condition.New("_LEGACY_ERROR_TEMP_2242", "provider", r.format).WithHint("leave out the schema: the columns are %s", spec.Schema)
		}
		schema = spec.Schema
	}
	if spec.InferSchema != nil {
		var err error
		c := source.Context{Name: r.format, Resolve: r.s.resolve, Conf: r.s.confCopy(), TimeZone: r.s.kernelConf().Zone.String()}
		if schema == nil && !r.static && spec.NeedsSchema && !strings.EqualFold(c.Conf["spark.sql.streaming.schemaInference"], "true") {
			return nil, condition.New("_LEGACY_ERROR_TEMP_2048").
				WithHint("a stream's schema must not depend on the files that happen to be there: give source %s a schema, or set spark.sql.streaming.schemaInference to true", r.format)
		}
		if schema == nil {
			if schema, err = spec.InferSchema(context.Background(), c, r.options); err != nil {
				return nil, err
			}
			in.Schema = schema
		}
	}
	if schema == nil {
		return nil, condition.New("UNABLE_TO_INFER_SCHEMA", "format", r.format).WithHint("give the columns with schema")
	}
	return r.s.relation(in, nullable(schema))
}

// nullable is the schema of what readers give: they may find no value for any column,
// as in Spark.
func nullable(s *vector.Schema) *vector.Schema {
	out := &vector.Schema{Fields: slices.Clone(s.Fields)}
	for i := range out.Fields {
		out.Fields[i].Nullable = true
	}
	return out
}

// ParseSchema reads columns given as DDL: "id BIGINT, ts TIMESTAMP".
func ParseSchema(ddl string) (*vector.Schema, error) { return plan.ParseSchema(ddl) }
