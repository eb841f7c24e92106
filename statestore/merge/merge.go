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
	keys  []byte // encoded, one after another
	ends  []int  // where each key ends
	at    []place
	live  []bool
	count int // live entries

	slots []uint64 // hash table of the hash's high half and entry + 1; 0 is free; the size is a power of two

	scratch     []byte // encoded keys of a block
	scratchEnds []int
	rows        []uint32 // of the block that is put
	near        []near   // of some of its rows

	doomed bool // a later change deletes the rows at or below doom
	doom   int64
}

type place struct{ block, row uint32 }

// near is what lies in the first slot of a key.
type near struct {
	hash, slot uint64
	start, end int // of the entry's key
	same       bool
}

// nearRows is how many rows are looked up together: what each step reads of one row does not wait for the
// other rows, so that their cache misses overlap.
const nearRows = 1024

// New is an empty table.
func New(s statestore.Schema) *Table { return &Table{schema: s, slots: make([]uint64, 64)} }

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
		*t = Table{schema: t.schema, slots: make([]uint64, 64), scratch: t.scratch, scratchEnds: t.scratchEnds, rows: t.rows, doomed: t.doomed, doom: t.doom}
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
	for lo := 0; lo < len(rows); lo += nearRows {
		t.putRows(rows, lo, min(lo+nearRows, len(rows)))
	}
}

// putRows puts rows lo to hi, whose keys are in the scratch memory.
func (t *Table) putRows(rows []uint32, lo, hi int) {
	t.look(lo, hi)
	for i, n := range t.near {
		e := int(uint32(n.slot)) - 1
		if !n.same {
			e = t.entry(n.hash, t.scratchKey(lo+i))
		}
		if !t.live[e] {
			t.live[e] = true
			t.count++
		}
		t.at[e] = place{uint32(len(t.blocks) - 1), rows[lo+i]}
	}
}

// scratchKey is the key of a row in the scratch memory.
func (t *Table) scratchKey(i int) []byte {
	start := 0
	if i > 0 {
		start = t.scratchEnds[i-1]
	}
	return t.scratch[start:t.scratchEnds[i]]
}

// look sets near for the keys lo to hi of the scratch memory.
func (t *Table) look(lo, hi int) {
	t.near = slices.Grow(t.near[:0], hi-lo)[:hi-lo]
	mask := uint64(len(t.slots) - 1)
	for i := range t.near {
		hash := xxhash.Sum64(t.scratchKey(lo + i))
		t.near[i] = near{hash: hash, slot: t.slots[hash&mask]}
	}
	for i := range t.near {
		n := &t.near[i]
		if e := int(uint32(n.slot)); e > 0 && n.slot>>32 == n.hash>>32 {
			n.end = t.ends[e-1]
			if e > 1 {
				n.start = t.ends[e-2]
			}
		}
	}
	for i := range t.near {
		n := &t.near[i]
		n.same = n.end > 0 && bytes.Equal(t.keys[n.start:n.end], t.scratchKey(lo+i))
	}
}

// entry finds or makes the entry of a key.
func (t *Table) entry(hash uint64, key []byte) int {
	e, slot := t.find(hash, key)
	if e >= 0 {
		return e
	}
	e = len(t.at)
	t.slots[slot] = hash>>32<<32 | uint64(e+1)
	t.keys = append(t.keys, key...)
	t.ends = append(t.ends, len(t.keys))
	t.at = append(t.at, place{})
	t.live = append(t.live, false)
	if 4*len(t.at) > 3*len(t.slots) {
		t.grow()
	}
	return e
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
		x := t.slots[slot]
		e := int(uint32(x)) - 1
		if e < 0 || x>>32 == hash>>32 && bytes.Equal(t.key(e), key) {
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
	t.slots = make([]uint64, 2*len(t.slots))
	mask := len(t.slots) - 1
	for e := range t.ends {
		hash := xxhash.Sum64(t.key(e))
		slot := int(hash) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = hash>>32<<32 | uint64(e+1)
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
