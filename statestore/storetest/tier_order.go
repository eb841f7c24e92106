package storetest

import (
	"encoding/binary"
	"testing"

	"github.com/vstream/vstream/statestore"
)

// testTierOrder scans more rows than come in one block, which were written in disorder; they come by their order column.
func testTierOrder(t *testing.T, tier statestore.Tier) {
	s := statestore.Schema{Keys: []statestore.Column{{Name: "t", Width: 8, Nullable: true}, {Name: "k", Width: 8}}}
	table, err := tier.Table(s)
	must(t, err)
	const n = 50_000
	rows := make([][]cell, 0, n/10)
	for i := range n {
		order, k := make([]byte, 8), make([]byte, 8)
		binary.LittleEndian.PutUint64(order, uint64(i*40503%n/3-n/6))
		binary.LittleEndian.PutUint64(k, uint64(i))
		rows = append(rows, []cell{{null: i%1000 == 0, data: string(order)}, {data: string(k)}})
		if len(rows) == cap(rows) {
			must(t, table.Write(blockOf(s.Keys, rows)))
			rows = rows[:0]
		}
	}
	scanned := 0
	var last []cell
	naive := &naiveTable{schema: s}
	must(t, table.Scan(statestore.Range{}, func(b statestore.Block) error {
		for i := range b.Rows {
			row := cells(s.Keys, b, i)
			if last != nil && naive.compareOrder(last, row) > 0 {
				t.Fatalf("row %d, %q, comes behind %q", scanned, row, last)
			}
			last = row
			scanned++
		}
		return nil
	}))
	if scanned != n {
		t.Errorf("%d rows, want %d", scanned, n)
	}
	must(t, table.DeleteRange(statestore.Range{}))
}
