package file

import (
	"io"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// textWriter writes the values of a single STRING column as lines; a null is an empty line.
type textWriter struct {
	w   io.Writer
	sep string
	buf []byte
}

func newTextWriter(w io.Writer, s *vector.Schema, sep string) (rowWriter, error) {
	for _, f := range s.Fields {
		if f.Type.Kind != vector.KindString {
			return nil, condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
				"columnName", vector.QuoteIfNeeded(f.Name), "columnType", `"`+f.Type.SQL()+`"`, "format", "Text")
		}
	}
	if s.Len() != 1 {
		return nil, condition.New("_LEGACY_ERROR_TEMP_1290", "schemaSize", s.Len())
	}
	return &textWriter{w: w, sep: sep}, nil
}

func (t *textWriter) Write(b *vector.Batch) error {
	a := b.Col(0)
	off, data := vector.Strings(a)
	t.buf = t.buf[:0]
	for i := range b.Len() {
		if a.IsValid(i) {
			t.buf = append(t.buf, data[off[i]:off[i+1]]...)
		}
		t.buf = append(t.buf, t.sep...)
	}
	_, err := t.w.Write(t.buf)
	return err
}

func (t *textWriter) Close() error { return nil }
