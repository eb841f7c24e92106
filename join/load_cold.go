package join

import (
	"cmp"
	"slices"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// loadCold applies recovered changes to the rows that the tier has, but for what is put.
func (s *side) loadCold(c *statestore.Changes) error {
	if s.cold.n == 0 {
		return nil
	}
	if c.Clear {
		if err := s.clearCold(); err != nil {
			return err
		}
	}
	if c.HasDeleteBelow {
		if _, err := s.evictCold(c.DeleteBelow, nil); err != nil {
			return err
		}
	}
	for _, b := range c.Deletes {
		if _, _, err := keysOf(b); err != nil {
			return err
		}
		found, _, err := s.cold.rows.Get(statestore.Block{Rows: b.Rows, Cols: b.Cols[:2]})
		if err != nil {
			return err
		}
		if len(found) == 0 { // all are in memory
			continue
		}
		if err := s.removeCold(b, len(found)); err != nil {
			return err
		}
	}
	return nil
}

// shedLoaded gives all rows that recovery has read of a side to the tier if the process is over its budget.
func (j *SymmetricHash) shedLoaded(s *side) error {
	if j.tier.account == nil {
		return nil
	}
	if used, keep := j.overBudget(); used <= keep {
		return nil
	}
	s.loaded.settleRows(s.kept)
	next := s.kept.next
	if s.kept.len() == 0 {
		return nil
	}
	if err := s.writeFirst(s.kept.len()); err != nil {
		return err
	}
	s.kept = newRows(s.Side)
	s.kept.next = next
	j.overBudget()
	return nil
}

// markCold marks rows of the tier as matched, where it has them.
func (s *side) markCold(times, ids []int64) error {
	order := vector.AllGroups(len(ids))
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(times[a], times[b]), cmp.Compare(ids[a], ids[b]))
	})
	order = slices.CompactFunc(order, func(a, b uint32) bool { return times[a] == times[b] && ids[a] == ids[b] })
	for piece := range slices.Chunk(order, fetchRows) {
		t, d := make([]int64, len(piece)), make([]int64, len(piece))
		for i, k := range piece {
			t[i], d[i] = times[k], ids[k]
		}
		found, values, err := s.cold.rows.Get(timesAndIDs(t, d))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		read, _, err := s.read(t, d, found, values)
		if err != nil {
			return err
		}
		for i := range read.kept.marks {
			read.kept.marks[i] |= matched
		}
		if err := s.cold.rows.Write(read.kept.block(0, len(found))); err != nil {
			return err
		}
	}
	return nil
}
