package kernels

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

type integer interface{ int8 | int16 | int32 | int64 }

type float interface{ float32 | float64 }

type number interface{ integer | float }

// castToInt casts to an integer type.
func castToInt[D integer](from, to *vector.Type, mode CastMode) castFn {
	switch from.Kind {
	case vector.KindByte:
		return intToInt[int8, D](from, to, mode)
	case vector.KindShort:
		return intToInt[int16, D](from, to, mode)
	case vector.KindInt:
		return intToInt[int32, D](from, to, mode)
	case vector.KindLong:
		return intToInt[int64, D](from, to, mode)
	case vector.KindFloat:
		return floatToInt[float32, D](from, to, mode)
	case vector.KindDouble:
		return floatToInt[float64, D](from, to, mode)
	case vector.KindBool:
		return boolTo(to, D(1))
	case vector.KindString:
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, func(s []byte) (D, bool) {
				v, ok := text.ParseLong(s, mode == CastLegacy)
				return D(v), ok && int64(D(v)) == v
			}, invalidInput(from, to, a))
		}
	case vector.KindDecimal:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(d Dec) (D, bool) {
				v, ok := decimal.Truncate(d, from.Scale)
				return D(v), ok && int64(D(v)) == v || mode == CastLegacy
			}, castOverflow(from, to, a))
		}
	case vector.KindTimestamp:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int64) (D, bool) {
				s := text.FloorDiv(v, text.MicrosPerSecond)
				return D(s), int64(D(s)) == s || mode == CastLegacy
			}, castOverflow(from, to, a))
		}
	case vector.KindDayTimeInterval:
		unit := text.DayTimeUnit(from.End)
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int64) (D, bool) {
				return D(v / unit), int64(D(v/unit)) == v/unit
			}, castOverflow(from, to, a))
		}
	case vector.KindYearMonthInterval:
		unit := int64(1)
		if from.End == vector.FieldYear {
			unit = 12
		}
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			return mapValues(a, to, mode, func(v int32) (D, bool) {
				m := int64(v) / unit
				return D(m), int64(D(m)) == m
			}, castOverflow(from, to, a))
		}
	}
	return alwaysNull(to)
}

// alwaysNull is a cast that non-ANSI mode defines as null, such as DATE to INT.
func alwaysNull(to *vector.Type) castFn {
	return func(_ *Ctx, a arrow.Array) (arrow.Array, error) { return vector.NewNull(to, a.Len()), nil }
}

func intToInt[S, D integer](from, to *vector.Type, mode CastMode) castFn {
	if from.Kind < to.Kind || mode == CastLegacy {
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return vector.NewFixed(to, convert[S, D](ctx.Temp, vector.Values[S](a)), vector.Validity(a)), nil
		}
	}
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		src := vector.Values[S](a)
		out := vector.Make[D](ctx.Temp, len(src))
		var lost S
		for i, v := range src {
			d := D(v)
			out[i] = d
			lost |= S(d) ^ v
		}
		if lost == 0 {
			return vector.NewFixed(to, out, vector.Validity(a)), nil
		}
		return mapValues(a, to, mode, func(v S) (D, bool) { return D(v), S(D(v)) == v }, castOverflow(from, to, a))
	}
}

func convert[S, D number](mem *vector.Buffers, src []S) []D {
	out := vector.Make[D](mem, len(src))
	for i, v := range src[:len(out)] {
		out[i] = D(v)
	}
	return out
}

// floatToInt computes all rows and looks at them one by one only if one is out of range.
func floatToInt[S float, D integer](from, to *vector.Type, mode CastMode) castFn {
	low, high := intRange[D]()
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		src := vector.Values[S](a)
		out := vector.Make[D](ctx.Temp, len(src))
		beyond := false
		for i, v := range src[:len(out)] {
			// What lies between low-1 and low is cut to low, but low-1 is not always a double.
			if f := float64(v); !(f >= low && f < high) {
				beyond = true
			}
			out[i] = D(v)
		}
		if !beyond {
			return vector.NewFixed(to, out, vector.Validity(a)), nil
		}
		return mapValues(a, to, mode, func(v S) (D, bool) {
			f := math.Trunc(float64(v))
			if f >= low && f < high {
				return D(f), true
			}
			if mode == CastLegacy {
				return saturate[D](f), true
			}
			return 0, false
		}, castOverflow(from, to, a))
	}
}

// intRange is the least value of an integer type and the least value above it.
func intRange[D integer]() (low, high float64) {
	var z D
	switch any(z).(type) {
	case int8:
		return -1 << 7, 1 << 7
	case int16:
		return -1 << 15, 1 << 15
	case int32:
		return -1 << 31, 1 << 31
	}
	return -1 << 63, 1 << 63
}

// saturate converts as Java does: NaN is 0, int and long saturate, and the
// smaller types take the low bits of the int.
func saturate[D integer](f float64) D {
	var z D
	limit := int64(math.MaxInt32)
	if _, ok := any(z).(int64); ok {
		limit = math.MaxInt64
	}
	switch {
	case math.IsNaN(f):
		return 0
	case f >= float64(limit):
		return D(limit)
	case f <= -float64(limit)-1:
		return D(-limit - 1)
	}
	return D(int64(f))
}

func boolTo[D any](to *vector.Type, one D) castFn {
	return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
		bits := vector.Bools(a)
		out := make([]D, a.Len())
		for i := range out {
			if bits.Get(i) {
				out[i] = one
			}
		}
		return vector.NewFixed(to, out, vector.Validity(a)), nil
	}
}

// castToFloat casts to FLOAT or DOUBLE.
func castToFloat[D float](from, to *vector.Type, mode CastMode) castFn {
	plain := func(f func(ctx *Ctx, a arrow.Array) []D) castFn {
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return vector.NewFixed(to, f(ctx, a), vector.Validity(a)), nil
		}
	}
	switch from.Kind {
	case vector.KindByte:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[int8, D](ctx.Temp, vector.Values[int8](a)) })
	case vector.KindShort:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[int16, D](ctx.Temp, vector.Values[int16](a)) })
	case vector.KindInt:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[int32, D](ctx.Temp, vector.Values[int32](a)) })
	case vector.KindLong:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[int64, D](ctx.Temp, vector.Values[int64](a)) })
	case vector.KindFloat:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[float32, D](ctx.Temp, vector.Values[float32](a)) })
	case vector.KindDouble:
		return plain(func(ctx *Ctx, a arrow.Array) []D { return convert[float64, D](ctx.Temp, vector.Values[float64](a)) })
	case vector.KindBool:
		return boolTo(to, D(1))
	case vector.KindDecimal:
		size := 64
		if to.Kind == vector.KindFloat {
			size = 32
		}
		return plain(func(ctx *Ctx, a arrow.Array) []D {
			out := vector.Make[D](ctx.Temp, a.Len())
			src := vector.Values[Dec](a)
			if size == 64 && decimal.Doubles(out, src, from.Scale) {
				return out
			}
			for i, d := range src {
				out[i] = D(decimal.Float(d, from.Scale, size))
			}
			return out
		})
	case vector.KindString:
		size := 64
		if to.Kind == vector.KindFloat {
			size = 32
		}
		return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
			return parseStrings(ctx, a, to, mode, func(s []byte) (D, bool) {
				v, ok := text.ParseFloating(s, size)
				return D(v), ok
			}, invalidInput(from, to, a))
		}
	case vector.KindTimestamp:
		return plain(func(ctx *Ctx, a arrow.Array) []D {
			out := vector.Make[D](ctx.Temp, a.Len())
			for i, v := range vector.Values[int64](a) {
				out[i] = D(float64(v) / float64(text.MicrosPerSecond))
			}
			return out
		})
	}
	return alwaysNull(to)
}

// castToBool casts to BOOLEAN: a number is true unless it is 0.
func castToBool(from, to *vector.Type, mode CastMode) castFn {
	switch from.Kind {
	case vector.KindByte:
		return notZero[int8]
	case vector.KindShort:
		return notZero[int16]
	case vector.KindInt:
		return notZero[int32]
	case vector.KindLong, vector.KindTimestamp:
		return notZero[int64]
	case vector.KindFloat:
		return notZero[float32]
	case vector.KindDouble:
		return notZero[float64]
	case vector.KindDecimal:
		return notZero[Dec]
	case vector.KindString:
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			off, data := vector.Strings(a)
			n := a.Len()
			bits, valid := vector.NewBitmap(n), vector.Validity(a)
			var own vector.Bitmap
			for i := range n {
				if valid != nil && !valid.Get(i) {
					continue
				}
				v, ok := text.ParseBool(data[off[i]:off[i+1]])
				switch {
				case !ok && mode == CastANSI:
					return nil, errCastInput(sqlValue(from, a, i), from, to)
				case !ok:
					own = clearRow(own, valid, n, i)
				case v:
					bits.Set(i)
				}
			}
			if own != nil {
				valid = own
			}
			return vector.NewBool(bits, n, valid), nil
		}
	}
	return alwaysNull(to)
}

func notZero[S comparable](_ *Ctx, a arrow.Array) (arrow.Array, error) {
	var zero S
	n := a.Len()
	bits := vector.NewBitmap(n)
	eqConst(bits, vector.Values[S](a), zero)
	invert(bits, n)
	return vector.NewBool(bits, n, vector.Validity(a)), nil
}
