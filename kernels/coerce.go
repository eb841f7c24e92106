package kernels

import (
	"strings"

	"github.com/vstream/vstream/vector"
)

// This file and accept.go hold Spark's type coercion. Two rule sets exist:
// AnsiTypeCoercion, used when Conf.ANSI is true (the default), and TypeCoercion.
//
//   - Tightest(conf, a, b): the type both sides convert to without loss of
//     digits; what comparisons and arithmetic of non-strings use.
//   - Wider(conf, a, b): Tightest, then decimals, then strings; what
//     CASE, coalesce, IN, UNION and array use for two types.
//   - CommonType(conf, types): Wider over a list.
//   - ImplicitCast(conf, from, accept): the type to which an argument of a
//     function is cast, if the function takes it at all (accept.go).
//
// sig.go turns a list of Accepts into a Scalar.Bind.

func primitiveOf(k vector.Kind) *vector.Type {
	switch k {
	case vector.KindByte:
		return vector.Byte
	case vector.KindShort:
		return vector.Short
	case vector.KindInt:
		return vector.Int
	case vector.KindLong:
		return vector.Long
	case vector.KindFloat:
		return vector.Float
	}
	return vector.Double
}

func isDecimal(t *vector.Type) bool { return t.Kind == vector.KindDecimal }
func isString(t *vector.Type) bool  { return t.Kind == vector.KindString }
func isNull(t *vector.Type) bool    { return t.Kind == vector.KindNull }

func isInterval(t *vector.Type) bool {
	return t.Kind == vector.KindDayTimeInterval || t.Kind == vector.KindYearMonthInterval
}

// Tightest is Spark's findTightestCommonType: nil if there is none.
func Tightest(conf *Conf, a, b *vector.Type) *vector.Type {
	switch {
	case a.Equal(b):
		return mergeNullability(a, b)
	case isNull(a):
		return b
	case isNull(b):
		return a
	case a.Integral() && isDecimal(b) && decimalHolds(b, DecimalFor(a)):
		return b
	case isDecimal(a) && b.Integral() && decimalHolds(a, DecimalFor(b)):
		return a
	case a.Numeric() && b.Numeric() && !isDecimal(a) && !isDecimal(b):
		k := max(a.Kind, b.Kind) // the kinds are declared in Spark's order of precedence
		if k == vector.KindFloat && conf.ANSI {
			// An integer may lose digits as a float, so ANSI widens to double.
			return vector.Double
		}
		return primitiveOf(k)
	case a.Datetime() && b.Datetime():
		if a.Kind == vector.KindTimestamp || b.Kind == vector.KindTimestamp {
			return vector.Timestamp
		}
		return vector.TimestampNTZ
	case a.Kind == vector.KindTime && b.Kind == vector.KindTime:
		if a.Precision > b.Precision {
			return a
		}
		return b
	case isInterval(a) && a.Kind == b.Kind:
		return &vector.Type{Kind: a.Kind, Start: min(a.Start, b.Start), End: max(a.End, b.End)}
	}
	return commonNested(conf, a, b, Tightest)
}

// Wider is Spark's findWiderTypeForTwo: nil if the types have no common type.
func Wider(conf *Conf, a, b *vector.Type) *vector.Type {
	if t := Tightest(conf, a, b); t != nil {
		return t
	}
	if t := widerDecimal(a, b); t != nil {
		return t
	}
	if t := withString(conf, a, b); t != nil {
		return t
	}
	return commonNested(conf, a, b, Wider)
}

// WiderWithoutStrings is Wider outside of ANSI mode for types of which a text does not
// become another one.
func WiderWithoutStrings(a, b *vector.Type) *vector.Type {
	conf := &Conf{}
	if t := Tightest(conf, a, b); t != nil {
		return t
	}
	if t := widerDecimal(a, b); t != nil {
		return t
	}
	return commonNested(conf, a, b, func(_ *Conf, a, b *vector.Type) *vector.Type { return WiderWithoutStrings(a, b) })
}

// CommonType is Spark's findWiderCommonType: the type of CASE branches,
// coalesce, IN lists, array elements. nil if there is none; Null for no types.
func CommonType(conf *Conf, types []*vector.Type) *vector.Type {
	out := vector.Null
	if !conf.ANSI {
		// The non-ANSI rules are not associative for strings: they go first.
		types = stringsFirst(types)
	}
	for _, t := range types {
		if out = Wider(conf, out, t); out == nil {
			return nil
		}
	}
	return out
}

func stringsFirst(types []*vector.Type) []*vector.Type {
	out := make([]*vector.Type, 0, len(types))
	for _, t := range types {
		if hasString(t) {
			out = append(out, t)
		}
	}
	for _, t := range types {
		if !hasString(t) {
			out = append(out, t)
		}
	}
	return out
}

func hasString(t *vector.Type) bool {
	return isString(t) || t.Kind == vector.KindArray && hasString(t.Elem)
}

// withString is the type of a string that meets another type.
func withString(conf *Conf, a, b *vector.Type) *vector.Type {
	if !isString(a) {
		a, b = b, a
	}
	if !isString(a) || isString(b) || !b.Atomic() {
		return nil
	}
	if !conf.ANSI {
		if b.Kind == vector.KindBinary || b.Kind == vector.KindBool || b.Kind == vector.KindCalendarInterval {
			return nil
		}
		return vector.String
	}
	switch {
	case b.Integral():
		return vector.Long
	case b.Fractional():
		return vector.Double
	case isInterval(b), b.Kind == vector.KindCalendarInterval:
		return nil // the string does not say which interval it is
	}
	return b
}

// widerDecimal is the common type where one side is a decimal.
func widerDecimal(a, b *vector.Type) *vector.Type {
	switch {
	case isDecimal(a) && isDecimal(b):
		return WiderDecimal(a, b)
	case isDecimal(a) && b.Integral():
		return WiderDecimal(a, DecimalFor(b))
	case a.Integral() && isDecimal(b):
		return WiderDecimal(DecimalFor(a), b)
	case isDecimal(a) && b.Fractional(), a.Fractional() && isDecimal(b):
		return vector.Double
	}
	return nil
}

// commonNested applies find to the inner types of two arrays, maps or structs.
func commonNested(conf *Conf, a, b *vector.Type, find func(*Conf, *vector.Type, *vector.Type) *vector.Type) *vector.Type {
	if a.Kind != b.Kind {
		return nil
	}
	switch a.Kind {
	case vector.KindArray:
		e := find(conf, a.Elem, b.Elem)
		if e == nil {
			return nil
		}
		return vector.ArrayOf(e, a.ElemNullable || b.ElemNullable || forceNullable(a.Elem, e) || forceNullable(b.Elem, e))
	case vector.KindMap:
		k := find(conf, a.Key, b.Key)
		v := find(conf, a.Elem, b.Elem)
		if k == nil || v == nil || forceNullable(a.Key, k) || forceNullable(b.Key, k) {
			return nil
		}
		return vector.MapOf(k, v, a.ElemNullable || b.ElemNullable || forceNullable(a.Elem, v) || forceNullable(b.Elem, v))
	case vector.KindStruct:
		if len(a.Fields) != len(b.Fields) {
			return nil
		}
		fs := make([]vector.Field, len(a.Fields))
		for i, f := range a.Fields {
			g := b.Fields[i]
			if !strings.EqualFold(f.Name, g.Name) {
				return nil
			}
			t := find(conf, f.Type, g.Type)
			if t == nil {
				return nil
			}
			fs[i] = vector.Field{Name: f.Name, Type: t, Nullable: f.Nullable || g.Nullable || forceNullable(f.Type, t) || forceNullable(g.Type, t)}
		}
		return vector.StructOf(fs...)
	}
	return nil
}

// mergeNullability is the type of values of a and of b, which are equal except
// for inner nullability.
func mergeNullability(a, b *vector.Type) *vector.Type {
	switch a.Kind {
	case vector.KindArray:
		return vector.ArrayOf(mergeNullability(a.Elem, b.Elem), a.ElemNullable || b.ElemNullable)
	case vector.KindMap:
		return vector.MapOf(mergeNullability(a.Key, b.Key), mergeNullability(a.Elem, b.Elem), a.ElemNullable || b.ElemNullable)
	case vector.KindStruct:
		fs := make([]vector.Field, len(a.Fields))
		for i, f := range a.Fields {
			fs[i] = vector.Field{Name: f.Name, Type: mergeNullability(f.Type, b.Fields[i].Type), Nullable: f.Nullable || b.Fields[i].Nullable}
		}
		return vector.StructOf(fs...)
	}
	return a
}
