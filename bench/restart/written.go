package main

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// written is the size of the state files of a checkpoint in bytes.
type written struct{ all, changelogs int64 }

// stateBytes adds up the state files below a folder. They are all that was ever written as long as
// the query has not run more batches than it retains.
func stateBytes(dir string) (w written, err error) {
	state := filepath.Join(dir, "checkpoint", "state")
	err = filepath.WalkDir(state, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		w.all += info.Size()
		if strings.HasPrefix(path, filepath.Join(state, "changelog")) {
			w.changelogs += info.Size()
		}
		return nil
	})
	return w, err
}
