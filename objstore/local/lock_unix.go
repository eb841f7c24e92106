//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Lock takes the operating system's lock of a file, which names its holder. The file
// stays when the lock is released: removing it would let two holders in.
func (s *Store) Lock(ctx context.Context, name string) (func() error, error) {
	file, err := s.file(name)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := makeDirs(filepath.Dir(file)); err != nil {
		return nil, condition.IO(err, "lock", file)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, condition.IO(err, "lock", file)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 200))
		f.Close()
		return nil, &objstore.LockedError{Holder: strings.TrimSpace(string(holder))}
	}
	if err == nil {
		err = writeHolder(f)
	}
	if err != nil {
		f.Close()
		return nil, condition.IO(err, "lock", file)
	}
	return f.Close, nil
}

func writeHolder(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0)
	return err
}
