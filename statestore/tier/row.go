package tier

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/statestore"
)

// A row in memory and in files is
//
//	hash of the key (8 bytes); the lowest bit tells that the key is deleted
//	lengths of key and value (4 bytes each), unless all columns of the table are of fixed width
//	key, value
//
// in the order of the hash and then of the key.

const (
	hashBytes   = 8
	lengthBytes = 8
	deletedBit  = 1
)

// layout is the form of a table's rows.
type layout struct {
	key, value *Form
	head       int // bytes before the key
	fixed      int // bytes of a row, 0 if they differ
	fixedKey   int
	hash       func(key []byte) uint64
}

func newLayout(s statestore.Schema) layout {
	l := layout{key: NewForm(s.Keys, -1), value: NewForm(s.Values, -1), head: hashBytes, hash: xxhash.Sum64}
	if len(l.key.variable)+len(l.value.variable) > 0 {
		l.head += lengthBytes
		return l
	}
	l.fixedKey = l.key.size
	l.fixed = l.head + l.fixedKey + l.value.size
	return l
}

// lengths are the sizes of the key and the whole of the row at the start of p.
func (l *layout) lengths(p []byte) (key, row int) {
	if l.fixed > 0 {
		return l.fixedKey, l.fixed
	}
	key = int(binary.LittleEndian.Uint32(p[hashBytes:]))
	return key, l.head + key + int(binary.LittleEndian.Uint32(p[hashBytes+4:]))
}

// ref is a row of a buffer: its hash, and where it begins there.
type ref struct {
	hash    uint64
	at, row uint32
}

// What rows are encoded for: of deletions and lookups there are only keys.
const (
	toPut = iota
	toDelete
	toLookUp
)

// encoder is the scratch memory of encode.
type encoder struct {
	buf         []byte
	refs, other []ref
	at, ends    []uint32
}

// encode puts n rows into a buffer and gives them in order; both are valid until the next call.
func (e *encoder) encode(l *layout, cols []statestore.ColumnData, n int, purpose int) ([]byte, []ref) {
	keys, values := cols[:l.key.Columns()], cols[l.key.Columns():]
	if cap(e.refs) < n {
		e.refs, e.other, e.at, e.ends = make([]ref, n), make([]ref, n), make([]uint32, n), make([]uint32, n)
	}
	refs, at := e.refs[:n], e.at[:n]
	var keyLen, valueLen []uint32
	size := l.fixed
	if purpose == toLookUp {
		size = l.head + l.fixedKey
	}
	total := uint32(n * size)
	if l.fixed > 0 {
		for i := range at {
			at[i] = uint32(i*size + l.head)
		}
	} else {
		keyLen, valueLen = make([]uint32, n), make([]uint32, n)
		l.key.Lengths(cols, keyLen)
		if purpose == toPut {
			l.value.Lengths(values, valueLen)
		}
		total = 0
		for i := range at {
			at[i] = total + uint32(l.head)
			total = at[i] + keyLen[i] + valueLen[i]
		}
	}
	if cap(e.buf) < int(total) {
		e.buf = make([]byte, total)
	}
	dst := e.buf[:total]
	for i, p := range at {
		refs[i].at, refs[i].row = p-uint32(l.head), uint32(i)
	}
	l.key.Put(dst, at, keys)
	var deletedMark uint64
	switch purpose {
	case toPut:
		ends := e.ends[:n]
		copy(ends, at)
		l.value.Put(dst, ends, values)
	case toDelete:
		deletedMark = deletedBit
	}
	for i, end := range at {
		p := dst[refs[i].at:]
		h := l.hash(dst[int(refs[i].at)+l.head:end]) &^ deletedBit
		refs[i].hash = h
		binary.LittleEndian.PutUint64(p, h|deletedMark)
		if l.fixed == 0 {
			binary.LittleEndian.PutUint32(p[hashBytes:], keyLen[i])
			binary.LittleEndian.PutUint32(p[hashBytes+4:], valueLen[i])
		}
	}
	return dst, l.sort(dst, refs, e.other[:n])
}

// keyAt is the key of the row at a place in a buffer.
func (l *layout) keyAt(buf []byte, at uint32) []byte {
	p := buf[at:]
	n, _ := l.lengths(p)
	return p[l.head : l.head+n]
}

const digitBits = 11

// sort orders rows: by radix over so many of the first bits of the hash that few are the same, and
// by insertion behind that. The result is in refs or in other, which is as long.
func (l *layout) sort(buf []byte, refs, other []ref) []ref {
	passes := (bits.Len(uint(len(refs))) + 7 + digitBits - 1) / digitBits
	for pass := passes - 1; pass >= 0 && len(refs) > 64; pass-- {
		shift := 64 - digitBits*(pass+1)
		var at [1 << digitBits]uint32
		for i := range refs {
			at[refs[i].hash>>shift&(1<<digitBits-1)]++
		}
		sum := uint32(0)
		for d, c := range at {
			at[d] = sum
			sum += c
		}
		for i := range refs {
			d := refs[i].hash >> shift & (1<<digitBits - 1)
			other[at[d]] = refs[i]
			at[d]++
		}
		refs, other = other, refs
	}
	for i := 1; i < len(refs); i++ {
		x := refs[i]
		k := i
		for ; k > 0 && l.after(buf, refs[k-1], x); k-- {
			refs[k] = refs[k-1]
		}
		refs[k] = x
	}
	return refs
}

// after tells whether a comes behind b.
func (l *layout) after(buf []byte, a, b ref) bool {
	if a.hash != b.hash {
		return a.hash > b.hash
	}
	return bytes.Compare(l.keyAt(buf, a.at), l.keyAt(buf, b.at)) > 0
}
