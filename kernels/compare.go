package kernels

import (
	"bytes"
	"cmp"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/vector"
)

// Orderable tells whether values of a type have an order (and equality): all
// types but those that hold a map, a calendar interval or a variant.
func Orderable(t *vector.Type) bool {
	switch t.Kind {
	case vector.KindMap, vector.KindCalendarInterval, vector.KindVariant:
		return false
	case vector.KindArray:
		return Orderable(t.Elem)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if !Orderable(f.Type) {
				return false
			}
		}
	}
	return true
}

// Compare orders value i of a and value j of b, both of type t: -1, 0 or 1.
// A null comes before every value and equals a null. NaN is the greatest
// number and equals itself; -0.0 equals 0.0; strings compare by bytes; arrays
// and structs from the left. Maps, which only GROUP BY compares, compare as
// their entries in order.
func Compare(t *vector.Type, a arrow.Array, i int, b arrow.Array, j int) int {
	return Comparator(t, a, b)(i, j)
}

// Comparator is Compare for two arrays whose values are looked up once.
func Comparator(t *vector.Type, a, b arrow.Array) func(i, j int) int {
	inner := valueComparator(t, a, b)
	va, vb := vector.Validity(a), vector.Validity(b)
	if va == nil && vb == nil {
		return inner
	}
	return func(i, j int) int {
		switch x, y := va.Get(i), vb.Get(j); {
		case x && y:
			return inner(i, j)
		case x:
			return 1
		case y:
			return -1
		}
		return 0
	}
}

func valueComparator(t *vector.Type, a, b arrow.Array) func(i, j int) int {
	switch t.Kind {
	case vector.KindBool:
		x, y := vector.Bools(a), vector.Bools(b)
		return func(i, j int) int { return compareBool(x.Get(i), y.Get(j)) }
	case vector.KindByte:
		return compareInts[int8](a, b)
	case vector.KindShort:
		return compareInts[int16](a, b)
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return compareInts[int32](a, b)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		return compareInts[int64](a, b)
	case vector.KindFloat:
		x, y := vector.Values[float32](a), vector.Values[float32](b)
		return func(i, j int) int { return CompareFloat(x[i], y[j]) }
	case vector.KindDouble:
		x, y := vector.Values[float64](a), vector.Values[float64](b)
		return func(i, j int) int { return CompareFloat(x[i], y[j]) }
	case vector.KindDecimal:
		x, y := vector.Values[Dec](a), vector.Values[Dec](b)
		return func(i, j int) int { return x[i].Cmp(y[j]) }
	case vector.KindString, vector.KindBinary:
		xo, xd := vector.Strings(a)
		yo, yd := vector.Strings(b)
		return func(i, j int) int { return bytes.Compare(xd[xo[i]:xo[i+1]], yd[yo[j]:yo[j+1]]) }
	case vector.KindCalendarInterval:
		x, y := vector.Values[arrow.MonthDayNanoInterval](a), vector.Values[arrow.MonthDayNanoInterval](b)
		return func(i, j int) int {
			return cmp.Or(cmp.Compare(x[i].Months, y[j].Months), cmp.Compare(x[i].Days, y[j].Days), cmp.Compare(x[i].Nanoseconds, y[j].Nanoseconds))
		}
	case vector.KindArray:
		elems := Comparator(t.Elem, listChild(a), listChild(b))
		return compareLists(vector.Offsets(a), vector.Offsets(b), elems)
	case vector.KindMap:
		ak, av := mapChildren(a)
		bk, bv := mapChildren(b)
		keys, values := Comparator(t.Key, ak, bk), Comparator(t.Elem, av, bv)
		return compareLists(vector.Offsets(a), vector.Offsets(b), func(i, j int) int { return cmp.Or(keys(i, j), values(i, j)) })
	case vector.KindStruct:
		x, y := a.(*array.Struct), b.(*array.Struct)
		fields := make([]func(i, j int) int, len(t.Fields))
		for f := range fields {
			fields[f] = Comparator(t.Fields[f].Type, x.Field(f), y.Field(f))
		}
		return func(i, j int) int {
			for _, f := range fields {
				if c := f(i, j); c != 0 {
					return c
				}
			}
			return 0
		}
	}
	return func(int, int) int { return 0 }
}

func compareInts[T cmp.Ordered](a, b arrow.Array) func(i, j int) int {
	x, y := vector.Values[T](a), vector.Values[T](b)
	return func(i, j int) int {
		if x[i] < y[j] {
			return -1
		}
		if x[i] > y[j] {
			return 1
		}
		return 0
	}
}

func compareLists(ao, bo []int32, elem func(i, j int) int) func(i, j int) int {
	return func(i, j int) int {
		n, m := int(ao[i+1]-ao[i]), int(bo[j+1]-bo[j])
		for k := range min(n, m) {
			if c := elem(int(ao[i])+k, int(bo[j])+k); c != 0 {
				return c
			}
		}
		return cmp.Compare(n, m)
	}
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// CompareFloat orders floats with NaN as the greatest and -0.0 equal to 0.0.
func CompareFloat[T float](x, y T) int {
	switch {
	case x < y || y != y && x == x:
		return -1
	case x == y || x != x && y != y:
		return 0
	}
	return 1
}
