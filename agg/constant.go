package agg

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// constants are the values of a constant numeric argument, or of its elements if
// it is an array, as doubles; ok is false if it is not constant or not of numbers.
// null tells that it, or an element, is null.
func constants(a kernels.Arg) (values []float64, isArray, null, ok bool) {
	if a.Const == nil {
		return nil, false, false, false
	}
	arr, t := a.Const.Arr, a.Type
	if arr.IsNull(0) || t.Kind == vector.KindNull {
		return nil, false, true, true
	}
	lo, hi := 0, 1
	if t.Kind == vector.KindArray {
		off := vector.Offsets(arr)
		lo, hi = int(off[0]), int(off[1])
		arr, t, isArray = vector.ListChild(arr), t.Elem, true
	}
	for i := lo; i < hi; i++ {
		if t.Kind == vector.KindNull || arr.IsNull(i) {
			return nil, isArray, true, true
		}
		v, ok := number(t, arr, i)
		if !ok {
			return nil, isArray, false, false
		}
		values = append(values, v)
	}
	return values, isArray, false, true
}

// number is value i of a numeric column as a double.
func number(t *vector.Type, a arrow.Array, i int) (float64, bool) {
	switch t.Kind {
	case vector.KindByte:
		return float64(vector.Values[int8](a)[i]), true
	case vector.KindShort:
		return float64(vector.Values[int16](a)[i]), true
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return float64(vector.Values[int32](a)[i]), true
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		return float64(vector.Values[int64](a)[i]), true
	case vector.KindFloat:
		return float64(vector.Values[float32](a)[i]), true
	case vector.KindDouble:
		return vector.Values[float64](a)[i], true
	case vector.KindDecimal:
		return decimalDouble(vector.Values[dec](a)[i], t.Scale), true
	}
	return math.NaN(), false
}

// decimalDouble is the double nearest to d·10^-scale.
func decimalDouble(d dec, scale int) float64 {
	v, _ := newRat(d, scale).Float64()
	return v
}
