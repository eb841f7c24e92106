package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// file is a changelog that has been read.
type file struct {
	once sync.Once
	name string
	data []byte
	head *changelog.Head
	err  error
}

// changelog reads a changelog once for all tables.
func (s *store) changelog(ctx context.Context, v statestore.Version) (*file, error) {
	name := changelogName(v)
	s.mu.Lock()
	f := s.files[name]
	if f == nil {
		f = &file{name: s.dir.URL(name)}
		s.files[name] = f
	}
	s.mu.Unlock()
	f.once.Do(func() { f.read(ctx, s.dir, name, v) })
	if f.err != nil { // another try reads it again
		s.mu.Lock()
		delete(s.files, name)
		s.mu.Unlock()
	}
	return f, f.err
}

func (f *file) read(ctx context.Context, dir objstore.Store, name string, v statestore.Version) {
	if f.data, f.err = dir.Get(ctx, name); f.err != nil {
		f.err = readError(f.err, f.name)
		return
	}
	if f.head, f.err = changelog.ReadHead(f.name, changelog.Changelog, f.data); f.err == nil && f.head.Version != v {
		f.err = changelog.Corrupt(f.name, fmt.Errorf("it is of version %s", fileName(f.head.Version)))
	}
}

func readError(err error, file string) error {
	if errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("file %s is missing: %w", file, err)
	}
	return condition.IO(err, "read", file)
}

// history is the way to a version of a table: a snapshot, if there is one, and the
// changelogs after it in their order.
type history struct {
	snapshot      statestore.Version // N = 0: none
	snapshotBytes int64
	base          *statestore.Changes
	deltas        []*file
}

// brokenChain says at which version a history cannot be followed, and why.
type brokenChain struct {
	at  statestore.Version
	err error
}

func (b *brokenChain) Error() string { return b.err.Error() }
func (b *brokenChain) Unwrap() error { return b.err }

// trace follows the changelogs from v back to the newest good snapshot of the table, or
// to the empty table, or to a changelog that clears it. A broken snapshot is passed over with a warning.
func (s *store) trace(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version) (*history, error) {
	h := &history{}
	for ; v.N > 0; v = h.deltas[len(h.deltas)-1].head.Base {
		found, err := s.readSnapshot(ctx, id, schema, v)
		if err != nil {
			return nil, err
		}
		if found != nil {
			h.snapshot, h.snapshotBytes, h.base = v, found.size, found.changes
			break
		}
		f, err := s.changelog(ctx, v)
		if err != nil {
			return nil, &brokenChain{v, err}
		}
		if f.head.Base.N != v.N-1 {
			return nil, &brokenChain{v, changelog.Corrupt(f.name, fmt.Errorf("it builds on version %d", f.head.Base.N))}
		}
		h.deltas = append(h.deltas, f)
		if section, ok := f.head.Find(id); ok && section.Clears(f.data) {
			break
		}
	}
	slices.Reverse(h.deltas)
	return h, nil
}

type snapshot struct {
	changes *statestore.Changes
	size    int64
}

// readSnapshot reads the snapshot of a table at version v; nil if there is none that is good.
func (s *store) readSnapshot(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version) (*snapshot, error) {
	s.mu.Lock()
	_, there := s.index.snapshots[id][v]
	s.mu.Unlock()
	if !there {
		return nil, nil
	}
	name := snapshotName(id, v)
	c, size, err := s.decodeSnapshot(ctx, name, id, schema, v)
	switch {
	case err == nil:
		return &snapshot{c, size}, nil
	case ctx.Err() != nil, errors.Is(err, condition.Name("VSTREAM_NEWER_FORMAT")):
		return nil, err
	}
	slog.Warn("broken state snapshot, falling back to an older one", "file", s.dir.URL(name), "error", err)
	return nil, nil
}

func (s *store) decodeSnapshot(ctx context.Context, name string, id statestore.ID, schema statestore.Schema, v statestore.Version) (*statestore.Changes, int64, error) {
	url := s.dir.URL(name)
	data, err := s.dir.Get(ctx, name)
	if err != nil {
		return nil, 0, readError(err, url)
	}
	head, err := changelog.ReadHead(url, changelog.Snapshot, data)
	if err != nil {
		return nil, 0, err
	}
	section, ok := head.Find(id)
	if !ok || head.Version != v {
		return nil, 0, changelog.Corrupt(url, fmt.Errorf("it is of another table or version"))
	}
	c, err := section.Read(url, data, schema)
	return c, int64(len(data)), err
}

// replay gives the history to fn and returns the size of the sections it read.
func (h *history) replay(id statestore.ID, schema statestore.Schema, fn statestore.Loader) (bytes int64, err error) {
	if h.base != nil {
		if err := fn(h.base); err != nil {
			return 0, err
		}
	}
	for _, f := range h.deltas {
		section, ok := f.head.Find(id)
		if !ok {
			continue
		}
		c, err := section.Read(f.name, f.data, schema)
		if err != nil {
			return 0, &brokenChain{f.head.Version, err}
		}
		if err := fn(c); err != nil {
			return 0, err
		}
		bytes += int64(section.Length())
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
		if v.Attempt, err = s.onlyAttempt(ctx, id, t.schema, v.N); err != nil {
			return err
		}
	}
	h, err := s.trace(ctx, id, t.schema, v)
	var bytes int64
	if err == nil {
		bytes, err = h.replay(id, t.schema, fn)
	}
	var broken *brokenChain
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &broken):
		return s.unavailable(ctx, id, t.schema, v.N, broken.at.N, broken.err)
	case err != nil:
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.snapshot, t.snapshotBytes, t.deltaBytes = h.snapshot.N, h.snapshotBytes, bytes
	s.chain[v.N] = v.Attempt
	if h.snapshot.N > 0 {
		s.chain[h.snapshot.N] = h.snapshot.Attempt
		s.metrics.LoadedSnapshot = max(s.metrics.LoadedSnapshot, h.snapshot.N)
	}
	for _, f := range h.deltas {
		s.chain[f.head.Version.N] = f.head.Version.Attempt
	}
	s.metrics.ReplayedChangelogs = max(s.metrics.ReplayedChangelogs, int64(len(h.deltas)))
	return nil
}

// onlyAttempt finds the attempt of version n when the commit log does not name it.
func (s *store) onlyAttempt(ctx context.Context, id statestore.ID, schema statestore.Schema, n int64) (string, error) {
	s.mu.Lock()
	found := s.index.attempts(id, n)
	s.mu.Unlock()
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", s.unavailable(ctx, id, schema, n, n, fmt.Errorf("no file of version %d is there", n))
	}
	return "", s.unavailable(ctx, id, schema, n, n, fmt.Errorf("%d attempts wrote it and the commit log does not say which one counts", len(found)))
}

// unavailable is the condition for a version that cannot be loaded because of version
// broken. It names the newest batch before that whose state is whole.
func (s *store) unavailable(ctx context.Context, id statestore.ID, schema statestore.Schema, n, broken int64, cause error) error {
	if errors.Is(cause, condition.Name("VSTREAM_NEWER_FORMAT")) {
		return cause // the file is whole
	}
	resumable := "none"
search:
	for below := broken - 1; below > 0; below-- {
		s.mu.Lock()
		found := s.index.attempts(id, below)
		s.mu.Unlock()
		for _, a := range found {
			h, err := s.trace(ctx, id, schema, statestore.Version{N: below, Attempt: a})
			if err != nil {
				continue
			}
			if _, err := h.replay(id, schema, func(*statestore.Changes) error { return nil }); err == nil {
				resumable = fmt.Sprint("batch ", below-1)
				break search
			}
		}
	}
	detail := cause.Error()
	var known *condition.Error
	if errors.As(cause, &known) {
		detail = strings.TrimSuffix(known.Message, ".")
	}
	e := condition.New("VSTREAM_STATE_VERSION_UNAVAILABLE", "batch", n-1, "detail", detail, "resumable", resumable).WithCause(cause)
	switch {
	case s.index.foreign != "":
		e = e.WithHint("%s was written by Spark, whose state files cannot be read: start with a new checkpoint", s.dir.URL(s.index.foreign))
	case resumable != "none":
		e = e.WithHint("restore the file from a copy; or remove the entries after %s from offsets/ and commits/ to go on from there, which runs the later batches again", resumable)
	default:
		e = e.WithHint("restore the file from a copy, or start with a new checkpoint")
	}
	return e
}
