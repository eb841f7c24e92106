package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// file is a changelog or an increment that has been read.
type file struct {
	once   sync.Once
	name   string // in the directory
	url    string
	data   []byte // nil if it is read again for each section, because there is much
	head   *changelog.Head
	clears map[statestore.ID]bool
	err    error
}

// heldBytes bounds the changelogs that are held for the loads of several tables.
const heldBytes = 64 << 20

// changelog reads a changelog once for all tables.
func (s *store) changelog(ctx context.Context, v statestore.Version) (*file, error) {
	name := changelogName(v)
	s.mu.Lock()
	f := s.files[name]
	if f == nil {
		f = &file{name: name, url: s.dir.URL(name)}
		s.files[name] = f
	}
	s.mu.Unlock()
	f.once.Do(func() {
		f.read(ctx, s.dir, changelog.Changelog, v)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held += len(f.data); s.held > heldBytes {
			s.held -= len(f.data)
			f.data = nil
		}
	})
	if f.err != nil { // another try reads it again
		s.mu.Lock()
		delete(s.files, name)
		s.mu.Unlock()
	}
	return f, f.err
}

func (f *file) read(ctx context.Context, dir objstore.Store, kind changelog.Kind, v statestore.Version) {
	if f.data, f.err = dir.Get(ctx, f.name); f.err != nil {
		f.err = readError(f.err, f.url)
		return
	}
	if f.head, f.err = changelog.ReadHead(f.url, kind, f.data); f.err != nil {
		return
	}
	if f.head.Version != v {
		f.err = changelog.Corrupt(f.url, fmt.Errorf("it is of version %s", fileName(f.head.Version)))
		return
	}
	f.clears = map[statestore.ID]bool{}
	for _, section := range f.head.Sections {
		if section.Clears(f.data) {
			f.clears[section.ID] = true
		}
	}
}

// section decodes the section of a table; nil if the file has none.
func (f *file) section(ctx context.Context, dir objstore.Store, id statestore.ID, schema statestore.Schema) (c *statestore.Changes, size int, err error) {
	section, ok := f.head.Find(id)
	if !ok {
		return nil, 0, nil
	}
	if f.data != nil {
		c, err = section.Read(f.url, f.data, schema)
		return c, section.Length(), err
	}
	r, err := dir.Open(ctx, f.name)
	if err != nil {
		return nil, 0, readError(err, f.url)
	}
	defer r.Close()
	file, ok := r.(io.ReaderAt) // as a local file is
	if !ok {
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, 0, readError(err, f.url)
		}
		file = bytes.NewReader(data)
	}
	if c, err = section.ReadAt(f.url, file, schema); err != nil {
		err = readError(err, f.url)
	}
	return c, section.Length(), err
}

func readError(err error, file string) error {
	if errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("file %s is missing: %w", file, err)
	}
	return condition.IO(err, "read", file)
}

// history is the way to a version of a table: a snapshot, if there is one, and the
// increments and changelogs after it in their order.
type history struct {
	snapshot *snapshot // nil: none
	deltas   []*file
}

// brokenChain says at which version a history cannot be followed, and why.
type brokenChain struct {
	at  statestore.Version
	err error
}

func (b *brokenChain) Error() string { return b.err.Error() }
func (b *brokenChain) Unwrap() error { return b.err }

// trace follows the increments and changelogs from v back to the newest good snapshot of the table that is not to be
// skipped, or to the empty table, or to a changelog that clears it. A broken snapshot or increment is passed over with a warning.
func (s *store) trace(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version, skip map[statestore.Version]bool) (*history, error) {
	h := &history{}
	for ; v.N > 0; v = h.deltas[len(h.deltas)-1].head.Base {
		if !skip[v] {
			found, err := s.readSnapshot(ctx, id, schema, v)
			if err != nil {
				return nil, err
			}
			if found != nil {
				h.snapshot = found
				break
			}
		}
		f, err := s.readIncrement(ctx, id, v)
		if err != nil {
			return nil, err
		}
		if f == nil {
			if f, err = s.changelog(ctx, v); err == nil && f.head.Base.N != v.N-1 {
				err = changelog.Corrupt(f.url, fmt.Errorf("it builds on version %d", f.head.Base.N))
			}
			if err != nil {
				return nil, &brokenChain{v, err}
			}
		}
		h.deltas = append(h.deltas, f)
		if f.clears[id] {
			break
		}
	}
	slices.Reverse(h.deltas)
	return h, nil
}

// replay gives a version of a table to fn, from the newest good snapshot on, and returns the way and the size of
// the sections after the snapshot. If a snapshot turns out to be broken when some of it was given, the table is cleared and
// begun anew from an older one.
func (s *store) replay(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version, fn statestore.Loader) (h *history, bytes int64, err error) {
	skip := map[statestore.Version]bool{}
	for {
		if h, err = s.trace(ctx, id, schema, v, skip); err != nil {
			return nil, 0, err
		}
		if h.snapshot != nil {
			err = h.snapshot.each(ctx, 0, h.snapshot.pieces, fn)
		}
		if !s.skipBroken(ctx, err, skip) {
			break
		}
		if err := fn(&statestore.Changes{Clear: true}); err != nil {
			return nil, 0, err
		}
	}
	if err == nil {
		bytes, err = s.replayDeltas(ctx, id, schema, h, fn)
	}
	return h, bytes, err
}

// replayDeltas gives the changelogs of a history to fn.
func (s *store) replayDeltas(ctx context.Context, id statestore.ID, schema statestore.Schema, h *history, fn statestore.Loader) (bytes int64, err error) {
	for _, f := range h.deltas {
		c, size, err := f.section(ctx, s.dir, id, schema)
		if err != nil {
			return 0, &brokenChain{f.head.Version, err}
		}
		if c == nil {
			continue
		}
		if err := fn(c); err != nil {
			return 0, err
		}
		bytes += int64(size)
	}
	return bytes, nil
}

// Load replays a version of a table from the newest good snapshot on.
func (s *store) Load(ctx context.Context, id statestore.ID, v statestore.Version, fn statestore.Loader) error {
	t, err := s.table(id)
	if err != nil || v.N == 0 {
		return err
	}
	if v.Attempt == "" {
		if v.Attempt, err = s.onlyAttempt(ctx, id, v.N); err != nil {
			return err
		}
	}
	h, bytes, err := s.replay(ctx, id, t.schema, v, fn)
	var broken *brokenChain
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &broken):
		return s.unavailable(ctx, v.N, broken.at.N, broken.err)
	case err != nil:
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.progress = progress{deltaBytes: bytes}
	s.chain[v.N] = v.Attempt
	if at := h.snapshot; at != nil {
		t.snapshot, t.snapshotBytes = at.version.N, at.bytes
		s.chain[at.version.N] = at.version.Attempt
		s.metrics.LoadedSnapshot = max(s.metrics.LoadedSnapshot, at.version.N)
	}
	for _, f := range h.deltas {
		s.chain[f.head.Version.N] = f.head.Version.Attempt
		if f.head.Kind == changelog.Increment {
			t.addIncrement(f.head, id)
		}
	}
	s.metrics.ReplayedChangelogs = max(s.metrics.ReplayedChangelogs, int64(len(h.deltas)))
	return nil
}

// onlyAttempt finds the attempt of version n when the commit log does not name it.
func (s *store) onlyAttempt(ctx context.Context, id statestore.ID, n int64) (string, error) {
	s.mu.Lock()
	found := s.index.attempts(id, n)
	s.mu.Unlock()
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", s.unavailable(ctx, n, n, fmt.Errorf("no file of version %d is there", n))
	}
	return "", s.unavailable(ctx, n, n, fmt.Errorf("%d attempts wrote it and the commit log does not say which one counts", len(found)))
}
