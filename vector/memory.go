package vector

import (
	"runtime"
	"unsafe"
)

// hugeThreshold is the size in bytes from which Memory asks for huge pages off
// the Go heap; below it the Go heap is as fast.
const hugeThreshold = 4 << 20

// Memory is zeroed memory for pointer-free tables, aligned to 8 bytes. Large
// pieces lie outside the Go heap on huge pages where the system has them, so
// that the garbage collector neither scans nor paces by them, and with addresses
// behind them to grow into. A piece that
// nobody frees is freed when it becomes unreachable: whoever keeps a slice of
// it keeps the Memory too.
type Memory struct {
	b       []byte // its capacity is what it can grow to in place
	mapped  []byte
	cleanup runtime.Cleanup
}

// growRoom is how many times its size a large piece that has grown can grow to in place. Addresses
// that are not in use cost nothing.
const growRoom = 16

// NewMemory is n zeroed bytes.
func NewMemory(n int) *Memory { return newMemory(n, n) }

// newMemory is n zeroed bytes that may grow in place to as many as room, if they are outside of the heap.
func newMemory(n, room int) *Memory {
	m := &Memory{}
	if n >= hugeThreshold {
		if b, mapped := mapHuge(n, room); b != nil {
			m.b, m.mapped = b, mapped
			m.cleanup = runtime.AddCleanup(m, unmap, mapped)
			return m
		}
	}
	words := make([]uint64, (n+7)/8)
	m.b = asBytes(words)[:n:n]
	return m
}

// Bytes is the memory.
func (m *Memory) Bytes() []byte { return m.b }

// Len is the size in bytes; a nil Memory has none.
func (m *Memory) Len() int {
	if m == nil {
		return 0
	}
	return len(m.b)
}

// Free gives the memory back at once; slices of it must not be used any more.
func (m *Memory) Free() {
	if m == nil || m.b == nil {
		return
	}
	m.b = nil
	if m.mapped != nil {
		m.cleanup.Stop()
		unmap(m.mapped)
		m.mapped = nil
	}
}

// Grow is a Memory of at least n bytes that begins with the first used bytes of m and has zeros where m had
// nothing; m is not to be used any more. The size grows by a factor, so that appending is linear.
func (m *Memory) Grow(used, n int) *Memory {
	if m != nil && n <= cap(m.b) && m.mapped != nil {
		m.b = m.b[:min(max(n, m.Len()+m.Len()/4), cap(m.b))]
		return m
	}
	n = max(n, 2*m.Len())
	out := newMemory(n, growRoom*n)
	if m != nil {
		copy(out.b, m.b[:used])
		m.Free()
	}
	return out
}

// MemorySlice is the memory as values of a pointer-free type.
func MemorySlice[T any](m *Memory) []T {
	if m.Len() == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m.b))), len(m.b)/int(unsafe.Sizeof(z)))
}
