package durable

import (
	"context"
	"maps"
	"slices"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// manyDeltas times minDeltas changelogs after a snapshot are reason enough for the next
// one, however small they are.
const manyDeltas = 10

// Maintain writes the snapshots and increments that are due at version v and removes the files that no
// version from keep on needs.
func (s *store) Maintain(ctx context.Context, v statestore.Version, lineage func(n int64) (attempt string, ok bool), keep int64) error {
	s.mu.Lock()
	due := map[statestore.ID]bool{} // true: an increment is enough
	for id, t := range s.tables {
		switch {
		case v.N-t.snapshot >= s.minDeltas && t.deltaBytes >= t.snapshotBytes:
			due[id] = false
		case v.N-max(t.snapshot, t.increment) > manyDeltas*s.minDeltas:
			due[id] = s.fitsIncrement(t)
		}
	}
	s.mu.Unlock()
	for _, id := range sorted(due) {
		if err := s.shorten(ctx, id, v, due[id]); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.forget()
	s.mu.Unlock()
	return s.purge(ctx, v, lineage, keep)
}

// purge removes what versions from keep on do not need. Two snapshots at or below keep
// stay, with the changelogs after the older one, so that a broken snapshot is no loss.
// Files of attempts that lost go too.
func (s *store) purge(ctx context.Context, v statestore.Version, lineage func(n int64) (string, bool), keep int64) error {
	s.mu.Lock()
	won := func(f statestore.Version) (ok, known bool) {
		winner, known := s.chain[f.N]
		if !known {
			winner, known = lineage(f.N)
		}
		return winner == f.Attempt, known
	}
	oldest := keep
	var remove []string
	for id := range s.tables {
		var good []int64
		for f := range s.index.snapshots[id] {
			if ok, known := won(f); known && ok && f.N <= keep {
				good = append(good, f.N)
			}
		}
		slices.Sort(good)
		second := int64(0)
		if len(good) >= 2 {
			second = good[len(good)-2]
		}
		oldest = min(oldest, second)
		for f := range s.index.snapshots[id] {
			if ok, known := won(f); f.N < second || known && !ok && f.N <= v.N {
				remove = append(remove, s.index.removeSnapshot(id, f)...)
			}
		}
		for f := range s.index.increments[id] {
			if ok, known := won(f); f.N <= second || known && !ok && f.N <= v.N {
				remove = append(remove, changelog.IncrementName(id, f))
				delete(s.index.increments[id], f)
			}
		}
	}
	// Pieces of a snapshot that a crash cut short; another round may finish one of version v.
	for p := range s.index.pieces {
		if _, whole := s.index.snapshots[p.id][p.version]; !whole && p.version.N < v.N {
			remove = append(remove, p.name())
			delete(s.index.pieces, p)
		}
	}
	for id, versions := range s.index.snapshots {
		if s.tables[id] == nil && s.abandoned(versions, keep) {
			for f := range versions {
				remove = append(remove, s.index.removeSnapshot(id, f)...)
			}
			delete(s.index.snapshots, id)
			for f := range s.index.increments[id] {
				remove = append(remove, changelog.IncrementName(id, f))
			}
			delete(s.index.increments, id)
		}
	}
	for f := range s.index.changelogs {
		if ok, known := won(f); f.N <= oldest || known && !ok && f.N <= v.N {
			remove = append(remove, changelogName(f))
			delete(s.index.changelogs, f)
		}
	}
	maps.DeleteFunc(s.chain, func(n int64, _ string) bool { return n < oldest })
	s.mu.Unlock()
	for _, name := range remove {
		if err := s.dir.Delete(ctx, name); err != nil {
			return condition.IO(err, "delete", s.dir.URL(name))
		}
	}
	return nil
}

// abandoned tells whether a table with these snapshots had ended before version keep: a
// living one gets a new snapshot after at most manyDeltas times minDeltas versions.
func (s *store) abandoned(snapshots map[statestore.Version]int64, keep int64) bool {
	newest := int64(0)
	for f := range snapshots {
		newest = max(newest, f.N)
	}
	return newest+2*manyDeltas*s.minDeltas < keep
}
