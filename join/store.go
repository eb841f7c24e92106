package join

import (
	"fmt"
	"slices"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// The tables of a side. Spark has keyToNumValues and keyWithIndexToValue, which
// renumber the rows of a key when one leaves. Here a row keeps its id: the table of
// rows is written once per row, and that a row has met its first match, which
// happens later, goes to a narrow table of its own. Both are keyed by time and id first,
// so that what leaves is a range; the join's keys are part of a row's key, so that its
// partition can be told from there.
var storeNames = [2][2]string{{"left-rows", "left-matched"}, {"right-rows", "right-matched"}}

// blockLimit is the number of rows of a block.
const blockLimit = 1 << 16

// Stores are two tables for each side.
func (j *SymmetricHash) Stores() []exec.Store {
	var out []exec.Store
	key := []statestore.Column{{Name: "time", Type: "timestamp", Width: 8}, {Name: "id", Type: "bigint", Width: 8}}
	for i, s := range j.sides {
		rows := statestore.Schema{Keys: key[:len(key):len(key)]}
		for n, c := range s.kept.order {
			f := s.Schema.Fields[c]
			x := statestore.Column{Name: f.Name, Type: f.Type.String(), Width: storedWidth(f.Type), Nullable: f.Nullable}
			if n < len(s.Keys) {
				rows.Route = append(rows.Route, len(rows.Keys))
				rows.Keys = append(rows.Keys, x)
			} else {
				rows.Values = append(rows.Values, x)
			}
		}
		rows.View = s.storedView()
		rows.Values = append(rows.Values, statestore.Column{Name: "matched", Type: "boolean", Width: 1})
		out = append(out, exec.Store{Name: storeNames[i][0], Schema: rows}, exec.Store{Name: storeNames[i][1], Schema: statestore.Schema{Keys: key}})
	}
	return out
}

// storedView is the side's view in terms of the columns of its table of rows.
func (s *side) storedView() *statestore.View {
	if s.View == nil {
		return nil
	}
	const before = 2 // time and id
	v := &statestore.View{Key: slices.Clone(s.View.Key), Value: slices.Clone(s.View.Value)}
	for i := range v.Key {
		v.Key[i].Column += before
	}
	for i := range v.Value {
		v.Value[i].Column = before + slices.Index(s.kept.order, v.Value[i].Column)
	}
	return v
}

// Commit stages the rows that came, the first matches and what left.
func (j *SymmetricHash) Commit(stage func(store string, c *statestore.Changes) error) error {
	for i, s := range j.sides {
		rows, met := &statestore.Changes{}, &statestore.Changes{}
		if s.evicted > 0 {
			rows.HasDeleteBelow, rows.DeleteBelow = true, s.bound
			met.HasDeleteBelow, met.DeleteBelow = true, s.bound
		}
		for lo := s.since; lo < s.kept.len(); lo += blockLimit {
			if b := s.kept.block(lo, min(lo+blockLimit, s.kept.len())); b.Rows > 0 {
				rows.Puts = append(rows.Puts, b)
			}
		}
		leaves := j.Kind.leaves(i == Left)
		if len(s.dirty) > 0 {
			s.noted = append(s.noted, s.noteDirty(leaves))
		}
		for _, b := range s.noted {
			if leaves {
				rows.Deletes = append(rows.Deletes, b)
			} else if b = s.unevicted(b); b.Rows > 0 {
				met.Puts = append(met.Puts, b)
			}
		}
		if err := stage(storeNames[i][0], rows); err != nil {
			return err
		}
		if err := stage(storeNames[i][1], met); err != nil {
			return err
		}
	}
	return nil
}

// Load takes recovered changes; Open puts them together. The tables come
// concurrently and in any order.
func (j *SymmetricHash) Load(store string, c *statestore.Changes) error {
	for i, names := range storeNames {
		for table, name := range names {
			if name != store {
				continue
			}
			j.loading.Lock()
			defer j.loading.Unlock()
			s := j.sides[i]
			if s.loaded == nil {
				s.loaded = &loaded{}
			}
			if table == 1 {
				return s.loaded.matches(c)
			}
			if err := s.loadCold(c); err != nil {
				return err
			}
			if err := s.loaded.rows(s.kept, c); err != nil {
				return err
			}
			return j.shedLoaded(s)
		}
	}
	return fmt.Errorf("join: unknown table %s", store)
}

// noteDirty tells the dirty rows to the state store: by their keys in it, if they leave, or else by
// times and ids.
func (s *side) noteDirty(leaves bool) statestore.Block {
	b := s.kept.keyBlock(s.dirty)
	if leaves {
		for _, c := range s.kept.order[:len(s.Keys)] {
			b.Cols = append(b.Cols, s.kept.cols[c].stored(s.dirty))
		}
	}
	return b
}

// unevicted are the times and ids of a block without those that were evicted in the micro-batch.
func (s *side) unevicted(b statestore.Block) statestore.Block {
	if s.evicted == 0 {
		return b
	}
	times, ids := longs(b.Cols[0].Data), longs(b.Cols[1].Data)
	n := 0
	for i, t := range times {
		if t > s.bound {
			times[n], ids[n] = t, ids[i]
			n++
		}
	}
	return timesAndIDs(times[:n], ids[:n])
}

// keyBlock is a block of the keys, time and id, of the given rows.
func (r *rows) keyBlock(rows []uint32) statestore.Block {
	times, ids := make([]int64, len(rows)), make([]int64, len(rows))
	for i, x := range rows {
		times[i], ids[i] = r.times[x], r.ids[x]
	}
	return timesAndIDs(times, ids)
}

// block is the live rows lo..hi as a block. Fixed-width values are not copied if all
// rows live.
func (r *rows) block(lo, hi int) statestore.Block {
	rows := make([]uint32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if r.marks[i]&dead == 0 {
			rows = append(rows, uint32(i))
		}
	}
	return r.blockOf(rows)
}

// blockOf is rows as a block.
func (r *rows) blockOf(rows []uint32) statestore.Block {
	b := r.keyBlock(rows)
	if b.Rows == 0 {
		return b
	}
	for _, c := range r.order {
		b.Cols = append(b.Cols, r.cols[c].stored(rows))
	}
	met := make([]byte, len(rows))
	for i, x := range rows {
		met[i] = r.marks[x] & matched
	}
	b.Cols = append(b.Cols, statestore.ColumnData{Data: met})
	return b
}

// stored is the given rows in the form of the store.
func (c *column) stored(rows []uint32) statestore.ColumnData {
	d := statestore.ColumnData{Valid: c.gatherValidity(rows)}
	lo, hi := rows[0], rows[len(rows)-1]+1
	run := slices.IsSorted(rows) && int(hi-lo) == len(rows)
	if c.width > 0 {
		if run {
			d.Data = c.fixed(c.rows)[int(lo)*c.width : int(hi)*c.width]
			return d
		}
		d.Data = make([]byte, 0, len(rows)*c.width)
		all := c.fixed(c.rows)
		for _, r := range rows {
			d.Data = append(d.Data, all[int(r)*c.width:(int(r)+1)*c.width]...)
		}
		return d
	}
	d.Off = make([]uint32, len(rows)+1)
	if run {
		for i := range d.Off {
			d.Off[i] = uint32(c.off[int(lo)+i] - c.off[lo])
		}
		d.Data = c.data[c.off[lo]:c.off[hi]]
		return d
	}
	for i, r := range rows {
		d.Data = append(d.Data, c.data[c.off[r]:c.off[r+1]]...)
		d.Off[i+1] = uint32(len(d.Data))
	}
	return d
}

// load adds rows in the form of the store.
func (c *column) load(d statestore.ColumnData, n int) error {
	if d.Valid != nil && len(d.Valid) < (n+7)/8 {
		return fmt.Errorf("%d bytes of validity for %d rows", len(d.Valid), n)
	}
	if c.width > 0 {
		if len(d.Data) != n*c.width {
			return fmt.Errorf("%d bytes for %d values of %d", len(d.Data), n, c.width)
		}
		c.grow(n)
		copy(c.fixed(c.rows + n)[c.rows*c.width:], d.Data)
	} else {
		if len(d.Off) != n+1 || d.Off[0] != 0 || int(d.Off[n]) > len(d.Data) {
			return fmt.Errorf("%d offsets for %d rows", len(d.Off), n)
		}
		base := uint64(len(c.data))
		for i, o := range d.Off[1:] {
			if o < d.Off[i] {
				return fmt.Errorf("offset %d of row %d", o, i)
			}
			c.off = append(c.off, base+uint64(o))
		}
		c.data = append(c.data, d.Data[:d.Off[n]]...)
	}
	c.appendValidity(vector.Bitmap(d.Valid), n)
	c.rows += n
	return nil
}
