package join

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Over the memory budget a side gives its oldest rows to the tier. They do not come back: a batch reads
// those that have its keys. All rows there are older than all in memory.

// cold is what a side has in the tier.
type cold struct {
	// rows has them as the state store does, but by time and id alone: what leaves is a range.
	rows statestore.TierTable
	// refs tells the times and ids of the rows of a key, in the order in which they came.
	refs statestore.TierTable
	// byID sorts rows that come out with nulls, if the side is preserved: as rows, with id and time exchanged.
	byID statestore.TierTable

	n     int   // rows there
	first int64 // none leaves before
	bound int64 // what has left; refs may still tell of it
	keys  []vector.Field
}

// refBytes is the size of a row's time and id among the refs of its key.
const refBytes = 16

func (s *side) openCold(t statestore.Tier, sorts bool) error {
	c := &s.cold
	c.bound = math.MinInt64
	for i, typ := range s.kept.types {
		c.keys = append(c.keys, vector.Field{Name: fmt.Sprint("key", i), Type: typ, Nullable: true})
	}
	time, id := statestore.Column{Name: "time", Width: 8}, statestore.Column{Name: "id", Width: 8}
	var values []statestore.Column
	for _, i := range s.kept.order {
		values = append(values, statestore.Column{Name: s.Schema.Fields[i].Name, Width: storedWidth(s.Schema.Fields[i].Type), Nullable: true})
	}
	values = append(values, statestore.Column{Name: "matched", Width: 1})
	var err error
	if c.rows, err = t.Table(statestore.Schema{Keys: []statestore.Column{time, id}, Values: values}); err != nil {
		return err
	}
	if sorts {
		sorted := append([]statestore.Column{time}, values...)
		if c.byID, err = t.Table(statestore.Schema{Keys: []statestore.Column{id}, Values: sorted}); err != nil {
			return err
		}
	}
	c.refs, err = t.Table(statestore.Schema{Keys: exec.StoreColumns(c.keys), Values: []statestore.Column{{Name: "refs"}}, OrderCol: -1})
	return err
}

// clearCold removes all rows of a side from the tier.
func (s *side) clearCold() error {
	if s.cold.n == 0 {
		return nil
	}
	s.cold.n, s.cold.bound = 0, math.MinInt64
	if err := s.cold.rows.DeleteRange(statestore.Range{}); err != nil {
		return err
	}
	return s.cold.refs.DeleteRange(statestore.Range{})
}

// write puts rows, in the form of the store, into the tier.
func (s *side) write(b statestore.Block) error {
	c := &s.cold
	if err := c.rows.Write(b); err != nil {
		return err
	}
	times, ids, err := keysOf(b)
	if err != nil {
		return err
	}
	if c.n == 0 {
		c.first = math.MaxInt64
	}
	c.n += b.Rows
	c.first = min(c.first, slices.Min(times))
	keys, err := c.keyColumns(b)
	if err != nil {
		return err
	}
	return c.refer(keys, times, ids)
}

// keyColumns are the keys in a block of rows.
func (c *cold) keyColumns(b statestore.Block) ([]arrow.Array, error) {
	return exec.BlockColumns(c.keys, statestore.Block{Rows: b.Rows, Cols: b.Cols[2 : 2+len(c.keys)]})
}

// refer adds rows to the refs of their keys. Rows with a null key are found by nobody.
func (c *cold) refer(keys []arrow.Array, times, ids []int64) error {
	table, gid := c.group(keys, len(times))
	defer table.Free()
	n := table.Len()
	added := make([]int, n+1) // bytes of new refs; then where they begin
	for i, g := range gid {
		if anyNull(keys, i) {
			gid[i] = vector.NoGroup
		} else {
			added[g+1] += refBytes
		}
	}
	for g := range n {
		added[g+1] += added[g]
	}
	fresh, at := make([]byte, added[n]), slices.Clone(added)
	for i, g := range gid {
		if g != vector.NoGroup {
			putRef(fresh[at[g]:], times[i], ids[i])
			at[g] += refBytes
		}
	}
	groups := slices.DeleteFunc(vector.AllGroups(n), func(g uint32) bool { return added[g+1] == added[g] })
	block := c.keyBlock(table, groups)
	found, old, err := c.refs.Get(block)
	if err != nil {
		return err
	}
	refs := statestore.ColumnData{Off: make([]uint32, 1, len(groups)+1)}
	next := 0
	for i, g := range groups {
		if next < len(found) && found[next] == uint32(i) {
			refs.Data = c.living(refs.Data, refsOf(old, next), nil)
			next++
		}
		refs.Data = append(refs.Data, fresh[added[g]:added[g+1]]...)
		refs.Off = append(refs.Off, uint32(len(refs.Data)))
	}
	block.Cols = append(block.Cols, refs)
	return c.refs.Write(block)
}

// trim takes the rows that have left, and those whose ids are given in order, out of the refs of keys.
func (c *cold) trim(keys []arrow.Array, n int, ids []int64) error {
	table, _ := c.group(keys, n)
	defer table.Free()
	all := vector.AllGroups(table.Len())
	found, old, err := c.refs.Get(c.keyBlock(table, all))
	if err != nil {
		return err
	}
	var gone, less []uint32
	refs := statestore.ColumnData{Off: []uint32{0}}
	for i, g := range found {
		before, was := len(refs.Data), refsOf(old, i)
		refs.Data = c.living(refs.Data, was, ids)
		switch len(refs.Data) - before {
		case 0:
			gone = append(gone, g)
		case len(was):
			refs.Data = refs.Data[:before]
		default:
			less = append(less, g)
			refs.Off = append(refs.Off, uint32(len(refs.Data)))
		}
	}
	if err := c.refs.Delete(c.keyBlock(table, gone)); err != nil {
		return err
	}
	block := c.keyBlock(table, less)
	block.Cols = append(block.Cols, refs)
	return c.refs.Write(block)
}

// living appends the refs of rows that have not left and are not among the ids to out.
func (c *cold) living(out, refs []byte, ids []int64) []byte {
	for ; len(refs) > 0; refs = refs[refBytes:] {
		time, id := ref(refs)
		if time <= c.bound {
			continue
		}
		if _, gone := slices.BinarySearch(ids, id); !gone {
			out = append(out, refs[:refBytes]...)
		}
	}
	return out
}

// group numbers the distinct keys of n rows.
func (c *cold) group(keys []arrow.Array, n int) (*vector.GroupTable, []uint32) {
	types := make([]*vector.Type, len(c.keys))
	for i, k := range c.keys {
		types[i] = k.Type
	}
	table, gid := vector.NewGroupTable(types), make([]uint32, n)
	table.Find(keys, gid)
	return table, gid
}

// keyBlock is a block of keys: equal ones have the same bytes, as they come from a group table.
func (c *cold) keyBlock(t *vector.GroupTable, groups []uint32) statestore.Block {
	return exec.Block(c.keys, t.Columns(groups), len(groups))
}

func anyNull(cols []arrow.Array, i int) bool {
	for _, c := range cols {
		if c.IsNull(i) {
			return true
		}
	}
	return false
}

func putRef(b []byte, time, id int64) {
	binary.LittleEndian.PutUint64(b, uint64(time))
	binary.LittleEndian.PutUint64(b[8:], uint64(id))
}

func ref(b []byte) (time, id int64) {
	return int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
}

// refsOf is the value of row i of a block of refs.
func refsOf(b statestore.Block, i int) []byte {
	return b.Cols[0].Data[b.Cols[0].Off[i]:b.Cols[0].Off[i+1]]
}
