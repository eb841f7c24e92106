package file

import (
	"context"
	"os"
	"path/filepath"

	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore/local"
)

// sinkFiles gives the files of a directory that a file sink has written, after
// the sink's log, so that half-written batches stay unseen; nil if it has no log.
func sinkFiles(ctx context.Context, dir string) ([]entry, error) {
	if info, err := os.Stat(filepath.Join(dir, manifest.Folder)); err != nil || !info.IsDir() {
		return nil, nil
	}
	store, err := local.Open(dir)
	if err != nil {
		return nil, err
	}
	files, ok, err := manifest.Read(ctx, store)
	if err != nil || !ok {
		return nil, err
	}
	out := []entry{}
	for _, f := range files {
		p, err := pathOfURL(f.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{p, f.Size, f.ModificationTime})
	}
	return out, nil
}
