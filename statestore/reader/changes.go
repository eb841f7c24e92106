package reader

import (
	"context"
	"errors"
	"fmt"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
	"github.com/vstream/vstream/statestore/durable"
	"github.com/vstream/vstream/statestore/merge"
	"github.com/vstream/vstream/vector"
)

// The change types, as Spark has them.
const (
	changeUpdate = "update"
	changeDelete = "delete"
)

// stateFile is a changelog or a snapshot that has been read.
type stateFile struct {
	name string
	data []byte
	head *changelog.Head
}

// open reads a file of the state directory. A missing one is
// CANNOT_LOAD_STATE_STORE.CANNOT_READ_STREAMING_STATE_FILE.
func (s *session) open(ctx context.Context, name string, kind changelog.Kind, v statestore.Version) (*stateFile, error) {
	if f := s.files[name]; f != nil {
		return f, nil
	}
	dir := s.t.cp.dir.State()
	f := &stateFile{name: dir.URL(name)}
	var err error
	if f.data, err = dir.Get(ctx, name); errors.Is(err, objstore.ErrNotFound) {
		return nil, condition.New("CANNOT_LOAD_STATE_STORE.CANNOT_READ_STREAMING_STATE_FILE", "fileToRead", f.name).WithCause(err).
			WithHint("what batch %d did to the state is written there and nowhere else", v.N-1)
	}
	if err != nil {
		return nil, condition.IO(err, "read", f.name)
	}
	if f.head, err = changelog.ReadHead(f.name, kind, f.data); err != nil {
		return nil, err
	}
	if f.head.Version != v {
		return nil, changelog.Corrupt(f.name, fmt.Errorf("it is of version %s", changelog.VersionName(f.head.Version)))
	}
	if kind == changelog.Changelog { // all tables share it
		s.files[name] = f
	}
	return f, nil
}

// changelog reads what a batch did to the state.
func (s *session) changelog(ctx context.Context, v statestore.Version) (*stateFile, error) {
	return s.open(ctx, changelog.FileName(v), changelog.Changelog, v)
}

// section is what the file holds of a table; without a section nothing changed.
func (f *stateFile) section(id statestore.ID, schema statestore.Schema) (*statestore.Changes, error) {
	info, ok := f.head.Find(id)
	if !ok {
		return &statestore.Changes{}, nil
	}
	return info.Read(f.name, f.data, schema)
}

// loadFrom replays a table after a batch from the snapshot after another batch on.
func (s *session) loadFrom(ctx context.Context, id statestore.ID, schema statestore.Schema, start, batch int64) (*merge.Table, error) {
	v, err := s.version(ctx, batch)
	if err != nil {
		return nil, err
	}
	var later []*stateFile
	for v.N > start+1 {
		f, err := s.changelog(ctx, v)
		if err != nil {
			return nil, err
		}
		if f.head.Base.N != v.N-1 {
			return nil, changelog.Corrupt(f.name, fmt.Errorf("it builds on version %d", f.head.Base.N))
		}
		later = append(later, f)
		v = f.head.Base
	}
	table := merge.New(schema)
	apply := func(c *statestore.Changes) error {
		table.Apply(c)
		return nil
	}
	err = durable.ReadSnapshot(ctx, s.t.cp.dir.State(), id, schema, v, apply)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, condition.New("CANNOT_LOAD_STATE_STORE.UNCATEGORIZED").WithCause(err).
			WithHint("there is no snapshot after batch %d of %s: the files in %s are named after the batch + 1",
				start, id.Name, s.t.cp.dir.State().URL(fmt.Sprintf("%s%d/%d/%s", changelog.SnapshotFolder, id.Operator, id.Partition, id.Name)))
	}
	if err != nil {
		return nil, err
	}
	for i := len(later) - 1; i >= 0; i-- {
		c, err := later[i].section(id, schema)
		if err != nil {
			return nil, err
		}
		table.Apply(c)
	}
	return table, nil
}

// version is the state after a batch.
func (s *session) version(ctx context.Context, batch int64) (statestore.Version, error) {
	attempt, err := s.t.attempt(ctx, batch)
	return statestore.Version{N: batch + 1, Attempt: attempt}, err
}

// feed gives the changes of a partition, batch by batch.
func (s *session) feed(ctx context.Context, partition int) error {
	t := s.t
	rows := &history{s: s, partition: partition, name: t.store, schema: t.schema}
	matches := &history{s: s, partition: partition, name: matchesOf(t.store), schema: t.matched}
	var before shown
	for batch := t.first; batch <= t.batch; batch++ {
		v, err := s.version(ctx, batch)
		if err != nil {
			return err
		}
		f, err := s.changelog(ctx, v)
		if err != nil {
			return err
		}
		if t.shape == stored {
			if err := s.storedChanges(ctx, rows, f, batch); err != nil {
				return err
			}
			continue
		}
		if batch == t.first {
			if before, err = s.joinedAt(ctx, rows, matches, f); err != nil {
				return err
			}
		}
		if err := errors.Join(rows.advance(ctx, f), matches.advance(ctx, f)); err != nil {
			return err
		}
		now, err := s.joinedAt(ctx, rows, matches, f)
		if err != nil {
			return err
		}
		if err := s.difference(before, now, partition, batch); err != nil {
			return err
		}
		before = now
	}
	return nil
}

// history is a table on its way through the batches. It is loaded when a batch comes whose
// changes cannot be told without what was there before.
type history struct {
	s         *session
	partition int
	name      string
	schema    statestore.Schema
	table     *merge.Table
}

func (h *history) id() statestore.ID {
	return statestore.ID{Operator: int(h.s.t.operator), Partition: h.partition, Name: h.name}
}

// before is the table before the batch of a changelog.
func (h *history) before(ctx context.Context, f *stateFile) (*merge.Table, error) {
	if h.table == nil {
		var err error
		if h.table, err = h.s.replay(ctx, h.id(), h.schema, f.head.Base); err != nil {
			return nil, err
		}
	}
	return h.table, nil
}

// advance applies the batch of a changelog.
func (h *history) advance(ctx context.Context, f *stateFile) error {
	c, err := f.section(h.id(), h.schema)
	if err != nil {
		return err
	}
	table, err := h.before(ctx, f)
	if err == nil {
		table.Apply(c)
	}
	return err
}

// storedChanges gives what a batch did to a table that is shown as it is stored.
func (s *session) storedChanges(ctx context.Context, h *history, f *stateFile, batch int64) error {
	c, err := f.section(h.id(), h.schema)
	if err != nil {
		return err
	}
	deletes := c.Deletes
	if c.Clear || c.HasDeleteBelow {
		table, err := h.before(ctx, f)
		if err != nil {
			return err
		}
		gone := table.Blocks()
		if !c.Clear {
			gone = table.Below(c.DeleteBelow)
		}
		deletes = append(gone, deletes...)
	}
	for _, b := range deletes {
		x, err := s.t.deleted(b)
		if err == nil {
			err = s.give(x, h.partition, &change{batch, changeDelete})
		}
		if err != nil {
			return err
		}
	}
	for _, b := range c.Puts {
		x, err := s.t.show(b)
		if err == nil {
			err = s.give(x, h.partition, &change{batch, changeUpdate})
		}
		if err != nil {
			return err
		}
	}
	if h.table != nil {
		h.table.Apply(c)
	}
	return nil
}

// deleted makes keys without values of a block of deletes, or of rows.
func (t *Table) deleted(b statestore.Block) (shown, error) {
	b.Cols = b.Cols[:t.layout.keys]
	cols, err := t.layout.columns(b)
	if err != nil {
		return shown{}, err
	}
	_, value := t.shape.types(t.layout)
	key, err := t.layout.column(t.layout.key, cols, b.Rows)
	return shown{key, vector.NewNull(value, b.Rows), b.Rows}, err
}

// joinedAt is a store of a join as it is now.
func (s *session) joinedAt(ctx context.Context, rows, matches *history, f *stateFile) (shown, error) {
	r, err := rows.before(ctx, f)
	if err != nil {
		return shown{}, err
	}
	m, err := matches.before(ctx, f)
	if err != nil {
		return shown{}, err
	}
	return s.t.joined(r, m)
}

// difference gives the changes that lead from one content of a store to another.
func (s *session) difference(before, now shown, partition int, batch int64) error {
	key, value := s.t.shape.types(s.t.layout)
	was, is := before.encoded(key, value), now.encoded(key, value)
	places := make(map[string]int, before.n)
	for i := range before.n {
		places[was.key(i)] = i
	}
	var updated, gone []uint32
	stays := make([]bool, before.n)
	for i := range now.n {
		j, ok := places[is.key(i)]
		if ok {
			stays[j] = true
		}
		if !ok || was.value(j) != is.value(i) {
			updated = append(updated, uint32(i))
		}
	}
	for j, x := range stays {
		if !x {
			gone = append(gone, uint32(j))
		}
	}
	deletes := shown{vector.Take(before.key, gone), vector.NewNull(value, len(gone)), len(gone)}
	if err := s.give(deletes, partition, &change{batch, changeDelete}); err != nil {
		return err
	}
	updates := shown{vector.Take(now.key, updated), vector.Take(now.value, updated), len(updated)}
	return s.give(updates, partition, &change{batch, changeUpdate})
}

// encodedRows are the keys and values of rows as bytes.
type encodedRows struct {
	keyOff, valueOff   []int32
	keyData, valueData []byte
}

func (x shown) encoded(key, value *vector.Type) encodedRows {
	var e encodedRows
	e.keyOff, e.keyData = vector.Strings(vector.EncodeValue(key, x.key))
	e.valueOff, e.valueData = vector.Strings(vector.EncodeValue(value, x.value))
	return e
}

func (e *encodedRows) key(i int) string   { return string(e.keyData[e.keyOff[i]:e.keyOff[i+1]]) }
func (e *encodedRows) value(i int) string { return string(e.valueData[e.valueOff[i]:e.valueOff[i+1]]) }
