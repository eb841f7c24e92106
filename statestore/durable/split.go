package durable

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/statestore"
)

// split divides changes by the keys' hashes into n slices, a power of two: slice i has the keys
// whose first bits say i. What concerns all keys is in every slice. The result is part of the format.
func split(s statestore.Schema, c *statestore.Changes, n int) []*statestore.Changes {
	out := make([]*statestore.Changes, n)
	for i := range out {
		out[i] = &statestore.Changes{Clear: c.Clear, HasDeleteBelow: c.HasDeleteBelow, DeleteBelow: c.DeleteBelow}
	}
	for i := range c.Deletes {
		for slice, rows := range sliceRows(s, &c.Deletes[i], n) {
			if len(rows) > 0 {
				out[slice].Deletes = append(out[slice].Deletes, c.Deletes[i].Select(rows))
			}
		}
	}
	for i := range c.Puts {
		for slice, rows := range sliceRows(s, &c.Puts[i], n) {
			if len(rows) > 0 {
				out[slice].Puts = append(out[slice].Puts, c.Puts[i].Select(rows))
			}
		}
	}
	return out
}

// sliceRows are the rows of each slice.
func sliceRows(s statestore.Schema, b *statestore.Block, n int) [][]uint32 {
	out := make([][]uint32, n)
	shift := 64 - bits.Len(uint(n-1))
	var key []byte
	for row := range b.Rows {
		key = key[:0]
		for i, col := range s.Keys {
			c := &b.Cols[i]
			switch {
			case c.Valid != nil && c.Valid[row/8]>>(row%8)&1 == 0:
				key = append(key, 1)
			case col.Width > 0:
				key = append(append(key, 0), c.Data[row*col.Width:(row+1)*col.Width]...)
			default:
				v := c.Data[c.Off[row]:c.Off[row+1]]
				key = append(binary.LittleEndian.AppendUint32(append(key, 0), uint32(len(v))), v...)
			}
		}
		slice := 0
		if n > 1 {
			slice = int(xxhash.Sum64(key) >> shift)
		}
		out[slice] = append(out[slice], uint32(row))
	}
	return out
}
