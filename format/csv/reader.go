package csv

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/format/text"
	"github.com/vstream/vstream/vector"
)

const (
	chunkBytes   = 1 << 20
	maxBatchRows = 64 << 10
)

// Reader turns CSV text into the columns that a query needs. A Reader is used by
// one goroutine at a time.
type Reader struct {
	o       Options
	schema  *vector.Schema // the file's columns
	columns []int          // the needed ones, -1 for the corrupt-record column
	types   []*vector.Type
	tok     *tokenizer
	pruned  bool // records are not checked for their number of fields
	want    int  // fields of a record that are looked for, 0: all

	recs   []span  // the records
	counts []int32 // their number of fields
	first  []int32 // index of their first span
	bad    []badness
	anyBad bool
	line   int64 // lines before the chunk
	lines  []int32
}

// badness says why a record is malformed: 0 it is not, 1 for its number of
// fields, else 2 plus the needed column that does not convert.
type badness int32

// NewReader makes a reader of a file with the columns of schema that gives the
// columns numbered by needed. A type that CSV cannot hold gives
// UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE, a corrupt-record column that is not a
// string INVALID_CORRUPT_RECORD_TYPE.
func NewReader(schema *vector.Schema, needed []int, o Options) (*Reader, error) {
	if err := CheckSchema(schema, o); err != nil {
		return nil, err
	}
	r := &Reader{o: o, tok: newTokenizer(&o)}
	place := make([]int, len(schema.Fields))
	var fields []vector.Field
	for i, f := range schema.Fields {
		place[i] = -1
		if f.Name != o.CorruptColumn {
			place[i] = len(fields)
			fields = append(fields, f)
		}
	}
	r.schema = vector.NewSchema(fields...)
	withCorrupt, last := false, 0
	used := map[int]bool{}
	for _, c := range needed {
		r.columns = append(r.columns, place[c])
		r.types = append(r.types, schema.Fields[c].Type)
		withCorrupt = withCorrupt || place[c] < 0
		last = max(last, place[c]+1)
		used[place[c]] = true
	}
	r.pruned = o.ColumnPruning && !withCorrupt && len(used) < len(fields)
	if r.pruned && !o.MultiLine {
		r.want = last
	}
	return r, nil
}

// CheckSchema refuses types that CSV files cannot hold.
func CheckSchema(schema *vector.Schema, o Options) error {
	for _, f := range schema.Fields {
		if f.Name == o.CorruptColumn && f.Type.Kind != vector.KindString {
			return condition.New("INVALID_CORRUPT_RECORD_TYPE", "columnName", vector.QuoteIfNeeded(f.Name), "actualType", `"`+f.Type.SQL()+`"`)
		}
		if !f.Type.Atomic() || f.Type.Kind == vector.KindNull {
			return condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "format", "CSV",
				"columnName", vector.QuoteIfNeeded(f.Name), "columnType", `"`+f.Type.SQL()+`"`)
		}
	}
	return nil
}

// Read parses in and gives the rows to out in batches. start tells that in
// begins where the file does, so that it may begin with a byte order mark and a
// header. The error is MALFORMED_RECORD_IN_PARSING, in FailFast mode only,
// CSV_HEADER errors as Spark's, or what in or out return.
func (r *Reader) Read(in io.Reader, start bool, out func(cols []arrow.Array, rows int) error) error {
	if r.o.MultiLine {
		return r.readWhole(in, start, out)
	}
	buf, have := make([]byte, chunkBytes), 0
	r.line = 0
	header := start && r.o.Header
	for eof := false; !eof; {
		n, done, err := text.Fill(in, buf[have:])
		if err != nil {
			return err
		}
		have, eof = have+n, done
		if start && (have >= 3 || eof) {
			// Hadoop's line reader drops a byte order mark.
			have = copy(buf, bytes.TrimPrefix(buf[:have], []byte("\xef\xbb\xbf")))
			start = false
		}
		end := have
		if !eof {
			if end = r.lastLine(buf[:have]); end == 0 {
				buf = append(buf, make([]byte, len(buf))...)
				continue
			}
		}
		if err := r.chunk(buf[:end], &header, out); err != nil {
			return err
		}
		have = copy(buf, buf[end:have])
	}
	return nil
}

// Records parses each of n texts as one record, as from_csv does; a line end in a
// text is an ordinary character. There are at most 64 Ki texts. The error is
// MALFORMED_RECORD_IN_PARSING, in FailFast mode only.
func (r *Reader) Records(n int, text func(i int) []byte) (cols []arrow.Array, err error) {
	ends := make([]int, n+1)
	var buf []byte
	for i := range n {
		buf = append(buf, validText(text(i))...)
		ends[i+1] = len(buf)
	}
	r.begin(buf)
	for i := range n {
		from, end := ends[i], ends[i+1]
		if from < end && r.o.Comment != 0 && buf[from] == r.o.Comment {
			end = from
		}
		r.add(from, end, int32(i+1))
	}
	err = r.emit(func(c []arrow.Array, _ int) error {
		cols = c
		return nil
	})
	return cols, err
}

// lastLine is the length of the whole lines in b. A carriage return at the very
// end may be half of a line end.
func (r *Reader) lastLine(b []byte) int {
	if sep := r.o.LineSep; sep != "" {
		if i := bytes.LastIndex(b, []byte(sep)); i >= 0 {
			return i + len(sep)
		}
		return 0
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return bytes.LastIndexByte(b[:max(len(b)-1, 0)], '\r') + 1
}

// chunk parses whole lines.
func (r *Reader) chunk(b []byte, header *bool, out func([]arrow.Array, int) error) error {
	b = validText(b)
	r.begin(b)
	sep := byte('\n')
	mixed := r.o.LineSep != "" || bytes.IndexByte(b, '\r') >= 0
	lines := int32(0)
	for i := 0; i < len(b); {
		var end, next int
		if !mixed {
			if n := bytes.IndexByte(b[i:], sep); n >= 0 {
				end, next = i+n, i+n+1
			} else {
				end, next = len(b), len(b)
			}
		} else {
			end = i
			for next = 0; end < len(b); end++ {
				if next = r.tok.lineEnd(end); next > 0 {
					break
				}
			}
			next += end
		}
		from := i
		i = next
		lines++
		if end == from || b[from] <= ' ' && blank(b[from:end]) || r.o.Comment != 0 && b[from] == r.o.Comment {
			continue
		}
		if *header {
			*header = false
			if err := r.checkHeader(from, end); err != nil {
				return err
			}
			continue
		}
		r.add(from, end, lines)
		if len(r.recs) == maxBatchRows {
			if err := r.emit(out); err != nil {
				return err
			}
			r.begin(b)
		}
	}
	err := r.emit(out)
	r.line += int64(lines)
	return err
}

func (r *Reader) begin(b []byte) {
	r.tok.reset(b)
	r.recs, r.counts, r.first, r.lines, r.anyBad = r.recs[:0], r.counts[:0], r.first[:0], r.lines[:0], false
}

// add takes the record in buf[from:end].
func (r *Reader) add(from, end int, line int32) (next int) {
	r.recs = append(r.recs, span{uint32(from), int32(end - from)})
	r.lines = append(r.lines, line)
	r.first = append(r.first, int32(len(r.tok.spans)))
	fields := 0
	if len(r.columns) > 0 || !r.pruned {
		fields, next = r.tok.record(from, end, r.want)
	}
	r.counts = append(r.counts, int32(fields))
	return next
}

// readWhole parses records that may span lines.
func (r *Reader) readWhole(in io.Reader, start bool, out func([]arrow.Array, int) error) error {
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if start {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	b = validText(b)
	header := start && r.o.Header
	r.begin(b)
	line := int32(1)
	for i := 0; i < len(b); {
		if n := r.tok.lineEnd(i); n > 0 {
			i, line = i+n, line+1
			continue
		}
		if r.o.Comment != 0 && b[i] == r.o.Comment {
			for i < len(b) && r.tok.lineEnd(i) == 0 {
				i++
			}
			continue
		}
		from := i
		spans := len(r.tok.spans)
		fields, next := r.tok.record(i, len(b), 0)
		i = next
		end := next
		if header {
			header = false
			if err := r.checkTokens(r.tok.spans[spans:]); err != nil {
				return err
			}
			r.tok.spans = r.tok.spans[:spans]
		} else {
			for end > from && (b[end-1] == '\n' || b[end-1] == '\r') {
				end--
			}
			r.recs = append(r.recs, span{uint32(from), int32(end - from)})
			r.lines = append(r.lines, line)
			r.first = append(r.first, int32(spans))
			r.counts = append(r.counts, int32(fields))
		}
		line += int32(bytes.Count(b[from:next], []byte("\n")))
		if len(r.recs) == maxBatchRows {
			if err := r.emit(out); err != nil {
				return err
			}
			r.begin(b)
		}
	}
	return r.emit(out)
}

// blank tells whether a line has nothing but what Java's String.trim removes.
func blank(b []byte) bool {
	for _, c := range b {
		if c > ' ' {
			return false
		}
	}
	return true
}

// validText replaces bytes that are not UTF-8, as Java's decoder does.
func validText(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, c)
		b = b[n:]
	}
	return out
}

// emit converts the records and passes them on.
func (r *Reader) emit(out func([]arrow.Array, int) error) error {
	n := len(r.recs)
	if n == 0 {
		return nil
	}
	r.bad = append(r.bad[:0], make([]badness, n)...)
	if !r.pruned {
		for i, c := range r.counts {
			if int(c) != len(r.schema.Fields) {
				r.bad[i], r.anyBad = 1, true
			}
		}
	}
	cols := make([]arrow.Array, len(r.columns))
	for k, c := range r.columns {
		if c >= 0 {
			cols[k] = r.convert(k, c)
		}
	}
	if r.anyBad && r.o.Mode == FailFast {
		for i, b := range r.bad {
			if b != 0 {
				return r.malformed(i, b, cols)
			}
		}
	}
	for k, c := range r.columns {
		if c < 0 {
			cols[k] = r.corruptRecords()
		}
	}
	if r.anyBad && r.o.Mode == DropMalformed {
		keep := make([]uint32, 0, n)
		for i, b := range r.bad {
			if b == 0 {
				keep = append(keep, uint32(i))
			}
		}
		for k := range cols {
			cols[k] = vector.Take(cols[k], keep)
		}
		n = len(keep)
	}
	if n == 0 {
		return nil
	}
	return out(cols, n)
}

// corruptRecords is the column of the texts of malformed records.
func (r *Reader) corruptRecords() arrow.Array {
	n := len(r.recs)
	off, valid := make([]int32, n+1), vector.NewBitmap(n)
	var data []byte
	for i, b := range r.bad {
		if b != 0 {
			data = append(data, r.tok.text(r.recs[i])...)
			valid.Set(i)
		}
		off[i+1] = int32(len(data))
	}
	return vector.NewString(vector.String, off, data, valid)
}

// malformed is the error for record i. As in Spark it shows what could be read of
// the record; the cause has the text.
func (r *Reader) malformed(i int, b badness, cols []arrow.Array) error {
	row := []byte{'['}
	for k, c := range cols {
		if k > 0 {
			row = append(row, ',')
		}
		if c == nil {
			row = append(row, "null"...)
		} else {
			row = render.Style{Zone: r.o.Zone, Null: "null"}.Column(r.types[k], c)(row, i)
		}
	}
	row = append(row, ']')
	var why error
	if b == 1 {
		why = condition.New("MALFORMED_CSV_RECORD", "badRecord", string(r.tok.text(r.recs[i])))
	} else {
		k := int(b) - 2
		why = errors.New("the value of column " + r.schema.Fields[r.columns[k]].Name + " is not of type " + r.types[k].SQL())
	}
	return &RecordError{
		Line: r.line + int64(r.lines[i]),
		Err:  condition.New("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", string(row), "failFastMode", "FAILFAST").WithCause(why),
	}
}

// RecordError is a malformed record in FailFast mode.
type RecordError struct {
	Line int64 // of the record, from 1 where the input of Read began
	Err  *condition.Error
}

// Error is the condition's text.
func (e *RecordError) Error() string { return e.Err.Error() }

// Unwrap is the condition.
func (e *RecordError) Unwrap() error { return e.Err }
