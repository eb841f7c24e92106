package kernels

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// pick is the column of the chosen constants of a type.
func pick(ctx *Ctx, t *vector.Type, values []vector.Vec, choice []byte) arrow.Array {
	valid := pickValidity(values, choice)
	switch t.Width() {
	case 1:
		return pickFixed[uint8](ctx, t, values, choice, valid)
	case 2:
		return pickFixed[uint16](ctx, t, values, choice, valid)
	case 4:
		return pickFixed[uint32](ctx, t, values, choice, valid)
	case 8:
		return pickFixed[uint64](ctx, t, values, choice, valid)
	case 16:
		return pickFixed[words](ctx, t, values, choice, valid)
	}
	if t.Kind == vector.KindString || t.Kind == vector.KindBinary {
		return pickTexts(t, values, choice, valid)
	}
	parts := make([]arrow.Array, len(values))
	for i, v := range values {
		parts[i] = v.Arr
	}
	rows := make([]uint32, len(choice))
	for i, c := range choice {
		rows[i] = uint32(c)
	}
	return vector.Take(vector.Concat(parts), rows)
}

// pickValidity is nil if no null is chosen.
func pickValidity(values []vector.Vec, choice []byte) vector.Bitmap {
	var null [maxChoices]bool
	some := false
	for i, v := range values {
		null[i] = v.IsNull(0)
		some = some || i > 0 && null[i]
	}
	if !some && bytes.IndexByte(choice, 0) < 0 {
		return nil
	}
	valid := vector.NewValid(len(choice))
	for i, c := range choice {
		if null[c] {
			valid.Clear(i)
		}
	}
	return valid
}

func pickFixed[T any](ctx *Ctx, t *vector.Type, values []vector.Vec, choice []byte, valid vector.Bitmap) arrow.Array {
	var table [maxChoices]T
	for i, v := range values {
		table[i] = vector.Values[T](v.Arr)[0]
	}
	out := vector.Make[T](ctx.Temp, len(choice))
	for i, c := range choice[:len(out)] {
		out[i] = table[c]
	}
	return vector.NewFixed(t, out, valid)
}

// pickTexts copies texts; those of up to eight bytes as one word, of which the next
// text overwrites what is too much.
func pickTexts(t *vector.Type, values []vector.Vec, choice []byte, valid vector.Bitmap) arrow.Array {
	var text [maxChoices][]byte
	var head [maxChoices]uint64
	var size [maxChoices]int
	longest := 0
	for i, v := range values {
		off, data := vector.Strings(v.Arr)
		if !v.IsNull(0) {
			text[i] = data[off[0]:off[1]]
		}
		size[i] = len(text[i])
		longest = max(longest, size[i])
		var b [8]byte
		copy(b[:], text[i])
		head[i] = binary.LittleEndian.Uint64(b[:])
	}
	off := make([]int32, len(choice)+1)
	if longest > 8 {
		var data []byte
		for i, c := range choice {
			data = append(data, text[c]...)
			off[i+1] = int32(len(data))
		}
		return vector.NewString(t, off, data, valid)
	}
	data, at := make([]byte, len(choice)*longest+8), 0
	for i, c := range choice {
		binary.LittleEndian.PutUint64(data[at:], head[c])
		at += size[c]
		off[i+1] = int32(at)
	}
	return vector.NewString(t, off, data[:at:at], valid)
}
