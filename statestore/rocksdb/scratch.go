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
		if err == nil {
			return &scratch{dir, f}, nil
		}
		f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, condition.IO(err, "lock", filepath.Join(dir, ownerFile))
		}
		// Another process took the new folder for a stale one, and removes it.
	}
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
