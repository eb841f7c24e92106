package vector_test

import (
	"runtime"
	"testing"

	"github.com/vstream/vstream/vector"
)

func TestMemoryGrowsAndKeepsItsBytes(t *testing.T) {
	var m *vector.Memory
	used := 0
	for _, n := range []int{1, 100, 1 << 16, 5 << 20, 40 << 20} { // the last two off the heap
		m = m.Grow(used, n)
		b := m.Bytes()
		if len(b) < n {
			t.Fatalf("%d bytes, want %d", len(b), n)
		}
		for i, x := range b {
			want := byte(0)
			if i < used {
				want = byte(i * 7)
			}
			if x != want {
				t.Fatalf("byte %d of %d is %d, want %d", i, n, x, want)
			}
		}
		for i := range n {
			b[i] = byte(i * 7)
		}
		used = n
	}
	if v := vector.MemorySlice[uint64](m); len(v) != m.Len()/8 {
		t.Errorf("%d words in %d bytes", len(v), m.Len())
	}
	m.Free()
	if m.Len() != 0 || vector.MemorySlice[uint64](m) != nil {
		t.Error("freed memory has bytes")
	}
	m.Free() // a second time does nothing
}

func TestMemoryIsFreedWhenUnreachable(t *testing.T) {
	for range 4 {
		vector.NewMemory(8 << 20).Bytes()[0] = 1
	}
	runtime.GC()
	runtime.GC()
}
