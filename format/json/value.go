package json

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// ValueReader reads each text as one value of a struct, array or map type: the
// core of from_json.
type ValueReader struct {
	typ   *vector.Type
	rows  *Reader // of a struct
	col   *column // of an array or map
	p     parser
	o     Options
	n     int
	nulls []int // rows whose struct itself is null
}

// NewValueReader makes a reader of values of type t. In DropMalformed mode it
// behaves as in Permissive.
func NewValueReader(t *vector.Type, o Options) *ValueReader {
	if o.Mode == DropMalformed {
		o.Mode = Permissive
	}
	r := &ValueReader{typ: t, o: o}
	r.p.o = &r.o
	if t.Kind == vector.KindStruct {
		r.rows = NewReader(vector.NewSchema(t.Fields...), o)
	} else {
		r.col = newColumn(t)
	}
	return r
}

// AppendNull adds a null.
func (r *ValueReader) AppendNull() {
	if r.rows != nil {
		r.rows.AppendNull()
		r.nulls = append(r.nulls, r.n)
	} else {
		r.col.appendNull()
	}
	r.n++
}

// Append reads one text: a blank one gives null, a malformed one a struct of
// nulls, or null for an array or map. The error is MALFORMED_RECORD_IN_PARSING,
// in FailFast mode only.
func (r *ValueReader) Append(record []byte) error {
	if r.rows != nil {
		added, err := r.rows.AppendRow(record)
		if err != nil {
			return err
		}
		if added {
			r.n++
		} else {
			r.AppendNull()
		}
		return nil
	}
	st := stOK
	r.p.d, r.p.i = record, 0
	switch c := r.p.peek(); {
	case c == 0 && r.p.i == len(record):
		r.AppendNull()
		return nil
	case c == '{' && r.typ.Kind == vector.KindArray && r.typ.Elem.Kind == vector.KindStruct:
		// A lone object is an array of one struct.
		base := r.col.kids[0].n
		st = r.p.object(r.col.kids[0], 0)
		st = r.col.close(base, st, st != stSyntax)
	case r.typ.Kind == vector.KindVariant, c == '[' && r.typ.Kind == vector.KindArray, c == '{' && r.typ.Kind == vector.KindMap:
		st = r.p.value(r.col, 0)
	default:
		st = stBad
	}
	if st != stOK && r.o.Mode == FailFast {
		r.col.truncate(r.n)
		return Malformed("[null]")
	}
	if st >= stBad {
		r.col.truncate(r.n)
		r.col.appendNull()
	}
	r.n++
	return nil
}

// Flush hands over the values read so far.
func (r *ValueReader) Flush() arrow.Array {
	n := r.n
	r.n = 0
	if r.col != nil {
		return r.col.finish()
	}
	cols, _ := r.rows.Flush()
	var valid vector.Bitmap
	if len(r.nulls) > 0 {
		valid = vector.NewValid(n)
		for _, i := range r.nulls {
			valid.Clear(i)
		}
		r.nulls = r.nulls[:0]
	}
	return vector.NewStruct(r.typ, cols, n, valid)
}
