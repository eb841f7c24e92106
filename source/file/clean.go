package file

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// clean archives or deletes a processed file. A failure is no reason to fail the
// query, as its batch is done: the file stays and a warning is logged.
func (s *stream) clean(path string) {
	var err error
	if s.opts.clean == cleanDelete {
		err = os.Remove(path)
	} else {
		to := filepath.Join(s.opts.archiveDir, path)
		if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
			err = os.Rename(path, to)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		slog.Warn("cannot clean up a processed source file", "file", path, "error", err)
	}
}
