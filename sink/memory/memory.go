// Package memory is the sink that keeps a query's output in a table of the
// process, under the query's name.
//
// As in Spark, append and update mode add each batch's rows to the table, and
// complete mode replaces them.
package memory

import (
	"context"
	"strings"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

func init() {
	sink.Register(sink.Spec{
		Name: "memory", Summary: "Keeps the rows in a table of the process, for tests and exploration.",
		Modes: []string{"append", "update", "complete"}, AsyncProgress: true,
		Open: func(_ context.Context, c sink.Context, _ sink.Options) (sink.Sink, error) {
			if c.QueryName == "" {
				return nil, condition.New("_LEGACY_ERROR_TEMP_1194") // "queryName must be specified for memory sink."
			}
			return &memory{table(c.QueryName)}, nil
		},
	})
}

var (
	tablesMu sync.Mutex
	tables   = map[string]*Table{} // by name in lower case
)

// Lookup finds the table of a query, without regard to case.
func Lookup(queryName string) (*Table, bool) {
	tablesMu.Lock()
	defer tablesMu.Unlock()
	t, ok := tables[strings.ToLower(queryName)]
	return t, ok
}

// Drop forgets the table of a query.
func Drop(queryName string) {
	tablesMu.Lock()
	defer tablesMu.Unlock()
	delete(tables, strings.ToLower(queryName))
}

func table(name string) *Table {
	tablesMu.Lock()
	defer tablesMu.Unlock()
	t := tables[strings.ToLower(name)]
	if t == nil {
		t = &Table{last: -1}
		tables[strings.ToLower(name)] = t
	}
	return t
}

// Table is the output of one query. It is safe for concurrent use.
type Table struct {
	mu      sync.Mutex
	schema  *vector.Schema
	query   string
	last    int64 // the newest batch, -1 if there is none
	batches []*vector.Batch
}

// Rows are the rows so far and their schema, which is nil before the first batch.
func (t *Table) Rows() (*vector.Schema, []*vector.Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.schema, append([]*vector.Batch(nil), t.batches...)
}

type memory struct{ table *Table }

// Recovers: as in Spark, only the rows of complete mode come again after a restart.
func (m *memory) Recovers(mode string) bool { return strings.EqualFold(mode, "complete") }

// Guarantee is Idempotent: the table knows its newest batch.
func (m *memory) Guarantee() sink.Guarantee { return sink.Idempotent }

// Begin starts a batch. A table that lacks batches of the query, because the
// process ended in between, cannot go on in append and update mode.
func (m *memory) Begin(_ context.Context, b sink.BatchInfo) (sink.BatchWriter, bool, error) {
	t := m.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.query != b.QueryID {
		t.query, t.last, t.batches, t.schema = b.QueryID, -1, nil, b.Schema
	}
	complete := strings.EqualFold(b.Mode, "complete")
	switch {
	case b.BatchID <= t.last && !b.Reused:
		return nil, true, nil
	case t.last < 0 && b.BatchID > 0 && !complete:
		return nil, false, condition.New("VSTREAM_SINK_LACKS_BATCHES", "sink", m.Describe(), "query", b.QueryID, "batch", b.BatchID).
			WithHint("the memory sink's rows end with the process; delete the checkpoint to start over")
	}
	return &sink.Stage{Done: func(_ context.Context, rows []*vector.Batch) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if complete {
			t.batches = nil
		}
		t.schema, t.last, t.batches = b.Schema, max(t.last, b.BatchID), append(t.batches, rows...)
		return nil
	}}, false, nil
}

func (m *memory) Close() error     { return nil }
func (m *memory) Describe() string { return "MemorySink" }
