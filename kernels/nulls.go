package kernels

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// Validity is the rows of 0..n in which no argument is null; nil if that is all
// of them. The result must not be changed: it may be an argument's own bitmap.
func Validity(n int, args ...vector.Vec) vector.Bitmap {
	var out vector.Bitmap
	owned := false
	for _, a := range args {
		if !a.MayHaveNulls() {
			continue
		}
		if a.Const {
			return vector.NewBitmap(n)
		}
		v := vector.Validity(a.Arr)
		switch {
		case v == nil:
		case out == nil:
			out = v
		case !owned:
			out, owned = andBits(make(vector.Bitmap, len(out)), out, v), true
		default:
			andBits(out, out, v)
		}
	}
	return out
}

// OwnValidity is Validity as a bitmap that the caller may change; never nil.
func OwnValidity(n int, args ...vector.Vec) vector.Bitmap {
	v := Validity(n, args...)
	if v == nil {
		return vector.NewValid(n)
	}
	return append(make(vector.Bitmap, 0, len(v)), v...)
}

// isNullAt tells whether value i is null; Arrow's own IsNull does not know that
// every value of a null-typed array is.
func isNullAt(a arrow.Array, i int) bool {
	return a.IsNull(i) || a.DataType().ID() == arrow.NULL
}

func word(b vector.Bitmap, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

func putWord(b vector.Bitmap, i int, w uint64) { binary.LittleEndian.PutUint64(b[i:], w) }

// andBits sets dst to a AND b, a word at a time; dst may be a or b.
func andBits(dst, a, b vector.Bitmap) vector.Bitmap {
	return zipBits(dst, a, b, func(x, y uint64) uint64 { return x & y })
}

// zipBits sets dst to f(a, b) a word at a time; all have dst's length.
func zipBits(dst, a, b vector.Bitmap, f func(x, y uint64) uint64) vector.Bitmap {
	i := 0
	for ; i+8 <= len(dst); i += 8 {
		putWord(dst, i, f(word(a, i), word(b, i)))
	}
	for ; i < len(dst); i++ {
		dst[i] = byte(f(uint64(a[i]), uint64(b[i])))
	}
	return dst
}
