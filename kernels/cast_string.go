package kernels

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// castToString prints values as Spark does.
func castToString(from *vector.Type, mode CastMode) castFn {
	if from.Kind == vector.KindBinary {
		return binaryToString
	}
	plain := mode != CastLegacy
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		clock := NewClock(ctx.Zone)
		n := a.Len()
		off := make([]int32, n+1)
		data := make([]byte, 0, 12*n)
		valid := vector.Validity(a)
		put := appender(from, a, clock, plain)
		for i := range n {
			if valid == nil || valid.Get(i) {
				data = put(data, i)
			}
			off[i+1] = int32(len(data))
		}
		return vector.NewString(vector.String, off, data, valid), nil
	}
}

// appender prints values of one array; the types that are printed in numbers
// read their values once and not per row.
func appender(t *vector.Type, a arrow.Array, clock *Clock, plain bool) func([]byte, int) []byte {
	switch t.Kind {
	case vector.KindTimestamp:
		v := vector.Values[int64](a)
		return func(dst []byte, i int) []byte { return AppendTimestamp(dst, clock.Local(v[i])) }
	case vector.KindDate:
		v := vector.Values[int32](a)
		return func(dst []byte, i int) []byte { return AppendDate(dst, int64(v[i])) }
	case vector.KindDouble:
		v := vector.Values[float64](a)
		return func(dst []byte, i int) []byte { return AppendDouble(dst, v[i]) }
	case vector.KindDecimal:
		if plain {
			v := vector.Values[Dec](a)
			return func(dst []byte, i int) []byte { return AppendDecimal(dst, v[i], t.Scale) }
		}
	}
	return func(dst []byte, i int) []byte { return appendValue(dst, t, a, i, clock, plain) }
}

// binaryToString keeps the bytes; only where they are not UTF-8 are they replaced.
func binaryToString(_ *Ctx, a arrow.Array) (arrow.Array, error) {
	off, data := vector.Strings(a)
	n := a.Len()
	valid := vector.Validity(a)
	if utf8.Valid(data[off[0]:off[n]]) && boundariesValid(off, data) {
		return vector.NewString(vector.String, off, data, valid), nil
	}
	noff, out := make([]int32, n+1), make([]byte, 0, int(off[n]-off[0]))
	for i := range n {
		out = appendUTF8(out, data[off[i]:off[i+1]])
		noff[i+1] = int32(len(out))
	}
	return vector.NewString(vector.String, noff, out, valid), nil
}

// boundariesValid tells whether no value starts inside a character.
func boundariesValid(off []int32, data []byte) bool {
	for _, o := range off {
		if int(o) < len(data) && !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

// castToBinary takes strings as they are and, in non-ANSI mode, integers as
// big-endian bytes.
func castToBinary(from *vector.Type) castFn {
	if from.Kind == vector.KindString {
		return func(_ *Ctx, a arrow.Array) (arrow.Array, error) {
			off, data := vector.Strings(a)
			return vector.NewString(vector.Binary, off, data, vector.Validity(a)), nil
		}
	}
	width := from.Width()
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		longs, err := CastArray(ctx, a, from, vector.Long, CastLegacy)
		if err != nil {
			return nil, err
		}
		n := a.Len()
		off, data := make([]int32, n+1), make([]byte, 0, n*width)
		valid := vector.Validity(a)
		for i, v := range vector.Values[int64](longs) {
			if valid == nil || valid.Get(i) {
				for b := width - 1; b >= 0; b-- {
					data = append(data, byte(v>>(8*b)))
				}
			}
			off[i+1] = int32(len(data))
		}
		return vector.NewString(vector.Binary, off, data, valid), nil
	}
}
