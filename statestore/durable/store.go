// Package durable is the durable side of every state store: a changelog per micro-batch and
// snapshots from time to time, in an object store. The drivers differ in what they put
// beneath the operators' tables, not in their files, so that a checkpoint of one opens with another.
package durable

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// The settings of a store besides Spark's minDeltasForSnapshot.
const (
	// LocalDir is the folder for what a running query keeps besides its checkpoint; unset, the system's
	// folder for temporary files.
	LocalDir = "vstream.state.localDir"
	// snapshotPieceSize is about the size of the files in which a large table's snapshot is written.
	snapshotPieceSize = "vstream.state.snapshotPieceSize"
	// changelogCheckpointing false: each batch writes snapshots of the tables that it changed.
	changelogCheckpointing = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
)

// Open reads the settings and lists the state files of a checkpoint's state directory.
func Open(ctx context.Context, dir objstore.Store, conf map[string]string) (statestore.Store, error) {
	minDeltas, err := positive(conf, "spark.sql.streaming.stateStore.minDeltasForSnapshot", 10)
	if err != nil {
		return nil, err
	}
	piece := int64(16 << 20)
	if v := conf[snapshotPieceSize]; v != "" {
		n, ok := text.ParseBytes(v)
		if !ok || n < 1 {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", snapshotPieceSize, "value", v, "expected", "a size such as 16MB")
		}
		piece = n
	}
	s := &store{
		pieceBytes: piece, temp: conf[LocalDir], everyBatch: strings.EqualFold(conf[changelogCheckpointing], "false"),
		dir: dir, registry: statestore.NewRegistry(dir, conf), minDeltas: minDeltas,
		tables: map[statestore.ID]*table{}, staged: map[statestore.Version]*attempt{},
		chain: map[int64]string{}, files: map[string]*file{},
	}
	s.metrics.LoadedSnapshot = -1
	s.index, err = listFiles(ctx, dir)
	return s, err
}

// positive is a setting that must be a number of at least 1.
func positive(conf map[string]string, key string, unset int64) (int64, error) {
	text, ok := conf[key]
	if !ok || text == "" {
		return unset, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", text, "expected", "a positive number")
	}
	return n, nil
}

// store is the state of one query.
type store struct {
	dir       objstore.Store
	registry  *statestore.Registry
	minDeltas int64
	// pieceBytes is the size from which a snapshot is written in pieces; temp is the folder of
	// temporary files, "" for the system's.
	pieceBytes int64
	temp       string
	// everyBatch: a snapshot of each table that a batch changed belongs to the batch.
	everyBatch bool

	mu     sync.Mutex
	tables map[statestore.ID]*table
	staged map[statestore.Version]*attempt
	index  *index
	// chain names the attempt of every version that this run has loaded or committed.
	chain   map[int64]string
	metrics statestore.Metrics
	// files holds the changelogs that the loads of several tables share.
	files map[string]*file
	held  int // bytes of them in memory
}

// table is what the store knows about a registered table.
type table struct {
	schema statestore.Schema
	progress
}

// progress is which files lead to the current version of a table.
type progress struct {
	// snapshot is the newest snapshot on the way to the current version (0: none) and
	// snapshotBytes its size; deltaBytes is the size of the increments and the sections since.
	snapshot                  int64
	snapshotBytes, deltaBytes int64
	// increments are those since the snapshot, increment the version of the newest one (0: none) and incrementBytes
	// their size.
	increments     int
	increment      int64
	incrementBytes int64
}

// attempt is what is staged for one version under one attempt id.
type attempt struct{ sections []changelog.Section }

// Register checks the schema of a table against the checkpoint.
func (s *store) Register(ctx context.Context, id statestore.ID, schema statestore.Schema) error {
	if err := s.registry.Check(ctx, id, schema); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[id] = &table{schema: schema}
	return nil
}

func (s *store) table(id statestore.ID) (*table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tables[id]
	if !ok {
		return nil, internal("state table %v is not registered", id)
	}
	return t, nil
}

// sectionBuffers are reused from batch to batch.
var sectionBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Stage encodes the changes of a table.
func (s *store) Stage(_ context.Context, id statestore.ID, n int64, attemptID string, c *statestore.Changes) error {
	t, err := s.table(id)
	if err != nil {
		return err
	}
	if empty(c) {
		return nil
	}
	buf := sectionBuffers.Get().(*[]byte)
	data, err := changelog.EncodeSection((*buf)[:0], t.schema, c)
	if err != nil {
		return internal("changes of state table %v: %v", id, err)
	}
	v := statestore.Version{N: n, Attempt: attemptID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.staged[v] == nil {
		s.staged[v] = &attempt{}
	}
	s.staged[v].sections = append(s.staged[v].sections, changelog.Section{ID: id, Data: data})
	return nil
}

func empty(c *statestore.Changes) bool {
	rows := 0
	for _, b := range c.Deletes {
		rows += b.Rows
	}
	for _, b := range c.Puts {
		rows += b.Rows
	}
	return rows == 0 && !c.Clear && !c.HasDeleteBelow
}

// Commit writes one file with all sections of the attempt.
func (s *store) Commit(ctx context.Context, n int64, attemptID string, base statestore.Version) error {
	v := statestore.Version{N: n, Attempt: attemptID}
	sections := s.take(v)
	defer recycle(sections)
	if parsed, ok := parseFileName(fileName(v)); !ok || parsed != v || strings.Contains(attemptID, "/") {
		return internal("%q cannot be an attempt id of state version %d", attemptID, n)
	}
	if base.Attempt == "" { // the commit log did not name it; Load has found it
		s.mu.Lock()
		base.Attempt = s.chain[base.N]
		s.mu.Unlock()
	}
	data := changelog.Assemble(changelog.Changelog, v, base, sections)
	name := changelogName(v)
	if err := s.dir.CreateExclusive(ctx, name, data); err != nil {
		return condition.IO(err, "write", s.dir.URL(name))
	}
	s.mu.Lock()
	s.forget()
	s.index.changelogs[v] = int64(len(data))
	s.chain[n] = attemptID
	s.metrics.ChangelogFiles++
	s.metrics.BytesWritten += int64(len(data))
	for _, section := range sections {
		s.tables[section.ID].deltaBytes += int64(len(section.Data))
	}
	s.mu.Unlock()
	if !s.everyBatch {
		return nil
	}
	for _, section := range sections {
		s.mu.Lock()
		t := s.tables[section.ID]
		increment := t.deltaBytes < t.snapshotBytes && s.fitsIncrement(t)
		s.mu.Unlock()
		if err := s.shorten(ctx, section.ID, v, increment); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the changelogs that were held for loading.
func (s *store) forget() {
	clear(s.files)
	s.held = 0
}

// Abort drops what is staged.
func (s *store) Abort(n int64, attemptID string) {
	recycle(s.take(statestore.Version{N: n, Attempt: attemptID}))
}

func (s *store) take(v statestore.Version) []changelog.Section {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.staged[v]
	delete(s.staged, v)
	if a == nil {
		return nil
	}
	return a.sections
}

func recycle(sections []changelog.Section) {
	for i := range sections {
		sectionBuffers.Put(&sections[i].Data)
	}
}

// Metrics are the counters since Open.
func (s *store) Metrics() statestore.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.metrics
}

// Close drops everything that is staged.
func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.staged)
	s.forget()
	return nil
}

func internal(format string, args ...any) error {
	return condition.New("INTERNAL_ERROR", "message", fmt.Sprintf(format, args...))
}
