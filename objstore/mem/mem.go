// Package mem keeps objects in memory, for tests and queries without a checkpoint.
package mem

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/vstream/vstream/objstore"
)

var (
	sharedMu sync.Mutex
	shared   = map[string]*Store{}
)

func init() {
	objstore.RegisterScheme("mem", func(_ context.Context, u *url.URL) (objstore.Store, error) {
		sharedMu.Lock()
		defer sharedMu.Unlock()
		name := u.Host + u.Path + u.Opaque
		if shared[name] == nil {
			shared[name] = New()
		}
		return shared[name], nil
	})
}

type object struct {
	data     []byte
	modified time.Time
}

// Store is a set of objects in memory. "mem://name" opens one that the whole process shares.
type Store struct {
	mu      sync.RWMutex
	objects map[string]object
	locks   map[string]bool
}

// New makes an empty store.
func New() *Store { return &Store{objects: map[string]object{}, locks: map[string]bool{}} }

// Clone is a copy of the store as it is now, without its locks: what a crash at this
// moment leaves behind.
func (s *Store) Clone() *Store {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &Store{objects: maps.Clone(s.objects), locks: map[string]bool{}}
}

// CreateExclusive adds an object; objstore.ErrExists if there is one.
func (s *Store) CreateExclusive(ctx context.Context, name string, data []byte) error {
	return s.write(ctx, name, data, true)
}

// Put adds or replaces an object.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	return s.write(ctx, name, data, false)
}

func (s *Store) write(ctx context.Context, name string, data []byte, exclusive bool) error {
	if err := check(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.objects[name]; there && exclusive {
		return objstore.ErrExists
	}
	s.objects[name] = object{bytes.Clone(data), time.Now()}
	return nil
}

func check(ctx context.Context, name string) error {
	if err := objstore.CheckName(name); err != nil {
		return err
	}
	return ctx.Err()
}

// Get copies an object.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := s.get(ctx, name)
	return bytes.Clone(data), err
}

func (s *Store) get(ctx context.Context, name string) ([]byte, error) {
	if err := check(ctx, name); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.objects[name]
	if !ok {
		return nil, objstore.ErrNotFound
	}
	return o.data, nil
}

// Open streams an object.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	data, err := s.get(ctx, name)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// List lists the objects whose name starts with prefix.
func (s *Store) List(ctx context.Context, prefix string) ([]objstore.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var infos []objstore.Info
	for name, o := range s.objects {
		if strings.HasPrefix(name, prefix) {
			infos = append(infos, objstore.Info{Name: name, Size: int64(len(o.data)), Modified: o.modified})
		}
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	return infos, nil
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := check(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, name)
	return nil
}

// URL is "mem:///name".
func (s *Store) URL(name string) string { return "mem:///" + name }

// Lock takes a lock within the process.
func (s *Store) Lock(ctx context.Context, name string) (func() error, error) {
	if err := check(ctx, name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locks[name] {
		return nil, &objstore.LockedError{Holder: "this process"}
	}
	s.locks[name] = true
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.locks, name)
		return nil
	}, nil
}
