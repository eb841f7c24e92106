package dedup

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// cold is what the tier has of a set's keys.
type cold struct {
	wrote bool // some were given to it
	alone int  // keys that it has and memory does not, without those that the watermark has passed
	// copies are groups of the table whose keys the tier has, too.
	copies vector.Bitmap
}

// mark notes that the tier has the key of a group of the table, which until now it alone had.
func (c *cold) mark(g uint32) {
	for int(g>>3) >= len(c.copies) {
		c.copies = append(c.copies, 0)
	}
	c.copies.Set(int(g))
	c.alone--
}

func (c *cold) has(g uint32) bool { return int(g>>3) < len(c.copies) && c.copies.Get(int(g)) }

// growth is a set to which an input batch added keys: those of its added from before on.
type growth struct {
	set    *keyset
	before int
}

// known takes the keys that the tier has out of those that were just added to sets; rows are
// the input rows of these keys, in the order of the sets. It returns those that are left.
func (d *Dedup) known(grown []growth, rows []uint32) ([]uint32, error) {
	var parts [][]arrow.Array
	n := 0
	for _, g := range grown {
		if fresh := g.set.added[g.before:]; g.set.cold.alone > 0 && len(fresh) > 0 {
			parts = append(parts, g.set.table.Columns(fresh))
			n += len(fresh)
		}
	}
	if n == 0 {
		return rows, nil
	}
	found, _, err := d.tier.table.Get(exec.Block(d.fields(), vector.ConcatColumns(parts), n))
	if err != nil || len(found) == 0 {
		return rows, err
	}
	// The keys that were asked for are numbered through the sets, the rows through all of them.
	asked, next, left := uint32(0), 0, 0
	for _, g := range grown {
		s := g.set
		fresh := s.added[g.before:]
		if s.cold.alone == 0 {
			left += copy(rows[left:], rows[next:next+len(fresh)])
			next += len(fresh)
			continue
		}
		stay := fresh[:0]
		for _, x := range fresh {
			if len(found) > 0 && found[0] == asked {
				found = found[1:]
				s.cold.mark(x)
			} else {
				stay = append(stay, x)
				rows[left] = rows[next]
				left++
			}
			asked++
			next++
		}
		s.added = s.added[:g.before+len(stay)]
	}
	return rows[:left], nil
}

// give writes the keys of a set to the tier, but for those that stay, and drops them from
// memory. Keys that the watermark has passed are only dropped.
func (d *Dedup) give(s *keyset, stay []uint32) error {
	n := s.table.Len()
	if len(stay) == n {
		return nil
	}
	leave := without(append(s.passed(d.KeyTime), stay...), n)
	fresh := slices.DeleteFunc(slices.Clone(leave), s.cold.has)
	err := inPieces(fresh, s.table.Bytes()/n, func(g []uint32) error {
		return d.tier.table.Write(exec.Block(d.fields(), s.table.Columns(g), len(g)))
	})
	if err != nil {
		return err
	}
	s.cold = cold{wrote: true, alone: s.cold.alone + len(leave)}
	table := vector.NewGroupTable(d.keys)
	s.added = make([]uint32, len(stay))
	table.Find(s.table.Columns(stay), s.added)
	s.table.Free()
	s.table = table
	s.recount(d.KeyTime)
	return nil
}

// passCold lets the keys of a set go that only the tier has and that leave at or before bound, and
// returns their number. It comes before pass.
func (d *Dedup) passCold(s *keyset, bound int64) (n int, err error) {
	if s.cold.alone == 0 {
		return 0, nil
	}
	r := statestore.Range{Kind: statestore.Between, Lo: max(s.lo, s.bound+1), Hi: bound}
	var gid []uint32
	err = d.tier.table.Scan(r, func(b statestore.Block) error {
		keys, err := exec.BlockColumns(d.fields(), b)
		if err != nil {
			return err
		}
		gid = append(gid[:0], make([]uint32, b.Rows)...)
		s.table.Lookup(keys, gid)
		for _, g := range gid {
			if g == vector.NoGroup {
				n++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.cold.alone -= n
	return n, d.tier.table.DeleteRange(r)
}
