package statestore

import (
	"errors"
	"fmt"
)

// View says how readers of the state show a table: as a struct of keys and a struct of
// values, with the names and types that Spark gives them.
type View struct {
	Key   []ViewField `json:"key"`
	Value []ViewField `json:"value"`
}

// ViewField is one field of a View.
type ViewField struct {
	Name string `json:"name"`
	Type string `json:"type"` // Spark type (DDL)
	// Column is where the field lies in the table, keys first, then values; NoColumn: it is always null.
	Column int  `json:"column"`
	Form   Form `json:"form,omitempty"`
}

// NoColumn is the column of a field that is always null.
const NoColumn = -1

// Form is how a field lies in its column.
type Form string

// The forms.
const (
	Plain   Form = ""        // the column holds the values
	Window  Form = "window"  // a struct of two columns: Column and the next one
	Encoded Form = "encoded" // the column holds the values' encodings
	Boxed   Form = "boxed"   // the column holds the encodings of structs of the one field, null or not
)

// check makes sure that the view shows columns of the table.
func (v *View) check(columns int) error {
	for _, f := range append(v.Key[:len(v.Key):len(v.Key)], v.Value...) {
		width := 1
		switch f.Form {
		case Plain, Encoded, Boxed:
		case Window:
			width = 2
		default:
			return fmt.Errorf("field %s of the view has the unknown form %q", f.Name, f.Form)
		}
		if f.Type == "" {
			return errors.New("field " + f.Name + " of the view has no type")
		}
		if f.Column < NoColumn || f.Column == NoColumn && f.Form != Plain || f.Column+width > columns {
			return errors.New("field " + f.Name + " of the view is of a column that there is not")
		}
	}
	return nil
}
