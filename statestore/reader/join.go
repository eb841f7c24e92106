package reader

import (
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/statestore/merge"
	"github.com/vstream/vstream/vector"
)

// A join keeps for each side a table of rows, each with an id, and a table of the ids of
// those that had their first match later (docs/format/join.md). Spark has a table of how
// many rows a key has and one of the rows by key and index, which are made here.

const (
	joinOperator  = "symmetricHashJoin"
	rowsSuffix    = "-rows"
	matchesSuffix = "-matched"
	countsSuffix  = "-keyToNumValues"
	indexedSuffix = "-keyWithIndexToValue"
)

// The columns of both tables of a side.
const (
	timeColumn = iota
	idColumn
	firstKeyColumn
)

// sparkStore is Spark's name for one of an operator's stores.
func sparkStore(name string) string {
	for _, side := range []string{"left", "right"} {
		switch name {
		case side + rowsSuffix:
			return side + countsSuffix
		case side + matchesSuffix:
			return side + indexedSuffix
		}
	}
	return name
}

// joinStore is the table and shape behind one of Spark's stores of a join.
func joinStore(name string) (table string, s shape, ok bool) {
	for _, side := range []string{"left", "right"} {
		switch name {
		case side + countsSuffix:
			return side + rowsSuffix, counted, true
		case side + indexedSuffix:
			return side + rowsSuffix, indexed, true
		}
	}
	return "", stored, false
}

// matchesOf is the table of matches that belongs to a table of rows.
func matchesOf(rows string) string { return strings.TrimSuffix(rows, rowsSuffix) + matchesSuffix }

// shape is how a store comes from the table behind it.
type shape uint8

const (
	stored  shape = iota // as the table's view says
	indexed              // rows numbered within their key, with whether they had a match
	counted              // how many rows a key has
)

// types are the types of key and value.
func (s shape) types(l *layout) (key, value *vector.Type) {
	key, value = l.key.typ, l.value.typ
	switch s {
	case indexed:
		return extended(key, "index", vector.Long), extended(value, "matched", vector.Bool)
	case counted:
		return key, extended(vector.StructOf(), "value", vector.Long)
	}
	return key, value
}

func extended(t *vector.Type, name string, typ *vector.Type) *vector.Type {
	return vector.StructOf(append(t.Fields[:len(t.Fields):len(t.Fields)], vector.Field{Name: name, Type: typ, Nullable: true})...)
}

// shown are rows of a store: the columns key and value.
type shown struct {
	key, value arrow.Array
	n          int
}

// joined makes a store of a join from its two tables. Rows are numbered by their ids.
func (t *Table) joined(rows, matches *merge.Table) (shown, error) {
	cols, err := t.byID(rows)
	if err != nil {
		return shown{}, err
	}
	n := rows.Len()
	var types []*vector.Type
	for _, f := range t.layout.flat[firstKeyColumn:t.layout.keys] {
		types = append(types, f.Type)
	}
	keys := vector.NewGroupTable(types)
	defer keys.Free()
	of := make([]uint32, n)
	keys.Find(cols[firstKeyColumn:t.layout.keys], of)
	counts, index := make([]int64, keys.Len()), make([]int64, n)
	for i, k := range of {
		index[i] = counts[k]
		counts[k]++
	}
	key, value := t.shape.types(t.layout)
	if t.shape == counted {
		return t.countedRows(keys, counts, value)
	}
	k, err := t.layout.column(t.layout.key, cols, n)
	if err != nil {
		return shown{}, err
	}
	v, err := t.layout.column(t.layout.value, cols, n)
	if err != nil {
		return shown{}, err
	}
	met := metAny(cols[len(cols)-1], vector.Values[int64](cols[idColumn]), idsOf(matches))
	return shown{
		key:   withField(key, k, vector.NewFixed(vector.Long, index, nil)),
		value: withField(value, v, met), n: n,
	}, nil
}

func (t *Table) countedRows(keys *vector.GroupTable, counts []int64, typ *vector.Type) (shown, error) {
	n := len(counts)
	flat := make([]arrow.Array, firstKeyColumn, t.layout.keys)
	k, err := t.layout.column(t.layout.key, append(flat, keys.Columns(vector.AllGroups(n))...), n)
	return shown{k, vector.NewStruct(typ, []arrow.Array{vector.NewFixed(vector.Long, counts, nil)}, n, nil), n}, err
}

// withField is a struct column with one more field.
func withField(typ *vector.Type, a arrow.Array, field arrow.Array) arrow.Array {
	fields := make([]arrow.Array, 0, len(typ.Fields))
	for i := range len(typ.Fields) - 1 {
		fields = append(fields, vector.StructField(a, i))
	}
	return vector.NewStruct(typ, append(fields, field), a.Len(), nil)
}

// byID are the flat columns of a table of rows, in the order of the ids.
func (t *Table) byID(rows *merge.Table) ([]arrow.Array, error) {
	parts := make([][]arrow.Array, len(t.layout.flat))
	for _, b := range append(rows.Blocks(), emptyBlock(t.schema)) {
		cols, err := t.layout.columns(b)
		if err != nil {
			return nil, err
		}
		for i, c := range cols {
			parts[i] = append(parts[i], c)
		}
	}
	ids := vector.Values[int64](vector.Concat(parts[idColumn]))
	order := vector.AllGroups(len(ids))
	sort.SliceStable(order, func(i, j int) bool { return ids[order[i]] < ids[order[j]] })
	out := make([]arrow.Array, len(parts))
	for i, p := range parts {
		out[i] = vector.Take(vector.Concat(p), order)
	}
	return out, nil
}

// idsOf are the ids of a table of matches, ascending.
func idsOf(matches *merge.Table) []int64 {
	var ids []int64
	for _, b := range matches.Blocks() {
		ids = append(ids, longs(b.Cols[idColumn].Data)...)
	}
	slices.Sort(ids)
	return ids
}

// metAny tells which rows had a match: at first, or later. Both lists of ids ascend.
func metAny(atFirst arrow.Array, ids, later []int64) arrow.Array {
	n := len(ids)
	met, first := vector.NewBitmap(n), vector.Bools(atFirst)
	for i, id := range ids {
		for len(later) > 0 && later[0] < id {
			later = later[1:]
		}
		if first.Get(i) || len(later) > 0 && later[0] == id {
			met[i>>3] |= 1 << (i & 7)
		}
	}
	return vector.NewBool(met, n, nil)
}
