package json

import (
	"slices"
	"strings"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/vector"
)

// Inferrer finds the schema of records as Spark's JSON schema inference does:
// fields sorted by name, integers BIGINT, other numbers DOUBLE, a field of
// conflicting types STRING.
type Inferrer struct {
	o   Options
	typ *vector.Type
	bad bool
}

// NewInferrer makes an inferrer without records.
func NewInferrer(o Options) *Inferrer { return &Inferrer{o: o, typ: vector.Null} }

// Add looks at one record; a malformed one is ignored in DropMalformed mode and
// asks for a corrupt-record column in Permissive mode. The error is
// MALFORMED_RECORD_IN_PARSING in FailFast mode.
func (f *Inferrer) Add(record []byte) error {
	p := &parser{}
	p.o, p.d = &f.o, record
	if p.peek() == 0 && p.i == len(record) {
		return nil
	}
	t, ok := p.infer(0)
	if t != nil && t.Kind == vector.KindArray {
		t = t.Elem // an array of objects is as many records
	}
	if ok && t.Kind != vector.KindStruct && t.Kind != vector.KindNull {
		ok = false
	}
	switch {
	case ok:
		f.typ = f.o.merge(f.typ, t)
	case f.o.Mode == Permissive:
		f.bad = true
	case f.o.Mode == FailFast:
		return Malformed(string(record))
	}
	return nil
}

// Schema is the schema of the records so far.
func (f *Inferrer) Schema() *vector.Schema {
	var fields []vector.Field
	if t := canonical(f.typ); t != nil && t.Kind == vector.KindStruct {
		fields = slices.Clone(t.Fields)
	}
	if f.bad {
		name := f.o.CorruptRecordColumn
		fields = slices.DeleteFunc(fields, func(g vector.Field) bool { return g.Name == name })
		fields = append(fields, vector.Field{Name: name, Type: vector.String, Nullable: true})
		sortFields(fields)
	}
	return vector.NewSchema(fields...)
}

// InferType is the type of one JSON text, for schema_of_json.
func InferType(record []byte, o Options) (*vector.Type, error) {
	p := &parser{}
	p.o, p.d = &o, record
	t, ok := p.infer(0)
	if !ok {
		return nil, Malformed(string(record))
	}
	if t = canonical(t); t == nil {
		return vector.String, nil
	}
	return t, nil
}

func sortFields(fs []vector.Field) {
	slices.SortStableFunc(fs, func(a, b vector.Field) int { return strings.Compare(a.Name, b.Name) })
}

// infer reads a value and gives its type; false at a syntax error.
func (p *parser) infer(depth int) (*vector.Type, bool) {
	t, num := p.next()
	switch t {
	case tokNone:
		return nil, false
	case tokNull:
		return vector.Null, true
	case tokString:
		s, ok := p.str()
		if len(s) == 0 {
			return vector.Null, ok
		}
		return vector.String, ok
	case tokObject:
		var fields []vector.Field
		ok := p.members(depth, func(name []byte) bool {
			n := string(name)
			t, ok := p.infer(depth + 1)
			if ok {
				fields = append(fields, vector.Field{Name: n, Type: t, Nullable: true})
			}
			return ok
		})
		sortFields(fields)
		return vector.StructOf(fields...), ok
	case tokArray:
		elem := vector.Null
		ok := p.elements(depth, func() bool {
			t, ok := p.infer(depth + 1)
			if ok {
				elem = p.o.merge(elem, t)
			}
			return ok
		})
		return vector.ArrayOf(elem, true), ok
	}
	if p.o.PrimitivesAsString {
		return vector.String, true
	}
	switch t {
	case tokTrue, tokFalse:
		return vector.Bool, true
	case tokInt:
		if _, ok := parseInt(num); ok {
			return vector.Long, true
		}
		if digits := len(strings.TrimLeft(string(num), "-")); digits <= 38 {
			return vector.Decimal(digits, 0), true
		}
	case tokFloat:
		if p.o.PrefersDecimal {
			if _, digits, scale, ok := decimal.ParseExact(num); ok && scale >= 0 {
				return vector.Decimal(max(digits, scale), scale), true
			}
		}
	}
	return vector.Double, true
}

// merge is the type that holds values of both.
func (o *Options) merge(a, b *vector.Type) *vector.Type {
	switch {
	case a.Equal(b), b.Kind == vector.KindNull:
		return a
	case a.Kind == vector.KindNull:
		return b
	case a.Kind == vector.KindStruct && b.Kind == vector.KindStruct:
		return o.mergeStructs(a, b)
	case a.Kind == vector.KindArray && b.Kind == vector.KindArray:
		return vector.ArrayOf(o.merge(a.Elem, b.Elem), true)
	case a.Numeric() && b.Numeric():
		if a.Kind == vector.KindDouble || b.Kind == vector.KindDouble {
			return vector.Double
		}
		pa, sa := decimalOf(a)
		pb, sb := decimalOf(b)
		scale := max(sa, sb)
		if p := max(pa-sa, pb-sb) + scale; p <= 38 {
			return vector.Decimal(p, scale)
		}
		return vector.Double
	}
	return vector.String
}

func decimalOf(t *vector.Type) (precision, scale int) {
	if t.Kind == vector.KindLong {
		return 20, 0
	}
	return t.Precision, t.Scale
}

func (o *Options) mergeStructs(a, b *vector.Type) *vector.Type {
	fields := slices.Clone(a.Fields)
	at := make(map[string]int, len(fields))
	for i, f := range fields {
		at[f.Name] = i
	}
	for _, f := range b.Fields {
		if i, ok := at[f.Name]; ok {
			fields[i].Type = o.merge(fields[i].Type, f.Type)
		} else {
			fields = append(fields, f)
		}
	}
	sortFields(fields)
	return vector.StructOf(fields...)
}

// canonical replaces what stayed unknown by STRING and drops empty structs; nil
// if nothing is left.
func canonical(t *vector.Type) *vector.Type {
	switch t.Kind {
	case vector.KindNull:
		return vector.String
	case vector.KindArray:
		if e := canonical(t.Elem); e != nil {
			return vector.ArrayOf(e, true)
		}
		return nil
	case vector.KindStruct:
		var fields []vector.Field
		for _, f := range t.Fields {
			if c := canonical(f.Type); c != nil && f.Name != "" {
				fields = append(fields, vector.Field{Name: f.Name, Type: c, Nullable: true})
			}
		}
		if len(fields) == 0 {
			return nil
		}
		return vector.StructOf(fields...)
	}
	return t
}
