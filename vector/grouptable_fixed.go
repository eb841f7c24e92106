package vector

import (
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// keyWordsOf is the packed form of a fixed-width key.
type keyWordsOf interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64
}

// fixedSlot is a slot with its key inline; null has a bit per null column.
type fixedSlot[K keyWordsOf] struct {
	key   K
	null  uint32
	group uint32 // id+1; 0 is an empty slot
}

// fixedTable is a GroupTable of fixed-width keys, with linear probing.
type fixedTable[K keyWordsOf] struct {
	types []*Type
	slots []fixedSlot[K]
	keys  []K      // by group
	nulls []uint32 // by group; nil while no key has a null
	n     int
	limit int
	shift uint8 // of a hash: its high bits are the slot
	// frozen: keys that are not there are NoGroup
	frozen bool

	slotMem, keyMem *Memory

	words  []uint64 // scratch of one vector
	packed []K
	masks  []uint32
	hashes []uint64
	loaded []fixedSlot[K]
}

func newFixedTable[K keyWordsOf](types []*Type) *fixedTable[K] {
	t := &fixedTable[K]{types: types}
	t.resize(minSlots)
	return t
}

func (t *fixedTable[K]) len() int { return t.n }

func (t *fixedTable[K]) freeze(on bool) { t.frozen = on }

func (t *fixedTable[K]) bytes() int { return t.slotMem.Len() + t.keyMem.Len() + 4*cap(t.nulls) }

func (t *fixedTable[K]) free() {
	t.slotMem.Free()
	t.keyMem.Free()
	t.slots, t.keys, t.nulls, t.n = nil, nil, nil, 0
}

func (t *fixedTable[K]) reset() {
	n := t.n
	t.n, t.nulls = 0, nil
	if len(t.slots) > resetSlots*max(n, minSlots) {
		t.slots = nil
		t.resize(minSlots)
		return
	}
	clear(t.slots)
}

// resize rehashes into a table of size slots, a power of two.
func (t *fixedTable[K]) resize(size int) {
	old, oldMem := t.slots, t.slotMem
	t.slotMem = NewMemory(size * int(unsafe.Sizeof(fixedSlot[K]{})))
	t.slots = MemorySlice[fixedSlot[K]](t.slotMem)[:size]
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	t.limit = size * 6 / 10
	mask := uint64(size - 1)
	for i := range old {
		s := &old[i]
		if s.group == 0 {
			continue
		}
		p := hashKey(&s.key, s.null) >> t.shift
		for t.slots[p].group != 0 {
			p = (p + 1) & mask
		}
		t.slots[p] = *s
	}
	oldMem.Free()
}

func hashKey[K keyWordsOf](k *K, null uint32) uint64 {
	h := mix((*k)[0] + uint64(null)*hashK3)
	for j := 1; j < len(*k); j++ {
		h = mix2(h, (*k)[j])
	}
	return h
}

func (t *fixedTable[K]) find(cols []arrow.Array, gid []uint32) {
	n := len(gid)
	keys, masks := t.pack(cols, n)
	for lo := 0; lo < n; lo += tableVector {
		hi := min(lo+tableVector, n)
		var m []uint32
		if masks != nil {
			m = masks[lo:hi]
		}
		t.findVector(keys[lo:hi], m, gid[lo:hi])
	}
}

func (t *fixedTable[K]) findVector(keys []K, masks, gid []uint32) {
	n := len(keys)
	if cap(t.hashes) < n {
		t.hashes, t.loaded = make([]uint64, n), make([]fixedSlot[K], n)
	}
	h, s := t.hashes[:n], t.loaded[:n]
	var z K
	switch {
	case masks != nil:
		for i := range keys {
			h[i] = hashKey(&keys[i], masks[i])
		}
	case len(z) == 1: // hashKey is too large to be inlined
		for i := range keys {
			h[i] = mix(keys[i][0])
		}
	default:
		for i := range keys {
			h[i] = hashKey(&keys[i], 0)
		}
	}
	slots, shift := t.slots, t.shift&63
	for i := range h {
		s[i] = slots[h[i]>>shift]
	}
	gid = gid[:n]
	if masks == nil {
		for i := range s {
			if s[i].key == keys[i] && s[i].null == 0 && s[i].group != 0 {
				gid[i] = s[i].group - 1
				continue
			}
			gid[i] = t.probe(&keys[i], 0, h[i])
		}
		return
	}
	for i := range s {
		if s[i].key == keys[i] && s[i].null == masks[i] && s[i].group != 0 {
			gid[i] = s[i].group - 1
			continue
		}
		gid[i] = t.probe(&keys[i], masks[i], h[i])
	}
}

// probe finds or inserts a key that is not in the slot of its hash.
func (t *fixedTable[K]) probe(k *K, null uint32, h uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	for p := h >> t.shift; ; p = (p + 1) & mask {
		s := &t.slots[p]
		if s.group == 0 {
			if t.frozen {
				return NoGroup
			}
			return t.insert(s, k, null)
		}
		if s.key == *k && s.null == null {
			return s.group - 1
		}
	}
}

func (t *fixedTable[K]) insert(s *fixedSlot[K], k *K, null uint32) uint32 {
	g := t.n
	t.n++
	*s = fixedSlot[K]{key: *k, null: null, group: uint32(t.n)}
	size := int(unsafe.Sizeof(*k))
	if t.n*size > t.keyMem.Len() {
		t.keyMem = t.keyMem.Grow(g*size, max(t.n, minSlots)*size)
		t.keys = MemorySlice[K](t.keyMem)
	}
	t.keys[g] = *k
	if null != 0 && t.nulls == nil {
		t.nulls = make([]uint32, g)
	}
	if t.nulls != nil {
		t.nulls = append(t.nulls, null)
	}
	if t.n > t.limit {
		t.resize(2 * len(t.slots))
	}
	return uint32(g)
}

// pack brings the key columns of n rows into packed form; masks is nil if no key is null.
func (t *fixedTable[K]) pack(cols []arrow.Array, n int) (keys []K, masks []uint32) {
	for c, a := range cols {
		valid := Validity(a)
		if valid == nil {
			continue
		}
		if masks == nil {
			if cap(t.masks) < n {
				t.masks = make([]uint32, n)
			}
			masks = t.masks[:n]
			clear(masks)
		}
		for i := range masks {
			if !valid.Get(i) {
				masks[i] |= 1 << c
			}
		}
	}
	var z K
	if len(z) == 1 && masks == nil && plainWord(t.types[0]) {
		v := Values[uint64](cols[0])
		return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(v))), n), nil
	}
	if cap(t.packed) < n {
		t.packed = make([]K, n)
		t.words = make([]uint64, n)
	}
	keys, words := t.packed[:n], t.words[:n]
	at := 0
	for c, a := range cols {
		for half := range keyWidth(a.DataType()) {
			src := words
			if plainWord(t.types[c]) && a.NullN() == 0 {
				src = Values[uint64](a)
			} else {
				keyWords(a, half, words)
			}
			for i := range keys {
				keys[i][at] = src[i]
			}
			at++
		}
	}
	return keys, masks
}

// plainWord tells whether a column's values are their own key words.
func plainWord(t *Type) bool {
	return t.Width() == 8 && t.Kind != KindDouble
}

func (t *fixedTable[K]) column(c int, g []uint32) arrow.Array {
	typ := t.types[c]
	at := 0
	for _, k := range t.types[:c] {
		at += keyWidth(k.Arrow())
	}
	var valid Bitmap
	if t.nulls != nil {
		valid = NewValid(len(g))
		for i, x := range g {
			if t.nulls[x]&(1<<c) != 0 {
				valid.Clear(i)
			}
		}
	}
	if typ.Width() == 16 {
		out := make([][2]uint64, len(g))
		for i, x := range g {
			out[i] = [2]uint64{t.keys[x][at], t.keys[x][at+1]}
		}
		return NewFixed(typ, out, valid)
	}
	words := make([]uint64, len(g))
	for i, x := range g {
		words[i] = t.keys[x][at]
	}
	return fromWords(typ, words, valid)
}

// fromWords is a column of a one-word type from its key words; it may keep words.
func fromWords(t *Type, words []uint64, valid Bitmap) arrow.Array {
	switch t.Kind {
	case KindNull:
		return NewNull(t, len(words))
	case KindBool:
		bits := NewBitmap(len(words))
		for i, w := range words {
			bits[i>>3] |= byte(w&1) << (i & 7)
		}
		return NewBool(bits, len(words), valid)
	}
	switch t.Width() {
	case 1:
		return NewFixed(t, narrow[uint8](words), valid)
	case 2:
		return NewFixed(t, narrow[uint16](words), valid)
	case 4:
		return NewFixed(t, narrow[uint32](words), valid)
	}
	return NewFixed(t, words, valid)
}

func narrow[T uint8 | uint16 | uint32](words []uint64) []T {
	out := make([]T, len(words))
	for i, w := range words {
		out[i] = T(w)
	}
	return out
}
