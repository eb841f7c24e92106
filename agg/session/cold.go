package session

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Over the memory budget the sessions of whole keys are given to the tier. When rows of a key come, all its
// sessions come back. So the sessions of a key are either all in memory or all in the tier.

// cold is what the tier has; without a tier it is empty.
type cold struct {
	account *statestore.Account
	// sessions has them by end, or by number if they are not evicted: number; keys, start, end, states.
	sessions statestore.TierTable
	// refs tells the ends, or numbers, and numbers of the sessions of a key.
	refs  statestore.TierTable
	n     int   // sessions there
	first int64 // none ends before
	// noted are the keys, in the state store, of sessions that were evicted from the tier in the micro-batch.
	noted []statestore.Block
}

const (
	// spillBytes bounds the sessions that are written to the tier at a time.
	spillBytes = 16 << 20
	// refBytes is the size of a session among the refs of its key.
	refBytes = 16
)

// Spill lets sessions go to a tier.
func (f *Final) Spill(t statestore.Tier) (err error) {
	if len(f.Keys) == 0 {
		return nil
	}
	f.cold.account = t.Account()
	f.cold.sessions, err = t.Table(statestore.Schema{Keys: exec.StoreColumns(orderFields), Values: exec.StoreColumns(f.fields())})
	if err != nil {
		return err
	}
	f.cold.refs, err = t.Table(statestore.Schema{Keys: exec.StoreColumns(f.keyFields()), Values: []statestore.Column{{Name: "refs"}}, OrderCol: -1})
	return err
}

// orderFields are the key of a session in the tier.
var orderFields = []vector.Field{{Name: "order", Type: vector.Long}, {Name: "number", Type: vector.Long}}

// keyFields are the keys beside the session.
func (f *Final) keyFields() []vector.Field { return f.input.Fields[:len(f.Keys)] }

// clearCold removes all sessions from the tier.
func (f *Final) clearCold() error {
	if f.cold.n == 0 {
		return nil
	}
	f.cold.n = 0
	if err := f.cold.sessions.DeleteRange(statestore.Range{}); err != nil {
		return err
	}
	return f.cold.refs.DeleteRange(statestore.Range{})
}

// order is what sessions lie by in the tier.
func (f *Final) order(end, number int64) int64 {
	if f.evicts {
		return end
	}
	return number
}

// shed gives sessions to the tier if the process is over its budget: of the keys that the micro-batch did not
// change, or of all if that is not enough. Nothing may be uncommitted.
func (f *Final) shed() error {
	if f.cold.account == nil {
		return nil
	}
	used := f.bytes()
	keep := f.cold.account.Set(used)
	if used <= keep || f.open.live == 0 {
		return nil
	}
	changed := vector.NewBitmap(f.open.table.Len())
	for _, c := range f.changed {
		changed.Set(int(f.open.slots[c.slot].key))
	}
	var stay, gone []uint32
	for _, x := range f.open.all() {
		if changed.Get(int(f.open.slots[x].key)) {
			stay = append(stay, x)
		} else {
			gone = append(gone, x)
		}
	}
	if used/int64(f.open.live)*int64(len(stay)) > keep {
		stay, gone = nil, f.open.all()
	}
	if err := f.give(gone); err != nil {
		return err
	}
	f.changed, f.gone = nil, nil
	if err := f.rebuild(stay); err != nil {
		return err
	}
	f.cold.account.Set(f.bytes())
	return nil
}

func (f *Final) bytes() int64 { return int64(f.open.bytes() + f.calendar.Bytes()) }

// give writes sessions, all of their keys, to the tier.
func (f *Final) give(slots []uint32) error {
	// The sessions of a key, whose refs are written once, must not be parted.
	slices.SortStableFunc(slots, func(a, b uint32) int { return int(f.open.slots[a].key) - int(f.open.slots[b].key) })
	step := max(1<<10, spillBytes/max(1, int(f.bytes())/f.open.live))
	for len(slots) > 0 {
		n := min(step, len(slots))
		for n < len(slots) && f.open.slots[slots[n]].key == f.open.slots[slots[n-1]].key {
			n++
		}
		if err := f.write(slots[:n]); err != nil {
			return err
		}
		slots = slots[n:]
	}
	return nil
}

// write writes sessions, those of a key one after the other, and the refs of their keys.
func (f *Final) write(slots []uint32) error {
	order, number := make([]int64, len(slots)), make([]int64, len(slots))
	var keys []uint32
	refs := statestore.ColumnData{Off: []uint32{0}, Data: make([]byte, 0, refBytes*len(slots))}
	for i, x := range slots {
		s := &f.open.slots[x]
		number[i] = s.number()
		order[i] = f.order(s.end, number[i])
		refs.Data = binary.LittleEndian.AppendUint64(refs.Data, uint64(order[i]))
		refs.Data = binary.LittleEndian.AppendUint64(refs.Data, uint64(number[i]))
		if n := len(keys); n > 0 && keys[n-1] == s.key {
			refs.Off[n] = uint32(len(refs.Data))
			continue
		}
		keys = append(keys, s.key)
		refs.Off = append(refs.Off, uint32(len(refs.Data)))
	}
	cols := append([]arrow.Array{vector.NewFixed(vector.Long, order, nil), vector.NewFixed(vector.Long, number, nil)}, f.stateColumns(slots)...)
	if err := f.cold.sessions.Write(exec.Block(f.tierFields(), cols, len(slots))); err != nil {
		return err
	}
	if f.cold.n == 0 {
		f.cold.first = math.MaxInt64
	}
	f.cold.n += len(slots)
	f.cold.first = min(f.cold.first, slices.Min(order))
	b := exec.Block(f.keyFields(), f.open.table.Columns(keys), len(keys))
	b.Cols = append(b.Cols, refs)
	return f.cold.refs.Write(b)
}

// tierFields are all columns of a session in the tier.
func (f *Final) tierFields() []vector.Field { return append(slices.Clone(orderFields), f.fields()...) }

// keysOf finds the keys of n rows and brings the sessions back that the tier has of them.
func (f *Final) keysOf(cols []arrow.Array, n int) ([]uint32, error) {
	before := f.open.table.Len()
	kid := f.open.keysOf(cols, n)
	if f.cold.n == 0 || f.open.table.Len() == before {
		return kid, nil
	}
	return kid, f.fetch(before)
}

// fetch brings back the sessions of the keys from number before on.
func (f *Final) fetch(before int) error {
	fresh := make([]uint32, f.open.table.Len()-before)
	for i := range fresh {
		fresh[i] = uint32(before + i)
	}
	found, refs, err := f.cold.refs.Get(exec.Block(f.keyFields(), f.open.table.Columns(fresh), len(fresh)))
	if err != nil || len(found) == 0 {
		return err
	}
	var kid []uint32
	var order, number []int64
	for i, k := range found {
		for _, r := range refsOf(refs, i) {
			kid, order, number = append(kid, fresh[k]), append(order, r.order), append(number, r.number)
		}
	}
	ids := exec.Block(orderFields, []arrow.Array{vector.NewFixed(vector.Long, order, nil), vector.NewFixed(vector.Long, number, nil)}, len(kid))
	rows, values, err := f.cold.sessions.Get(ids)
	if err != nil {
		return err
	}
	cols, err := exec.BlockColumns(f.fields(), values)
	if err != nil {
		return err
	}
	for i, r := range rows {
		kid[i], number[i] = kid[r], number[r]
	}
	if err := f.insert(kid[:len(rows)], cols[len(f.Keys):], number[:len(rows)]); err != nil {
		return err
	}
	f.cold.n -= len(rows)
	if err := f.cold.sessions.Delete(ids); err != nil {
		return err
	}
	keys := make([]uint32, len(found))
	for i, k := range found {
		keys[i] = fresh[k]
	}
	return f.cold.refs.Delete(exec.Block(f.keyFields(), f.open.table.Columns(keys), len(keys)))
}

// sessionRef names a session in the tier.
type sessionRef struct{ order, number int64 }

// refsOf are the refs of row i of a block.
func refsOf(b statestore.Block, i int) []sessionRef {
	data := b.Cols[0].Data[b.Cols[0].Off[i]:b.Cols[0].Off[i+1]]
	out := make([]sessionRef, len(data)/refBytes)
	for k := range out {
		out[k].order = int64(binary.LittleEndian.Uint64(data[refBytes*k:]))
		out[k].number = int64(binary.LittleEndian.Uint64(data[refBytes*k+8:]))
	}
	return out
}

// trim takes the sessions that end at or before bound out of the refs of keys.
func (f *Final) trim(keys []arrow.Array, n int, bound int64) error {
	table, gid := vector.NewGroupTable(f.Keys), make([]uint32, n)
	defer table.Free()
	table.Find(keys, gid)
	block := func(groups []uint32) statestore.Block {
		return exec.Block(f.keyFields(), table.Columns(groups), len(groups))
	}
	found, old, err := f.cold.refs.Get(block(vector.AllGroups(table.Len())))
	if err != nil {
		return err
	}
	var gone, less []uint32
	refs := statestore.ColumnData{Off: []uint32{0}}
	for i, g := range found {
		before := len(refs.Data)
		for _, r := range refsOf(old, i) {
			if r.order > bound {
				refs.Data = binary.LittleEndian.AppendUint64(refs.Data, uint64(r.order))
				refs.Data = binary.LittleEndian.AppendUint64(refs.Data, uint64(r.number))
			}
		}
		if len(refs.Data) == before {
			gone = append(gone, g)
			continue
		}
		less = append(less, g)
		refs.Off = append(refs.Off, uint32(len(refs.Data)))
	}
	if err := f.cold.refs.Delete(block(gone)); err != nil {
		return err
	}
	b := block(less)
	b.Cols = append(b.Cols, refs)
	return f.cold.refs.Write(b)
}
