package changelog

import "encoding/binary"

// Byte planes: the first byte of every value, then the second byte of every value, and
// so on. The high bytes of counts, sums and times hardly differ from row to row, so
// that planes compress several times better and faster than values.

// masks of the three steps in which an 8x8 matrix of bytes is transposed
const m1, m2, m4 = 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff

// transpose8 transposes 8 words as an 8x8 matrix of bytes. It is its own inverse.
func transpose8(a *[8]uint64) {
	a0, a1, a2, a3, a4, a5, a6, a7 := a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
	a0, a1 = a0&m1|(a1&m1)<<8, (a0>>8)&m1|a1&^uint64(m1)
	a2, a3 = a2&m1|(a3&m1)<<8, (a2>>8)&m1|a3&^uint64(m1)
	a4, a5 = a4&m1|(a5&m1)<<8, (a4>>8)&m1|a5&^uint64(m1)
	a6, a7 = a6&m1|(a7&m1)<<8, (a6>>8)&m1|a7&^uint64(m1)
	a0, a2 = a0&m2|(a2&m2)<<16, (a0>>16)&m2|a2&^uint64(m2)
	a1, a3 = a1&m2|(a3&m2)<<16, (a1>>16)&m2|a3&^uint64(m2)
	a4, a6 = a4&m2|(a6&m2)<<16, (a4>>16)&m2|a6&^uint64(m2)
	a5, a7 = a5&m2|(a7&m2)<<16, (a5>>16)&m2|a7&^uint64(m2)
	a[0], a[4] = a0&m4|a4<<32, a0>>32|a4&^uint64(m4)
	a[1], a[5] = a1&m4|a5<<32, a1>>32|a5&^uint64(m4)
	a[2], a[6] = a2&m4|a6<<32, a2>>32|a6&^uint64(m4)
	a[3], a[7] = a3&m4|a7<<32, a3>>32|a7&^uint64(m4)
}

// split writes the planes of the values in src, each width bytes long, to dst, which is
// as long as src.
func split(dst, src []byte, width int) {
	rows := len(src) / width
	i := 0
	switch width {
	case 1:
		copy(dst, src)
		return
	case 8:
		var a [8]uint64
		for ; i+8 <= rows; i += 8 {
			in := src[8*i : 8*i+64]
			for j := range a {
				a[j] = binary.LittleEndian.Uint64(in[8*j:])
			}
			transpose8(&a)
			for j := range a {
				binary.LittleEndian.PutUint64(dst[j*rows+i:], a[j])
			}
		}
	}
	for ; i < rows; i++ {
		v := src[i*width : (i+1)*width]
		for j := range v {
			dst[j*rows+i] = v[j]
		}
	}
}

// join is the inverse of split.
func join(dst, src []byte, width int) {
	rows := len(src) / width
	i := 0
	switch width {
	case 1:
		copy(dst, src)
		return
	case 8:
		var a [8]uint64
		for ; i+8 <= rows; i += 8 {
			for j := range a {
				a[j] = binary.LittleEndian.Uint64(src[j*rows+i:])
			}
			transpose8(&a)
			out := dst[8*i : 8*i+64]
			for j := range a {
				binary.LittleEndian.PutUint64(out[8*j:], a[j])
			}
		}
	}
	for ; i < rows; i++ {
		v := dst[i*width : (i+1)*width]
		for j := range v {
			v[j] = src[j*rows+i]
		}
	}
}
