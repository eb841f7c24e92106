package dedup

import (
	"slices"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Keys are given to the tier when the process is over its memory budget. A table in memory is then a
// cache: a key that is not in it may be in the tier.

// spill is an operator's part in the tier; without a tier it is empty.
type spill struct {
	// table has the keys; within a watermark their values are the times at which they leave.
	table statestore.TierTable
	// leaving has the keys by those times, within a watermark.
	leaving statestore.TierTable
	account *statestore.Account
	unseen  int // input rows since memory was last looked at
}

const (
	// checkRows is how many input rows may come before memory is looked at again.
	checkRows = 1 << 16
	// spillBytes bounds the keys that are written to the tier at a time.
	spillBytes = 16 << 20
)

// Spill lets keys go to a tier.
func (d *Dedup) Spill(t statestore.Tier) (err error) {
	if len(d.Keys) == 0 {
		return nil
	}
	d.tier.account = t.Account()
	if !d.Within {
		d.tier.table, err = t.Table(d.Stores()[0].Schema)
		return err
	}
	all := exec.StoreColumns(d.fields())
	keys, until := all[:len(d.Keys)], all[len(d.Keys):]
	if d.tier.table, err = t.Table(statestore.Schema{Keys: keys, Values: until, OrderCol: -1}); err != nil {
		return err
	}
	d.tier.leaving, err = t.Table(statestore.Schema{Keys: all, OrderCol: len(d.Keys)})
	return err
}

// clearCold empties the tier's tables.
func (d *Dedup) clearCold() error {
	if d.tier.table == nil {
		return nil
	}
	if d.tier.leaving != nil {
		if err := d.tier.leaving.DeleteRange(statestore.Range{}); err != nil {
			return err
		}
	}
	return d.tier.table.DeleteRange(statestore.Range{})
}

// sets are all sets of keys of an operator whose keys do not expire.
func (d *Dedup) sets() []*keyset {
	if d.timed != nil {
		return d.timed.every()
	}
	return []*keyset{d.plain}
}

// bytes is the memory of the keys.
func (d *Dedup) bytes() int {
	if d.Within {
		return d.expiring.bytes()
	}
	n := 0
	for _, s := range d.sets() {
		n += s.bytes()
	}
	return n
}

// shedWithin is shed within a micro-batch, after n more input rows.
func (d *Dedup) shedWithin(n int) error {
	if d.tier.unseen += n; d.tier.unseen < checkRows {
		return nil
	}
	d.tier.unseen = 0
	return d.shed(true)
}

// shed gives keys to the tier if the process is over its budget: first those that the micro-batch did not
// add, the oldest before the others, then the others too, unless they are still to be committed.
func (d *Dedup) shed(uncommitted bool) error {
	if d.tier.account == nil {
		return nil
	}
	used := d.bytes()
	keep := d.tier.account.Set(int64(used))
	if int64(used) <= keep {
		return nil
	}
	for _, added := range []bool{false, true} {
		if added && uncommitted {
			break
		}
		if err := d.giveDownTo(keep, added); err != nil {
			return err
		}
	}
	used = d.bytes()
	d.tier.account.Set(int64(used))
	if d.timed != nil && !uncommitted {
		d.timed.crowded = int64(used) > keep
	}
	return nil
}

// giveDownTo gives keys away until so much memory is in use, those that the micro-batch
// added only if told to.
func (d *Dedup) giveDownTo(keep int64, added bool) error {
	few := func(added, all int) bool { return 2*added <= all }
	if d.Within {
		var stay []uint32
		if !added {
			if stay = d.expiring.kept(); !few(len(stay), d.expiring.table.Len()) {
				return nil
			}
		}
		if int64(d.expiring.bytes()) <= keep {
			return nil
		}
		return d.giveExpiring(stay)
	}
	used := int64(d.bytes())
	for _, s := range d.sets() {
		if used <= keep {
			break
		}
		var stay []uint32
		if !added {
			if stay = s.added; !few(len(stay), s.table.Len()) {
				continue
			}
		}
		before := s.bytes()
		if err := d.give(s, stay); err != nil {
			return err
		}
		used += int64(s.bytes() - before)
	}
	return nil
}

// without are the groups 0..n that do not stay.
func without(stay []uint32, n int) []uint32 {
	stays := vector.NewBitmap(n)
	for _, g := range stay {
		stays.Set(int(g))
	}
	return slices.DeleteFunc(vector.AllGroups(n), func(g uint32) bool { return stays.Get(int(g)) })
}

// inPieces calls fn with pieces of a list of groups, whose keys take about bytes each, that
// are to be written at a time.
func inPieces(groups []uint32, bytes int, fn func(g []uint32) error) error {
	step := max(1<<10, spillBytes/max(1, bytes))
	for lo := 0; lo < len(groups); lo += step {
		if err := fn(groups[lo:min(lo+step, len(groups))]); err != nil {
			return err
		}
	}
	return nil
}
