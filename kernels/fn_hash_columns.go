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
	return murmurRows(nil, types, cols, n)
}

// XXHash64 is Spark's xxhash64 of rows, folded as Murmur3.
func XXHash64(types []*vector.Type, cols []vector.Vec, n int) []int64 {
	return xxRows(nil, types, cols, n)
}

func murmurRows(mem *vector.Buffers, types []*vector.Type, cols []vector.Vec, n int) []int32 {
	seeds := hashRows(mem, &murmur, types, cols, n)
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(seeds))), n)
}

func xxRows(mem *vector.Buffers, types []*vector.Type, cols []vector.Vec, n int) []int64 {
	seeds := hashRows(mem, &xx64, types, cols, n)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(seeds))), n)
}

func hashRows[H uint32 | uint64](mem *vector.Buffers, h *hasher[H], types []*vector.Type, cols []vector.Vec, n int) []H {
	seeds := vector.Make[H](mem, n)
	if len(cols) > 0 && hashFirst(types[0], cols[0], seeds) {
		types, cols = types[1:], cols[1:]
	} else {
		for i := range seeds {
			seeds[i] = hashSeed
		}
	}
	for k, c := range cols {
		hashColumn(h, types[k], c, seeds)
	}
	return seeds
}

// hashFirst hashes a first column of integers without nulls under the first seed;
// false for another one.
func hashFirst[H uint32 | uint64](t *vector.Type, v vector.Vec, seeds []H) bool {
	if v.Const || v.MayHaveNulls() {
		return false
	}
	switch seeds := any(seeds).(type) {
	case []uint32:
		switch integerWidth(t) {
		case 4:
			for i, x := range vector.Values[uint32](v.Arr)[:len(seeds)] {
				seeds[i] = murmurInt(x, hashSeed)
			}
			return true
		case 8:
			for i, x := range vector.Values[uint64](v.Arr)[:len(seeds)] {
				seeds[i] = murmurLong(x, hashSeed)
			}
			return true
		}
	case []uint64:
		switch integerWidth(t) {
		case 4:
			for i, x := range vector.Values[uint32](v.Arr)[:len(seeds)] {
				seeds[i] = xxInt(x, hashSeed)
			}
			return true
		case 8:
			for i, x := range vector.Values[uint64](v.Arr)[:len(seeds)] {
				seeds[i] = xxLong(x, hashSeed)
			}
			return true
		}
	}
	return false
}

// integerWidth is the width of the integers, dates and timestamps of 4 and 8 bytes, 0
// of other types.
func integerWidth(t *vector.Type) int {
	switch t.Kind {
	case vector.KindInt, vector.KindDate:
		return 4
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ:
		return 8
	}
	return 0
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
	if valid == nil && (hashFixed(t, v.Arr, mask, seeds) || hashTexts(t, v, seeds)) {
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
	width := integerWidth(t)
	if width == 0 {
		return false
	}
	wide := width == 8
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

// hashTexts is hashColumn for strings without nulls under xxhash64; false for others.
func hashTexts[H uint32 | uint64](t *vector.Type, v vector.Vec, seeds []H) bool {
	long, ok := any(seeds).([]uint64)
	if !ok || t.Kind != vector.KindString && t.Kind != vector.KindBinary {
		return false
	}
	s := textsOf(v)
	for i, seed := range long {
		i0 := i & s.mask
		long[i] = xxText(s.data, int(s.off[i0]), int(s.off[i0+1]), seed)
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

func xxBytes(b []byte, seed uint64) uint64 { return xxText(b, 0, len(b), seed) }

// xxText hashes data[lo:hi]. What follows the last eight-byte word is mixed in without
// branches on its length, which differs from text to text: the computations of
// neighbours then overlap.
func xxText(data []byte, lo, hi int, seed uint64) uint64 {
	n := uint64(hi - lo)
	b := data[lo:hi]
	h := seed + xxPrime5
	if len(b) >= 32 {
		h, b = xxLanes(b, seed)
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h ^= xxRound(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*xxPrime1 + xxPrime4
	}
	if len(b) == 0 {
		return xxEnd(h)
	}
	var tail uint64 // the last bytes, the first of them lowest
	if at := hi - len(b); at+8 <= len(data) {
		tail = binary.LittleEndian.Uint64(data[at:])
	} else {
		for i, c := range b {
			tail |= uint64(c) << (8 * i)
		}
	}
	mixed := bits.RotateLeft64(h^uint64(uint32(tail))*xxPrime1, 23)*xxPrime2 + xxPrime3
	four := -(n >> 2 & 1)
	h, tail = h&^four|mixed&four, tail>>(four&32)
	one := xxByte(h, tail)
	two := xxByte(one, tail>>8)
	three := xxByte(two, tail>>16)
	odd, upper := -(n & 1), -(n >> 1 & 1)
	low, high := h&^odd|one&odd, two&^odd|three&odd
	return xxEnd(low&^upper | high&upper)
}

func xxByte(h, c uint64) uint64 { return bits.RotateLeft64(h^(c&0xff)*xxPrime5, 11) * xxPrime1 }

// xxLanes hashes blocks of 32 bytes and returns the rest.
func xxLanes(b []byte, seed uint64) (h uint64, rest []byte) {
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
	return h, b
}
