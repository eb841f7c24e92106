package vector

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// Constants of the hash; part of the checkpoint format, because a row's
// partition follows from its hash.
const (
	hashK0   = 0x9E3779B97F4A7C15
	hashK1   = 0xD6E8FEB86659FD93
	hashK2   = 0xE7037ED1A0B428DB
	hashK3   = 0xA0761D6478BD642F
	hashNull = 0x6A09E667F3BCC909
)

// mix is the hash of one word.
func mix(x uint64) uint64 {
	h, l := bits.Mul64(x^hashK0, hashK1)
	return h ^ l
}

// mix2 folds another word into a hash.
func mix2(a, b uint64) uint64 {
	h, l := bits.Mul64(a^hashK0, b^hashK2)
	return mix(h ^ l ^ a)
}

// hashBytes is the hash of a byte string.
func hashBytes(p []byte) uint64 {
	seed := uint64(len(p)) * hashK3
	var a, b uint64
	switch n := len(p); {
	case n > 16:
		q := p
		for len(q) > 16 {
			h, l := bits.Mul64(binary.LittleEndian.Uint64(q)^hashK2, binary.LittleEndian.Uint64(q[8:])^seed)
			seed = h ^ l
			q = q[16:]
		}
		// The last 16 bytes may overlap what the loop has read.
		a, b = binary.LittleEndian.Uint64(p[n-16:]), binary.LittleEndian.Uint64(p[n-8:])
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(p)), uint64(binary.LittleEndian.Uint32(p[n-4:]))
	case n > 0:
		a = uint64(p[0])<<16 | uint64(p[n>>1])<<8 | uint64(p[n-1])
	}
	h, l := bits.Mul64(a^hashK2, b^seed)
	return mix(h ^ l ^ seed)
}

// HashColumns sets out[i] to the hash of row i over the key columns, which are
// flat (fixed-width, string, binary or boolean). Equal keys, as GROUP BY has
// them, hash equally: -0.0 as 0.0, all NaN alike, null as a value. The hash is
// stable: it decides the partition of a key and so is part of the checkpoint format.
func HashColumns(cols []arrow.Array, out []uint64) {
	n := len(out)
	for i := range out {
		out[i] = 0
	}
	var words []uint64
	for _, c := range cols {
		valid := Validity(c)
		switch c.DataType().ID() {
		case arrow.STRING, arrow.BINARY:
			off, data := Strings(c)
			for i := range n {
				h := uint64(hashNull)
				if valid.Get(i) {
					h = hashBytes(data[off[i]:off[i+1]])
				}
				out[i] = mix2(out[i], h)
			}
			continue
		}
		if words == nil {
			words = make([]uint64, n)
		}
		for half := range keyWidth(c.DataType()) {
			keyWords(c, half, words)
			for i := range n {
				h := words[i]
				if !valid.Get(i) {
					h = hashNull
				}
				out[i] = mix2(out[i], h)
			}
		}
	}
}

// keyWidth is the number of 64-bit words of a fixed-width key.
func keyWidth(dt arrow.DataType) int {
	switch dt.ID() {
	case arrow.DECIMAL128, arrow.INTERVAL_MONTH_DAY_NANO:
		return 2
	}
	return 1
}

// keyWords sets out[i] to word half of row i of a fixed-width or boolean
// column in the form in which keys are compared; a null's word is 0.
func keyWords(a arrow.Array, half int, out []uint64) {
	switch dt := a.DataType(); dt.ID() {
	case arrow.NULL:
		clear(out)
	case arrow.BOOL:
		b := Bools(a)
		for i := range out {
			out[i] = uint64(b[i>>3] >> (i & 7) & 1)
		}
	case arrow.FLOAT32:
		for i, v := range Values[float32](a) {
			switch {
			case v != v:
				out[i] = uint64(math.Float32bits(float32(math.NaN())))
			case v == 0:
				out[i] = 0
			default:
				out[i] = uint64(math.Float32bits(v))
			}
		}
	case arrow.FLOAT64:
		for i, v := range Values[float64](a) {
			out[i] = canonicalDouble(v)
		}
	case arrow.DECIMAL128, arrow.INTERVAL_MONTH_DAY_NANO:
		for i, v := range Values[[2]uint64](a) {
			out[i] = v[half&1]
		}
	default:
		switch dt.(arrow.FixedWidthDataType).BitWidth() {
		case 8:
			widen[int8](a, out)
		case 16:
			widen[int16](a, out)
		case 32:
			widen[int32](a, out)
		default:
			copy(out, Values[uint64](a))
		}
	}
	if valid := Validity(a); valid != nil {
		for i := range out {
			if !valid.Get(i) {
				out[i] = 0
			}
		}
	}
}

// canonicalDouble is the bits of v with one NaN and one zero.
func canonicalDouble(v float64) uint64 {
	switch {
	case v != v:
		return math.Float64bits(math.NaN())
	case v == 0:
		return 0
	}
	return math.Float64bits(v)
}

func widen[T int8 | int16 | int32](a arrow.Array, out []uint64) {
	for i, v := range Values[T](a) {
		out[i] = uint64(int64(v))
	}
}
