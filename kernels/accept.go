package kernels

import (
	"strings"

	"github.com/vstream/vstream/vector"
)

// Accept says which types a parameter of a function takes: Spark's AbstractDataType.
type Accept struct {
	name    string                  // as messages quote it: INT, NUMERIC
	exact   *vector.Type            // a concrete type, or nil
	match   func(*vector.Type) bool // types that need no cast
	deflt   *vector.Type            // what NULL becomes; nil: stays void
	choices []Accept                // a TypeCollection
	rank    acceptKind
}

type acceptKind uint8

const (
	acceptExact acceptKind = iota
	acceptAny
	acceptNumeric
	acceptIntegral
	acceptDecimal
	acceptTimestamp
	acceptOneOf
	acceptOther
)

// Exactly accepts one concrete type, and what casts to it implicitly.
func Exactly(t *vector.Type) Accept {
	return Accept{name: t.SQL(), exact: t, deflt: t, match: func(x *vector.Type) bool { return x.Equal(t) }}
}

// OneOf accepts what any of the choices accepts (TypeCollection).
func OneOf(choices ...Accept) Accept {
	return Accept{choices: choices, rank: acceptOneOf, match: func(x *vector.Type) bool {
		for _, c := range choices {
			if c.match(x) {
				return true
			}
		}
		return false
	}}
}

func kindAccept(name string, rank acceptKind, deflt *vector.Type, match func(*vector.Type) bool) Accept {
	return Accept{name: name, rank: rank, deflt: deflt, match: match}
}

// ArrayOf accepts an array whose elements are of exactly type elem.
func ArrayOf(elem *vector.Type) Accept { return Exactly(vector.ArrayOf(elem, true)) }

// MapOf accepts a map of exactly these types.
func MapOf(key, value *vector.Type) Accept { return Exactly(vector.MapOf(key, value, true)) }

// The accepted types that functions declare.
var (
	Bool         = Exactly(vector.Bool)
	Byte         = Exactly(vector.Byte)
	Short        = Exactly(vector.Short)
	Int          = Exactly(vector.Int)
	Long         = Exactly(vector.Long)
	Float        = Exactly(vector.Float)
	Double       = Exactly(vector.Double)
	String       = Exactly(vector.String)
	Binary       = Exactly(vector.Binary)
	Date         = Exactly(vector.Date)
	Timestamp    = Exactly(vector.Timestamp)
	TimestampNTZ = Exactly(vector.TimestampNTZ)

	Any            = kindAccept("ANY", acceptAny, nil, func(*vector.Type) bool { return true })
	AnyNumeric     = kindAccept("NUMERIC", acceptNumeric, vector.Double, (*vector.Type).Numeric)
	AnyIntegral    = kindAccept("INTEGRAL", acceptIntegral, vector.Int, (*vector.Type).Integral)
	AnyDecimal     = kindAccept("DECIMAL", acceptDecimal, DecimalSystemDefault, isDecimal)
	AnyTimestamp   = kindAccept("(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)", acceptTimestamp, vector.Timestamp, isTimestamp)
	AnyArray       = kindAccept("ARRAY", acceptOther, vector.ArrayOf(vector.Null, true), ofKind(vector.KindArray))
	ArrayNotNull   = kindAccept("ARRAY", acceptOther, nil, ofKind(vector.KindArray))
	AnyMap         = kindAccept("MAP", acceptOther, vector.MapOf(vector.Null, vector.Null, true), ofKind(vector.KindMap))
	AnyStruct      = kindAccept("STRUCT", acceptOther, vector.StructOf(), ofKind(vector.KindStruct))
	AnyDayTime     = kindAccept("INTERVAL DAY TO SECOND", acceptOther, vector.DayTime, ofKind(vector.KindDayTimeInterval))
	AnyYearMonth   = kindAccept("INTERVAL YEAR TO MONTH", acceptOther, vector.YearMonth, ofKind(vector.KindYearMonthInterval))
	AnyCalendar    = Exactly(vector.CalendarInterval)
	AnyTime        = kindAccept("TIME", acceptOther, vector.Time, ofKind(vector.KindTime))
	StringOrBinary = OneOf(String, Binary)
	SmallIntegral  = OneOf(Int, Short, Byte)
)

func isTimestamp(t *vector.Type) bool {
	return t.Kind == vector.KindTimestamp || t.Kind == vector.KindTimestampNTZ
}

func ofKind(k vector.Kind) func(*vector.Type) bool {
	return func(t *vector.Type) bool { return t.Kind == k }
}

// Required is the accepted type as messages print it, quoted: "\"INT\"",
// "(\"STRING\" or \"BINARY\")".
func (a Accept) Required() string {
	if a.rank != acceptOneOf {
		return `"` + a.name + `"`
	}
	parts := make([]string, len(a.choices))
	for i, c := range a.choices {
		parts[i] = c.Required()
	}
	return "(" + strings.Join(parts, " or ") + ")"
}

// Accepts tells whether a value of type t needs no cast.
func (a Accept) Accepts(t *vector.Type) bool { return a.match(t) }

// ImplicitCast is the type to which an argument of type from is cast for a
// parameter; false if the parameter does not take it.
func ImplicitCast(conf *Conf, from *vector.Type, to Accept) (*vector.Type, bool) {
	if conf.ANSI {
		return implicitANSI(from, to)
	}
	return implicitLegacy(from, to)
}

func implicitANSI(from *vector.Type, to Accept) (*vector.Type, bool) {
	switch {
	case to.match(from):
		return from, true
	case to.rank == acceptOneOf:
		for _, c := range to.choices {
			if t, ok := implicitANSI(from, c); ok {
				return t, true
			}
		}
		return nil, false
	case from.Numeric() && to.rank == acceptDecimal:
		return DecimalFor(from), true
	case from.Fractional() && to.rank == acceptIntegral:
		return nil, false
	case isString(from):
		if to.deflt != nil && to.deflt.Atomic() && to.deflt.Kind != vector.KindCalendarInterval {
			return to.deflt, true
		}
		return nil, false
	case from.Kind == vector.KindArray && to.exact != nil && to.exact.Kind == vector.KindArray:
		e, ok := implicitANSI(from.Elem, Exactly(to.exact.Elem))
		if !ok {
			return nil, false
		}
		return vector.ArrayOf(e, true), true
	case to.deflt != nil && canStoreAssign(from, to.deflt):
		return to.deflt, true
	}
	return nil, false
}

// canStoreAssign is Spark's Cast.canANSIStoreAssign: the casts that an INSERT,
// and so an argument, makes without being asked.
func canStoreAssign(from, to *vector.Type) bool {
	switch {
	case from.Equal(to), isNull(from),
		from.Numeric() && to.Numeric(),
		from.Atomic() && isString(to),
		from.Datetime() && to.Datetime(),
		isInterval(from) && from.Kind == to.Kind:
		return true
	case from.Kind != to.Kind:
		return false
	}
	switch from.Kind {
	case vector.KindArray:
		return (to.ElemNullable || !from.ElemNullable) && canStoreAssign(from.Elem, to.Elem)
	case vector.KindMap:
		return (to.ElemNullable || !from.ElemNullable) && canStoreAssign(from.Key, to.Key) && canStoreAssign(from.Elem, to.Elem)
	case vector.KindStruct:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i, f := range from.Fields {
			if g := to.Fields[i]; f.Nullable && !g.Nullable || !canStoreAssign(f.Type, g.Type) {
				return false
			}
		}
		return true
	}
	return false
}

func implicitLegacy(from *vector.Type, to Accept) (*vector.Type, bool) {
	switch {
	case to.match(from):
		return from, true
	case to.rank == acceptOneOf:
		for _, c := range to.choices {
			if t, ok := implicitLegacy(from, c); ok {
				return t, true
			}
		}
		return nil, false
	case isNull(from):
		return to.deflt, true
	case isString(from) && to.rank == acceptNumeric:
		return vector.Double, true
	case from.Numeric() && to.rank == acceptDecimal:
		return DecimalFor(from), true
	case isString(from) && to.rank == acceptDecimal:
		return DecimalSystemDefault, true
	case to.rank == acceptTimestamp && (from.Datetime() || isString(from)):
		return vector.Timestamp, true
	}
	t := to.exact
	if t == nil {
		return nil, false
	}
	switch {
	case from.Numeric() && t.Numeric(),
		from.Datetime() && t.Datetime(),
		isString(from) && (t.Numeric() || t.Datetime() || t.Kind == vector.KindBinary),
		from.Atomic() && isString(t):
		return t, true
	case from.Kind == vector.KindArray && t.Kind == vector.KindArray:
		if _, ok := implicitLegacy(from.Elem, Exactly(t.Elem)); ok {
			return t, true
		}
	case from.Kind == vector.KindMap && t.Kind == vector.KindMap:
		_, k := implicitLegacy(from.Key, Exactly(t.Key))
		_, v := implicitLegacy(from.Elem, Exactly(t.Elem))
		if k && v {
			return t, true
		}
	}
	return nil, false
}

// canUpCast is Spark's Cast.canUpCast: a cast that neither loses nor fails.
func canUpCast(from, to *vector.Type) bool {
	switch {
	case from.Equal(to), isNull(from):
		return true
	case isDecimal(to) && from.Integral():
		return decimalHolds(to, DecimalFor(from))
	case isDecimal(to) && isDecimal(from):
		return decimalHolds(to, from)
	case from.Numeric() && to.Numeric():
		// Decimal precedes float and double in Spark's order only for literals'
		// types, so a decimal never up-casts to them.
		return !isDecimal(from) && !isDecimal(to) && from.Kind < to.Kind
	case from.Kind == vector.KindDate && isTimestamp(to), isTimestamp(from) && isTimestamp(to):
		return true
	case isString(to):
		return from.Atomic()
	case isInterval(from) && from.Kind == to.Kind:
		return true
	case from.Kind == vector.KindArray && to.Kind == vector.KindArray:
		return (to.ElemNullable || !from.ElemNullable) && canUpCast(from.Elem, to.Elem)
	case from.Kind == vector.KindMap && to.Kind == vector.KindMap:
		return (to.ElemNullable || !from.ElemNullable) && canUpCast(from.Key, to.Key) && canUpCast(from.Elem, to.Elem)
	case from.Kind == vector.KindStruct && to.Kind == vector.KindStruct && len(from.Fields) == len(to.Fields):
		for i, f := range from.Fields {
			if g := to.Fields[i]; f.Nullable && !g.Nullable || !canUpCast(f.Type, g.Type) {
				return false
			}
		}
		return true
	}
	return false
}
