// Package objstore is the durable store below checkpoints, state and file
// sinks. Names are slash-separated and relative to the store's root.
package objstore

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrExists is returned by CreateExclusive when the object is there already.
var ErrExists = errors.New("object exists")

// ErrNotFound is returned by Open and Get for a missing object.
var ErrNotFound = errors.New("object not found")

// Store keeps whole objects. An object appears at once and whole, or not at all;
// when a call returns, what it did survives a crash of the machine.
// CreateExclusive is the only primitive on which the checkpoint's correctness rests.
// A Store is safe for concurrent use.
type Store interface {
	// CreateExclusive writes an object that must not exist yet; ErrExists otherwise.
	// Of two racing writers exactly one wins.
	CreateExclusive(ctx context.Context, name string, data []byte) error
	// Put writes or replaces an object.
	Put(ctx context.Context, name string, data []byte) error
	// Get reads a whole object; ErrNotFound if there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	// Open streams an object.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// List lists the objects whose name starts with prefix, sorted by name, at any depth.
	List(ctx context.Context, prefix string) ([]Info, error)
	// Delete removes an object; a missing one is no error.
	Delete(ctx context.Context, name string) error
	// URL is where the object lies, for messages and for Spark-compatible logs.
	URL(name string) string
}

// Info describes an object.
type Info struct {
	Name     string
	Size     int64
	Modified time.Time
}

// Sub is the part of s below a folder.
func Sub(s Store, folder string) Store { return sub{s, folder + "/"} }
