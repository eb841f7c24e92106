package vector

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
)

// bytesTable maps byte strings to group ids. A slot is 32 bits of the hash and
// the id+1; the bytes lie in one arena, in the order of the groups.
type bytesTable struct {
	slots []uint64
	refs  []bytesRef // by group, and one more: where the next group begins
	arena []byte
	n     int
	used  int // bytes of the arena
	limit int
	shift uint8
	null  int // the group of null, -1 if there is none
	// frozen: keys that are not there are NoGroup
	frozen bool

	slotMem, refMem, arenaMem *Memory

	hashes, loaded []uint64 // scratch of one vector
	found          []bytesRef
	lens           []uint32
}

// bytesRef is where a group's bytes begin, and their hash.
type bytesRef struct{ off, hash uint64 }

func newBytesTable() *bytesTable {
	t := &bytesTable{null: -1}
	t.refMem = NewMemory(16 * minSlots)
	t.refs = MemorySlice[bytesRef](t.refMem)
	t.resize(minSlots)
	return t
}

func (t *bytesTable) len() int { return t.n }

func (t *bytesTable) freeze(on bool) { t.frozen = on }

func (t *bytesTable) bytes() int { return t.slotMem.Len() + t.refMem.Len() + t.arenaMem.Len() }

func (t *bytesTable) free() {
	t.slotMem.Free()
	t.refMem.Free()
	t.arenaMem.Free()
	t.slots, t.refs, t.arena, t.n = nil, nil, nil, 0
}

func (t *bytesTable) reset() {
	n := t.n
	t.n, t.used, t.null = 0, 0, -1
	if len(t.slots) > resetSlots*max(n, minSlots) {
		t.resize(minSlots)
		return
	}
	clear(t.slots)
}

func (t *bytesTable) resize(size int) {
	t.slotMem.Free()
	t.slotMem = NewMemory(8 * size)
	t.slots = MemorySlice[uint64](t.slotMem)[:size]
	t.shift = uint8(64 - bits.Len(uint(size-1)))
	t.limit = size * 6 / 10
	mask := uint64(size - 1)
	for g := range t.n {
		if g == t.null {
			continue
		}
		h := t.refs[g].hash
		p := h >> t.shift
		for t.slots[p] != 0 {
			p = (p + 1) & mask
		}
		t.slots[p] = h<<32 | uint64(g+1)
	}
}

// at is the bytes of a group.
func (t *bytesTable) at(g uint32) []byte { return t.arena[t.refs[g].off:t.refs[g+1].off] }

// lookup sets gid[i] to the group of the bytes data[off[i]:off[i+1]], or of null.
func (t *bytesTable) lookup(off []int32, data []byte, valid Bitmap, gid []uint32) {
	for lo := 0; lo < len(gid); lo += tableVector {
		hi := min(lo+tableVector, len(gid))
		t.lookupVector(off[lo:hi+1], data, valid, lo, gid[lo:hi])
	}
}

// lookupVector is lookup of the rows lo, lo+1, … of which valid speaks.
func (t *bytesTable) lookupVector(off []int32, data []byte, valid Bitmap, lo int, gid []uint32) {
	n := len(gid)
	if cap(t.hashes) < n {
		t.hashes, t.loaded = make([]uint64, n), make([]uint64, n)
		t.found, t.lens = make([]bytesRef, n), make([]uint32, n)
	}
	h, s, r, l := t.hashes[:n], t.loaded[:n], t.found[:n], t.lens[:n]
	for i := range h {
		h[i] = hashBytes(data[off[i]:off[i+1]])
	}
	slots, shift := t.slots, t.shift&63
	for i := range h {
		s[i] = slots[h[i]>>shift]
	}
	refs := t.refs
	for i, x := range s {
		l[i] = ^uint32(0)
		if g := uint32(x); g != 0 && uint32(x>>32) == uint32(h[i]) {
			r[i] = refs[g-1]
			l[i] = uint32(refs[g].off - r[i].off)
		}
	}
	for i := range s {
		if valid != nil && !valid.Get(lo+i) {
			gid[i] = t.nullGroup()
			continue
		}
		p := data[off[i]:off[i+1]]
		if l[i] == uint32(len(p)) && bytes.Equal(t.arena[r[i].off:r[i].off+uint64(l[i])], p) {
			gid[i] = uint32(s[i]) - 1
			continue
		}
		gid[i] = t.probe(p, h[i])
	}
}

// probe finds or inserts bytes that are not behind the slot of their hash.
func (t *bytesTable) probe(p []byte, h uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	for q := h >> t.shift; ; q = (q + 1) & mask {
		x := t.slots[q]
		if x == 0 {
			if t.frozen {
				return NoGroup
			}
			t.slots[q] = h<<32 | uint64(t.n+1)
			g := t.add(p, h)
			if t.n > t.limit {
				t.resize(2 * len(t.slots))
			}
			return g
		}
		if uint32(x>>32) == uint32(h) {
			if g := uint32(x) - 1; bytes.Equal(t.at(g), p) {
				return g
			}
		}
	}
}

// add appends a group with bytes p.
func (t *bytesTable) add(p []byte, h uint64) uint32 {
	g := t.n
	if (g+2)*16 > t.refMem.Len() {
		t.refMem = t.refMem.Grow((g+1)*16, (g+2)*16)
		t.refs = MemorySlice[bytesRef](t.refMem)
	}
	if t.used+len(p) > t.arenaMem.Len() {
		t.arenaMem = t.arenaMem.Grow(t.used, t.used+len(p))
		t.arena = t.arenaMem.Bytes()
	}
	copy(t.arena[t.used:], p)
	t.used += len(p)
	t.refs[g].hash = h
	t.refs[g+1].off = uint64(t.used)
	t.n++
	return uint32(g)
}

// nullGroup is the group of null, which has no slot.
func (t *bytesTable) nullGroup() uint32 {
	if t.null < 0 {
		if t.frozen {
			return NoGroup
		}
		t.null = int(t.add(nil, 0))
	}
	return uint32(t.null)
}

// gather is the bytes of groups as a string or binary column.
func (t *bytesTable) gather(typ *Type, g []uint32) arrow.Array {
	off, total := make([]int32, len(g)+1), 0
	var valid Bitmap
	for i, x := range g {
		total += len(t.at(x))
		off[i+1] = int32(total)
		if int(x) == t.null {
			if valid == nil {
				valid = NewValid(len(g))
			}
			valid.Clear(i)
		}
	}
	data := make([]byte, 0, total)
	for _, x := range g {
		data = append(data, t.at(x)...)
	}
	return NewString(typ, off, data, valid)
}

// stringTable is the table of one string or binary key.
type stringTable struct {
	typ *Type
	*bytesTable
}

func (t *stringTable) find(cols []arrow.Array, gid []uint32) {
	off, data := Strings(cols[0])
	t.lookup(off, data, Validity(cols[0]), gid)
}

func (t *stringTable) column(_ int, g []uint32) arrow.Array { return t.gather(t.typ, g) }

// packedTable is the table of any flat key columns, packed into one byte string a row:
//
//	null bits (a byte per 8 columns), 8 or 16 bytes per fixed-width column,
//	4 bytes of length per variable one, the variable ones' bytes
type packedTable struct {
	types []*Type
	offs  []int // of each column's fixed part
	fixed int   // bytes before the variable ones
	*bytesTable

	off   []int32 // scratch of one batch
	data  []byte
	words []uint64
}

func newPackedTable(types []*Type) *packedTable {
	t := &packedTable{types: types, bytesTable: newBytesTable(), offs: make([]int, len(types))}
	t.fixed = (len(types) + 7) / 8
	for i, k := range types {
		t.offs[i] = t.fixed
		if isBytes(k) {
			t.fixed += 4
		} else {
			t.fixed += 8 * keyWidth(k.Arrow())
		}
	}
	return t
}

func isBytes(t *Type) bool { return t.Kind == KindString || t.Kind == KindBinary }

func (t *packedTable) find(cols []arrow.Array, gid []uint32) {
	// Packing in pieces keeps the scratch small and its offsets within 31 bits.
	for lo := 0; lo < len(gid); lo += tableVector {
		hi := min(lo+tableVector, len(gid))
		part := make([]arrow.Array, len(cols))
		for i, c := range cols {
			part[i] = SliceArray(c, lo, hi)
		}
		t.pack(part, hi-lo)
		t.lookup(t.off, t.data, nil, gid[lo:hi])
	}
}

// pack sets off and data to the packed keys of n rows.
func (t *packedTable) pack(cols []arrow.Array, n int) {
	if cap(t.off) < n+1 {
		t.off, t.words = make([]int32, n+1), make([]uint64, n)
	}
	off, words := t.off[:n+1], t.words[:n]
	for i := range n {
		off[i+1] = int32(t.fixed)
	}
	off[0] = 0
	for c, a := range cols {
		if !isBytes(t.types[c]) {
			continue
		}
		valid := Validity(a)
		o, _ := Strings(a)
		for i := range n {
			if valid.Get(i) {
				off[i+1] += o[i+1] - o[i]
			}
		}
	}
	for i := range n {
		off[i+1] += off[i]
	}
	total := int(off[n])
	if cap(t.data) < total {
		t.data = make([]byte, total)
	}
	data := t.data[:total]
	clear(data)
	tail := make([]int32, n) // where the next variable part goes
	for i := range tail {
		tail[i] = off[i] + int32(t.fixed)
	}
	for c, a := range cols {
		valid := Validity(a)
		at := t.offs[c]
		if valid != nil {
			for i := range n {
				if !valid.Get(i) {
					data[int(off[i])+c>>3] |= 1 << (c & 7)
				}
			}
		}
		if isBytes(t.types[c]) {
			o, src := Strings(a)
			for i := range n {
				if valid.Get(i) {
					binary.LittleEndian.PutUint32(data[int(off[i])+at:], uint32(o[i+1]-o[i]))
					tail[i] += int32(copy(data[tail[i]:], src[o[i]:o[i+1]]))
				}
			}
			continue
		}
		for half := range keyWidth(a.DataType()) {
			keyWords(a, half, words)
			for i := range n {
				binary.LittleEndian.PutUint64(data[int(off[i])+at+8*half:], words[i])
			}
		}
	}
	t.off, t.data = off, data
}

func (t *packedTable) column(c int, g []uint32) arrow.Array {
	typ, at, n := t.types[c], t.offs[c], len(g)
	valid := NewValid(n)
	for i, x := range g {
		if t.at(x)[c>>3]&(1<<(c&7)) != 0 {
			valid.Clear(i)
		}
	}
	if isBytes(typ) {
		off := make([]int32, n+1)
		var data []byte
		for i, x := range g {
			p := t.at(x)
			lo := t.fixed
			for k := range c {
				if isBytes(t.types[k]) {
					lo += int(binary.LittleEndian.Uint32(p[t.offs[k]:]))
				}
			}
			data = append(data, p[lo:lo+int(binary.LittleEndian.Uint32(p[at:]))]...)
			off[i+1] = int32(len(data))
		}
		return NewString(typ, off, data, valid)
	}
	if typ.Width() == 16 {
		out := make([][2]uint64, n)
		for i, x := range g {
			p := t.at(x)[at:]
			out[i] = [2]uint64{binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])}
		}
		return NewFixed(typ, out, valid)
	}
	words := make([]uint64, n)
	for i, x := range g {
		words[i] = binary.LittleEndian.Uint64(t.at(x)[at:])
	}
	return fromWords(typ, words, valid)
}
