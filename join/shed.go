package join

import (
	"cmp"
	"math"
	"slices"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// spill is an operator's part in the tier; without a tier it is empty.
type spill struct {
	account *statestore.Account
	unseen  int // input rows since memory was last looked at
}

const (
	// checkRows is how many input rows may come before memory is looked at again.
	checkRows = 1 << 16
	// spillBytes bounds the rows that are written to the tier at a time.
	spillBytes = 16 << 20
)

// sortBytes bounds the rows that are sorted in memory; tests set it lower.
var sortBytes = 16 << 20

// Spill lets rows go to a tier.
func (j *SymmetricHash) Spill(t statestore.Tier) error {
	j.tier.account = t.Account()
	for i, s := range j.sides {
		if err := s.openCold(t, j.Kind.preserves(i)); err != nil {
			return err
		}
	}
	return nil
}

// shedWithin is shed within a micro-batch, after n more input rows.
func (j *SymmetricHash) shedWithin(n int) error {
	if j.tier.unseen += n; j.tier.unseen < checkRows {
		return nil
	}
	j.tier.unseen = 0
	return j.shed()
}

// shed gives rows to the tier if the process is over its budget: of both sides the same part, the oldest, and none
// that came in this micro-batch.
func (j *SymmetricHash) shed() error {
	if j.tier.account == nil {
		return nil
	}
	used, keep := j.overBudget()
	if used <= keep {
		return nil
	}
	for _, s := range j.sides {
		stay := int(float64(s.kept.live()) * float64(keep) / float64(used))
		if err := s.give(s.since, stay, j.Kind.leaves(s == j.sides[Left])); err != nil {
			return err
		}
	}
	j.overBudget()
	return nil
}

// overBudget tells the account what the operator takes, and gives what it may keep.
func (j *SymmetricHash) overBudget() (used, keep int64) {
	for _, s := range j.sides {
		used += int64(s.kept.memory())
	}
	return used, j.tier.account.Set(used)
}

// leaves tells whether rows of a side leave when they have a match.
func (k Kind) leaves(left bool) bool { return k == LeftSemi && left }

// give writes the oldest of the first limit rows to the tier until so many live ones stay in memory.
func (s *side) give(limit, stay int, leaves bool) error {
	r := s.kept
	cut := 0
	for give := r.live() - stay; cut < limit && give > 0; cut++ {
		if r.marks[cut]&dead == 0 {
			give--
		}
	}
	if cut == 0 {
		return nil
	}
	if len(s.dirty) > 0 {
		s.noted = append(s.noted, s.noteDirty(leaves))
		s.dirty = s.dirty[:0]
	}
	if err := s.writeFirst(cut); err != nil {
		return err
	}
	left := make([]uint32, 0, r.len()-cut)
	since := 0
	for i := cut; i < r.len(); i++ {
		if r.marks[i]&dead == 0 {
			left = append(left, uint32(i))
			if i < s.since {
				since++
			}
		}
	}
	r.reduce(left)
	r.fit()
	s.since = since
	return nil
}

// writeFirst writes the first rows, as far as they live, to the tier.
func (s *side) writeFirst(rows int) error {
	r := s.kept
	step := max(1<<10, spillBytes/max(1, r.memory()/r.len()))
	for lo := 0; lo < rows; lo += step {
		if b := r.block(lo, min(lo+step, rows)); b.Rows > 0 {
			if err := s.write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// evictCold lets the rows of the tier go whose time is at or before bound, and returns their number. It
// hands those that have no match to alone, if that is not nil, in the order in which they came.
func (s *side) evictCold(bound int64, alone func(r *rows, which []uint32) error) (n int, err error) {
	c := &s.cold
	if c.n == 0 || c.first > bound {
		return 0, nil
	}
	c.bound = bound
	r := statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: bound}
	sorted := &sorter{side: s, rows: newRows(s.Side)}
	err = c.rows.Scan(r, func(b statestore.Block) error {
		n += b.Rows
		keys, err := c.keyColumns(b)
		if err != nil {
			return err
		}
		if err := c.trim(keys, b.Rows, nil); err != nil || alone == nil {
			return err
		}
		return sorted.add(b)
	})
	if err != nil {
		return 0, err
	}
	c.n -= n
	c.first = bound + 1
	if err := c.rows.DeleteRange(r); err != nil {
		return 0, err
	}
	if alone == nil {
		return n, nil
	}
	return n, sorted.each(alone)
}

// sorter brings rows into the order in which they came, in memory or, if they are too many, in the tier.
type sorter struct {
	side    *side
	rows    *rows
	written bool
}

// add takes the rows of a block that have no match.
func (o *sorter) add(b statestore.Block) error {
	read := newRows(o.side.Side)
	if err := read.load(b); err != nil {
		return err
	}
	var alone []uint32
	for i, m := range read.marks {
		if m&matched == 0 {
			alone = append(alone, uint32(i))
		}
	}
	if len(alone) == 0 {
		return nil
	}
	if err := o.rows.load(read.blockOf(alone)); err != nil || o.rows.memory() < sortBytes {
		return err
	}
	return o.write()
}

func (o *sorter) write() error {
	b := o.rows.block(0, o.rows.len())
	if b.Rows == 0 {
		return nil
	}
	b.Cols[0], b.Cols[1] = b.Cols[1], b.Cols[0]
	o.rows, o.written = newRows(o.side.Side), true
	return o.side.cold.byID.Write(b)
}

// each hands out all rows in order.
func (o *sorter) each(fn func(r *rows, which []uint32) error) error {
	if !o.written {
		order := vector.AllGroups(o.rows.len())
		slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(o.rows.ids[a], o.rows.ids[b]) })
		return fn(o.rows, order)
	}
	if err := o.write(); err != nil {
		return err
	}
	byID := o.side.cold.byID
	err := byID.Scan(statestore.Range{}, func(b statestore.Block) error {
		b.Cols[0], b.Cols[1] = b.Cols[1], b.Cols[0]
		read := newRows(o.side.Side)
		if err := read.load(b); err != nil {
			return err
		}
		return fn(read, vector.AllGroups(b.Rows))
	})
	if err != nil {
		return err
	}
	return byID.DeleteRange(statestore.Range{})
}
