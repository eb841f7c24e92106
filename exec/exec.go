// Package exec is the operator interface, the push-based runtime of one
// micro-batch, the stateless operators and the exchange between partitions.
package exec

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// Emit takes an operator's output batch.
type Emit func(*vector.Batch) error

// Task is what one operator instance may see of one micro-batch.
type Task struct {
	Ctx       context.Context
	BatchID   int64
	Partition int
	Watermark watermark.Pair // of this operator, in milliseconds
	Kernel    *kernels.Ctx
	Metrics   *Metrics
	// Lose hands rows that the stateful operator at or above does not take to the query's
	// late sink, with the times that were compared with the watermark; nil: there is no such sink.
	Lose func(reason string, times arrow.Array, rows *vector.Batch) error
}

// Operator is one physical operator on one partition. It lives as long as the
// query; within a micro-batch the runtime calls Open, Process any number of
// times, EndBatch once. All calls come from one goroutine at a time.
type Operator interface {
	Open(t *Task) error
	// Process takes a batch from an input (port 0, for joins 1 too) and may emit.
	Process(port int, in *vector.Batch, out Emit) error
	// EndBatch: the input of this batch is complete; emit what it closed, evict.
	EndBatch(out Emit) error
}

// Stateful operators keep tables across micro-batches.
type Stateful interface {
	Operator
	// Stores are the tables, named as Spark names its stores.
	Stores() []Store
	// Load receives a table's contents on recovery, before the first Open.
	Load(store string, c *statestore.Changes) error
	// Commit hands over what this batch changed, after EndBatch, for every table (also when nothing changed:
	// empty Changes). The blocks stay untouched until the next Open.
	Commit(stage func(store string, c *statestore.Changes) error) error
}

// Spiller is a Stateful operator that can give rows to a capacity tier when the process
// is over its memory budget.
type Spiller interface {
	Stateful
	// Spill says where to; it is called before Load and Open.
	Spill(t statestore.Tier) error
}

// Store is one table of a stateful operator.
type Store struct {
	Name   string
	Schema statestore.Schema
}

// Metrics are the counters of one operator instance in one micro-batch; the names are Spark's
// (StateOperatorProgress). Late and null rows are counted exactly, in input rows.
type Metrics struct {
	RowsIn, RowsOut           int64
	NumRowsTotal              int64 // rows in state after the batch
	NumRowsUpdated            int64
	NumRowsRemoved            int64
	NumRowsDroppedByWatermark int64
	LateRows                  int64 // input rows dropped as late
	NullTimeRows              int64 // input rows dropped for a null event time
	DuplicateRows             int64 // input rows that a deduplication dropped
	MemoryBytes               int64
	// EventTime is what Observe operators saw, by Watermark node.
	EventTime map[int]*EventTimeStats
}

// EventTimeStats are event-time statistics in milliseconds, as in Spark's progress.
type EventTimeStats struct{ Max, Min, Sum, Count int64 }

// Stateless gives the empty parts of an Operator without state.
type Stateless struct{ Task *Task }

// Open keeps the task.
func (s *Stateless) Open(t *Task) error { s.Task = t; return nil }

// EndBatch emits nothing.
func (s *Stateless) EndBatch(Emit) error { return nil }
