//go:build !linux

package vector

// mapHuge has no portable form; Memory then comes from the Go heap.
func mapHuge(int, int) (b, mapped []byte) { return nil, nil }

func unmap([]byte) {}
