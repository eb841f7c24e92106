package kernels

import "github.com/vstream/vstream/vector"

// CastMode says what a cast does with a value that the target cannot hold.
type CastMode uint8

// The modes.
const (
	CastANSI   CastMode = iota // raise an error
	CastLegacy                 // spark.sql.ansi.enabled=false: null, or wrap around
	CastTry                    // the ANSI rules, null instead of the error
)

// ModeOf is the mode of CAST in a session.
func ModeOf(ansi bool) CastMode {
	if ansi {
		return CastANSI
	}
	return CastLegacy
}

// CanCast tells whether a cast is defined at all.
func CanCast(from, to *vector.Type, mode CastMode) bool {
	switch {
	case from.Equal(to), isNull(from):
		return true
	case from.Kind == vector.KindVariant:
		return castsFromVariant(to)
	case to.Kind == vector.KindVariant:
		return fitsVariant(from, false)
	}
	switch from.Kind {
	case vector.KindArray:
		if to.Kind == vector.KindArray {
			return CanCast(from.Elem, to.Elem, mode) && (to.ElemNullable || !from.ElemNullable && !mayBecomeNull(from.Elem, to.Elem, mode))
		}
		return isString(to)
	case vector.KindMap:
		if to.Kind == vector.KindMap {
			return CanCast(from.Key, to.Key, mode) && CanCast(from.Elem, to.Elem, mode) &&
				!mayBecomeNull(from.Key, to.Key, mode) &&
				(to.ElemNullable || !from.ElemNullable && !mayBecomeNull(from.Elem, to.Elem, mode))
		}
		return isString(to)
	case vector.KindStruct:
		if to.Kind == vector.KindStruct {
			if len(from.Fields) != len(to.Fields) {
				return false
			}
			for i, f := range from.Fields {
				g := to.Fields[i]
				if !CanCast(f.Type, g.Type, mode) || !g.Nullable && (f.Nullable || mayBecomeNull(f.Type, g.Type, mode)) {
					return false
				}
			}
			return true
		}
		return isString(to)
	}
	if !to.Atomic() {
		return false
	}
	return canCastAtomic(from, to, mode)
}

func canCastAtomic(from, to *vector.Type, mode CastMode) bool {
	legacy := mode == CastLegacy
	fk, tk := from.Kind, to.Kind
	switch tk {
	case vector.KindNull:
		return false
	case vector.KindString:
		return true
	case vector.KindBinary:
		return fk == vector.KindString || legacy && from.Integral()
	case vector.KindBool:
		return fk == vector.KindString || from.Numeric() || legacy && (fk == vector.KindDate || fk == vector.KindTimestamp)
	case vector.KindDate:
		return fk == vector.KindString || isTimestamp(from)
	case vector.KindTimestamp:
		return fk == vector.KindString || from.Datetime() || from.Numeric() || legacy && fk == vector.KindBool
	case vector.KindTimestampNTZ:
		return fk == vector.KindString || from.Datetime()
	case vector.KindCalendarInterval:
		return fk == vector.KindString
	case vector.KindDayTimeInterval, vector.KindYearMonthInterval:
		return fk == vector.KindString || fk == tk || from.Integral() || fk == vector.KindDecimal
	case vector.KindTime:
		return false
	}
	if !to.Numeric() {
		return false
	}
	switch {
	case fk == vector.KindString, from.Numeric(), fk == vector.KindBool, fk == vector.KindTimestamp:
		return true
	case fk == vector.KindDate:
		return legacy
	case isInterval(from):
		return to.Integral() || tk == vector.KindDecimal
	}
	return false
}

// forceNullable is Spark's Cast.forceNullable: whether a non-null value may
// become null in a cast that does not raise.
func forceNullable(from, to *vector.Type) bool {
	switch {
	case from.Equal(to):
		return false
	case isNull(from):
		return true
	case isString(from):
		return to.Kind != vector.KindBinary
	case isString(to):
		return false
	case (from.Kind == vector.KindFloat || from.Kind == vector.KindDouble) && to.Kind == vector.KindTimestamp:
		return true
	case from.Kind == vector.KindTimestamp && to.Numeric() && to.Kind != vector.KindLong && to.Kind != vector.KindDouble && to.Kind != vector.KindFloat:
		return true
	case from.Kind == vector.KindDate:
		return !isTimestamp(to)
	case to.Kind == vector.KindDate && !isTimestamp(from), to.Kind == vector.KindCalendarInterval:
		return true
	case isDecimal(to):
		return !from.Numeric() || !decimalHolds(to, DecimalFor(from)) || from.Kind == vector.KindFloat || from.Kind == vector.KindDouble
	case from.Numeric() && to.Integral():
		return isDecimal(from)
	}
	return false
}

// mayBecomeNull tells whether a cast of a non-null value may give null in a mode.
func mayBecomeNull(from, to *vector.Type, mode CastMode) bool {
	return from.Kind == vector.KindVariant || mode != CastANSI && forceNullable(from, to) || mode == CastTry && !canUpCast(from, to)
}
