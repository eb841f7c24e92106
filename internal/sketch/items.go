package sketch

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// ErrItems is a byte string that is no sketch of frequent items of its kind.
var ErrItems = errors.New("sketch: malformed sketch of frequent items")

// Items is a DataSketches ItemsSketch: the most frequent items of a stream, by
// the Misra-Gries algorithm. Its table has the layout of the original (linear
// probing from the item's Java hash code), for the order of items of the same
// frequency follows from it.
type Items struct {
	codec  ItemCodec
	lgMax  int
	offset int64 // how much a count may be too low
	weight int64 // of the whole stream

	slots  []itemSlot
	active int
	arena  []byte // the keys
}

type itemSlot struct {
	off, len uint32
	hash     int32
	drift    int32 // 1 + the distance from where the hash puts it; 0 is empty
	count    int64
}

const (
	lgMinItems   = 3
	lgMostItems  = 21   // the table of a sketch that tracks a million items
	itemSamples  = 1024 // counts that a purge looks at
	itemsVersion = 1
	itemsFamily  = 10
	itemsEmpty   = 5 // flags
	itemsHeader  = 32
)

// NewItems is an empty sketch whose table grows to 2^lgMax slots.
func NewItems(codec ItemCodec, lgMax int) *Items { return newItems(codec, lgMax, lgMinItems) }

func newItems(codec ItemCodec, lgMax, lgSize int) *Items {
	return &Items{codec: codec, lgMax: max(lgMax, lgMinItems), slots: make([]itemSlot, 1<<max(lgSize, lgMinItems))}
}

// Bytes is the memory that the sketch takes.
func (s *Items) Bytes() int { return 96 + 24*len(s.slots) + cap(s.arena) }

func (s *Items) key(i int) []byte {
	return s.arena[s.slots[i].off:][:s.slots[i].len]
}

// Add counts n occurrences of an item, given as ItemCodec says.
func (s *Items) Add(key []byte, n int64) { s.add(key, s.codec.hash(key), n) }

func (s *Items) add(key []byte, hash int32, n int64) {
	s.weight += n
	i, drift := s.find(key, hash)
	if s.slots[i].drift > 0 {
		s.slots[i].count += n
		return
	}
	s.slots[i] = itemSlot{off: uint32(len(s.arena)), len: uint32(len(key)), hash: hash, drift: drift, count: n}
	s.arena = append(s.arena, key...)
	s.active++
	if s.active <= len(s.slots)*3/4 {
		return
	}
	if len(s.slots) < 1<<s.lgMax {
		s.grow()
	} else {
		s.purge()
	}
}

// find is the slot of an item, or the empty one where it goes.
func (s *Items) find(key []byte, hash int32) (slot int, drift int32) {
	mask := len(s.slots) - 1
	i := int(mix64(uint64(int64(hash)))) & mask
	for drift = 1; s.slots[i].drift > 0; drift++ {
		if s.slots[i].hash == hash && string(s.key(i)) == string(key) {
			break
		}
		i = (i + 1) & mask
	}
	return i, drift
}

func (s *Items) grow() {
	old := s.slots
	s.slots = make([]itemSlot, 2*len(old))
	for _, x := range old {
		if x.drift > 0 {
			i, drift := s.find(s.arena[x.off:][:x.len], x.hash)
			x.drift = drift
			s.slots[i] = x
		}
	}
}

// purge takes the median of some counts off all counts, and drops the items
// that have none left.
func (s *Items) purge() {
	samples := make([]int64, 0, min(itemSamples, s.active))
	for i := 0; len(samples) < cap(samples); i++ {
		if s.slots[i].drift > 0 {
			samples = append(samples, s.slots[i].count)
		}
	}
	slices.Sort(samples)
	median := samples[len(samples)/2]
	for i := range s.slots {
		s.slots[i].count -= median
	}
	// From an empty slot downwards, so that no item that moves up is missed.
	first := len(s.slots) - 1
	for s.slots[first].drift > 0 {
		first--
	}
	for i := first - 1; i >= 0; i-- {
		s.dropEmpty(i)
	}
	for i := len(s.slots) - 1; i >= first; i-- {
		s.dropEmpty(i)
	}
	s.offset += median
	s.compact()
}

func (s *Items) dropEmpty(i int) {
	if s.slots[i].drift == 0 || s.slots[i].count > 0 {
		return
	}
	s.active--
	mask := len(s.slots) - 1
	s.slots[i].drift = 0
	drift := int32(1)
	for j := (i + 1) & mask; s.slots[j].drift != 0; j = (j + 1) & mask {
		if s.slots[j].drift > drift {
			s.slots[i] = s.slots[j]
			s.slots[i].drift -= drift
			s.slots[j].drift = 0
			i, drift = j, 0
		}
		drift++
	}
}

// compact drops the keys of items that are gone.
func (s *Items) compact() {
	old := s.arena
	s.arena = make([]byte, 0, len(old)/2)
	for i := range s.slots {
		if x := &s.slots[i]; x.drift > 0 {
			key := old[x.off:][:x.len]
			x.off = uint32(len(s.arena))
			s.arena = append(s.arena, key...)
		}
	}
}

// each visits the items in the order of DataSketches' iterator.
func (s *Items) each(visit func(i int)) {
	n := len(s.slots)
	stride := int(float64(n)*((math.Sqrt(5)-1)/2)) | 1
	for i, seen := 0, 0; seen < s.active; i = (i + stride) & (n - 1) {
		if s.slots[i].drift > 0 {
			visit(i)
			seen++
		}
	}
}

// Merge adds the items of another sketch of the same codec.
func (s *Items) Merge(o *Items) {
	weight := s.weight + o.weight
	o.each(func(i int) { s.add(o.key(i), o.slots[i].hash, o.slots[i].count) })
	s.offset += o.offset
	s.weight = weight
}

// Item is a frequent item with an upper bound of its count.
type Item struct {
	Key   []byte
	Count int64
}

// Frequent are the items that are certainly frequent, most frequent first.
func (s *Items) Frequent() []Item {
	var out []Item
	s.each(func(i int) {
		if c := s.slots[i].count; c >= s.offset {
			out = append(out, Item{s.key(i), c + s.offset})
		}
	})
	slices.SortStableFunc(out, func(a, b Item) int { return compareInt64(b.Count, a.Count) })
	return out
}

func compareInt64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// AppendTo adds the sketch in the form of DataSketches.
func (s *Items) AppendTo(dst []byte) []byte { return s.appendFrom(dst, 0) }

// AppendExact is AppendTo, but in an order of the items in which ParseItems
// gives them the same slots.
func (s *Items) AppendExact(dst []byte) []byte {
	first := 0
	for s.slots[first].drift > 0 {
		first++
	}
	return s.appendFrom(dst, first)
}

// appendFrom adds the items in the order of their slots from one on.
func (s *Items) appendFrom(dst []byte, first int) []byte {
	lg := byte(0)
	for 1<<lg < len(s.slots) {
		lg++
	}
	if s.active == 0 {
		return append(dst, 1, itemsVersion, itemsFamily, byte(s.lgMax), lg, itemsEmpty, 0, 0)
	}
	dst = append(dst, itemsHeader/8, itemsVersion, itemsFamily, byte(s.lgMax), lg, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.active))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.weight))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.offset))
	keys := make([][]byte, 0, s.active)
	for k := range s.slots {
		i := (first + k) & (len(s.slots) - 1)
		if x := &s.slots[i]; x.drift > 0 {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(x.count))
			keys = append(keys, s.key(i))
		}
	}
	return s.codec.appendAll(dst, keys)
}

// ParseItems reads a sketch.
func ParseItems(codec ItemCodec, p []byte) (*Items, error) {
	if len(p) < 8 || p[1] != itemsVersion || p[2] != itemsFamily || p[3] > lgMostItems || p[4] > max(p[3], lgMinItems) {
		return nil, ErrItems
	}
	empty := p[5]&itemsEmpty != 0
	if empty {
		if p[0] != 1 {
			return nil, ErrItems
		}
		return NewItems(codec, int(p[3])), nil
	}
	if p[0] != itemsHeader/8 || len(p) < itemsHeader {
		return nil, ErrItems
	}
	n := int(binary.LittleEndian.Uint32(p[8:]))
	if n > (len(p)-itemsHeader)/8 || n > 3<<p[4]/4 {
		return nil, ErrItems
	}
	keys, ok := codec.readAll(p[itemsHeader+8*n:], n)
	if !ok {
		return nil, ErrItems
	}
	s := newItems(codec, int(p[3]), int(p[4]))
	for i, key := range keys {
		count := int64(binary.LittleEndian.Uint64(p[itemsHeader+8*i:]))
		if count <= 0 {
			return nil, ErrItems
		}
		s.Add(key, count)
	}
	s.weight = int64(binary.LittleEndian.Uint64(p[16:]))
	s.offset += int64(binary.LittleEndian.Uint64(p[24:]))
	return s, nil
}

// AppendNullableItems adds a sketch in the form of approx_top_k_accumulate: with
// the number of nulls, big-endian, behind it.
func AppendNullableItems(dst []byte, s *Items, nulls int64) []byte {
	return binary.BigEndian.AppendUint64(s.AppendTo(dst), uint64(nulls))
}

// ParseNullableItems reads a sketch with the number of nulls behind it.
func ParseNullableItems(codec ItemCodec, p []byte) (s *Items, nulls int64, err error) {
	if len(p) < 8 {
		return nil, 0, ErrItems
	}
	s, err = ParseItems(codec, p[:len(p)-8])
	return s, int64(binary.BigEndian.Uint64(p[len(p)-8:])), err
}
