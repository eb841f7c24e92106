package reader

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
	"github.com/vstream/vstream/statestore/merge"
	"github.com/vstream/vstream/vector"
)

// batchRows is how many rows of a batch are given at most.
const batchRows = 8192

// Read gives the rows of some of the partitions, one partition after the other. It may be
// called concurrently. A version whose files are missing or broken is
// VSTREAM_STATE_VERSION_UNAVAILABLE; one that the running query has removed since the table was opened
// STDS_COMMITTED_BATCH_UNAVAILABLE.
func (t *Table) Read(ctx context.Context, partitions []int, emit func(*vector.Batch) error) error {
	s := &session{t: t, emit: emit, files: map[string]*stateFile{}}
	defer s.close()
	for _, p := range partitions {
		var err error
		switch {
		case t.changes:
			err = s.feed(ctx, p)
		default:
			err = s.state(ctx, p)
		}
		if err != nil {
			return t.explain(ctx, err)
		}
	}
	return nil
}

// explain replaces an error about files of a batch that is no longer retained.
func (t *Table) explain(ctx context.Context, err error) error {
	if !errors.Is(err, condition.Name("VSTREAM_STATE_VERSION_UNAVAILABLE")) && !errors.Is(err, objstore.ErrNotFound) {
		return err
	}
	oldest := t.batch
	if t.changes {
		oldest = t.first
	}
	now, failed := Open(ctx, t.cp.store)
	if failed != nil || now.has(oldest) {
		return err
	}
	return now.noBatch(oldest).WithCause(err).
		WithHint("the query went on while its state was read, and batch %d is no longer retained: read a newer one, or let the query keep more with spark.sql.streaming.minBatchesToRetain", oldest)
}

// session is one reading of a table.
type session struct {
	t     *Table
	store statestore.Store
	files map[string]*stateFile // changelogs by name
	emit  func(*vector.Batch) error
}

func (s *session) close() {
	if s.store != nil {
		s.store.Close()
	}
}

// state gives the rows of a partition.
func (s *session) state(ctx context.Context, partition int) error {
	t := s.t
	rows, err := s.load(ctx, partition, t.store, t.schema, t.batch)
	if err != nil {
		return err
	}
	if t.shape != stored {
		matches, err := s.load(ctx, partition, matchesOf(t.store), t.matched, t.batch)
		if err != nil {
			return err
		}
		x, err := t.joined(rows, matches)
		if err != nil {
			return err
		}
		return s.give(x, partition, nil)
	}
	for _, b := range rows.Blocks() {
		x, err := t.show(b)
		if err != nil {
			return err
		}
		if err := s.give(x, partition, nil); err != nil {
			return err
		}
	}
	return nil
}

// show makes key and value of a block of rows.
func (t *Table) show(b statestore.Block) (shown, error) {
	cols, err := t.layout.columns(b)
	if err != nil {
		return shown{}, err
	}
	x := shown{n: b.Rows}
	if x.key, err = t.layout.column(t.layout.key, cols, b.Rows); err != nil {
		return x, err
	}
	x.value, err = t.layout.column(t.layout.value, cols, b.Rows)
	return x, err
}

// change is what a row of a change feed tells beside key and value.
type change struct {
	batch int64
	kind  string
}

// give cuts rows into batches.
func (s *session) give(x shown, partition int, c *change) error {
	cols := []arrow.Array{x.key, x.value, repeat(vector.Int, int32(partition), x.n)}
	if c != nil {
		kinds := make([]string, x.n)
		for i := range kinds {
			kinds[i] = c.kind
		}
		cols = append([]arrow.Array{repeat(vector.Long, c.batch, x.n), texts(kinds)}, cols...)
	}
	b := vector.NewBatch(s.t.out, cols, x.n)
	for lo := 0; lo < x.n; lo += batchRows {
		if err := s.emit(b.Slice(lo, min(lo+batchRows, x.n))); err != nil {
			return err
		}
	}
	return nil
}

func repeat[T any](t *vector.Type, value T, n int) arrow.Array {
	values := make([]T, n)
	for i := range values {
		values[i] = value
	}
	return vector.NewFixed(t, values, nil)
}

// load replays a table after a batch; batch -1 is the empty table before the first one.
func (s *session) load(ctx context.Context, partition int, name string, schema statestore.Schema, batch int64) (*merge.Table, error) {
	id := statestore.ID{Operator: int(s.t.operator), Partition: partition, Name: name}
	if s.t.snapshot != nil {
		return s.loadFrom(ctx, id, schema, *s.t.snapshot, batch)
	}
	v, err := s.version(ctx, batch)
	if err != nil {
		return nil, err
	}
	return s.replay(ctx, id, schema, v)
}

// replay brings a table to a version. If that fails it looks at the files anew:
// maintenance may have put a snapshot in the place of changelogs since they were listed.
func (s *session) replay(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version) (*merge.Table, error) {
	table, err := s.tryReplay(ctx, id, schema, v)
	if errors.Is(err, condition.Name("VSTREAM_STATE_VERSION_UNAVAILABLE")) {
		s.close()
		s.store = nil
		return s.tryReplay(ctx, id, schema, v)
	}
	return table, err
}

func (s *session) tryReplay(ctx context.Context, id statestore.ID, schema statestore.Schema, v statestore.Version) (*merge.Table, error) {
	if s.store == nil {
		var err error
		if s.store, err = durable.Open(ctx, s.t.cp.dir.State(), s.t.conf); err != nil {
			return nil, err
		}
	}
	if err := s.store.Register(ctx, id, schema); err != nil {
		return nil, err
	}
	table := merge.New(schema)
	err := s.store.Load(ctx, id, v, func(c *statestore.Changes) error {
		table.Apply(c)
		return nil
	})
	return table, err
}

// attempt names the attempt that wrote the state after a batch; "" leaves it to the store.
func (t *Table) attempt(ctx context.Context, batch int64) (string, error) {
	if batch < 0 {
		return "", nil
	}
	c, ok := t.commits[batch]
	if !ok {
		var err error
		if c, ok, err = t.cp.dir.Commits().Get(ctx, batch); err != nil || !ok {
			return "", err
		}
	}
	return attempt(c, t.operator), nil
}

// emptyBlock is a block of a table without rows.
func emptyBlock(s statestore.Schema) statestore.Block {
	b := statestore.Block{Cols: make([]statestore.ColumnData, len(s.Keys)+len(s.Values))}
	for i := range b.Cols {
		b.Cols[i].Off = []uint32{0}
	}
	return b
}

// longs are 8-byte values of a stored column.
func longs(data []byte) []int64 {
	out := make([]int64, len(data)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return out
}
