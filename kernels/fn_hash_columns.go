package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/vector"
)

// hashSeed is the seed of Spark's hash functions.
const hashSeed = 42

// Murmur3 is Spark's hash of rows: the columns are folded from the left, each
// value's hash being the seed of the next; a null leaves the seed as it is. With
// pmod(hash, n) it gives Spark's shuffle partition of a row.
func Murmur3(types []*vector.Type, cols []vector.Vec, n int) []int32 {
	seeds := hashRows(&murmur, types, cols, n)
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(seeds))), n)
}

// XXHash64 is Spark's xxhash64 of rows, folded as Murmur3.
func XXHash64(types []*vector.Type, cols []vector.Vec, n int) []int64 {
	seeds := hashRows(&xx64, types, cols, n)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(seeds))), n)
}

func hashRows[H uint32 | uint64](h *hasher[H], types []*vector.Type, cols []vector.Vec, n int) []H {
	seeds := make([]H, n)
	for i := range seeds {
		seeds[i] = hashSeed
	}
	for k, c := range cols {
		hashColumn(h, types[k], c, seeds)
	}
	return seeds
}

// hasher is one of the two hash functions over a seed of type H.
type hasher[H uint32 | uint64] struct {
	int32 func(v uint32, seed H) H
	int64 func(v uint64, seed H) H
	bytes func(b []byte, seed H) H
}

var (
	murmur = hasher[uint32]{murmurInt, murmurLong, murmurBytes}
	xx64   = hasher[uint64]{xxInt, xxLong, xxBytes}
)

// hashColumn folds a column into the rows' seeds.
func hashColumn[H uint32 | uint64](h *hasher[H], t *vector.Type, v vector.Vec, seeds []H) {
	valid, mask := vector.Validity(v.Arr), v.Mask()
	if valid == nil && hashFixed(t, v.Arr, mask, seeds) {
		return
	}
	f := hashValue(h, t, v.Arr)
	if f == nil {
		return
	}
	for i := range seeds {
		if valid.Get(i & mask) {
			seeds[i] = f(i&mask, seeds[i])
		}
	}
}

// hashFixed is hashColumn for the columns of integers without nulls, which keys
// mostly are; false for others.
func hashFixed[H uint32 | uint64](t *vector.Type, a arrow.Array, mask int, seeds []H) bool {
	wide := false
	switch t.Kind {
	case vector.KindInt, vector.KindDate:
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ:
		wide = true
	default:
		return false
	}
	switch seeds := any(seeds).(type) {
	case []uint32:
		if wide {
			x := vector.Values[uint64](a)
			for i := range seeds {
				seeds[i] = murmurLong(x[i&mask], seeds[i])
			}
			return true
		}
		x := vector.Values[uint32](a)
		for i := range seeds {
			seeds[i] = murmurInt(x[i&mask], seeds[i])
		}
	case []uint64:
		if wide {
			x := vector.Values[uint64](a)
			for i := range seeds {
				seeds[i] = xxLong(x[i&mask], seeds[i])
			}
			return true
		}
		x := vector.Values[uint32](a)
		for i := range seeds {
			seeds[i] = xxInt(x[i&mask], seeds[i])
		}
	}
	return true
}

// hashValue is the function that hashes value i of an array, which is not null;
// nil for a column of nulls.
func hashValue[H uint32 | uint64](h *hasher[H], t *vector.Type, a arrow.Array) func(i int, seed H) H {
	switch t.Kind {
	case vector.KindBool:
		b := vector.Bools(a)
		return func(i int, seed H) H {
			if b.Get(i) {
				return h.int32(1, seed)
			}
			return h.int32(0, seed)
		}
	case vector.KindByte:
		x := vector.Values[int8](a)
		return func(i int, seed H) H { return h.int32(uint32(int32(x[i])), seed) }
	case vector.KindShort:
		x := vector.Values[int16](a)
		return func(i int, seed H) H { return h.int32(uint32(int32(x[i])), seed) }
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		x := vector.Values[uint32](a)
		return func(i int, seed H) H { return h.int32(x[i], seed) }
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval, vector.KindTime:
		x := vector.Values[uint64](a)
		return func(i int, seed H) H { return h.int64(x[i], seed) }
	case vector.KindFloat:
		x := vector.Values[float32](a)
		return func(i int, seed H) H { return h.int32(floatBits(x[i]), seed) }
	case vector.KindDouble:
		x := vector.Values[float64](a)
		return func(i int, seed H) H { return h.int64(doubleBits(x[i]), seed) }
	case vector.KindDecimal:
		x := vector.Values[Dec](a)
		if t.Precision <= 18 {
			return func(i int, seed H) H { return h.int64(x[i].LowBits(), seed) }
		}
		return func(i int, seed H) H { return h.bytes(twosComplement(x[i]), seed) }
	case vector.KindString, vector.KindBinary:
		off, data := vector.Strings(a)
		return func(i int, seed H) H { return h.bytes(data[off[i]:off[i+1]], seed) }
	case vector.KindCalendarInterval:
		x := vector.Values[arrow.MonthDayNanoInterval](a)
		return func(i int, seed H) H {
			v := x[i]
			return h.int32(uint32(v.Months), h.int32(uint32(v.Days), h.int64(uint64(v.Nanoseconds/1000), seed)))
		}
	case vector.KindArray:
		off, child := vector.Offsets(a), listChild(a)
		f := hashValue(h, t.Elem, child)
		return func(i int, seed H) H {
			for j := int(off[i]); j < int(off[i+1]) && f != nil; j++ {
				if child.IsValid(j) {
					seed = f(j, seed)
				}
			}
			return seed
		}
	case vector.KindStruct:
		s := a.(*array.Struct)
		fs := make([]func(int, H) H, s.NumField())
		for k := range fs {
			fs[k] = hashValue(h, t.Fields[k].Type, s.Field(k))
		}
		return func(i int, seed H) H {
			for k, f := range fs {
				if f != nil && s.Field(k).IsValid(i) {
					seed = f(i, seed)
				}
			}
			return seed
		}
	}
	return nil
}

// floatBits are Java's floatToIntBits with -0.0 as 0.0.
func floatBits(v float32) uint32 {
	switch {
	case v == 0:
		return 0
	case v != v:
		return 0x7fc00000
	}
	return math.Float32bits(v)
}

func doubleBits(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case v != v:
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

// twosComplement is Java's BigInteger.toByteArray: big-endian, as short as possible.
func twosComplement(d Dec) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(d.HighBits()))
	binary.BigEndian.PutUint64(b[8:], d.LowBits())
	i := 0
	for i < 15 && (b[i] == 0 && b[i+1] < 0x80 || b[i] == 0xff && b[i+1] >= 0x80) {
		i++
	}
	return b[i:]
}

func murmurMix(k, h uint32) uint32 {
	k *= 0xcc9e2d51
	k = bits.RotateLeft32(k, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h, length uint32) uint32 {
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func murmurInt(v, seed uint32) uint32 { return murmurEnd(murmurMix(v, seed), 4) }

func murmurLong(v uint64, seed uint32) uint32 {
	return murmurEnd(murmurMix(uint32(v>>32), murmurMix(uint32(v), seed)), 8)
}

// murmurBytes differs from the published Murmur3 in its tail: the last one to
// three bytes are mixed in one by one, sign-extended.
func murmurBytes(b []byte, seed uint32) uint32 {
	h, n := seed, uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = murmurMix(binary.LittleEndian.Uint32(b), h)
	}
	for _, c := range b {
		h = murmurMix(uint32(int32(int8(c))), h)
	}
	return murmurEnd(h, n)
}

const (
	xxPrime1 = 0x9E3779B185EBCA87
	xxPrime2 = 0xC2B2AE3D27D4EB4F
	xxPrime3 = 0x165667B19E3779F9
	xxPrime4 = 0x85EBCA77C2B2AE63
	xxPrime5 = 0x27D4EB2F165667C5
)

func xxEnd(h uint64) uint64 {
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}

func xxInt(v uint32, seed uint64) uint64 {
	h := seed + xxPrime5 + 4
	h ^= uint64(v) * xxPrime1
	return xxEnd(bits.RotateLeft64(h, 23)*xxPrime2 + xxPrime3)
}

func xxRound(acc, v uint64) uint64 { return bits.RotateLeft64(acc+v*xxPrime2, 31) * xxPrime1 }

func xxLong(v, seed uint64) uint64 {
	h := seed + xxPrime5 + 8
	h ^= xxRound(0, v)
	return xxEnd(bits.RotateLeft64(h, 27)*xxPrime1 + xxPrime4)
}

func xxBytes(b []byte, seed uint64) uint64 {
	n := uint64(len(b))
	var h uint64
	if len(b) >= 32 {
		p1, p2 := uint64(xxPrime1), uint64(xxPrime2)
		v1, v2, v3, v4 := seed+p1+p2, seed+p2, seed, seed-p1
		for ; len(b) >= 32; b = b[32:] {
			v1 = xxRound(v1, binary.LittleEndian.Uint64(b))
			v2 = xxRound(v2, binary.LittleEndian.Uint64(b[8:]))
			v3 = xxRound(v3, binary.LittleEndian.Uint64(b[16:]))
			v4 = xxRound(v4, binary.LittleEndian.Uint64(b[24:]))
		}
		h = bits.RotateLeft64(v1, 1) + bits.RotateLeft64(v2, 7) + bits.RotateLeft64(v3, 12) + bits.RotateLeft64(v4, 18)
		for _, v := range [...]uint64{v1, v2, v3, v4} {
			h = (h^xxRound(0, v))*xxPrime1 + xxPrime4
		}
	} else {
		h = seed + xxPrime5
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h ^= xxRound(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*xxPrime1 + xxPrime4
	}
	if len(b) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(b)) * xxPrime1
		h = bits.RotateLeft64(h, 23)*xxPrime2 + xxPrime3
		b = b[4:]
	}
	for _, c := range b {
		h ^= uint64(c) * xxPrime5
		h = bits.RotateLeft64(h, 11) * xxPrime1
	}
	return xxEnd(h)
}
