package plan

import (
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// dropped is what an EXCEPT list drops of a column: all of it, or some fields.
type dropped struct {
	all    bool
	fields map[int]*dropped
}

// except drops the columns and fields of * EXCEPT (…).
func (a *Analyser) except(cols []Expr, s *sql.Star) ([]Expr, error) {
	if len(s.Except) == 0 {
		return cols, nil
	}
	attrs := make([]*Attr, len(cols))
	for i, c := range cols {
		attrs[i] = OutputOf(c)
	}
	drop := map[ID]*dropped{}
	for _, name := range s.Except {
		parts := identNames(name)
		e, err := a.column(parts, s.Span, attrs)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, a.unresolvedAmong(parts, s.Span, attrs)
		}
		if !dropPath(drop, e) {
			return nil, a.errorAt(s.Span, "EXCEPT_OVERLAPPING_COLUMNS", "columns", exceptList(s))
		}
	}
	var out []Expr
	for i, c := range cols {
		d := drop[attrs[i].ID]
		switch {
		case d == nil:
			out = append(out, c)
		case !d.all:
			rest, err := a.withoutFields(attrs[i], attrs[i].Typ, d, s.Span)
			if err != nil {
				return nil, err
			}
			out = append(out, NewAlias(rest, attrs[i].Name))
		}
	}
	return out, nil
}

func exceptList(s *sql.Star) string {
	names := make([]string, len(s.Except))
	for i, n := range s.Except {
		names[i] = plainParts(identNames(n))
	}
	return strings.Join(names, ", ")
}

// dropPath notes a column, or a field of one, as dropped; false if it or a part of
// it is dropped already.
func dropPath(drop map[ID]*dropped, e Expr) bool {
	var ordinals []int
	for {
		f, ok := e.(*FieldAccess)
		if !ok || f.OfArray {
			break
		}
		ordinals = append([]int{f.Ordinal}, ordinals...)
		e = f.Child
	}
	c, ok := e.(*Attr)
	if !ok {
		return false
	}
	d := drop[c.ID]
	if d == nil {
		d = &dropped{fields: map[int]*dropped{}}
		drop[c.ID] = d
	} else if len(ordinals) == 0 {
		return false
	}
	for i, o := range ordinals {
		next := d.fields[o]
		if d.all || next != nil && i == len(ordinals)-1 {
			return false
		}
		if next == nil {
			next = &dropped{fields: map[int]*dropped{}}
			d.fields[o] = next
		}
		d = next
	}
	d.all = true
	return true
}

// withoutFields rebuilds a struct from the fields that stay.
func (a *Analyser) withoutFields(e Expr, t *vector.Type, d *dropped, span sql.Span) (Expr, error) {
	var args []Expr
	for i, f := range t.Fields {
		var field Expr = &FieldAccess{Child: e, Ordinal: i, Name: f.Name, Span: span}
		if part := d.fields[i]; part != nil {
			if part.all {
				continue
			}
			var err error
			if field, err = a.withoutFields(field, f.Type, part, span); err != nil {
				return nil, err
			}
		}
		args = append(args, StringLiteral(f.Name), field)
	}
	return a.call("named_struct", args, span)
}
