package dedup

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Keys that never leave are given to the tier when the process is over its memory budget. The
// table is then a cache: a key that is not in it may be in the tier. The keys that leave by the watermark stay in memory.

// cold are the keys that the tier has; without a tier there are none.
type cold struct {
	table   statestore.TierTable
	account *statestore.Account
	rows    int
	// copies are groups of the table whose keys the tier has, too; copied is their number.
	copies vector.Bitmap
	copied int
	unseen int // input rows since memory was last looked at
}

// alone is the number of keys that only the tier has.
func (c *cold) alone() int { return c.rows - c.copied }

func (c *cold) mark(g uint32) {
	for int(g>>3) >= len(c.copies) {
		c.copies = append(c.copies, 0)
	}
	c.copies.Set(int(g))
	c.copied++
}

func (c *cold) has(g uint32) bool { return int(g>>3) < len(c.copies) && c.copies.Get(int(g)) }

const (
	// checkRows is how many input rows may come before memory is looked at again.
	checkRows = 1 << 16
	// spillBytes bounds the keys that are written to the tier at a time.
	spillBytes = 16 << 20
)

// Spill lets keys go to a tier.
func (d *Dedup) Spill(t statestore.Tier) (err error) {
	if d.plain == nil || len(d.Keys) == 0 {
		return nil
	}
	d.cold.account = t.Account()
	d.cold.table, err = t.Table(d.Stores()[0].Schema)
	return err
}

// addPlain puts keys that never leave in and returns the rows that are the first of their key.
func (d *Dedup) addPlain(keys []arrow.Array, gid []uint32) ([]uint32, error) {
	before := len(d.plain.added)
	first := d.plain.add(keys, gid, nil)
	if d.cold.rows > 0 && len(first) > 0 {
		fresh := d.plain.added[before:]
		found, _, err := d.cold.table.Get(exec.Block(d.fields(), d.plain.table.Columns(fresh), len(fresh)))
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			d.cold.mark(fresh[i])
		}
		if len(found) > 0 {
			n := 0
			for i, g := range fresh {
				if !d.cold.has(g) {
					fresh[n], first[n] = g, first[i]
					n++
				}
			}
			d.plain.added, first = d.plain.added[:before+n], first[:n]
		}
	}
	if d.cold.unseen += len(gid); d.cold.unseen < checkRows {
		return first, nil
	}
	d.cold.unseen = 0
	return first, d.shed(true)
}

// shed gives keys to the tier if the process is over its budget: those that the micro-batch did not
// add, or all, unless the new ones are still to be committed.
func (d *Dedup) shed(uncommitted bool) error {
	if d.cold.account == nil {
		return nil
	}
	s := d.plain
	used := int64(s.table.Bytes())
	if used <= d.cold.account.Set(used) {
		return nil
	}
	stay, n := s.added, s.table.Len()
	if 2*len(stay) > n {
		if uncommitted {
			return nil
		}
		stay = nil
	}
	stays := vector.NewBitmap(n)
	for _, g := range stay {
		stays.Set(int(g))
	}
	var gone []uint32
	for g := range uint32(n) {
		if !stays.Get(int(g)) && !d.cold.has(g) {
			gone = append(gone, g)
		}
	}
	step := max(1<<10, spillBytes/max(1, int(used)/max(1, n)))
	for lo := 0; lo < len(gone); lo += step {
		g := gone[lo:min(lo+step, len(gone))]
		if err := d.cold.table.Write(exec.Block(d.fields(), s.table.Columns(g), len(g))); err != nil {
			return err
		}
	}
	d.cold.rows += len(gone)
	d.cold.copies, d.cold.copied = nil, 0
	table := vector.NewGroupTable(d.keys)
	s.added = make([]uint32, len(stay))
	table.Find(s.table.Columns(stay), s.added)
	s.table.Free()
	s.table = table
	d.cold.account.Set(int64(table.Bytes()))
	return nil
}
