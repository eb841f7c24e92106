package file

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/sink"
)

// Begin starts a batch, or tells that its entry is in the log already.
func (s *fileSink) Begin(ctx context.Context, b sink.BatchInfo) (sink.BatchWriter, bool, error) {
	if b.Mode != "" && !strings.EqualFold(b.Mode, "append") {
		return nil, false, condition.New("STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE",
			"outputMode", strings.ToLower(b.Mode), "className", s.format.name)
	}
	layout, err := newLayout(b.Schema, s.partitionBy)
	if err != nil {
		return nil, false, err
	}
	if err := s.format.check(layout.data); err != nil {
		return nil, false, err
	}
	if err := s.Start(ctx, b.QueryID, sink.Resumption{Next: b.BatchID}); err != nil {
		return nil, false, err
	}
	w := &batchWriter{sink: s, info: b, layout: layout, tag: attemptTag(b.QueryID, b.BatchID)}
	if b.BatchID <= s.log.Latest() {
		return nil, true, w.clean(ctx, nil)
	}
	return w, false, nil
}

// batchWriter stages one batch: its data files are written but in no log entry.
type batchWriter struct {
	sink   *fileSink
	info   sink.BatchInfo
	layout layout
	tag    string // in the names of all data files of this batch, of every attempt

	mu         sync.Mutex
	written    []string // data files of this attempt
	committing bool     // the log entry may have been written
}

// Message of a partition: its data files, in the order in which they were written.
type files []manifest.File

// Commit adds the batch to the log.
func (w *batchWriter) Commit(ctx context.Context, parts []sink.Message) error {
	s := w.sink
	var all []manifest.File
	for _, p := range parts {
		f, ok := p.(files)
		if !ok {
			return fmt.Errorf("file sink: message of another sink: %T", p)
		}
		all = append(all, f...)
	}
	if len(all) == 0 && s.log.Latest() < 0 && len(s.partitionBy) == 0 {
		// The first entry names a file in any case, so that readers find a schema.
		f, err := w.emptyFile(ctx)
		if err != nil {
			return err
		}
		all = files{f}
	}
	if !s.owned {
		err := s.store.CreateExclusive(ctx, ownerFile, []byte(w.info.QueryID+"\n"))
		if errors.Is(err, objstore.ErrExists) {
			err = s.Start(ctx, w.info.QueryID, sink.Resumption{Next: w.info.BatchID})
		}
		if err != nil {
			return err
		}
		s.owned = true
	}
	w.committing = true
	if err := s.log.Add(ctx, w.info.BatchID, all); err != nil {
		s.log, s.cleaned = nil, false // the entry may be there in spite of the error: look again
		return err
	}
	return w.clean(ctx, all)
}

// clean deletes the data files of this batch that its log entry does not name:
// attempts of earlier runs. Only now is that safe, as no other attempt can add
// the entry any more. One look per run is enough: attempts of this run clean up
// after themselves.
func (w *batchWriter) clean(ctx context.Context, visible []manifest.File) error {
	s := w.sink
	if s.cleaned {
		return nil
	}
	keep := map[string]bool{}
	if visible == nil {
		all, _, err := manifest.Read(ctx, s.store)
		if err != nil {
			return err
		}
		visible = all
	}
	for _, f := range visible {
		name, err := f.Name(s.store)
		if err != nil {
			return err
		}
		keep[name] = true
	}
	infos, err := s.store.List(ctx, "")
	if err != nil {
		return err
	}
	for _, i := range infos {
		if strings.Contains(i.Name, w.tag) && !keep[i.Name] {
			if err := s.store.Delete(ctx, i.Name); err != nil {
				return err
			}
		}
	}
	s.cleaned = true
	return nil
}

// Abort deletes the data files of this attempt, unless the log may name them already.
func (w *batchWriter) Abort(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.committing {
		return nil
	}
	for _, name := range w.written {
		if err := w.sink.store.Delete(ctx, name); err != nil {
			return err
		}
	}
	w.written = nil
	return nil
}

// Partition opens the writer of one task.
func (w *batchWriter) Partition(ctx context.Context, n int) (sink.PartitionWriter, error) {
	return &partitionWriter{ctx: ctx, batch: w, name: fmt.Sprintf("part-%05d-%s", n, attemptID(w.tag)), open: map[string]*dataFile{}}, nil
}

// emptyFile writes a data file without rows.
func (w *batchWriter) emptyFile(ctx context.Context) (manifest.File, error) {
	p := &partitionWriter{ctx: ctx, batch: w, name: "part-00000-" + attemptID(w.tag), open: map[string]*dataFile{}}
	if _, err := p.file(""); err != nil {
		return manifest.File{}, err
	}
	if err := p.closeAll(); err != nil {
		return manifest.File{}, err
	}
	return p.done[0], nil
}

// attemptTag is the part of a data file's name that tells its query and batch:
// the first three groups of a UUID of version 8.
func attemptTag(queryID string, batch int64) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s/%d", queryID, batch))
	x := hex.EncodeToString(h[:8])
	return x[:8] + "-" + x[8:12] + "-8" + x[13:16]
}

// attemptID is a UUID that begins with the tag and is random otherwise.
func attemptID(tag string) string {
	var r [8]byte
	rand.Read(r[:])
	r[0] = r[0]&0x3f | 0x80 // the variant of RFC 9562
	x := hex.EncodeToString(r[:])
	return tag + "-" + x[:4] + "-" + x[4:]
}
