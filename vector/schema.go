package vector

import "strings"

// Schema is an ordered list of columns; immutable after it is built. Names may repeat.
type Schema struct{ Fields []Field }

// NewSchema builds a schema.
func NewSchema(fields ...Field) *Schema { return &Schema{Fields: fields} }

// Len is the number of columns.
func (s *Schema) Len() int { return len(s.Fields) }

// Index finds a column by exact name, then without regard to case; -1 if there is none.
func (s *Schema) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	for i, f := range s.Fields {
		if strings.EqualFold(f.Name, name) {
			return i
		}
	}
	return -1
}

// Type is the schema as a struct type.
func (s *Schema) Type() *Type { return StructOf(s.Fields...) }

// String is Spark's simpleString of the schema: "struct<a:int,b:string>".
func (s *Schema) String() string { return s.Type().String() }

// Project is the schema of some of the columns, in the order given.
func (s *Schema) Project(cols []int) *Schema {
	fs := make([]Field, len(cols))
	for i, c := range cols {
		fs[i] = s.Fields[c]
	}
	return &Schema{Fields: fs}
}

// Equal compares names and types in order.
func (s *Schema) Equal(o *Schema) bool { return s.Type().Equal(o.Type()) }
