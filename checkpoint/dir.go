package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	_ "github.com/vstream/vstream/objstore/local" // checkpoints lie on the local file system by default
)

const (
	metadataFile = "metadata"
	lockFile     = ".vstream.lock"
	stateFolder  = "state"
)

// Dir is a checkpoint directory in use.
type Dir struct {
	store   objstore.Store
	id      string
	offsets *fileLog[OffsetEntry]
	commits *fileLog[CommitEntry]
	release func() error
}

// Open takes the checkpoint in the store for this process and creates its metadata on
// first use. A checkpoint that another running query holds is VSTREAM_CHECKPOINT_IN_USE,
// logs without metadata are STREAMING_CHECKPOINT_MISSING_METADATA_FILE.
func Open(ctx context.Context, s objstore.Store) (*Dir, error) {
	release, err := objstore.Lock(ctx, s, lockFile)
	var locked *objstore.LockedError
	if errors.As(err, &locked) {
		c := condition.New("VSTREAM_CHECKPOINT_IN_USE", "checkpoint", location(s), "holder", locked.Holder).
			WithHint("stop the other query, or give this one a checkpoint of its own")
		c.Retry = condition.RetryRestart
		return nil, c
	}
	if err != nil {
		return nil, err
	}
	d := newDir(s)
	d.release = release
	if err := d.openMetadata(ctx); err != nil {
		return nil, errors.Join(err, release())
	}
	return d, nil
}

// OpenReadOnly opens a checkpoint for looking at it, whether a query runs on it or not.
// A missing one is PATH_NOT_FOUND, logs without metadata are STREAMING_CHECKPOINT_MISSING_METADATA_FILE.
func OpenReadOnly(ctx context.Context, s objstore.Store) (*Dir, error) {
	d := newDir(s)
	id, err := d.readMetadata(ctx)
	if errors.Is(err, objstore.ErrNotFound) {
		if err := d.checkNoLogs(ctx); err != nil {
			return nil, err
		}
		return nil, condition.New("PATH_NOT_FOUND", "path", d.Location()+"/"+metadataFile)
	}
	d.id = id
	return d, err
}

func newDir(s objstore.Store) *Dir {
	return &Dir{
		store:   s,
		offsets: newLog(s, "offsets", EncodeOffsets, DecodeOffsets),
		commits: newLog(s, "commits", EncodeCommit, DecodeCommit),
		release: func() error { return nil },
	}
}

// openMetadata reads the query id, or makes one in an empty checkpoint.
func (d *Dir) openMetadata(ctx context.Context) error {
	id, err := d.readMetadata(ctx)
	if err == nil {
		d.id = id
	}
	if !errors.Is(err, objstore.ErrNotFound) {
		return err
	}
	if err := d.checkNoLogs(ctx); err != nil {
		return err
	}
	d.id = uuid.NewString()
	err = d.store.CreateExclusive(ctx, metadataFile, fmt.Appendf(nil, `{"id":"%s"}`, d.id))
	if errors.Is(err, objstore.ErrExists) { // another process opened it in the same moment, on a store without locks
		d.id, err = d.readMetadata(ctx)
	}
	return condition.IO(err, "write", d.store.URL(metadataFile))
}

// checkNoLogs refuses logs without metadata.
func (d *Dir) checkNoLogs(ctx context.Context) error {
	for _, batches := range []func(context.Context) ([]int64, error){d.offsets.Batches, d.commits.Batches} {
		b, err := batches(ctx)
		if err != nil {
			return err
		}
		if len(b) > 0 {
			return condition.New("STREAMING_CHECKPOINT_MISSING_METADATA_FILE", "checkpointLocation", d.Location())
		}
	}
	return nil
}

func (d *Dir) readMetadata(ctx context.Context) (string, error) {
	data, err := d.store.Get(ctx, metadataFile)
	if errors.Is(err, objstore.ErrNotFound) {
		return "", err
	}
	if err != nil {
		return "", condition.IO(err, "read", d.store.URL(metadataFile))
	}
	return DecodeMetadata(d.store.URL(metadataFile), data)
}

// DecodeMetadata reads the metadata file, {"id":"…"}, and gives the query id.
func DecodeMetadata(file string, data []byte) (id string, err error) {
	var m struct{ ID string }
	if err := json.Unmarshal(data, &m); err != nil {
		return "", corrupt(file, err.Error())
	}
	if m.ID == "" {
		return "", corrupt(file, "it has no query id")
	}
	return m.ID, nil
}

// ID is the query's id, which stays the same over restarts.
func (d *Dir) ID() string { return d.id }

// Store is the whole directory.
func (d *Dir) Store() objstore.Store { return d.store }

// State is the directory of the state stores.
func (d *Dir) State() objstore.Store { return objstore.Sub(d.store, stateFolder) }

// SourceStore is the directory of a source's own log, by the source's position or name.
func (d *Dir) SourceStore(source string) objstore.Store {
	return objstore.Sub(d.store, "sources/"+source)
}

// Offsets is the offset log.
func (d *Dir) Offsets() Log[OffsetEntry] { return d.offsets }

// Commits is the commit log.
func (d *Dir) Commits() Log[CommitEntry] { return d.commits }

// Purge removes the log entries that are no longer kept after a batch has been committed:
// those before the newest one and retain (spark.sql.streaming.minBatchesToRetain) others.
// Without gaps in the log these are the batches that Spark keeps.
func (d *Dir) Purge(ctx context.Context, retain int) error {
	batches, err := d.offsets.Batches(ctx)
	if err != nil || len(batches) <= retain+1 {
		return err
	}
	below := batches[len(batches)-retain-1]
	if err := d.offsets.Purge(ctx, below); err != nil {
		return err
	}
	return d.commits.Purge(ctx, below)
}

// Close gives the checkpoint free.
func (d *Dir) Close() error { return d.release() }

// Location is the directory for messages: a plain path if it is local.
func (d *Dir) Location() string { return location(d.store) }

func location(s objstore.Store) string {
	text := strings.TrimSuffix(s.URL(""), "/")
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return text
}
