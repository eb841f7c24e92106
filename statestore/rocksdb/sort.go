//go:build rocksdb

package rocksdb

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// sortKeys gives the order of keys, which are off[i]..off[i+1] of a table: by radix over 16
// bytes behind the table's number, then by comparison where these are the same.
func sortKeys(keys []byte, off []uint32) []uint32 {
	n := len(off) - 1
	type item struct {
		a, b uint64
		row  uint32
	}
	items, other := make([]item, n), make([]item, n)
	var all, none item // bits that are set in all keys, and in some
	all.a, all.b = ^uint64(0), ^uint64(0)
	var room [16]byte
	for i := range items {
		k := keys[off[i]+tableBytes : off[i+1]]
		if len(k) < 16 {
			clear(room[copy(room[:], k):])
			k = room[:]
		}
		it := item{binary.BigEndian.Uint64(k), binary.BigEndian.Uint64(k[8:]), uint32(i)}
		items[i] = it
		all.a, all.b = all.a&it.a, all.b&it.b
		none.a, none.b = none.a|it.a, none.b|it.b
	}
	for byteNo := range 16 {
		shift, second := 8*(byteNo%8), byteNo < 8
		diff := all.a ^ none.a
		if second {
			diff = all.b ^ none.b
		}
		if diff>>shift&0xff == 0 {
			continue // the same in all keys
		}
		var at [256]int
		digit := func(it *item) byte {
			if second {
				return byte(it.b >> shift)
			}
			return byte(it.a >> shift)
		}
		for i := range items {
			at[digit(&items[i])]++
		}
		sum := 0
		for d, c := range at {
			at[d] = sum
			sum += c
		}
		for i := range items {
			d := digit(&items[i])
			other[at[d]] = items[i]
			at[d]++
		}
		items, other = other, items
	}
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && items[hi].a == items[lo].a && items[hi].b == items[lo].b {
			hi++
		}
		if hi-lo > 1 {
			slices.SortFunc(items[lo:hi], func(x, y item) int {
				return bytes.Compare(keys[off[x.row]:off[x.row+1]], keys[off[y.row]:off[y.row+1]])
			})
		}
		lo = hi
	}
	out := make([]uint32, n)
	for i := range items {
		out[i] = items[i].row
	}
	return out
}
