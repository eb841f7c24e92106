package kernels

import (
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// castToString prints values as Spark does.
func castToString(from *vector.Type, mode CastMode) castFn {
	if from.Kind == vector.KindBinary {
		return binaryToString
	}
	return func(ctx *Ctx, a arrow.Array) (arrow.Array, error) {
		style := render.Style{Zone: ctx.Zone, Null: "null", JavaDecimals: mode == CastLegacy}
		n := a.Len()
		off := vector.Make[int32](ctx.Temp, n+1)
		off[0] = 0
		var data []byte
		valid := vector.Validity(a)
		put := style.Value(from, a)
		for i := range n {
			data = roomFor(ctx.Temp, data, i, n)
			if valid == nil || valid.Get(i) {
				data = put(data, i)
			}
			off[i+1] = int32(len(data))
		}
		return vector.NewString(vector.String, off, data, valid), nil
	}
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
		out = text.AppendUTF8(out, data[off[i]:off[i+1]])
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
