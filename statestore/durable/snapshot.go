package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
	"github.com/vstream/vstream/statestore/merge"
)

// snapshot is a snapshot of a table whose own file has been read.
type snapshot struct {
	dir     objstore.Store
	id      statestore.ID
	schema  statestore.Schema
	version statestore.Version
	first   *statestore.Changes // piece 0
	pieces  int
	bytes   int64 // of all pieces
}

// brokenSnapshot says that a piece of a snapshot cannot be read.
type brokenSnapshot struct {
	at   statestore.Version
	file string
	err  error
}

func (b *brokenSnapshot) Error() string { return b.err.Error() }
func (b *brokenSnapshot) Unwrap() error { return b.err }

// skipBroken tells whether err is a broken snapshot, and notes that it is to be skipped.
func (s *store) skipBroken(ctx context.Context, err error, skip map[statestore.Version]bool) bool {
	var broken *brokenSnapshot
	if !errors.As(err, &broken) || ctx.Err() != nil || errors.Is(err, condition.Name("VSTREAM_NEWER_FORMAT")) {
		return false
	}
	warnBroken("snapshot, falling back to an older one", broken.file, err)
	skip[broken.at] = true
	return true
}

func warnBroken(what, file string, err error) {
	slog.Warn("broken state "+what, "file", file, "error", err)
}

// ReadSnapshot gives the rows of a table's snapshot at a version to fn, in puts, a piece at a time. The error
// is objstore.ErrNotFound if there is none.
func ReadSnapshot(ctx context.Context, dir objstore.Store, id statestore.ID, schema statestore.Schema, v statestore.Version, fn statestore.Loader) error {
	found, err := openSnapshot(ctx, dir, id, schema, v)
	if err != nil {
		return err
	}
	return found.each(ctx, 0, found.pieces, fn)
}

// readSnapshot reads the snapshot of a table at version v; nil if there is none that is good.
func (s *store) readSnapshot(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version) (*snapshot, error) {
	s.mu.Lock()
	_, there := s.index.snapshots[id][v]
	size := s.index.snapshotSize(id, v)
	s.mu.Unlock()
	if !there {
		return nil, nil
	}
	found, err := openSnapshot(ctx, s.dir, id, schema, v)
	switch {
	case err == nil:
		found.bytes = size
		return found, nil
	case ctx.Err() != nil, errors.Is(err, condition.Name("VSTREAM_NEWER_FORMAT")):
		return nil, err
	}
	warnBroken("snapshot, falling back to an older one", s.dir.URL(snapshotName(id, v)), err)
	return nil, nil
}

func openSnapshot(ctx context.Context, dir objstore.Store, id statestore.ID, schema statestore.Schema, v statestore.Version) (*snapshot, error) {
	out := &snapshot{dir: dir, id: id, schema: schema, version: v}
	var err error
	out.first, out.pieces, err = readPiece(ctx, dir, snapshotName(id, v), changelog.Snapshot, out, 0)
	return out, err
}

// readPiece reads a file of a snapshot: its rows, and how many pieces the snapshot has.
func readPiece(ctx context.Context, dir objstore.Store, name string, kind changelog.Kind, s *snapshot, i int) (*statestore.Changes, int, error) {
	url := dir.URL(name)
	data, err := dir.Get(ctx, name)
	if err != nil {
		return nil, 0, readError(err, url)
	}
	head, err := changelog.ReadHead(url, kind, data)
	if err != nil {
		return nil, 0, err
	}
	section, ok := head.Find(s.id)
	if !ok || head.Version != s.version || head.Piece != i || i > 0 && head.Pieces != s.pieces {
		return nil, 0, changelog.Corrupt(url, fmt.Errorf("it is of another table, version or piece"))
	}
	c, err := section.Read(url, data, s.schema)
	return c, head.Pieces, err
}

// each gives the pieces from lo up to hi to fn.
func (s *snapshot) each(ctx context.Context, lo, hi int, fn statestore.Loader) error {
	for i := lo; i < hi; i++ {
		c := s.first
		if i > 0 {
			var err error
			name := changelog.PieceName(s.id, s.version, i, s.pieces)
			if c, _, err = readPiece(ctx, s.dir, name, changelog.Piece, s, i); err != nil {
				return &brokenSnapshot{s.version, s.dir.URL(name), err}
			}
		}
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

// writeSnapshot merges the last snapshot of a table with the changelogs since. A table of more than
// pieceBytes is written in pieces, one after another, so that no more of it than a few pieces is in memory.
func (s *store) writeSnapshot(ctx context.Context, id statestore.ID, v statestore.Version) error {
	t, err := s.table(id)
	if err != nil {
		return err
	}
	w := &snapshotWriter{s: s, id: id, schema: t.schema, v: v}
	skip := map[statestore.Version]bool{}
	for {
		h, err := s.trace(ctx, id, t.schema, v, skip)
		if err != nil {
			return err
		}
		if err = w.write(ctx, h); err == nil {
			break
		}
		if !s.skipBroken(ctx, err, skip) {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.addSnapshot(id, v, w.first)
	// Batches may have been committed while the snapshot was made.
	t.progress = progress{snapshot: v.N, snapshotBytes: s.index.snapshotSize(id, v), deltaBytes: max(0, t.deltaBytes-w.replayed)}
	s.metrics.SnapshotFiles++
	return nil
}

// snapshotWriter writes one snapshot.
type snapshotWriter struct {
	s        *store
	id       statestore.ID
	schema   statestore.Schema
	v        statestore.Version
	first    int64 // bytes of its own file
	replayed int64 // bytes of changelog sections that went in
}

func (w *snapshotWriter) write(ctx context.Context, h *history) error {
	size, base := int64(0), 0
	if h.snapshot != nil {
		size, base = h.snapshot.bytes, h.snapshot.pieces
	}
	for _, f := range h.deltas {
		if section, ok := f.head.Find(w.id); ok {
			size += int64(section.Length())
		}
	}
	n := 1
	for int64(n)*w.s.pieceBytes < size {
		n *= 2
	}
	if n == 1 {
		return w.writeWhole(ctx, h)
	}
	changes, err := newParts(w.s.temp, w.schema, n)
	if err != nil {
		return err
	}
	defer changes.close()
	if w.replayed, err = w.s.replayDeltas(ctx, w.id, w.schema, h, changes.add); err != nil {
		return err
	}
	// The snapshot is there when its own file is, which is piece 0.
	for i := n - 1; i >= 0; i-- {
		var all []*statestore.Changes
		if h.snapshot != nil {
			lo := i * base / n
			err := h.snapshot.each(ctx, lo, max(lo+1, (i+1)*base/n), func(c *statestore.Changes) error {
				if base != n {
					c = split(w.schema, c, n)[i]
				}
				all = append(all, c)
				return nil
			})
			if err != nil {
				return err
			}
		}
		err := changes.read(i, func(c *statestore.Changes) error {
			all = append(all, c)
			return nil
		})
		if err != nil {
			return err
		}
		if err := w.piece(ctx, merge.All(w.schema, all), i, n); err != nil {
			return err
		}
	}
	return nil
}

func (w *snapshotWriter) writeWhole(ctx context.Context, h *history) (err error) {
	var all []*statestore.Changes
	collect := func(c *statestore.Changes) error {
		all = append(all, c)
		return nil
	}
	if h.snapshot != nil {
		if err := h.snapshot.each(ctx, 0, h.snapshot.pieces, collect); err != nil {
			return err
		}
	}
	if w.replayed, err = w.s.replayDeltas(ctx, w.id, w.schema, h, collect); err != nil {
		return err
	}
	return w.piece(ctx, merge.All(w.schema, all), 0, 1)
}

// piece writes piece i of n.
func (w *snapshotWriter) piece(ctx context.Context, table *merge.Table, i, n int) error {
	data, err := changelog.EncodeSection(nil, w.schema, &statestore.Changes{Puts: table.Blocks()})
	if err != nil {
		return internal("snapshot of state table %v: %v", w.id, err)
	}
	data = changelog.AssemblePiece(w.v, i, n, changelog.Section{ID: w.id, Data: data})
	name := snapshotName(w.id, w.v)
	if i > 0 {
		name = changelog.PieceName(w.id, w.v, i, n)
	}
	// What a round that was cut short has written is as good.
	if err := w.s.dir.CreateExclusive(ctx, name, data); err != nil && !errors.Is(err, objstore.ErrExists) {
		return condition.IO(err, "write", w.s.dir.URL(name))
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.metrics.BytesWritten += int64(len(data))
	if i == 0 {
		w.first = int64(len(data))
	} else {
		w.s.index.pieces[piece{w.id, w.v, i, n}] = int64(len(data))
	}
	return nil
}
