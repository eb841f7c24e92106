// Package sketch holds the sketches that Spark's functions make and read, in the
// binary forms of Apache DataSketches and of Spark itself, so that a sketch made
// here can be read there and gives the same estimates.
package sketch

import (
	"encoding/binary"
	"math/bits"
)

// updateSeed is the seed with which DataSketches hash what they count.
const updateSeed = 9001

// HashBytes is the 128-bit MurmurHash3 (x64) of p with the seed of DataSketches.
func HashBytes(p []byte) (h1, h2 uint64) { return murmur128(p, updateSeed) }

// HashLong is HashBytes of the eight little-endian bytes of v.
func HashLong(v int64) (h1, h2 uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	return murmur128(b[:], updateSeed)
}

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
)

func murmur128(p []byte, seed uint64) (h1, h2 uint64) {
	h1, h2 = seed, seed
	n := uint64(len(p))
	for ; len(p) >= 16; p = p[16:] {
		h1 ^= murmurK1(binary.LittleEndian.Uint64(p))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= murmurK2(binary.LittleEndian.Uint64(p[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], p)
	if len(p) > 8 {
		h2 ^= murmurK2(binary.LittleEndian.Uint64(tail[8:]))
	}
	if len(p) > 0 {
		h1 ^= murmurK1(binary.LittleEndian.Uint64(tail[:]))
	}
	h1 ^= n
	h2 ^= n
	h1 += h2
	h2 += h1
	h1, h2 = mix64(h1), mix64(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

func murmurK1(k uint64) uint64 { return bits.RotateLeft64(k*murmurC1, 31) * murmurC2 }
func murmurK2(k uint64) uint64 { return bits.RotateLeft64(k*murmurC2, 33) * murmurC1 }

// mix64 is MurmurHash3's finaliser.
func mix64(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
