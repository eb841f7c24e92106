package kernels

import (
	"cmp"

	"github.com/vstream/vstream/vector"
)

// The loops of the comparisons make a byte of the bitmap from eight values at a time.

func eqBits[T comparable](a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	if a.Const && !b.Const {
		a, b = b, a
	}
	x, y := vector.Values[T](a.Arr), vector.Values[T](b.Arr)
	switch {
	case a.Const:
		return constBits(x[0] == y[0], n)
	case b.Const:
		eqConst(out, x[:n], y[0])
	default:
		eqColumns(out, x[:n], y[:n])
	}
	return out
}

func ltBits[T cmp.Ordered](a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	x, y := vector.Values[T](a.Arr), vector.Values[T](b.Arr)
	switch {
	case a.Const && b.Const:
		return constBits(x[0] < y[0], n)
	case a.Const:
		gtConst(out, y[:n], x[0])
	case b.Const:
		ltConst(out, x[:n], y[0])
	default:
		ltColumns(out, x[:n], y[:n])
	}
	return out
}

// eqFloatBits is equality in which NaN equals NaN.
func eqFloatBits[T float](a, b vector.Vec, n int) vector.Bitmap {
	if a.Const {
		a, b = b, a
	}
	if c := vector.Values[T](b.Arr); b.Const && !a.Const && c[0] == c[0] {
		return eqBits[T](a, b, n)
	}
	x, y := fixedOf[T](a), fixedOf[T](b)
	out := vector.NewBitmap(n)
	for i := range n {
		u, v := x.at(i), y.at(i)
		out[i>>3] |= bit(u == v || u != u && v != v) << (i & 7)
	}
	return out
}

// ltFloatBits is the order in which NaN comes last.
func ltFloatBits[T float](a, b vector.Vec, n int) vector.Bitmap {
	out := vector.NewBitmap(n)
	x, y := vector.Values[T](a.Arr), vector.Values[T](b.Arr)
	switch {
	case b.Const && !a.Const && y[0] == y[0]:
		ltConst(out, x[:n], y[0])
	case a.Const && !b.Const && x[0] == x[0]:
		leConst(out, y[:n], x[0])
		invert(out, n)
	default:
		am, bm := a.Mask(), b.Mask()
		for i := range n {
			u, v := x[i&am], y[i&bm]
			out[i>>3] |= bit(u < v || v != v && u == u) << (i & 7)
		}
	}
	return out
}

// constBits are n equal bits.
func constBits(v bool, n int) vector.Bitmap {
	if v {
		return vector.NewValid(n)
	}
	return vector.NewBitmap(n)
}

// isBetween tells where low <= x <= high, by one comparison of the distances to low.
func isBetween[T integer](x []T, low, high T) vector.Bitmap {
	out := vector.NewBitmap(len(x))
	if low > high {
		return out
	}
	lo, span := int64(low), uint64(int64(high)-int64(low))
	for g := range len(x) / 8 {
		v := (*[8]T)(x[g*8:])
		out[g] = bit(uint64(int64(v[0])-lo) <= span) |
			bit(uint64(int64(v[1])-lo) <= span)<<1 |
			bit(uint64(int64(v[2])-lo) <= span)<<2 |
			bit(uint64(int64(v[3])-lo) <= span)<<3 |
			bit(uint64(int64(v[4])-lo) <= span)<<4 |
			bit(uint64(int64(v[5])-lo) <= span)<<5 |
			bit(uint64(int64(v[6])-lo) <= span)<<6 |
			bit(uint64(int64(v[7])-lo) <= span)<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(uint64(int64(x[i])-lo) <= span) << (i & 7)
	}
	return out
}

func eqConst[T comparable](out vector.Bitmap, x []T, c T) {
	for g := range len(x) / 8 {
		v := (*[8]T)(x[g*8:])
		out[g] = bit(v[0] == c) |
			bit(v[1] == c)<<1 |
			bit(v[2] == c)<<2 |
			bit(v[3] == c)<<3 |
			bit(v[4] == c)<<4 |
			bit(v[5] == c)<<5 |
			bit(v[6] == c)<<6 |
			bit(v[7] == c)<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] == c) << (i & 7)
	}
}

func ltConst[T cmp.Ordered](out vector.Bitmap, x []T, c T) {
	for g := range len(x) / 8 {
		v := (*[8]T)(x[g*8:])
		out[g] = bit(v[0] < c) |
			bit(v[1] < c)<<1 |
			bit(v[2] < c)<<2 |
			bit(v[3] < c)<<3 |
			bit(v[4] < c)<<4 |
			bit(v[5] < c)<<5 |
			bit(v[6] < c)<<6 |
			bit(v[7] < c)<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] < c) << (i & 7)
	}
}

func gtConst[T cmp.Ordered](out vector.Bitmap, x []T, c T) {
	for g := range len(x) / 8 {
		v := (*[8]T)(x[g*8:])
		out[g] = bit(v[0] > c) |
			bit(v[1] > c)<<1 |
			bit(v[2] > c)<<2 |
			bit(v[3] > c)<<3 |
			bit(v[4] > c)<<4 |
			bit(v[5] > c)<<5 |
			bit(v[6] > c)<<6 |
			bit(v[7] > c)<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] > c) << (i & 7)
	}
}

func leConst[T cmp.Ordered](out vector.Bitmap, x []T, c T) {
	for g := range len(x) / 8 {
		v := (*[8]T)(x[g*8:])
		out[g] = bit(v[0] <= c) |
			bit(v[1] <= c)<<1 |
			bit(v[2] <= c)<<2 |
			bit(v[3] <= c)<<3 |
			bit(v[4] <= c)<<4 |
			bit(v[5] <= c)<<5 |
			bit(v[6] <= c)<<6 |
			bit(v[7] <= c)<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] <= c) << (i & 7)
	}
}

func eqColumns[T comparable](out vector.Bitmap, x, y []T) {
	y = y[:len(x)]
	for g := range len(x) / 8 {
		v, w := (*[8]T)(x[g*8:]), (*[8]T)(y[g*8:])
		out[g] = bit(v[0] == w[0]) |
			bit(v[1] == w[1])<<1 |
			bit(v[2] == w[2])<<2 |
			bit(v[3] == w[3])<<3 |
			bit(v[4] == w[4])<<4 |
			bit(v[5] == w[5])<<5 |
			bit(v[6] == w[6])<<6 |
			bit(v[7] == w[7])<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] == y[i]) << (i & 7)
	}
}

func ltColumns[T cmp.Ordered](out vector.Bitmap, x, y []T) {
	y = y[:len(x)]
	for g := range len(x) / 8 {
		v, w := (*[8]T)(x[g*8:]), (*[8]T)(y[g*8:])
		out[g] = bit(v[0] < w[0]) |
			bit(v[1] < w[1])<<1 |
			bit(v[2] < w[2])<<2 |
			bit(v[3] < w[3])<<3 |
			bit(v[4] < w[4])<<4 |
			bit(v[5] < w[5])<<5 |
			bit(v[6] < w[6])<<6 |
			bit(v[7] < w[7])<<7
	}
	for i := len(x) &^ 7; i < len(x); i++ {
		out[i>>3] |= bit(x[i] < y[i]) << (i & 7)
	}
}
