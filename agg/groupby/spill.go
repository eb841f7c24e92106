package groupby

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// A bucket's table is authoritative for the groups in it. When the process is over its memory
// budget, groups are written to the tier and leave the table; their rows are those of the store. A group
// that is touched again comes back by one lookup for each input batch, and what the tier
// holds of it is a stale copy from then on, until it is given away again or evicted.

// cold is what a bucket has in the tier.
type cold struct {
	rows   int           // groups there, stale copies included
	copies vector.Bitmap // groups of the table of which there is a stale copy
	stale  int           // their number
}

// alone is the number of groups that only the tier has.
func (c *cold) alone() int { return c.rows - c.stale }

func (c *cold) copied(g uint32) bool { return int(g>>3) < len(c.copies) && c.copies.Get(int(g)) }

// mark notes that the tier has copies of groups of a table of n.
func (c *cold) mark(groups []uint32, n int) {
	if grow := (n+7)/8 - len(c.copies); grow > 0 {
		c.copies = append(c.copies, make(vector.Bitmap, grow)...)
	}
	for _, g := range groups {
		c.copies.Set(int(g))
	}
	c.stale += len(groups)
}

// keep is c for a table that keeps only these groups, in this order. The copies of the
// others count as groups of the tier, whose states the caller has written or deleted.
func (c *cold) keep(groups []uint32) cold {
	out := cold{rows: c.rows}
	for i, g := range groups {
		if c.copied(g) {
			out.mark([]uint32{uint32(i)}, len(groups))
		}
	}
	return out
}

// spill is an operator's part in the tier; without a tier it is empty.
type spill struct {
	table   statestore.TierTable
	account *statestore.Account
	unseen  int // input rows since memory was last looked at
	used    bool
	// gathered are input columns of the micro-batch that are yet to be merged, and rows their number.
	gathered [][]arrow.Array
	rows     int
}

// Spill lets groups go to a tier.
func (f *Final) Spill(t statestore.Tier) (err error) {
	if len(f.Keys) == 0 {
		return nil
	}
	f.tier.account = t.Account()
	f.tier.table, err = t.Table(f.Stores()[0].Schema)
	return err
}

const (
	// checkRows is how many input rows may come before memory is looked at again.
	checkRows = 1 << 16
	// gatherRows is how many input rows are looked up in the tier together: many, so that their keys,
	// in order, lie close to each other.
	gatherRows = 1 << 17
	// spillBytes bounds the columns that are written to the tier at a time.
	spillBytes = 8 << 20
)

// gather merges n rows later, with others.
func (f *Final) gather(cols []arrow.Array, n int) error {
	own, all := make([]arrow.Array, len(cols)), vector.AllGroups(n)
	for i, c := range cols {
		own[i] = vector.Take(c, all)
	}
	f.tier.gathered = append(f.tier.gathered, own)
	if f.tier.rows += n; f.tier.rows < gatherRows {
		return nil
	}
	return f.mergeGathered()
}

// mergeGathered merges the rows that were gathered, in the order in which they came.
func (f *Final) mergeGathered() error {
	parts, n := f.tier.gathered, f.tier.rows
	if n == 0 {
		return nil
	}
	f.tier.gathered, f.tier.rows = nil, 0
	cols, col := make([]arrow.Array, len(parts[0])), make([]arrow.Array, len(parts))
	for i := range cols {
		for k, p := range parts {
			col[k] = p[i]
		}
		cols[i] = vector.Concat(col)
	}
	if err := f.mergeBatch(cols, n, f.epoch); err != nil {
		return err
	}
	return f.shedWithin(n)
}

// shedWithin is shed within a micro-batch, after n more input rows.
func (f *Final) shedWithin(n int) error {
	if f.tier.unseen += n; f.tier.unseen < checkRows {
		return nil
	}
	f.tier.unseen = 0
	return f.shed(true)
}

// shed gives groups to the tier if the process is over its budget: first those that the micro-batch did
// not change, the oldest buckets first, then the others too, unless the changes are still
// to be committed.
func (f *Final) shed(uncommitted bool) error {
	if f.tier.account == nil {
		return nil
	}
	all := f.every()
	used := 0
	for _, b := range all {
		used += b.bytes()
	}
	keep := f.tier.account.Set(int64(used))
	if int64(used) <= keep {
		return nil
	}
	for _, changed := range []bool{false, true} {
		if changed && uncommitted {
			break
		}
		for _, b := range all {
			if int64(used) <= keep {
				break
			}
			before := b.bytes()
			var err error
			if changed {
				err = f.give(b, nil)
			} else if 2*len(b.dirty) <= b.table.Len() {
				err = f.give(b, b.dirty)
			}
			if err != nil {
				return err
			}
			used += b.bytes() - before
		}
	}
	f.tier.account.Set(int64(used))
	return nil
}

// give writes the groups of a bucket to the tier and drops them from its table, but for those
// that stay.
func (f *Final) give(b *bucket, stay []uint32) error {
	n := b.table.Len()
	if len(stay) == n {
		return nil
	}
	stays := vector.NewBitmap(n)
	for _, g := range stay {
		stays.Set(int(g))
	}
	gone := make([]uint32, 0, n-len(stay))
	for g := range uint32(n) {
		if !stays.Get(int(g)) {
			gone = append(gone, g)
		}
	}
	step := max(1<<10, spillBytes/max(1, b.bytes()/n))
	for lo := 0; lo < len(gone); lo += step {
		g := gone[lo:min(lo+step, len(gone))]
		cols := f.keysOf(b, g)
		for i := range f.impls {
			cols = append(cols, b.states.Export(i, g)...)
		}
		f.tier.used = true
		if err := f.tier.table.Write(exec.Block(f.fields(), cols, len(g))); err != nil {
			return err
		}
	}
	for _, g := range gone {
		if !b.cold.copied(g) {
			b.cold.rows++
		}
	}
	if err := b.keep(f.keyTypes(b), f.impls, stay); err != nil {
		return err
	}
	b.states.Touch(b.dirty, f.epoch, nil) // they count as changed already
	return nil
}

// keyTypes are the types of a bucket's table.
func (f *Final) keyTypes(b *bucket) []*vector.Type {
	if b == f.forever {
		return f.Keys
	}
	return f.tableKeys
}

// coldRange is where in the tier the groups of a bucket lie.
func (f *Final) coldRange(b *bucket) statestore.Range {
	switch {
	case !f.evicts():
		return statestore.Range{}
	case b == f.forever:
		return statestore.Range{Kind: statestore.NullOrder}
	case f.WindowEnd: // windows with the same end may have other starts
		return statestore.Range{Kind: statestore.Between, Lo: b.hi, Hi: b.hi}
	}
	return statestore.Range{Kind: statestore.Between, Lo: b.lo, Hi: b.hi}
}

// fetch sets gid to the groups of the keys of n rows in a bucket's table. Of those that were not there it brings
// back the states that the tier has or, if they are to be replaced anyway, notes only
// that it has copies.
func (f *Final) fetch(b *bucket, keys []arrow.Array, n int, states bool) error {
	if cap(f.gid) < n {
		f.gid = make([]uint32, n)
	}
	before := b.table.Len()
	b.table.Find(keys, f.gid[:n])
	after := b.table.Len()
	if before == after {
		return nil
	}
	b.states.Grow(after)
	fresh := make([]uint32, after-before)
	for i := range fresh {
		fresh[i] = uint32(before + i)
	}
	rows, values, err := f.tier.table.Get(exec.Block(f.fields()[:len(f.Keys)], f.keysOf(b, fresh), len(fresh)))
	if err != nil || len(rows) == 0 {
		return err
	}
	found := make([]uint32, len(rows))
	for i, r := range rows {
		found[i] = fresh[r]
	}
	b.cold.mark(found, after)
	if !states {
		return nil
	}
	cols, err := exec.BlockColumns(f.fields()[len(f.Keys):], values)
	if err != nil {
		return err
	}
	return restore(b.states, f.impls, found, cols)
}

// restore puts state columns into empty states.
func restore(s *agg.States, impls []*agg.Impl, groups []uint32, cols []arrow.Array) error {
	for i, im := range impls {
		w := len(im.State)
		if err := s.Restore(i, groups, cols[:w]); err != nil {
			return err
		}
		cols = cols[w:]
	}
	return nil
}

// scanCold gives the rows of a range of a bucket that the tier has, and which of them
// the table does not have.
func (f *Final) scanCold(b *bucket, r statestore.Range, fn func(cols []arrow.Array, alone []uint32, rows int) error) error {
	return f.tier.table.Scan(r, func(block statestore.Block) error {
		cols, err := exec.BlockColumns(f.fields(), block)
		if err != nil {
			return err
		}
		keys := cols[:len(f.Keys):len(f.Keys)]
		rows, start := block.Rows, []int64(nil)
		if f.evicts() && b != f.forever && f.WindowEnd {
			start = vector.Values[int64](cols[f.EventTime-1])
			keys = append(keys[:f.EventTime-1:f.EventTime-1], keys[f.EventTime+1:]...)
		}
		gid := make([]uint32, rows)
		b.table.Lookup(keys, gid)
		alone := make([]uint32, 0, rows)
		for i, g := range gid {
			if start != nil && start[i] != b.lo {
				rows--
			} else if g == vector.NoGroup {
				alone = append(alone, uint32(i))
			}
		}
		return fn(cols, alone, rows)
	})
}

// emitCold emits rows that the tier alone has.
func (f *Final) emitCold(e *emitter, cols []arrow.Array, alone []uint32) error {
	if e == nil || len(alone) == 0 {
		return nil
	}
	out := make([]arrow.Array, len(cols))
	for i, c := range cols {
		out[i] = vector.Take(c, alone)
	}
	states, groups := agg.NewStates(f.impls), vector.AllGroups(len(alone))
	defer states.Free()
	states.Grow(len(alone))
	if err := restore(states, f.impls, groups, out[len(f.Keys):]); err != nil {
		return err
	}
	out = out[:len(f.Keys)]
	for i := range f.impls {
		c, err := states.Result(i, groups)
		if err != nil {
			return err
		}
		out = append(out, c)
	}
	return e.add(out, len(alone))
}

// emitAll emits all groups of a bucket: those of its table, then those that only the tier has.
func (f *Final) emitAll(e *emitter, b *bucket) error {
	if e == nil {
		return nil
	}
	if err := f.emit(e, b, vector.AllGroups(b.table.Len())); err != nil || b.cold.alone() == 0 {
		return err
	}
	return f.scanCold(b, f.coldRange(b), func(cols []arrow.Array, alone []uint32, _ int) error {
		return f.emitCold(e, cols, alone)
	})
}

// evictCold evicts the groups of a plain event time's bucket that only the tier has, up to a bound
// that lies within the bucket.
func (f *Final) evictCold(b *bucket, bound int64, e *emitter) error {
	if b.cold.rows == 0 {
		return nil
	}
	gone, stale := 0, 0
	err := f.scanCold(b, statestore.Range{Kind: statestore.Between, Lo: b.lo, Hi: bound}, func(cols []arrow.Array, alone []uint32, rows int) error {
		gone += len(alone)
		stale += rows - len(alone)
		return f.emitCold(e, cols, alone)
	})
	if err != nil {
		return err
	}
	if gone+stale == 0 {
		return nil
	}
	f.evicted.groups += gone
	b.cold.rows -= gone + stale
	if stale > 0 { // the groups in the table are evicted with their copies
		times := vector.Values[int64](b.table.Column(f.EventTime, vector.AllGroups(b.table.Len())))
		for g, v := range times {
			if v <= bound && b.cold.copied(uint32(g)) {
				b.cold.copies.Clear(g)
			}
		}
		b.cold.stale -= stale
	}
	return f.tier.table.DeleteRange(statestore.Range{Kind: statestore.Between, Lo: b.lo, Hi: bound})
}

// dropCold removes what the tier has of the buckets up to a bound, which are evicted as a whole.
func (f *Final) dropCold(bound int64) error {
	return f.tier.table.DeleteRange(statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: bound})
}

// removeCold removes groups, given as keys of a bucket's table, from the tier.
func (f *Final) removeCold(b *bucket, keys []arrow.Array, n int) error {
	if b.cold.rows == 0 {
		return nil
	}
	if err := f.fetch(b, keys, n, false); err != nil {
		return err
	}
	var copied []uint32
	for _, g := range f.gid[:n] {
		if b.cold.copied(g) {
			copied = append(copied, g)
			b.cold.copies.Clear(int(g))
		}
	}
	b.cold.rows -= len(copied)
	b.cold.stale -= len(copied)
	return f.tier.table.Delete(exec.Block(f.fields()[:len(f.Keys)], f.keysOf(b, copied), len(copied)))
}

// clearCold empties the tier's table.
func (f *Final) clearCold() error {
	if f.tier.table == nil {
		return nil
	}
	return f.tier.table.DeleteRange(statestore.Range{})
}
