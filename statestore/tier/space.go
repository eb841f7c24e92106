package tier

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
)

// Space is where the tables of one tier have their files, and the memory of their filters. Its
// methods may be called concurrently.
type Space struct {
	folder  func() (string, error)
	filters atomic.Int64 // bytes that are left
	number  atomic.Uint64

	mu     sync.Mutex
	tables []*Table
}

// NewSpace makes a space in a folder, which is asked for when the first row is written, with
// so many bytes of memory for filters.
func NewSpace(folder func() (string, error), filters int64) *Space {
	s := &Space{folder: folder}
	s.filters.Store(filters)
	return s
}

// Table makes an empty table. It goes by the hash of whole keys, so that the order column of the schema, if
// there is one, is of no use to it: ranges other than AllRows are refused.
func (s *Space) Table(schema statestore.Schema) *Table {
	t := &Table{space: s, layout: newLayout(schema)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables = append(s.tables, t)
	return t
}

// Close ends all tables and removes their files.
func (s *Space) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for _, t := range s.tables {
		if err := t.clear(); err != nil && first == nil {
			first = err
		}
	}
	s.tables = nil
	return first
}

// create makes a new file.
func (s *Space) create() (*os.File, error) {
	dir, err := s.folder()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("%d.rows", s.number.Add(1)))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, condition.IO(err, "create", path)
	}
	return f, nil
}

// filter is memory for a filter of so many rows, as much as there is; nil if that is too little.
func (s *Space) filter(rows int) filter {
	words := int64(rows)*filterBits/64 + 1
	for {
		left := s.filters.Load()
		n := min(words, left/8)
		if n*64 < int64(rows)*leastFilterBits {
			return nil
		}
		if s.filters.CompareAndSwap(left, left-8*n) {
			return make(filter, n)
		}
	}
}

// release takes the memory of a filter back.
func (s *Space) release(f filter) { s.filters.Add(8 * int64(len(f))) }
