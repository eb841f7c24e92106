package json

import (
	"io"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// LineWriter writes batches as lines with one JSON object each.
type LineWriter struct {
	w      io.Writer
	schema *vector.Schema
	o      WriteOptions
	buf    []byte
}

// NewLineWriter makes a LineWriter on w. A type that JSON files cannot hold gives
// UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE.
func NewLineWriter(w io.Writer, s *vector.Schema, o WriteOptions) (*LineWriter, error) {
	for _, f := range s.Fields {
		if !writable(f.Type) {
			return nil, condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
				"columnName", vector.QuoteIfNeeded(f.Name), "columnType", `"`+f.Type.SQL()+`"`, "format", "JSON")
		}
	}
	if o.LineSep == "" {
		o.LineSep = "\n"
	}
	return &LineWriter{w: w, schema: s, o: o}, nil
}

func writable(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindCalendarInterval, vector.KindVariant:
		return false
	case vector.KindArray:
		return writable(t.Elem)
	case vector.KindMap:
		return writable(t.Key) && writable(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if !writable(f.Type) {
				return false
			}
		}
	}
	return true
}

// flushBytes is how much a LineWriter gathers before it writes.
const flushBytes = 256 << 10

// Write adds the rows of b.
func (w *LineWriter) Write(b *vector.Batch) error {
	row := w.o.object(w.schema.Fields, b.Columns())
	for i := range b.Len() {
		w.buf = append(row(w.buf, i), w.o.LineSep...)
		if len(w.buf) >= flushBytes {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

func (w *LineWriter) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Close does nothing: every Write passes its rows on.
func (w *LineWriter) Close() error { return nil }
