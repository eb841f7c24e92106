package kernels

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// ValueAt reads value i of a in canonical form: nil, bool, int64 (integers, and
// months or microseconds of intervals), float64 (FLOAT too), string (also
// decimals, dates, timestamps in UTC and calendar intervals), []byte, []any
// (arrays and structs), or [][2]any (maps, in entry order).
func ValueAt(t *vector.Type, a arrow.Array, i int) any {
	if isNullAt(a, i) {
		return nil
	}
	switch t.Kind {
	case vector.KindBool:
		return vector.Bools(a).Get(i)
	case vector.KindByte:
		return int64(vector.Values[int8](a)[i])
	case vector.KindShort:
		return int64(vector.Values[int16](a)[i])
	case vector.KindInt, vector.KindYearMonthInterval:
		return int64(vector.Values[int32](a)[i])
	case vector.KindLong, vector.KindDayTimeInterval:
		return vector.Values[int64](a)[i]
	case vector.KindFloat:
		return float64(vector.Values[float32](a)[i])
	case vector.KindDouble:
		return vector.Values[float64](a)[i]
	case vector.KindBinary:
		off, data := vector.Strings(a)
		return append([]byte{}, data[off[i]:off[i+1]]...)
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		s := string(text.AppendTimestampISO(nil, vector.Values[int64](a)[i]))
		if t.Kind == vector.KindTimestamp {
			s += "Z"
		}
		return s
	case vector.KindTime:
		return string(text.AppendTimeNanos(nil, vector.Values[int64](a)[i]))
	case vector.KindArray:
		off, child := vector.Offsets(a), listChild(a)
		out := make([]any, 0, off[i+1]-off[i])
		for j := off[i]; j < off[i+1]; j++ {
			out = append(out, ValueAt(t.Elem, child, int(j)))
		}
		return out
	case vector.KindMap:
		off := vector.Offsets(a)
		keys, values := mapChildren(a)
		out := make([][2]any, 0, off[i+1]-off[i])
		for j := off[i]; j < off[i+1]; j++ {
			out = append(out, [2]any{ValueAt(t.Key, keys, int(j)), ValueAt(t.Elem, values, int(j))})
		}
		return out
	case vector.KindStruct:
		s := a.(*array.Struct)
		out := make([]any, len(t.Fields))
		for j, f := range t.Fields {
			out[j] = ValueAt(f.Type, s.Field(j), i)
		}
		return out
	}
	return printed(t, a, i)
}

// NewConst makes a literal. value is nil or has the type's Go form: bool, int64
// (integers, dates as days, timestamps and intervals as microseconds or months),
// float64, Dec (unscaled), string, []byte.
// Another form is a bug and panics.
func NewConst(t *vector.Type, value any) *Const {
	return &Const{Typ: t, Value: vector.Vec{Arr: constArray(t, value), Const: true}}
}

func constArray(t *vector.Type, value any) arrow.Array {
	switch v := value.(type) {
	case nil:
		return vector.NewNull(t, 1)
	case bool:
		b := vector.NewBitmap(1)
		if v {
			b.Set(0)
		}
		return vector.NewBool(b, 1, nil)
	case int:
		return constArray(t, int64(v))
	case int64:
		switch t.Width() {
		case 1:
			return vector.NewFixed(t, []int8{int8(v)}, nil)
		case 2:
			return vector.NewFixed(t, []int16{int16(v)}, nil)
		case 4:
			if t.Kind == vector.KindFloat {
				return vector.NewFixed(t, []float32{float32(v)}, nil)
			}
			return vector.NewFixed(t, []int32{int32(v)}, nil)
		case 8:
			if t.Kind == vector.KindDouble {
				return vector.NewFixed(t, []float64{float64(v)}, nil)
			}
			return vector.NewFixed(t, []int64{v}, nil)
		}
	case float64:
		if t.Kind == vector.KindFloat {
			return vector.NewFixed(t, []float32{float32(v)}, nil)
		}
		return vector.NewFixed(t, []float64{v}, nil)
	case Dec:
		return vector.NewFixed(t, []Dec{v}, nil)
	case string:
		return constArray(t, []byte(v))
	case []byte:
		if len(v) <= math.MaxInt32 {
			return vector.NewString(t, []int32{0, int32(len(v))}, v, nil)
		}
	}
	panic(fmt.Sprintf("kernels: no constant of %s from %T", t, value))
}

// oneRow is a batch without columns for expressions that read none.
var oneRow = vector.NewBatch(vector.NewSchema(), nil, 1)

// Fold evaluates an expression that reads no column; the result is Const.
func Fold(ctx *Ctx, e Expr) (vector.Vec, error) {
	v, err := e.Eval(ctx, oneRow)
	if err != nil {
		return vector.Vec{}, err
	}
	return vector.Vec{Arr: v.Arr, Const: true}, nil
}
