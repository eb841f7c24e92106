package csv

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// Writer writes batches as lines of comma-separated values.
type Writer struct {
	w      io.Writer
	schema *vector.Schema
	o      WriteOptions
	buf    []byte
	begun  bool
}

// NewWriter makes a Writer on w. A type that CSV files cannot hold gives
// UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE.
func NewWriter(w io.Writer, s *vector.Schema, o WriteOptions) (*Writer, error) {
	for _, f := range s.Fields {
		switch f.Type.Kind {
		case vector.KindNull, vector.KindCalendarInterval, vector.KindArray, vector.KindMap, vector.KindStruct, vector.KindVariant:
			return nil, condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
				"columnName", vector.QuoteIfNeeded(f.Name), "columnType", `"`+f.Type.SQL()+`"`, "format", "CSV")
		}
	}
	return &Writer{w: w, schema: s, o: o}, nil
}

// flushBytes is how much a Writer gathers before it writes.
const flushBytes = 256 << 10

// Write adds the rows of b.
func (w *Writer) Write(b *vector.Batch) error {
	w.header()
	row := w.o.Row(w.schema.Fields, b.Columns())
	for i := range b.Len() {
		w.buf = row(w.buf, i)
		w.buf = append(w.buf, w.o.LineSep...)
		if len(w.buf) >= flushBytes {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

// Row prints the rows of columns, without line ends.
func (o WriteOptions) Row(fields []vector.Field, cols []arrow.Array) render.Append {
	print := make([]render.Append, len(cols))
	for j, f := range fields {
		print[j] = o.column(f.Type, cols[j])
	}
	var value []byte
	return func(b []byte, i int) []byte {
		for j, c := range cols {
			if j > 0 {
				b = append(b, o.Sep)
			}
			if c.IsNull(i) {
				b = o.appendNull(b)
				continue
			}
			value = print[j](value[:0], i)
			b = o.appendField(b, value, j == 0)
		}
		return b
	}
}

func (w *Writer) header() {
	if w.begun {
		return
	}
	w.begun = true
	if !w.o.Header {
		return
	}
	for j, f := range w.schema.Fields {
		if j > 0 {
			w.buf = append(w.buf, w.o.Sep)
		}
		w.buf = w.o.appendField(w.buf, []byte(f.Name), j == 0)
	}
	w.buf = append(w.buf, w.o.LineSep...)
}

func (w *Writer) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Close writes the header if there were no rows; it does not close the underlying writer.
func (w *Writer) Close() error {
	w.header()
	return w.flush()
}

// column prints values without quotes: dates and times by their formats, decimals
// as BigDecimal.toString, everything else as a cast to string does.
func (o WriteOptions) column(t *vector.Type, a arrow.Array) render.Append {
	switch t.Kind {
	case vector.KindDate, vector.KindTimestamp, vector.KindTimestampNTZ:
		print, _ := o.Formats.Column(t, a)
		return print
	case vector.KindDecimal:
		return render.JavaDecimal(t, a)
	case vector.KindBinary:
		return render.Style{HexBinary: true}.Column(t, a)
	}
	return render.Style{}.Column(t, a)
}
