// Package merge applies changes to a table held in memory, to make a snapshot of it. It
// is the plain meaning of statestore.Changes, for tables of any layout.
package merge

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/statestore"
)

// Table maps each key to where its last value lies in the blocks that were applied. It
// holds no pointer per row.
type Table struct {
	schema statestore.Schema
	blocks []statestore.Block

	// One entry for each key that was ever put since the last Clear.
	keys   []byte // encoded, one after another
	ends   []int  // where each key ends
	hashes []uint64
	at     []place
	live   []bool
	count  int // live entries

	slots []uint32 // hash table of entry + 1; 0 is free; the size is a power of two

	scratch     []byte // encoded keys of a block
	scratchEnds []int
	rows        []uint32 // of the block that is put

	doomed bool // a later change deletes the rows at or below doom
	doom   int64
}

type place struct{ block, row uint32 }

// New is an empty table.
func New(s statestore.Schema) *Table { return &Table{schema: s, slots: make([]uint32, 64)} }

// Len is the number of rows.
func (t *Table) Len() int { return t.count }

// All is the table after changes in their order. Their blocks must not change afterwards.
//
// It spares the work for rows that a later DeleteBelow deletes, which are most rows of a
// table with windows. The order column is a key, so that such a row is no newer value of one
// that stays.
func All(s statestore.Schema, changes []*statestore.Changes) *Table {
	t := New(s)
	doom := make([]int64, len(changes)) // of the changes behind
	doomed := make([]bool, len(changes))
	for i := len(changes) - 1; i > 0; i-- {
		c := changes[i]
		doom[i-1], doomed[i-1] = doom[i], doomed[i]
		if c.HasDeleteBelow && (!doomed[i] || c.DeleteBelow > doom[i]) {
			doom[i-1], doomed[i-1] = c.DeleteBelow, true
		}
	}
	for i, c := range changes {
		t.doom, t.doomed = doom[i], doomed[i]
		t.Apply(c)
	}
	return t
}

// Apply applies changes. Their blocks must not change afterwards.
func (t *Table) Apply(c *statestore.Changes) {
	if c.Clear {
		*t = Table{schema: t.schema, slots: make([]uint32, 64), scratch: t.scratch, scratchEnds: t.scratchEnds, rows: t.rows, doomed: t.doomed, doom: t.doom}
	}
	if c.HasDeleteBelow {
		t.deleteBelow(c.DeleteBelow)
	}
	for i := range c.Deletes {
		t.delete(&c.Deletes[i])
	}
	for _, b := range c.Puts {
		t.put(b)
	}
}

func (t *Table) deleteBelow(bound int64) {
	t.eachBelow(bound, func(entry int) {
		t.live[entry] = false
		t.count--
	})
}

// eachBelow calls fn for the entries of the rows whose order column is not null and at most bound.
func (t *Table) eachBelow(bound int64, fn func(entry int)) {
	col := t.schema.OrderCol
	if col < 0 {
		return
	}
	for e, p := range t.at {
		c := &t.blocks[p.block].Cols[col]
		if t.live[e] && below(c, int(p.row), bound) {
			fn(e)
		}
	}
}

func (t *Table) delete(b *statestore.Block) {
	t.encodeKeys(b, t.rowsOf(b, false))
	start := 0
	for _, end := range t.scratchEnds {
		key := t.scratch[start:end]
		start = end
		if e, _ := t.find(xxhash.Sum64(key), key); e >= 0 && t.live[e] {
			t.live[e] = false
			t.count--
		}
	}
}

func (t *Table) put(b statestore.Block) {
	rows := t.rowsOf(&b, t.doomed)
	if len(rows) == 0 {
		return
	}
	t.blocks = append(t.blocks, b)
	t.encodeKeys(&b, rows)
	start := 0
	for i, end := range t.scratchEnds {
		key := t.scratch[start:end]
		start = end
		hash := xxhash.Sum64(key)
		e, slot := t.find(hash, key)
		if e < 0 {
			e = len(t.at)
			t.slots[slot] = uint32(e + 1)
			t.keys = append(t.keys, key...)
			t.ends = append(t.ends, len(t.keys))
			t.hashes = append(t.hashes, hash)
			t.at = append(t.at, place{})
			t.live = append(t.live, false)
			if 2*len(t.at) > len(t.slots) {
				t.grow()
			}
		}
		if !t.live[e] {
			t.live[e] = true
			t.count++
		}
		t.at[e] = place{uint32(len(t.blocks) - 1), rows[i]}
	}
}

// rowsOf are the rows of a block, but for the doomed ones if they are left out.
func (t *Table) rowsOf(b *statestore.Block, leaveOut bool) []uint32 {
	t.rows = slices.Grow(t.rows[:0], b.Rows)
	if !leaveOut || t.schema.OrderCol < 0 {
		for row := range b.Rows {
			t.rows = append(t.rows, uint32(row))
		}
		return t.rows
	}
	c := &b.Cols[t.schema.OrderCol]
	for row := range b.Rows {
		if !below(c, row, t.doom) {
			t.rows = append(t.rows, uint32(row))
		}
	}
	return t.rows
}

// below tells whether a row's value in the order column is not null and at most bound.
func below(c *statestore.ColumnData, row int, bound int64) bool {
	return isValid(c.Valid, row) && int64(binary.LittleEndian.Uint64(c.Data[8*row:])) <= bound
}

// find gives the entry of a key, or -1 and the slot for it.
func (t *Table) find(hash uint64, key []byte) (entry, slot int) {
	mask := len(t.slots) - 1
	for slot = int(hash) & mask; ; slot = (slot + 1) & mask {
		e := int(t.slots[slot]) - 1
		if e < 0 || t.hashes[e] == hash && bytes.Equal(t.key(e), key) {
			return e, slot
		}
	}
}

func (t *Table) key(e int) []byte {
	start := 0
	if e > 0 {
		start = t.ends[e-1]
	}
	return t.keys[start:t.ends[e]]
}

func (t *Table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := len(t.slots) - 1
	for e, hash := range t.hashes {
		slot := int(hash) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = uint32(e + 1)
	}
}

// encodeKeys writes the keys of rows of a block to the scratch memory: for each column a byte
// that tells null, and the bytes of the value, with its length in front if it has no fixed width.
func (t *Table) encodeKeys(b *statestore.Block, rows []uint32) {
	t.scratch, t.scratchEnds = t.scratch[:0], t.scratchEnds[:0]
	for _, r := range rows {
		row := int(r)
		for i, k := range t.schema.Keys {
			c := &b.Cols[i]
			switch {
			case !isValid(c.Valid, row):
				t.scratch = append(t.scratch, 1)
			case k.Width > 0:
				t.scratch = append(t.scratch, 0)
				t.scratch = append(t.scratch, c.Data[row*k.Width:(row+1)*k.Width]...)
			default:
				v := c.Data[c.Off[row]:c.Off[row+1]]
				t.scratch = binary.LittleEndian.AppendUint32(append(t.scratch, 0), uint32(len(v)))
				t.scratch = append(t.scratch, v...)
			}
		}
		t.scratchEnds = append(t.scratchEnds, len(t.scratch))
	}
}

func isValid(bitmap []byte, row int) bool {
	return bitmap == nil || bitmap[row/8]>>(row%8)&1 != 0
}
