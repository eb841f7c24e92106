package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// entries are distinct values per group: a table from (group, values) to entry
// ids, and per group the chain of its entries in the order in which they came.
type entries struct {
	types []*vector.Type // of the values
	table *vector.GroupTable
	// key is the number under which a group's entries lie in the table: a group
	// that starts anew gets another one, so that its old entries are not found.
	key        []int32
	lastKey    int32
	head, tail []uint32 // by group: entry+1, 0 for none
	next       []uint32 // by entry: entry+1
}

func newEntries(types []*vector.Type) *entries {
	flat := []*vector.Type{vector.Int}
	for _, t := range types {
		c := newCell(t)
		flat = append(flat, c.stored())
	}
	return &entries{types: types, table: vector.NewGroupTable(flat)}
}

// init makes groups empty.
func (e *entries) init(lo, hi int) {
	for len(e.key) < hi {
		e.key, e.head, e.tail = append(e.key, 0), append(e.head, 0), append(e.tail, 0)
	}
	for g := lo; g < hi; g++ {
		e.lastKey++
		e.key[g], e.head[g], e.tail[g] = e.lastKey, 0, 0
	}
}

// add finds or makes the entry of each row; fresh are the rows that made one.
func (e *entries) add(g []uint32, values []arrow.Array) (ids, fresh []uint32) {
	n := len(g)
	key := make([]int32, n)
	for i, x := range g {
		key[i] = e.key[x]
	}
	cols := make([]arrow.Array, 1+len(e.types))
	cols[0] = vector.NewFixed(vector.Int, key, nil)
	for i, t := range e.types {
		c := newCell(t)
		cols[i+1] = values[i]
		if c.form == cellNested {
			cols[i+1] = vector.EncodeKey(t, values[i])
		}
	}
	ids = make([]uint32, n)
	e.table.Find(cols, ids)
	for i, id := range ids {
		if int(id) < len(e.next) {
			continue
		}
		fresh = append(fresh, uint32(i))
		e.next = append(e.next, 0)
		x := g[i]
		if t := e.tail[x]; t > 0 {
			e.next[t-1] = id + 1
		} else {
			e.head[x] = id + 1
		}
		e.tail[x] = id + 1
	}
	return ids, fresh
}

// of are the entries of groups: those of g[i] are ids[off[i]:off[i+1]].
func (e *entries) of(g []uint32) (off []int32, ids []uint32) {
	off = make([]int32, len(g)+1)
	for i, x := range g {
		for p := e.head[x]; p > 0; p = e.next[p-1] {
			ids = append(ids, p-1)
		}
		off[i+1] = int32(len(ids))
	}
	return off, ids
}

// values are the values of entries as columns.
func (e *entries) values(ids []uint32) []arrow.Array {
	out := make([]arrow.Array, len(e.types))
	for i, t := range e.types {
		c := newCell(t)
		out[i] = c.decode(e.table.Column(i+1, ids))
	}
	return out
}

func (e *entries) bytes() int {
	return e.table.Bytes() + 4*(cap(e.key)+cap(e.head)+cap(e.tail)+cap(e.next))
}

// exchanged is the type of a row of columns in an exchanged list.
func exchanged(types []*vector.Type) *vector.Type {
	fs := make([]vector.Field, len(types))
	for i, t := range types {
		fs[i] = vector.Field{Name: "v", Type: t, Nullable: true}
	}
	return vector.StructOf(fs...)
}

// encodeLists is lists of rows of columns as one binary column; list i is the rows off[i]:off[i+1].
func encodeLists(types []*vector.Type, off []int32, cols []arrow.Array) arrow.Array {
	row := exchanged(types)
	n := int(off[len(off)-1])
	list := vector.ArrayOf(row, true)
	return vector.EncodeValue(list, vector.NewList(list, off, vector.NewStruct(row, cols, n, nil), nil))
}

// decodeLists is the reverse of encodeLists: the columns, and the group of each row.
func decodeLists(types []*vector.Type, g []uint32, a arrow.Array) ([]uint32, []arrow.Array, error) {
	list, err := vector.ParseKey(vector.ArrayOf(exchanged(types), true), a)
	if err != nil {
		return nil, nil, err
	}
	off := vector.Offsets(list)
	rows := vector.ListChild(list)
	groups := make([]uint32, rows.Len())
	for i, x := range g {
		for j := off[i]; j < off[i+1]; j++ {
			groups[j] = x
		}
	}
	cols := make([]arrow.Array, len(types))
	for i := range cols {
		cols[i] = vector.StructField(rows, i)
	}
	return groups, cols, nil
}
