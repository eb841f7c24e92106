package storetest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vstream/vstream/statestore"
)

// NaiveTier is a capacity tier that keeps its rows in maps: what a tier means, for tests of
// tiers and of the operators that use one. Keep is what every account of it may keep.
type NaiveTier struct {
	Keep int64

	mu      sync.Mutex
	Written int // rows
	Found   int // rows that Get gave
}

// Table makes an empty table.
func (t *NaiveTier) Table(s statestore.Schema) (statestore.TierTable, error) {
	return &naiveTable{tier: t, schema: s, rows: map[string][]cell{}}, nil
}

// Account is an account of a budget of its own.
func (t *NaiveTier) Account() *statestore.Account { return statestore.FixedAccount(t.Keep) }

type cell struct {
	null bool
	data string
}

func (c cell) String() string {
	if c.null {
		return "null"
	}
	return c.data
}

type naiveTable struct {
	tier   *NaiveTier
	schema statestore.Schema
	rows   map[string][]cell // by the key's cells as text: all cells
}

func (t *naiveTable) columns() []statestore.Column {
	return append(slices.Clone(t.schema.Keys), t.schema.Values...)
}

func cells(cols []statestore.Column, b statestore.Block, row int) []cell {
	out := make([]cell, len(cols))
	for i, c := range b.Cols {
		switch {
		case null(c, row):
			out[i] = cell{null: true}
		case cols[i].Width > 0:
			out[i].data = string(c.Data[row*cols[i].Width : (row+1)*cols[i].Width])
		default:
			out[i].data = variable(c, row)
		}
	}
	return out
}

func blockOf(cols []statestore.Column, rows [][]cell) statestore.Block {
	out := make([]column, len(cols))
	for _, r := range rows {
		for i, c := range r {
			data := []byte(c.data)
			if c.null {
				data = make([]byte, cols[i].Width)
			}
			out[i].add(c.null, cols[i].Width == 0, data)
		}
	}
	return block(out, len(rows))
}

func (t *naiveTable) Write(b statestore.Block) error {
	t.tier.mu.Lock()
	t.tier.Written += b.Rows
	t.tier.mu.Unlock()
	for row := range b.Rows {
		r := cells(t.columns(), b, row)
		t.rows[fmt.Sprintf("%q", r[:len(t.schema.Keys)])] = r
	}
	return nil
}

func (t *naiveTable) Get(b statestore.Block) (rows []uint32, values statestore.Block, err error) {
	var found [][]cell
	for row := range b.Rows {
		if r, ok := t.rows[fmt.Sprintf("%q", cells(t.schema.Keys, b, row))]; ok {
			rows, found = append(rows, uint32(row)), append(found, r[len(t.schema.Keys):])
		}
	}
	t.tier.mu.Lock()
	t.tier.Found += len(rows)
	t.tier.mu.Unlock()
	return rows, blockOf(t.schema.Values, found), nil
}

func (t *naiveTable) Delete(b statestore.Block) error {
	for row := range b.Rows {
		delete(t.rows, fmt.Sprintf("%q", cells(t.schema.Keys, b, row)))
	}
	return nil
}

// in tells whether a row is in a range.
func (t *naiveTable) in(r statestore.Range, row []cell) bool {
	if r.Kind == statestore.AllRows {
		return true
	}
	c := row[t.schema.OrderCol]
	if c.null || r.Kind == statestore.NullOrder {
		return c.null && r.Kind == statestore.NullOrder
	}
	v := int64(binary.LittleEndian.Uint64([]byte(c.data)))
	return r.Lo <= v && v <= r.Hi
}

// compareOrder compares rows by their order column.
func (t *naiveTable) compareOrder(a, b []cell) int {
	if t.schema.OrderCol < 0 {
		return 0
	}
	x, y := a[t.schema.OrderCol], b[t.schema.OrderCol]
	if x.null || y.null {
		return compareBool(x.null, y.null)
	}
	return cmp.Compare(int64(binary.LittleEndian.Uint64([]byte(x.data))), int64(binary.LittleEndian.Uint64([]byte(y.data))))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (t *naiveTable) DeleteRange(r statestore.Range) error {
	for k, row := range t.rows {
		if t.in(r, row) {
			delete(t.rows, k)
		}
	}
	return nil
}

func (t *naiveTable) Scan(r statestore.Range, fn func(statestore.Block) error) error {
	var keys []string
	for k, row := range t.rows {
		if t.in(r, row) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(t.compareOrder(t.rows[a], t.rows[b]), strings.Compare(a, b))
	})
	var blocks []statestore.Block
	for part := range slices.Chunk(keys, 3) {
		var rows [][]cell
		for _, k := range part {
			rows = append(rows, t.rows[k])
		}
		blocks = append(blocks, blockOf(t.columns(), rows))
	}
	for _, b := range blocks {
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}
