package objstore

import (
	"context"
	"io"
	"strings"
)

type sub struct {
	s      Store
	prefix string
}

func (s sub) CreateExclusive(ctx context.Context, name string, data []byte) error {
	return s.s.CreateExclusive(ctx, s.prefix+name, data)
}
func (s sub) Put(ctx context.Context, name string, data []byte) error {
	return s.s.Put(ctx, s.prefix+name, data)
}
func (s sub) Get(ctx context.Context, name string) ([]byte, error) {
	return s.s.Get(ctx, s.prefix+name)
}
func (s sub) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return s.s.Open(ctx, s.prefix+name)
}
func (s sub) List(ctx context.Context, prefix string) ([]Info, error) {
	infos, err := s.s.List(ctx, s.prefix+prefix)
	for i := range infos {
		infos[i].Name = strings.TrimPrefix(infos[i].Name, s.prefix)
	}
	return infos, err
}
func (s sub) Delete(ctx context.Context, name string) error { return s.s.Delete(ctx, s.prefix+name) }
func (s sub) URL(name string) string                        { return s.s.URL(s.prefix + name) }

// Lock takes a lock of the store below.
func (s sub) Lock(ctx context.Context, name string) (func() error, error) {
	return Lock(ctx, s.s, s.prefix+name)
}
