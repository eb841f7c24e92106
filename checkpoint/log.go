package checkpoint

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// cachedEntries is how many of the newest entries a log keeps decoded.
const cachedEntries = 8

// fileLog is a Log with one file per batch. The directory is listed once; after that the
// log knows its batches, because the checkpoint's owner is its only writer, and a
// writer that breaks this rule loses at CreateExclusive.
type fileLog[E any] struct {
	store  objstore.Store
	folder string
	encode func(E) ([]byte, error)
	decode func(file string, data []byte) (E, error)

	mu      sync.Mutex
	listed  bool
	batches []int64 // ascending
	cache   map[int64]E
}

func newLog[E any](s objstore.Store, folder string, encode func(E) ([]byte, error), decode func(string, []byte) (E, error)) *fileLog[E] {
	return &fileLog[E]{store: s, folder: folder, encode: encode, decode: decode, cache: map[int64]E{}}
}

func (l *fileLog[E]) name(batch int64) string {
	return l.folder + "/" + strconv.FormatInt(batch, 10)
}

// list fills l.batches; l.mu is held.
func (l *fileLog[E]) list(ctx context.Context) error {
	if l.listed {
		return nil
	}
	infos, err := l.store.List(ctx, l.folder+"/")
	if err != nil {
		return condition.IO(err, "list", l.store.URL(l.folder))
	}
	l.batches = l.batches[:0]
	for _, i := range infos {
		base := strings.TrimPrefix(i.Name, l.folder+"/")
		// Other names are checksum and temporary files.
		if batch, err := strconv.ParseInt(base, 10, 64); err == nil && batch >= 0 && strconv.FormatInt(batch, 10) == base {
			l.batches = append(l.batches, batch)
		}
	}
	slices.Sort(l.batches)
	l.listed = true
	return nil
}

func (l *fileLog[E]) Add(ctx context.Context, batch int64, e E) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.list(ctx); err != nil {
		return err
	}
	data, err := l.encode(e)
	if err != nil {
		return condition.New("INTERNAL_ERROR", "message", err.Error())
	}
	if err := l.store.CreateExclusive(ctx, l.name(batch), data); errors.Is(err, objstore.ErrExists) {
		c := condition.New("CONCURRENT_STREAM_LOG_UPDATE", "batchId", batch).WithCause(err)
		c.Retry = condition.RetryRestart
		return c
	} else if err != nil {
		return condition.IO(err, "write", l.store.URL(l.name(batch)))
	}
	if at, there := slices.BinarySearch(l.batches, batch); !there {
		l.batches = slices.Insert(l.batches, at, batch)
	}
	l.keep(batch, e)
	return nil
}

// replace writes an entry that is there anew.
func (l *fileLog[E]) replace(ctx context.Context, batch int64, e E) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := l.encode(e)
	if err != nil {
		return condition.New("INTERNAL_ERROR", "message", err.Error())
	}
	if err := l.store.Put(ctx, l.name(batch), data); err != nil {
		return condition.IO(err, "write", l.store.URL(l.name(batch)))
	}
	l.keep(batch, e)
	return nil
}

// keep caches an entry and drops the oldest ones; l.mu is held.
func (l *fileLog[E]) keep(batch int64, e E) {
	l.cache[batch] = e
	for len(l.cache) > cachedEntries {
		oldest := batch
		for b := range l.cache {
			oldest = min(oldest, b)
		}
		delete(l.cache, oldest)
	}
}

func (l *fileLog[E]) Get(ctx context.Context, batch int64) (e E, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.get(ctx, batch)
}

func (l *fileLog[E]) get(ctx context.Context, batch int64) (e E, ok bool, err error) {
	if e, ok := l.cache[batch]; ok {
		return e, true, nil
	}
	file := l.store.URL(l.name(batch))
	data, err := l.store.Get(ctx, l.name(batch))
	if errors.Is(err, objstore.ErrNotFound) {
		return e, false, nil
	}
	if err != nil {
		return e, false, condition.IO(err, "read", file)
	}
	if e, err = l.decode(file, data); err != nil {
		return e, false, err
	}
	l.keep(batch, e)
	return e, true, nil
}

func (l *fileLog[E]) Latest(ctx context.Context) (batch int64, e E, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.list(ctx); err != nil || len(l.batches) == 0 {
		return 0, e, false, err
	}
	batch = l.batches[len(l.batches)-1]
	e, ok, err = l.get(ctx, batch)
	return batch, e, ok, err
}

func (l *fileLog[E]) Batches(ctx context.Context) ([]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.list(ctx)
	return slices.Clone(l.batches), err
}

func (l *fileLog[E]) Purge(ctx context.Context, below int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.list(ctx); err != nil {
		return err
	}
	for len(l.batches) > 0 && l.batches[0] < below {
		if err := l.store.Delete(ctx, l.name(l.batches[0])); err != nil {
			return condition.IO(err, "delete", l.store.URL(l.name(l.batches[0])))
		}
		delete(l.cache, l.batches[0])
		l.batches = l.batches[1:]
	}
	return nil
}
