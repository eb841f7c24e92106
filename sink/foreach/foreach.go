// Package foreach is the sink of foreachBatch: it hands every batch to a Go function.
package foreach

import (
	"context"

	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

// Func takes the rows of a batch, in the order of their partitions. A batch may
// come again after a crash, under the same id; a Func that stores rows together
// with the id gets each batch's effect exactly once.
type Func func(ctx context.Context, batchID int64, schema *vector.Schema, rows []*vector.Batch) error

// New makes a sink of f.
func New(f Func) sink.Sink { return foreach{f} }

type foreach struct{ f Func }

// Guarantee is AtLeastOnce, whatever f does.
func (s foreach) Guarantee() sink.Guarantee { return sink.AtLeastOnce }

func (s foreach) Begin(_ context.Context, b sink.BatchInfo) (sink.BatchWriter, bool, error) {
	return &sink.Stage{Done: func(ctx context.Context, rows []*vector.Batch) error {
		return s.f(ctx, b.BatchID, b.Schema, rows)
	}}, false, nil
}

func (s foreach) Close() error     { return nil }
func (s foreach) Describe() string { return "ForeachBatchSink" }
