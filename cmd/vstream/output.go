package main

import (
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/spf13/cobra"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/vector"
)

// rowOutput are the flags that say how rows are printed.
type rowOutput struct {
	format, file string
	limit        int
}

// tableRows is how many rows a table shows unless it is told otherwise.
const tableRows = 20

func (o *rowOutput) register(c *cobra.Command) {
	c.Flags().StringVar(&o.format, "format", "table", "table, json (a line for each row), csv (nested fields as columns), parquet or arrow (an IPC stream)")
	c.Flags().StringVar(&o.file, "output", "", "write to this `file` instead of printing")
	c.Flags().IntVar(&o.limit, "limit", -1, "at most so many `rows`; without it a table shows 20, and the other formats have all")
}

// errEnough ends a read whose limit is reached.
var errEnough = errors.New("enough rows")

// rowWriter prints rows in one format.
type rowWriter interface {
	Write(b *vector.Batch) error
	Close() error
}

// write prints the rows that read gives. A file appears when it is whole.
func (o *rowOutput) write(c *cobra.Command, s *vector.Schema, read func(emit func(*vector.Batch) error) error) error {
	if o.file == "" {
		return o.writeTo(c.OutOrStdout(), s, read)
	}
	part := o.file + ".part"
	f, err := os.Create(part)
	if err != nil {
		return condition.IO(err, "write", o.file)
	}
	err = o.writeTo(f, s, read)
	if e := f.Close(); err == nil {
		err = condition.IO(e, "write", o.file)
	}
	if err == nil {
		err = condition.IO(os.Rename(part, o.file), "write", o.file)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

func (o *rowOutput) writeTo(out io.Writer, s *vector.Schema, read func(emit func(*vector.Batch) error) error) error {
	w, err := o.writer(out, s)
	if err != nil {
		return err
	}
	left := o.limit
	err = read(func(b *vector.Batch) error {
		if left >= 0 {
			b = b.Slice(0, min(b.Len(), left))
			left -= b.Len()
		}
		if err := w.Write(b); err != nil {
			return err
		}
		if left == 0 {
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough {
		return err
	}
	return w.Close()
}

func (o *rowOutput) writer(w io.Writer, s *vector.Schema) (rowWriter, error) {
	switch strings.ToLower(o.format) {
	case "table":
		rows := o.limit
		if rows < 0 {
			rows = tableRows
		}
		return &tableWriter{w: w, schema: s, rows: rows}, nil
	case "json":
		s = distinctNames(s)
		options, err := json.ParseWriteOptions(map[string]string{"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "ignoreNullFields": "false"}, time.UTC)
		if err != nil {
			return nil, err
		}
		lines, err := json.NewLineWriter(w, s, options)
		return renamed{jsonWriter{lines}, s}, err
	case "csv":
		return newCSVWriter(w, s)
	case "parquet":
		s = distinctNames(s)
		p, err := parquet.NewWriter(w, s, parquet.WriteOptions{})
		return renamed{p, s}, err
	case "arrow":
		s = distinctNames(s)
		return renamed{&arrowWriter{out: ipc.NewWriter(w, ipc.WithSchema(arrowSchema(s))), schema: s}, s}, nil
	}
	return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "--format", "value", o.format, "expected", "table, json, csv, parquet or arrow")
}

// distinctNames renames fields that have the name of another one beside them: the buffers of
// sum(a), sum(b) are sum and sum#2.
func distinctNames(s *vector.Schema) *vector.Schema {
	return vector.NewSchema(distinctFields(s.Fields)...)
}

func distinctFields(fields []vector.Field) []vector.Field {
	out := make([]vector.Field, len(fields))
	seen := map[string]int{}
	for i, f := range fields {
		if seen[f.Name]++; seen[f.Name] > 1 {
			f.Name = fmt.Sprintf("%s#%d", f.Name, seen[f.Name])
		}
		if f.Type.Kind == vector.KindStruct {
			f.Type = vector.StructOf(distinctFields(f.Type.Fields)...)
		}
		out[i] = f
	}
	return out
}

// renamed gives its writer batches with a schema whose names are distinct.
type renamed struct {
	rowWriter
	schema *vector.Schema
}

func (r renamed) Write(b *vector.Batch) error { return r.rowWriter.Write(b.WithSchema(r.schema)) }

// tableWriter shows the first rows as Spark's show() does.
type tableWriter struct {
	w       io.Writer
	schema  *vector.Schema
	rows    int
	batches []*vector.Batch
	n       int
}

func (t *tableWriter) Write(b *vector.Batch) error {
	t.batches = append(t.batches, b)
	if t.n += b.Len(); t.n > t.rows { // one more than is shown, so that it says that there are more
		return errEnough
	}
	return nil
}

func (t *tableWriter) Close() error {
	text := table.Show(t.schema, t.batches, table.Options{Rows: t.rows, Zone: time.UTC})
	_, err := fmt.Fprintln(t.w, strings.TrimSuffix(text, "\n"))
	return err
}

type jsonWriter struct{ *json.LineWriter }

func (jsonWriter) Close() error { return nil }

// csvWriter prints the fields of structs as columns of their own, and other values as
// show() does.
type csvWriter struct {
	out    *stdcsv.Writer
	schema *vector.Schema
}

func newCSVWriter(w io.Writer, s *vector.Schema) (*csvWriter, error) {
	c := &csvWriter{stdcsv.NewWriter(w), distinctNames(s)}
	var names []string
	flatten("", c.schema.Fields, nil, func(name string, _ *vector.Type, _ arrow.Array) { names = append(names, name) })
	return c, c.out.Write(names)
}

// flatten visits the fields and, instead of a struct, its fields. cols may be nil.
func flatten(prefix string, fields []vector.Field, cols []arrow.Array, visit func(name string, t *vector.Type, a arrow.Array)) {
	for i, f := range fields {
		var a arrow.Array
		if cols != nil {
			a = cols[i]
		}
		if f.Type.Kind != vector.KindStruct {
			visit(prefix+f.Name, f.Type, a)
			continue
		}
		var kids []arrow.Array
		if a != nil {
			for k := range f.Type.Fields {
				kids = append(kids, vector.StructField(a, k))
			}
		}
		flatten(prefix+f.Name+".", f.Type.Fields, kids, visit)
	}
}

func (c *csvWriter) Write(b *vector.Batch) error {
	var cells []render.Append
	style := render.Style{Zone: time.UTC, HexBinary: true}
	flatten("", c.schema.Fields, b.Columns(), func(_ string, t *vector.Type, a arrow.Array) { cells = append(cells, style.Column(t, a)) })
	row := make([]string, len(cells))
	for i := range b.Len() {
		for j, cell := range cells {
			row[j] = string(cell(nil, i))
		}
		if err := c.out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) Close() error {
	c.out.Flush()
	return c.out.Error()
}

// arrowWriter writes an Arrow IPC stream.
type arrowWriter struct {
	out    *ipc.Writer
	schema *vector.Schema
}

func arrowSchema(s *vector.Schema) *arrow.Schema {
	fields := make([]arrow.Field, s.Len())
	for i, f := range s.Fields {
		fields[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

func (a *arrowWriter) Write(b *vector.Batch) error {
	cols := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		cols[i] = retyped(a.schema.Fields[i].Type, c)
	}
	return a.out.Write(array.NewRecordBatch(arrowSchema(a.schema), cols, int64(b.Len())))
}

// retyped is a column under a type that differs in the names of fields only.
func retyped(t *vector.Type, a arrow.Array) arrow.Array {
	if t.Kind != vector.KindStruct {
		return a
	}
	fields := make([]arrow.Array, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = retyped(f.Type, vector.StructField(a, i))
	}
	return vector.NewStruct(t, fields, a.Len(), vector.Validity(a))
}

func (a *arrowWriter) Close() error { return a.out.Close() }
