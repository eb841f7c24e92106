package json

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// Reader turns records of JSON text into the columns of a schema by the rules
// of Spark's JSON reader. Field names compare exactly; a missing field is null;
// unknown fields and text behind the record are ignored.
//
// A record whose text is malformed gives a row of nulls in Permissive mode; one
// with a field that does not convert to its type keeps its other fields. A
// column of the name Options.CorruptRecordColumn takes the text of both.
//
// A Reader is used by one goroutine at a time.
type Reader struct {
	p       parser
	o       Options
	root    *column // struct of the columns to parse
	slots   []int   // position of each of root's fields in the schema
	corrupt *column // the corrupt-record column, nil if there is none
	at      int     // its position in the schema
}

// NewReader makes a reader of rows of the schema.
func NewReader(schema *vector.Schema, o Options) *Reader {
	r := &Reader{o: o, at: -1}
	r.p.o = &r.o
	var fields []vector.Field
	for i, f := range schema.Fields {
		if f.Name == o.CorruptRecordColumn && f.Type.Kind == vector.KindString && r.corrupt == nil {
			r.corrupt, r.at = newColumn(f.Type), i
			continue
		}
		fields = append(fields, f)
		r.slots = append(r.slots, i)
	}
	r.root = newColumn(vector.StructOf(fields...))
	return r
}

// AppendLine reads one record. A blank line gives no row; an array gives a row
// for each of its elements. The error is MALFORMED_RECORD_IN_PARSING, in FailFast
// mode only.
func (r *Reader) AppendLine(line []byte) error {
	base := r.root.n
	r.p.d, r.p.i = line, 0
	c := r.p.peek()
	if c == 0 && r.p.i == len(line) {
		return nil
	}
	st := stBad
	switch c {
	case '{':
		st = r.p.object(r.root, 0)
	case '[':
		st = r.rows()
	}
	return r.end(line, base, st)
}

// rows reads an array of objects as rows.
func (r *Reader) rows() status {
	st := stOK
	ok := r.p.elements(0, func() bool {
		if r.p.peek() != '{' {
			st = stBad // stop here: the record is lost
			return false
		}
		s := r.p.object(r.root, 1)
		st = max(st, s)
		return s != stSyntax
	})
	if !ok && st < stBad {
		return stSyntax
	}
	return st
}

// AppendRow reads exactly one row, as from_json does: an array is malformed and
// a blank text adds no row, which added tells.
func (r *Reader) AppendRow(record []byte) (added bool, err error) {
	base := r.root.n
	r.p.d, r.p.i = record, 0
	c := r.p.peek()
	if c == 0 && r.p.i == len(record) {
		return false, nil
	}
	st := stBad
	if c == '{' {
		st = r.p.object(r.root, 0)
	}
	return true, r.end(record, base, st)
}

// AppendNull adds a row of nulls that counts as well formed.
func (r *Reader) AppendNull() {
	r.root.appendZero()
	if r.corrupt != nil {
		r.corrupt.appendNull()
	}
}

// end completes the rows that a record gave, from row base on.
func (r *Reader) end(record []byte, base int, st status) error {
	if st >= stBad {
		for _, k := range r.root.kids {
			k.truncate(base)
		}
		r.root.n = base
		if r.root.absent != nil {
			r.root.absent.truncate(base)
		}
	}
	if st != stOK {
		switch r.o.Mode {
		case FailFast:
			err := Malformed(r.describe(base, st))
			r.root.truncate(base)
			return err
		case DropMalformed:
			r.root.truncate(base)
			return nil
		}
		if st >= stBad {
			for k := range r.root.kids {
				r.root.lacks(base, k)
			}
			r.root.appendZero()
		}
	}
	if r.corrupt != nil {
		for r.corrupt.n < r.root.n {
			if st == stOK {
				r.corrupt.appendNull()
			} else {
				r.corrupt.appendBytes(record)
			}
		}
	}
	return nil
}

// Malformed is the error of a malformed record in FailFast mode; row is the
// record's partial result as Spark prints it.
func Malformed(row string) error {
	return condition.New("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
		"badRecord", row, "failFastMode", "FAILFAST")
}

// describe prints the partial result of a bad record: "[1,null]".
func (r *Reader) describe(base int, st status) string {
	vals := make([]string, len(r.slots))
	for i := range vals {
		vals[i] = "null"
		k := r.root.kids[i]
		switch {
		case st >= stBad || slices.Contains(k.nulls, int32(base)):
		case len(k.kids) > 0:
			vals[i] = "..."
		default:
			a := *k
			vals[i] = a.finish().ValueStr(base)
		}
	}
	return "[" + strings.Join(vals, ",") + "]"
}

// Rows is the number of rows since the last Flush.
func (r *Reader) Rows() int { return r.root.n }

// Flush hands over the rows read so far as columns of the schema.
func (r *Reader) Flush() (cols []arrow.Array, rows int) {
	rows = r.root.n
	cols = make([]arrow.Array, len(r.slots), len(r.slots)+1)
	if r.at >= 0 {
		cols = append(cols, nil)
		cols[r.at] = r.corrupt.finish()
	}
	for i, k := range r.root.kids {
		cols[r.slots[i]] = k.finish()
	}
	r.root.n = 0
	if r.root.absent != nil {
		r.root.absent.truncate(0)
	}
	return cols, rows
}
