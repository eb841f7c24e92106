package file

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/vstream/vstream/condition"
)

// entry is a file that a listing found.
type entry struct {
	path     string
	size     int64
	modified int64 // milliseconds since 1970
}

// lister finds the files of a path as Spark's InMemoryFileIndex does.
type lister struct {
	root       string // absolute path or glob
	recursive  bool
	globFilter string
}

// list gives the files sorted by path.
func (l lister) list(ctx context.Context) ([]entry, error) {
	roots := []string{l.root}
	if isGlob(l.root) && !exists(l.root) {
		var err error
		if roots, err = expand(l.root); err != nil {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", "path", "value", l.root, "expected", "a glob").WithCause(err)
		}
	}
	var out []entry
	for _, r := range roots {
		if err := l.add(ctx, r, &out); err != nil {
			return nil, err
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path < out[j].path })
	return out, nil
}

func (l lister) add(ctx context.Context, root string, out *[]entry) error {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // removed since; a missing directory is found when the source opens
	case err != nil:
		return ioError("list", root, err)
	case !info.IsDir():
		l.take(root, info, out)
		return nil
	}
	entries, err := sinkFiles(ctx, root)
	if err != nil {
		return err
	}
	if entries != nil {
		for _, e := range entries {
			if l.named(e.path) {
				*out = append(*out, e)
			}
		}
		return nil
	}
	return l.walk(ctx, root, out)
}

// walk adds the files of a directory and of those below it that count: all with
// recursiveFileLookup, else partition directories (k=v).
func (l lister) walk(ctx context.Context, dir string, out *[]entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	children, err := os.ReadDir(dir)
	if err != nil {
		return ioError("list", dir, err)
	}
	for _, c := range children {
		name := c.Name()
		if hidden(name) {
			continue
		}
		p := filepath.Join(dir, name)
		info, err := os.Stat(p) // follows links
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return ioError("list", p, err)
		}
		if !info.IsDir() {
			l.take(p, info, out)
		} else if l.recursive || strings.Contains(name, "=") {
			if err := l.walk(ctx, p, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l lister) take(p string, info fs.FileInfo, out *[]entry) {
	if l.named(p) {
		*out = append(*out, entry{p, info.Size(), info.ModTime().UnixMilli()})
	}
}

func (l lister) named(p string) bool {
	if l.globFilter == "" {
		return true
	}
	for _, g := range braces(l.globFilter) {
		if ok, _ := path.Match(g, filepath.Base(p)); ok {
			return true
		}
	}
	return false
}

// partitionValues are the values in the names of the directories k=v of a path.
func partitionValues(p string) map[string]string {
	var m map[string]string
	for _, c := range strings.Split(filepath.Dir(p), string(filepath.Separator)) {
		k, v, ok := strings.Cut(c, "=")
		if !ok || k == "" {
			continue
		}
		if m == nil {
			m = map[string]string{}
		}
		if u, err := url.PathUnescape(v); err == nil {
			v = u
		}
		m[strings.ToLower(k)] = v
	}
	return m
}

func ioError(op, path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return condition.New("VSTREAM_PERMISSION_DENIED", "op", op, "path", path).WithCause(err)
	}
	return condition.New("VSTREAM_IO", "op", op, "path", path, "detail", err.Error()).WithCause(err)
}
