package join

import (
	"encoding/binary"

	"github.com/vstream/vstream/statestore"
)

// Rehome prepares the tables of a partition of SymmetricHash to be divided among other
// partitions. Rows are numbered within a partition, and matches name them by number only: so
// each match goes into its row's own mark, and the tables of matches end up empty.
func Rehome(tables map[string][]statestore.Block) {
	for _, names := range storeNames {
		met := map[[2]int64]bool{}
		for _, b := range tables[names[1]] {
			times, ids := longs(b.Cols[0].Data), longs(b.Cols[1].Data)
			for i := range times {
				met[[2]int64{times[i], ids[i]}] = true
			}
		}
		delete(tables, names[1])
		if len(met) == 0 {
			continue
		}
		for _, b := range tables[names[0]] {
			marks := b.Cols[len(b.Cols)-1].Data
			times, ids := longs(b.Cols[0].Data), longs(b.Cols[1].Data)
			for i := range times {
				if met[[2]int64{times[i], ids[i]}] {
					marks[i] |= matched
				}
			}
		}
	}
}

// Renumber gives the rows of a table that came together from several partitions new
// numbers, in their order.
func Renumber(store string, blocks []statestore.Block) {
	if store != storeNames[Left][0] && store != storeNames[Right][0] {
		return
	}
	next := uint64(0)
	for _, b := range blocks {
		for i := range b.Rows {
			binary.LittleEndian.PutUint64(b.Cols[1].Data[8*i:], next)
			next++
		}
	}
}
