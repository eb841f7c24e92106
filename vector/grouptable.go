package vector

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// tableVector is the number of rows that a table looks up together: all hashes
// first, then all slots (so that their cache misses overlap), then the comparisons.
const tableVector = 2048

// minSlots is the size of a new table; tables grow by doubling at a load of 0.6.
const minSlots = 8

// resetSlots is how many slots per group a table that is reset may keep.
const resetSlots = 64

// GroupTable maps rows of key columns to dense group ids 0, 1, 2, … in the order
// in which keys first appear. Keys are equal as GROUP BY has it: null equals
// null, NaN equals NaN, -0.0 equals 0.0. Nested keys come encoded (EncodeKey).
//
// Up to four words of fixed-width keys lie in the slot itself; a single string
// or binary key lies in an arena behind a slot with 32 bits of its hash; any
// other key is packed into one byte string per row. A table holds no pointers
// per group and is used by one goroutine at a time.
type GroupTable struct {
	types []*Type
	index keyIndex
}

// keyIndex is the form of a GroupTable for some key types.
type keyIndex interface {
	len() int
	find(cols []arrow.Array, gid []uint32)
	// freeze makes find give NoGroup for keys that are not there, or ends that.
	freeze(on bool)
	column(i int, g []uint32) arrow.Array
	bytes() int
	reset()
	free()
}

// NewGroupTable makes an empty table for flat key columns of the given types.
func NewGroupTable(types []*Type) *GroupTable {
	words, fixed := 0, true
	for _, k := range types {
		if k.Kind == KindString || k.Kind == KindBinary {
			fixed = false
			continue
		}
		words += keyWidth(k.Arrow())
	}
	t := &GroupTable{types: types}
	switch {
	case len(types) == 0:
		t.index = &noKey{}
	case fixed && words == 1:
		t.index = newFixedTable[[1]uint64](types)
	case fixed && words == 2:
		t.index = newFixedTable[[2]uint64](types)
	case fixed && words == 3:
		t.index = newFixedTable[[3]uint64](types)
	case fixed && words == 4:
		t.index = newFixedTable[[4]uint64](types)
	case len(types) == 1:
		t.index = &stringTable{typ: types[0], bytesTable: newBytesTable()}
	default:
		t.index = newPackedTable(types)
	}
	return t
}

// Len is the number of groups.
func (t *GroupTable) Len() int { return t.index.len() }

// Find sets gid[i] to the group of row i, for len(gid) rows of the key columns;
// new keys become new groups.
func (t *GroupTable) Find(cols []arrow.Array, gid []uint32) {
	if len(gid) > 0 {
		t.index.find(cols, gid)
	}
}

// NoGroup is what Lookup gives for a key that is not in the table.
const NoGroup = ^uint32(0)

// Lookup is Find without new groups: gid[i] is NoGroup if the key of row i is not there.
func (t *GroupTable) Lookup(cols []arrow.Array, gid []uint32) {
	t.index.freeze(true)
	t.Find(cols, gid)
	t.index.freeze(false)
}

// Column is key column i for the given groups.
func (t *GroupTable) Column(i int, g []uint32) arrow.Array { return t.index.column(i, g) }

// Columns are all key columns for the given groups.
func (t *GroupTable) Columns(g []uint32) []arrow.Array {
	out := make([]arrow.Array, len(t.types))
	for i := range out {
		out[i] = t.index.column(i, g)
	}
	return out
}

// Bytes is the memory in use.
func (t *GroupTable) Bytes() int { return t.index.bytes() }

// Reset removes all groups and keeps the memory for as many again, unless that is
// far more than they needed.
func (t *GroupTable) Reset() { t.index.reset() }

// Free gives the memory back; the table must not be used any more.
func (t *GroupTable) Free() { t.index.free() }

// AllGroups are the ids 0..n.
func AllGroups(n int) []uint32 {
	g := make([]uint32, n)
	for i := range g {
		g[i] = uint32(i)
	}
	return g
}

// noKey is the table of GROUP BY (): every row is of group 0.
type noKey struct {
	n      int
	frozen bool
}

func (t *noKey) len() int { return t.n }

func (t *noKey) freeze(on bool) { t.frozen = on }

func (t *noKey) find(_ []arrow.Array, gid []uint32) {
	if t.frozen && t.n == 0 {
		for i := range gid {
			gid[i] = NoGroup
		}
		return
	}
	t.n = 1
	clear(gid)
}

func (t *noKey) column(int, []uint32) arrow.Array {
	panic("vector: a table without keys has no columns")
}
func (t *noKey) bytes() int { return 0 }
func (t *noKey) reset()     { t.n = 0 }
func (t *noKey) free()      {}
