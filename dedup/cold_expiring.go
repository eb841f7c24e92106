package dedup

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// coldExpiring is what the tier has of keys that expire: each with its time under the key, to be
// found, and under the time, to leave.
type coldExpiring struct {
	rows  int   // keys there
	first int64 // none leaves before
	// copies are groups of the table whose keys the tier has, too; they are not in the calendar.
	copies vector.Bitmap
	copied int
}

// alone is the number of keys that only the tier has.
func (c *coldExpiring) alone() int { return c.rows - c.copied }

func (c *coldExpiring) has(g uint32) bool { return int(g>>3) < len(c.copies) && c.copies.Get(int(g)) }

// mark notes that the tier has the key of a group.
func (c *coldExpiring) mark(g uint32) {
	for int(g>>3) >= len(c.copies) {
		c.copies = append(c.copies, 0)
	}
	c.copies.Set(int(g))
	c.copied++
}

// forget tells that no copy is in memory any more.
func (c *coldExpiring) forget() { c.copies, c.copied = nil, 0 }

// addExpiring puts rows of keys in and returns the rows that are the first of their key.
func (d *Dedup) addExpiring(keys []arrow.Array, until []int64, gid []uint32) ([]uint32, error) {
	e := d.expiring
	next := e.table.Len()
	e.find(keys, gid)
	if e.cold.alone() > 0 && e.table.Len() > next {
		if err := d.fetchExpiring(next); err != nil {
			return nil, err
		}
	}
	return e.enter(next, until, gid), nil
}

// fetchExpiring looks the keys of the groups from next on up in the tier.
func (d *Dedup) fetchExpiring(next int) error {
	e := d.expiring
	fresh := make([]uint32, e.table.Len()-next)
	for i := range fresh {
		fresh[i] = uint32(next + i)
	}
	found, values, err := d.tier.table.Get(exec.Block(d.fields()[:len(d.Keys)], e.table.Columns(fresh), len(fresh)))
	if err != nil || len(found) == 0 {
		return err
	}
	cols, err := exec.BlockColumns(d.fields()[len(d.Keys):], values)
	if err != nil {
		return err
	}
	for i, until := range vector.Values[int64](cols[0]) {
		g := fresh[found[i]]
		e.until[g] = until
		e.cold.mark(g)
	}
	return nil
}

// giveExpiring writes the keys to the tier, but for those that stay, and drops them from memory.
func (d *Dedup) giveExpiring(stay []uint32) error {
	e := d.expiring
	n := e.table.Len()
	if len(stay) == n {
		return nil
	}
	gone := slices.DeleteFunc(without(stay, n), func(g uint32) bool { return e.until[g] == expired || e.cold.has(g) })
	err := inPieces(gone, e.bytes()/n, func(g []uint32) error {
		until := e.times(g)
		b := exec.Block(d.fields(), append(e.table.Columns(g), vector.NewFixed(vector.Long, until, nil)), len(g))
		if err := d.tier.leaving.Write(b); err != nil {
			return err
		}
		if e.cold.rows == 0 {
			e.cold.first = math.MaxInt64
		}
		e.cold.first = min(e.cold.first, slices.Min(until))
		e.cold.rows += len(g)
		return d.tier.table.Write(b)
	})
	if err != nil {
		return err
	}
	cols, until := e.table.Columns(stay), e.times(stay)
	e.table.Free()
	e.untilMem.Free()
	fresh := newExpiring(d.keys)
	fresh.cold = e.cold
	fresh.cold.forget()
	fresh.add(cols, until, make([]uint32, len(stay)))
	d.expiring = fresh
	return nil
}

// evictCold lets the keys of the tier go that leave at or before bound, also where they are in memory, and
// returns their number.
func (d *Dedup) evictCold(bound int64) (n int, err error) {
	e := d.expiring
	if e.cold.rows == 0 || e.cold.first > bound {
		return 0, nil
	}
	r := statestore.Range{Kind: statestore.Between, Lo: math.MinInt64, Hi: bound}
	var gid []uint32
	err = d.tier.leaving.Scan(r, func(b statestore.Block) error {
		cols, err := exec.BlockColumns(d.fields(), b)
		if err != nil {
			return err
		}
		gid = append(gid[:0], make([]uint32, b.Rows)...)
		e.table.Lookup(cols[:len(d.Keys)], gid)
		for _, g := range gid {
			if g != vector.NoGroup && e.cold.has(g) {
				e.cold.copies.Clear(int(g))
				e.cold.copied--
				e.until[g] = expired
				e.expired++
			}
		}
		n += b.Rows
		return d.tier.table.Delete(statestore.Block{Rows: b.Rows, Cols: b.Cols[:len(d.Keys)]})
	})
	if err != nil {
		return 0, err
	}
	e.cold.rows -= n
	e.cold.first = bound + 1
	return n, d.tier.leaving.DeleteRange(r)
}
