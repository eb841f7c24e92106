// Package local keeps objects as files below a directory.
//
// A write goes to a temporary file in the object's directory, which is synced and
// then linked (CreateExclusive) or renamed (Put) to its name; then the directory is
// synced. So an object is there whole or not at all, whenever the machine stops.
// Importing the package registers the scheme "file" and plain paths with objstore.Open.
package local

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

const (
	// tempPrefix marks a file that is still being written, or was when its process ended.
	tempPrefix = ".vstream-tmp-"
	// tempAge is how old a temporary file must be before it counts as left over.
	tempAge = time.Hour
)

func init() {
	objstore.RegisterScheme("file", func(_ context.Context, u *url.URL) (objstore.Store, error) {
		if u.Host != "" && u.Host != "localhost" {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "path", "value", u.String(),
				"expected", "a file URL without a host (file:///path)")
		}
		name := u.Path
		if name == "" {
			name = u.Opaque // file:relative/path
		}
		return Open(filepath.FromSlash(name))
	})
}

// Store is a directory. Its directories are made when an object needs them.
type Store struct {
	root string
	// cleaned holds the directories whose left-over temporary files have been looked for.
	cleaned sync.Map
}

// Open gives the store of a directory, which need not exist yet.
func Open(dir string) (*Store, error) {
	if dir == "" {
		return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "path", "value", `""`, "expected", "a directory")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, condition.IO(err, "open", dir)
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, condition.New("VSTREAM_IO", "op", "open", "path", abs, "detail", "it is not a directory")
	}
	return &Store{root: abs}, nil
}

func (s *Store) file(name string) (string, error) {
	if err := objstore.CheckName(name); err != nil {
		return "", err
	}
	return filepath.Join(s.root, filepath.FromSlash(name)), nil
}

// CreateExclusive writes a new file; objstore.ErrExists if there is one.
func (s *Store) CreateExclusive(ctx context.Context, name string, data []byte) error {
	return s.write(ctx, name, data, func(temp, file string) error {
		err := os.Link(temp, file)
		os.Remove(temp)
		if errors.Is(err, fs.ErrExist) {
			return objstore.ErrExists
		}
		if err == nil {
			removeChecksum(file)
		}
		return err
	})
}

// Put writes or replaces a file.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	return s.write(ctx, name, data, func(temp, file string) error {
		removeChecksum(file)
		return os.Rename(temp, file)
	})
}

// removeChecksum removes the file .<name>.crc, in which Hadoop (and so Spark) keeps the
// checksum of a local file. It would make them refuse the file that takes the name.
func removeChecksum(file string) {
	dir, base := filepath.Split(file)
	os.Remove(filepath.Join(dir, "."+base+".crc"))
}

// write makes a synced temporary file with data, gives it its name by publish, and
// syncs the directory.
func (s *Store) write(ctx context.Context, name string, data []byte, publish func(temp, file string) error) error {
	file, err := s.file(name)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Dir(file)
	s.clean(dir)
	temp, err := writeTemp(dir, data)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDirs(dir); err == nil {
			temp, err = writeTemp(dir, data)
		}
	}
	if err != nil {
		return condition.IO(err, "write", file)
	}
	if err := publish(temp, file); err != nil {
		os.Remove(temp)
		if errors.Is(err, objstore.ErrExists) {
			return err
		}
		return condition.IO(err, "write", file)
	}
	return condition.IO(syncDir(dir), "write", file)
}

// writeTemp writes and syncs a temporary file in dir.
func writeTemp(dir string, data []byte) (string, error) {
	temp := filepath.Join(dir, tempPrefix+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	return temp, nil
}

// makeDirs makes dir and its parents and syncs every directory that got a new entry.
func makeDirs(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// clean removes the temporary files that ended processes left in dir, once per
// store and directory.
func (s *Store) clean(dir string) {
	if _, done := s.cleaned.LoadOrStore(dir, true); done {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the write that follows reports it
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Get reads a whole file.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	file, err := s.file(name)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	return data, readError(err, file)
}

// Open streams a file.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := s.file(name)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, readError(err, file)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, objstore.ErrNotFound
	}
	return f, nil
}

func readError(err error, file string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return objstore.ErrNotFound
	}
	if info, serr := os.Stat(file); err != nil && serr == nil && info.IsDir() {
		return objstore.ErrNotFound
	}
	return condition.IO(err, "read", file)
}

// List walks the directory in which the prefix ends. Files that are still being
// written are not listed.
func (s *Store) List(ctx context.Context, prefix string) ([]objstore.Info, error) {
	top, _ := path.Split(prefix)
	if top != "" {
		if err := objstore.CheckName(strings.TrimSuffix(top, "/")); err != nil {
			return nil, err
		}
	}
	var infos []objstore.Info
	err := filepath.WalkDir(filepath.Join(s.root, filepath.FromSlash(top)), func(p string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile, or never there
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.root, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if e.IsDir() {
			if name != "." && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(e.Name(), tempPrefix) {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		infos = append(infos, objstore.Info{Name: name, Size: info.Size(), Modified: info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, condition.IO(err, "list", s.root)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	return infos, nil
}

// Delete removes a file; its directory stays.
func (s *Store) Delete(ctx context.Context, name string) error {
	file, err := s.file(name)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return condition.IO(err, "delete", file)
	}
	removeChecksum(file)
	return nil
}

// URL is the file URL of an object, as Spark writes it in its logs; of the store
// itself for "".
func (s *Store) URL(name string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.root, filepath.FromSlash(name)))}
	return u.String()
}
