package sketch

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrCountMin is a byte string that is no count-min sketch of the expected size.
var ErrCountMin = errors.New("sketch: malformed count-min sketch")

// CountMinShape is the size and the hash functions of count-min sketches.
type CountMinShape struct {
	Depth, Width int
	hashA        []int64
}

// NewCountMinShape is the shape for a relative error and a confidence in (0, 1).
func NewCountMinShape(eps, confidence float64, seed int32) CountMinShape {
	s := CountMinShape{
		Width: int(int32(min(math.Ceil(2/eps), math.MaxInt32))),
		Depth: int(math.Ceil(-math.Log(1-confidence) / math.Log(2))),
	}
	r := newJavaRandom(int64(seed))
	for range s.Depth {
		s.hashA = append(s.hashA, int64(r.below(math.MaxInt32)))
	}
	return s
}

// CountMin is Spark's count-min sketch: the counts of a stream's values, never
// too low and seldom much too high.
type CountMin struct {
	shape CountMinShape
	total int64
	table []int64 // Depth rows of Width
}

// NewCountMin is an empty sketch.
func NewCountMin(shape CountMinShape) *CountMin {
	return &CountMin{shape: shape, table: make([]int64, shape.Depth*shape.Width)}
}

// Bytes is the memory that the sketch takes.
func (s *CountMin) Bytes() int { return 64 + 8*cap(s.table) }

// AddLong counts a number.
func (s *CountMin) AddLong(v int64) {
	for i, a := range s.shape.hashA {
		h := a * v
		h += h >> 32
		h &= math.MaxInt32
		s.table[i*s.shape.Width+int(int32(h)%int32(s.shape.Width))]++
	}
	s.total++
}

// AddHashes counts a value by two 32-bit hashes of it.
func (s *CountMin) AddHashes(h1, h2 int32) {
	for i := range s.shape.hashA {
		at := (h1 + int32(i)*h2) % int32(s.shape.Width)
		s.table[i*s.shape.Width+int(max(at, -at))]++
	}
	s.total++
}

// Merge adds the counts of a sketch of the same shape.
func (s *CountMin) Merge(o *CountMin) {
	for i, v := range o.table {
		s.table[i] += v
	}
	s.total += o.total
}

// AppendTo adds the sketch in Spark's form: big-endian version, total, depth,
// width, the factors of the hash functions and the rows.
func (s *CountMin) AppendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 1)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.total))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.shape.Depth))
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.shape.Width))
	for _, a := range s.shape.hashA {
		dst = binary.BigEndian.AppendUint64(dst, uint64(a))
	}
	for _, v := range s.table {
		dst = binary.BigEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

// ParseCountMin reads a sketch of a known shape.
func ParseCountMin(shape CountMinShape, p []byte) (*CountMin, error) {
	const header = 20
	if len(p) != header+8*shape.Depth+8*shape.Depth*shape.Width || binary.BigEndian.Uint32(p) != 1 {
		return nil, ErrCountMin
	}
	s := NewCountMin(shape)
	s.total = int64(binary.BigEndian.Uint64(p[4:]))
	if int(binary.BigEndian.Uint32(p[12:])) != shape.Depth || int(binary.BigEndian.Uint32(p[16:])) != shape.Width {
		return nil, ErrCountMin
	}
	p = p[header:]
	for _, a := range shape.hashA {
		if int64(binary.BigEndian.Uint64(p)) != a {
			return nil, ErrCountMin
		}
		p = p[8:]
	}
	for i := range s.table {
		s.table[i] = int64(binary.BigEndian.Uint64(p[8*i:]))
	}
	return s, nil
}

// javaRandom is java.util.Random.
type javaRandom struct{ seed int64 }

const javaRandomMask = 1<<48 - 1

func newJavaRandom(seed int64) *javaRandom { return &javaRandom{(seed ^ 0x5DEECE66D) & javaRandomMask} }

func (r *javaRandom) next(bits uint) int32 {
	r.seed = (r.seed*0x5DEECE66D + 0xB) & javaRandomMask
	return int32(r.seed >> (48 - bits))
}

// below is a number from 0 to n-1; n is no power of two.
func (r *javaRandom) below(n int32) int32 {
	for {
		u := r.next(31)
		v := u % n
		if u-v+(n-1) >= 0 {
			return v
		}
	}
}
