package reader

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// layout turns the blocks of a table into the columns of its view.
type layout struct {
	file       string         // the schema file, for errors
	flat       []vector.Field // the table's columns, keys first
	keys       int            // how many are keys
	key, value viewColumn
}

// viewColumn is a struct of the view.
type viewColumn struct {
	typ    *vector.Type
	fields []shownField
}

type shownField struct {
	typ    *vector.Type
	column int
	form   statestore.Form
}

// last is the last column of the field.
func (f shownField) last() int {
	if f.form == statestore.Window {
		return f.column + 1
	}
	return f.column
}

// newLayout reads the types of a table. One that has no view is VSTREAM_CORRUPT_FILE.
func newLayout(file string, s statestore.Schema) (*layout, error) {
	l := &layout{file: file, keys: len(s.Keys)}
	if s.View == nil {
		return nil, l.corrupt("it does not say how the table is shown")
	}
	for _, c := range append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...) {
		t, err := parseType(c.Type)
		if err != nil {
			return nil, l.corrupt(err.Error())
		}
		if !t.Atomic() {
			t = vector.Binary
		}
		f := vector.Field{Name: c.Name, Type: t, Nullable: c.Nullable}
		if exec.StoreColumns([]vector.Field{f})[0].Width != c.Width {
			return nil, l.corrupt(fmt.Sprintf("column %s of type %s is %d bytes wide", c.Name, c.Type, c.Width))
		}
		l.flat = append(l.flat, f)
	}
	var err error
	if l.key, err = l.view(s.View.Key); err != nil {
		return nil, err
	}
	for _, f := range l.key.fields {
		if f.last() >= l.keys {
			return nil, l.corrupt("its view has keys that are no keys of the table")
		}
	}
	l.value, err = l.view(s.View.Value)
	return l, err
}

func parseType(ddl string) (*vector.Type, error) {
	s, err := plan.ParseSchema("c " + ddl)
	if err != nil {
		return nil, err
	}
	if len(s.Fields) != 1 {
		return nil, fmt.Errorf("%q is no type", ddl)
	}
	return s.Fields[0].Type, nil
}

func (l *layout) view(fields []statestore.ViewField) (viewColumn, error) {
	var v viewColumn
	var named []vector.Field
	for _, f := range fields {
		t, err := parseType(f.Type)
		if err != nil {
			return v, l.corrupt(err.Error())
		}
		if f.Column != statestore.NoColumn && !l.fits(f, t) {
			return v, l.corrupt(fmt.Sprintf("field %s of type %s cannot lie in column %s of type %s", f.Name, f.Type, l.flat[f.Column].Name, l.flat[f.Column].Type))
		}
		named = append(named, vector.Field{Name: f.Name, Type: t, Nullable: true})
		v.fields = append(v.fields, shownField{t, f.Column, f.Form})
	}
	v.typ = vector.StructOf(named...)
	return v, nil
}

// fits tells whether a field can be made of its columns.
func (l *layout) fits(f statestore.ViewField, t *vector.Type) bool {
	flat := l.flat[f.Column].Type
	switch f.Form {
	case statestore.Window:
		return t.Kind == vector.KindStruct && len(t.Fields) == 2 &&
			t.Fields[0].Type.Equal(flat) && t.Fields[1].Type.Equal(l.flat[f.Column+1].Type)
	case statestore.Encoded, statestore.Boxed:
		return flat.Kind == vector.KindBinary
	}
	return t.Equal(flat)
}

func (l *layout) corrupt(detail string) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", l.file, "detail", detail)
}

// columns are the flat columns of a block: all of them, or the keys' of a block of deletes.
func (l *layout) columns(b statestore.Block) ([]arrow.Array, error) {
	cols, err := exec.BlockColumns(l.flat[:min(len(b.Cols), len(l.flat))], b)
	if err != nil {
		return nil, l.corrupt("a state file does not fit it: " + err.Error())
	}
	return cols, nil
}

// column makes a struct of the view from n rows of flat columns.
func (l *layout) column(v viewColumn, cols []arrow.Array, n int) (arrow.Array, error) {
	fields := make([]arrow.Array, len(v.fields))
	for i, f := range v.fields {
		var err error
		switch f.form {
		case statestore.Window:
			end := cols[f.column+1]
			fields[i] = vector.NewStruct(f.typ, []arrow.Array{cols[f.column], end}, n, vector.Validity(end))
		case statestore.Encoded:
			fields[i], err = vector.ParseKey(f.typ, cols[f.column])
		case statestore.Boxed:
			var box arrow.Array
			if box, err = vector.ParseKey(boxOf(f.typ), cols[f.column]); err == nil {
				fields[i] = vector.StructField(box, 0)
			}
		default:
			if f.column == statestore.NoColumn {
				fields[i] = vector.NewNull(f.typ, n)
			} else {
				fields[i] = cols[f.column]
			}
		}
		if err != nil {
			return nil, l.corrupt(fmt.Sprintf("field %s does not fit its type %s: %v", v.typ.Fields[i].Name, f.typ, err))
		}
	}
	return vector.NewStruct(v.typ, fields, n, nil), nil
}

// boxOf is the struct that holds a value of a type, null or not.
func boxOf(t *vector.Type) *vector.Type {
	return vector.StructOf(vector.Field{Name: "key", Type: t, Nullable: true})
}
