package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// extract is base[key] as Spark's ExtractValue reads it: a field of a struct or
// of the structs in an array by a constant name, an element of an array, a value
// of a map.
func (a *Analyser) extract(base, key Expr, span sql.Span) (Expr, error) {
	t := base.Type()
	name, constant := stringConst(key)
	switch {
	case t.Kind == vector.KindStruct && constant:
		return a.fieldOf(base, t, name, false, span)
	case t.Kind == vector.KindArray && t.Elem.Kind == vector.KindStruct && constant:
		return a.fieldOf(base, t.Elem, name, true, span)
	case t.Kind == vector.KindArray, t.Kind == vector.KindMap:
		return a.call("$index", []Expr{base, key}, span)
	case t.Kind == vector.KindStruct:
		return nil, a.errorAt(span, "INVALID_EXTRACT_FIELD_TYPE", "extraction", quoteSQL(key))
	}
	return nil, a.errorAt(span, "INVALID_EXTRACT_BASE_FIELD_TYPE", "base", quoteSQL(base), "other", quoteType(t))
}

func (a *Analyser) fieldOf(base Expr, t *vector.Type, name string, ofArray bool, span sql.Span) (Expr, error) {
	ordinal, count := -1, 0
	for i, f := range t.Fields {
		if a.same(f.Name, name) {
			if count == 0 {
				ordinal = i
			}
			count++
		}
	}
	switch count {
	case 0:
		names := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			names[i] = quoteParts([]string{f.Name})
		}
		return nil, a.errorAt(span, "FIELD_NOT_FOUND", "fieldName", quoteParts([]string{name}), "fields", strings.Join(names, ", "))
	case 1:
		return &FieldAccess{Child: base, Ordinal: ordinal, Name: name, OfArray: ofArray, Span: span}, nil
	}
	return nil, a.errorAt(span, "AMBIGUOUS_REFERENCE_TO_FIELDS", "field", quoteParts([]string{name}), "count", strconv.Itoa(count))
}

// stringConst is the value of a non-null string literal.
func stringConst(e Expr) (string, bool) {
	l, ok := e.(*Literal)
	if !ok || l.Typ.Kind != vector.KindString || l.Value.IsNull(0) {
		return "", false
	}
	return stringAt(l.Value), true
}

func stringAt(v vector.Vec) string {
	off, data := vector.Strings(v.Arr)
	return string(data[off[0]:off[1]])
}
