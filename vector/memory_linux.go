package vector

import (
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

// mapHuge maps n zeroed bytes at a huge page's boundary, with a capacity of room bytes or, if the system
// refuses so many addresses, of n; mapped is what unmap takes. It returns nil if the system refuses n, too.
func mapHuge(n, room int) (b, mapped []byte) {
	size := (room + hugePage - 1) &^ (hugePage - 1)
	mapped, err := syscall.Mmap(-1, 0, size+hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		if room > n {
			return mapHuge(n, n)
		}
		return nil, nil
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))
	skip := int(-start & (hugePage - 1))
	b = mapped[skip : skip+n : skip+size]
	// Advice only: without huge pages the memory is slower, not wrong.
	_ = syscall.Madvise(mapped[skip:skip+size], syscall.MADV_HUGEPAGE)
	return b, mapped
}

func unmap(mapped []byte) {
	// It fails only for a slice that Mmap did not return.
	_ = syscall.Munmap(mapped)
}
