package kernels

import (
	"slices"
	"strings"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// variantType is the type that schema_of_variant tells; an object is a struct.
func variantType(v variant.Value) *vector.Type {
	switch k := v.Kind(); k {
	case variant.Null, variant.Malformed:
		return vector.Null
	case variant.Decimal:
		d, scale := v.Decimal()
		return vector.Decimal(max(decimal.Digits(d), scale), scale)
	case variant.UUID:
		return vector.String
	case variant.Array:
		elem := vector.Null
		for i := range v.Len() {
			elem = mergeVariantTypes(elem, variantType(v.Elem(i)))
		}
		return vector.ArrayOf(elem, true)
	case variant.Object:
		fields := make([]vector.Field, v.Len())
		for i := range fields {
			name, value := v.Field(i)
			fields[i] = vector.Field{Name: string(name), Type: variantType(value), Nullable: true}
		}
		return vector.StructOf(fields...)
	default:
		return variantScalars[k]
	}
}

// mergeVariantTypes is the type of the values of both types, VARIANT if they
// have nothing in common.
func mergeVariantTypes(a, b *vector.Type) *vector.Type {
	switch {
	case a.Equal(b), isNull(b):
		return a
	case isNull(a):
		return b
	case a.Kind == vector.KindArray && b.Kind == vector.KindArray:
		return vector.ArrayOf(mergeVariantTypes(a.Elem, b.Elem), true)
	case a.Kind == vector.KindStruct && b.Kind == vector.KindStruct:
		return mergeObjects(a, b)
	case a.Numeric() && b.Numeric():
		return mergeNumbers(a, b)
	case a.Kind == vector.KindDate && isTimestamp(b):
		return b
	case b.Kind == vector.KindDate && isTimestamp(a):
		return a
	case isTimestamp(a) && isTimestamp(b):
		return vector.Timestamp
	}
	return vector.Variant
}

func mergeNumbers(a, b *vector.Type) *vector.Type {
	switch {
	case isDecimal(a) && isDecimal(b), isDecimal(a) && b.Integral(), a.Integral() && isDecimal(b):
		x, y := DecimalFor(a), DecimalFor(b)
		scale := max(x.Scale, y.Scale)
		if p := max(x.Precision-x.Scale, y.Precision-y.Scale) + scale; p <= decimal.MaxPrecision {
			return vector.Decimal(p, scale)
		}
	case a.Kind == vector.KindFloat && b.Integral(), a.Integral() && b.Kind == vector.KindFloat:
		return vector.Float
	}
	return vector.Double
}

// mergeObjects has the fields of both in the order of their names.
func mergeObjects(a, b *vector.Type) *vector.Type {
	fields := slices.Clone(a.Fields)
	for _, f := range b.Fields {
		i, found := slices.BinarySearchFunc(fields, f.Name, func(x vector.Field, name string) int { return strings.Compare(x.Name, name) })
		if found {
			fields[i].Type = mergeVariantTypes(fields[i].Type, f.Type)
		} else {
			fields = slices.Insert(fields, i, f)
		}
	}
	return vector.StructOf(fields...)
}

// variantTypeSQL prints such a type, with OBJECT for a struct.
func variantTypeSQL(t *vector.Type) string {
	switch t.Kind {
	case vector.KindArray:
		return "ARRAY<" + variantTypeSQL(t.Elem) + ">"
	case vector.KindStruct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = vector.QuoteIfNeeded(f.Name) + ": " + variantTypeSQL(f.Type)
		}
		return "OBJECT<" + strings.Join(parts, ", ") + ">"
	}
	return t.SQL()
}
