package durable

import (
	"context"
	"errors"
	"fmt"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
	"github.com/vstream/vstream/statestore/merge"
)

const (
	// maxIncrements is how many increments may follow a snapshot.
	maxIncrements = 16
	// incrementPieces times the size of a snapshot's pieces is what may go into one increment, which is made in memory.
	incrementPieces = 4
)

// shorten writes what lets recovery do without the changelogs up to v: an increment or a snapshot.
func (s *store) shorten(ctx context.Context, id statestore.ID, v statestore.Version, increment bool) error {
	if increment {
		return s.writeIncrement(ctx, id, v)
	}
	return s.writeSnapshot(ctx, id, v)
}

// fitsIncrement tells whether an increment will do instead of a snapshot. Changelogs stay until there are
// two snapshots of each table behind them; so a table gets one when the changelogs since the last one have become
// as large as the whole state, however little they have of this table. s.mu is held.
func (s *store) fitsIncrement(t *table) bool {
	if t.snapshot == 0 || t.increments >= maxIncrements || t.deltaBytes-t.incrementBytes > incrementPieces*s.pieceBytes {
		return false
	}
	state := int64(0)
	for _, t := range s.tables {
		state += t.snapshotBytes
	}
	return s.index.changelogBytes(t.snapshot) < state
}

// addIncrement notes an increment behind the newest snapshot.
func (t *table) addIncrement(head *changelog.Head, id statestore.ID) {
	section, _ := head.Find(id)
	t.increments++
	t.increment = head.Version.N
	t.incrementBytes += int64(section.Length())
}

// readIncrement reads the increment of a table that leads to v; nil if there is none that is good.
func (s *store) readIncrement(ctx context.Context, id statestore.ID, v statestore.Version) (*file, error) {
	s.mu.Lock()
	there := s.index.increments[id][v]
	s.mu.Unlock()
	if !there {
		return nil, nil
	}
	name := changelog.IncrementName(id, v)
	f := &file{name: name, url: s.dir.URL(name)}
	f.read(ctx, s.dir, changelog.Increment, v)
	if f.err == nil {
		section, ok := f.head.Find(id)
		if !ok || f.head.Base.N >= v.N {
			f.err = changelog.Corrupt(f.url, fmt.Errorf("it is of another table, or builds on version %d", f.head.Base.N))
		} else {
			f.err = section.Check(f.url, f.data)
		}
	}
	switch {
	case f.err == nil:
		return f, nil
	case ctx.Err() != nil, errors.Is(f.err, condition.Name("VSTREAM_NEWER_FORMAT")):
		return nil, f.err
	}
	warnBroken("increment, taking the changelogs", f.url, f.err)
	return nil, nil
}

// writeIncrement merges the changelogs since the last snapshot or increment of a table.
func (s *store) writeIncrement(ctx context.Context, id statestore.ID, v statestore.Version) error {
	t, err := s.table(id)
	if err != nil {
		return err
	}
	h, err := s.trace(ctx, id, t.schema, v, nil)
	if err != nil {
		return err
	}
	var base statestore.Version
	if h.snapshot != nil {
		base = h.snapshot.version
	}
	recent := *h
	for i, f := range h.deltas {
		if f.head.Kind == changelog.Increment {
			base, recent.deltas = f.head.Version, h.deltas[i+1:]
		}
	}
	c := newComposition(t.schema)
	replayed, err := s.replayDeltas(ctx, id, t.schema, &recent, c.add)
	if err != nil {
		return err
	}
	section, err := changelog.EncodeSection(nil, t.schema, c.changes())
	if err != nil {
		return internal("increment of state table %v: %v", id, err)
	}
	data := changelog.Assemble(changelog.Increment, v, base, []changelog.Section{{ID: id, Data: section}})
	name := changelog.IncrementName(id, v)
	// What a round that was cut short has written is as good.
	if err := s.dir.CreateExclusive(ctx, name, data); err != nil && !errors.Is(err, objstore.ErrExists) {
		return condition.IO(err, "write", s.dir.URL(name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.addIncrement(id, v)
	t.increments++
	t.increment = v.N
	t.incrementBytes += int64(len(section))
	t.deltaBytes = max(0, t.deltaBytes-replayed) + int64(len(section))
	s.metrics.BytesWritten += int64(len(data))
	s.metrics.SnapshotFiles++
	return nil
}

// composition is one Changes that does what several do, one after another.
type composition struct {
	schema statestore.Schema
	puts   *merge.Table
	// gone are the keys that were deleted and not put again, as the rows of a table without values.
	gone  *merge.Table
	whole statestore.Changes // without rows
}

func newComposition(s statestore.Schema) *composition {
	return &composition{schema: s, puts: merge.New(s), gone: merge.New(statestore.Schema{Keys: s.Keys, OrderCol: s.OrderCol})}
}

func (c *composition) add(next *statestore.Changes) error {
	if next.Clear {
		c.whole = statestore.Changes{Clear: true}
	}
	if next.HasDeleteBelow && (!c.whole.HasDeleteBelow || next.DeleteBelow > c.whole.DeleteBelow) {
		c.whole.HasDeleteBelow, c.whole.DeleteBelow = true, next.DeleteBelow
	}
	again := make([]statestore.Block, len(next.Puts))
	for i, b := range next.Puts {
		again[i] = statestore.Block{Rows: b.Rows, Cols: b.Cols[:len(c.schema.Keys)]}
	}
	// What lies at or below the bound need not be named.
	c.gone.Apply(&statestore.Changes{Clear: next.Clear, HasDeleteBelow: next.HasDeleteBelow, DeleteBelow: next.DeleteBelow, Puts: next.Deletes})
	c.gone.Apply(&statestore.Changes{Deletes: again})
	c.puts.Apply(next)
	return nil
}

// changes ends the composition.
func (c *composition) changes() *statestore.Changes {
	c.whole.Deletes, c.whole.Puts = c.gone.Blocks(), c.puts.Blocks()
	return &c.whole
}
