// Package reader looks into the state of a checkpoint: Spark's state data source. It only
// reads and takes no lock, so the query may be running meanwhile: what it reads are files
// that never change, of batches that are committed and retained.
package reader

import (
	"context"
	"errors"
	"slices"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Checkpoint is a checkpoint as it was when it was opened: batches that are committed
// later are not seen.
type Checkpoint struct {
	store     objstore.Store
	dir       *checkpoint.Dir // nil if there is none
	batches   []int64         // committed and retained, ascending
	operators []checkpoint.OperatorMetadata
}

// Open looks at the checkpoint in a store. A place where no query has run is a checkpoint
// without batches, as in Spark.
func Open(ctx context.Context, s objstore.Store) (*Checkpoint, error) {
	c := &Checkpoint{store: readOnly{s}}
	dir, err := checkpoint.OpenReadOnly(ctx, c.store)
	if errors.Is(err, condition.Name("PATH_NOT_FOUND")) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.dir = dir
	if c.batches, err = dir.Commits().Batches(ctx); err != nil {
		return nil, err
	}
	c.operators, err = dir.Operators(ctx)
	return c, err
}

// Exists tells whether there is a checkpoint at all.
func (c *Checkpoint) Exists() bool { return c.dir != nil }

// Batches are the first and the last batch whose state can be read; ok is false if there
// is none.
func (c *Checkpoint) Batches() (first, last int64, ok bool) {
	if len(c.batches) == 0 {
		return 0, 0, false
	}
	return c.batches[0], c.batches[len(c.batches)-1], true
}

// noBatch is the condition for a batch that is not committed, or no longer retained.
func (c *Checkpoint) noBatch(batch int64) *condition.Error {
	e := condition.New("STDS_COMMITTED_BATCH_UNAVAILABLE", "checkpointLocation", c.store.URL(""))
	first, last, ok := c.Batches()
	switch {
	case !c.Exists():
		return e.WithHint("no query has run with a checkpoint at this place")
	case !ok:
		return e
	}
	return e.WithHint("batch %d is not there: the batches from %d to %d are", batch, first, last)
}

// has tells whether a batch is committed and retained.
func (c *Checkpoint) has(batch int64) bool {
	_, ok := slices.BinarySearch(c.batches, batch)
	return ok
}

// commit is the entry of the commit log.
func (c *Checkpoint) commit(ctx context.Context, batch int64) (checkpoint.CommitEntry, error) {
	entry, ok, err := c.dir.Commits().Get(ctx, batch)
	if err == nil && !ok {
		err = c.noBatch(batch)
	}
	return entry, err
}

// attempt names the attempt that wrote an operator's state of a batch; "" if the
// commit log does not say.
func attempt(e checkpoint.CommitEntry, operator int64) string {
	for _, stores := range e.StateIDs[operator] {
		for _, id := range stores {
			return id
		}
	}
	return ""
}

// readOnly refuses all writes.
type readOnly struct{ objstore.Store }

var errReadOnly = errors.New("the checkpoint is opened for reading only")

func (readOnly) CreateExclusive(context.Context, string, []byte) error { return errReadOnly }
func (readOnly) Put(context.Context, string, []byte) error             { return errReadOnly }
func (readOnly) Delete(context.Context, string) error                  { return errReadOnly }
