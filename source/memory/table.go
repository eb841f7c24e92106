package memory

import (
	"context"

	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Table is a static table in memory. It never changes, so it is safe for concurrent use.
type Table struct {
	schema  *vector.Schema
	batches []*vector.Batch
}

// NewTable makes a table of batches, which must have the schema, or NewTable panics.
func NewTable(schema *vector.Schema, batches []*vector.Batch) *Table {
	for _, b := range batches {
		if !b.Schema.Equal(schema) {
			panic("memory: batch of " + b.Schema.String() + " in a table of " + schema.String())
		}
	}
	return &Table{schema: schema, batches: batches}
}

// Schema is the schema that NewTable was given.
func (t *Table) Schema() *vector.Schema { return t.schema }

// Version is the same for ever.
func (t *Table) Version(context.Context) (string, error) { return "0", nil }

// Plan gives one split for each batch.
func (t *Table) Plan(_ context.Context, p source.Pushdown) ([]source.Split, error) {
	schema := t.schema.Project(p.Columns)
	out := make([]source.Split, len(t.batches))
	for n, b := range t.batches {
		out[n] = &split{b.Project(schema, p.Columns), p.Filter, int64(n)}
	}
	return out, nil
}
