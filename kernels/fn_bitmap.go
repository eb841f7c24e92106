package kernels

import (
	"math/bits"

	"github.com/vstream/vstream/vector"
)

// BitmapBytes is the size of the bitmaps of bitmap_construct_agg.
const BitmapBytes = 4096

const bitmapBits = 8 * BitmapBytes

func init() {
	longs := func(name, summary string, ex Example, f func(v int64) int64) Scalar {
		return Define(Scalar{Name: name, Signature: name + "(expr)", Summary: summary, Examples: []Example{ex}},
			Sig{Params: []Accept{Long}, Result: vector.Long, Total: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				v := fixedOf[int64](args[0])
				return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 { return f(v.at(i)) }), nil
			})
	}
	Register(
		longs("bitmap_bit_position", "The position of a number within its bitmap of 32,768 bits.", Example{"bitmap_bit_position(123)", "122"}, bitPosition),
		longs("bitmap_bucket_number", "The number of the bitmap of 32,768 bits to which a number belongs.", Example{"bitmap_bucket_number(123)", "1"}, bucketNumber),
		Define(Scalar{
			Name: "bitmap_count", Signature: "bitmap_count(bitmap)", Summary: "The number of bits of a BINARY that are set.",
			Examples: []Example{{"bitmap_count(X'1010')", "2"}},
		}, Sig{Params: []Accept{Binary}, Result: vector.Long, Exact: true, Total: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return fixedRows(vector.Long, n, Validity(n, args...), func(i int) int64 {
				count := 0
				for _, b := range s.at(i) {
					count += bits.OnesCount8(b)
				}
				return int64(count)
			}), nil
		}),
	)
}

// bitPosition counts the positive numbers from 1, the others downwards from 0.
func bitPosition(v int64) int64 {
	if v > 0 {
		return (v - 1) % bitmapBits
	}
	return -v % bitmapBits
}

func bucketNumber(v int64) int64 {
	if v > 0 {
		return 1 + (v-1)/bitmapBits
	}
	return v / bitmapBits
}
