//go:build rocksdb

package rocksdb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/vstream/vstream/condition"
)

// scratchPrefix begins the names of scratch folders; ownerFile in each is locked while
// its process lives.
const (
	scratchPrefix = "vstream-state-"
	ownerFile     = "owner"
)

// scratch is a folder that goes with its process.
type scratch struct {
	dir  string
	lock *os.File
}

func newScratch(parent string) (*scratch, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	removeStale(parent)
	for {
		dir, err := os.MkdirTemp(parent, scratchPrefix)
		if err != nil {
			return nil, condition.IO(err, "create", filepath.Join(parent, scratchPrefix+"*"))
		}
		f, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, condition.IO(err, "create", filepath.Join(dir, ownerFile))
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && there(f) {
			return &scratch{dir, f}, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, condition.IO(err, "lock", filepath.Join(dir, ownerFile))
		}
		// Somebody took the new folder for a stale one before it was locked, and removes it or has done so.
	}
}

// there tells whether an open file is still the one under its name.
func there(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(mine, named)
}

func (s *scratch) remove() error {
	err := os.RemoveAll(s.dir)
	return errors.Join(condition.IO(err, "remove", s.dir), s.lock.Close())
}

// removeStale removes the folders of processes that have ended, as well as it can.
func removeStale(parent string) {
	owners, _ := filepath.Glob(filepath.Join(parent, scratchPrefix+"*", ownerFile))
	for _, owner := range owners {
		f, err := os.OpenFile(owner, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(filepath.Dir(owner))
		}
		f.Close()
	}
}
