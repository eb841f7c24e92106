// Package sink is what a streaming sink implements, and the registry.
package sink

import (
	"context"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/vector"
)

// Guarantee is what a sink promises for a batch that is run twice.
type Guarantee uint8

const (
	AtLeastOnce   Guarantee = iota
	Idempotent              // the same batch id again has no further effect
	Transactional           // visible only with the commit
)

// Sink is one streaming output of one query.
type Sink interface {
	Guarantee() Guarantee
	// Begin starts a batch. done is true if this sink holds the batch of this query already:
	// then the batch is not run again.
	Begin(ctx context.Context, b BatchInfo) (w BatchWriter, done bool, err error)
	Close() error
	// Describe is the sink as progress events show it: FileSink[/data/out].
	Describe() string
}

// Starter is implemented by sinks that can tell at the start of a query, before
// anything is written, that they cannot go on.
type Starter interface {
	Start(ctx context.Context, queryID string, at Resumption) error
}

// Volatile is implemented by sinks whose rows end with the process. Recovers tells whether one can go on with a
// query in an output mode that has run before.
type Volatile interface {
	Recovers(mode string) bool
}

// Resumption says where a query goes on.
type Resumption struct {
	// Next is the batch that comes first.
	Next int64
	// Continued tells that the batches before it went to this sink too.
	Continued bool
	// Planned tells that Spark planned Next and did not finish it, so that the sink may hold it
	// though no query of ours has written to it.
	Planned bool
}

// BatchInfo is one batch as a sink sees it.
type BatchInfo struct {
	QueryID string
	BatchID int64
	Schema  *vector.Schema
	Mode    string // "append", "update", "complete"
	// Reused tells that the id may have been used for other rows, before a failure: the
	// query runs ahead of its logs. A sink takes such a batch though it holds one of that id.
	Reused bool
}

// BatchWriter stages one batch and then makes it visible.
type BatchWriter interface {
	// Partition opens the writer of one output partition (a task); partitions are written concurrently.
	Partition(ctx context.Context, n int) (PartitionWriter, error)
	// Commit makes the batch visible, with the messages of its partitions in order.
	Commit(ctx context.Context, parts []Message) error
	// Abort drops what is staged.
	Abort(ctx context.Context) error
}

// PartitionWriter takes the rows of one output partition in order.
type PartitionWriter interface {
	Write(b *vector.Batch) error
	// Finish makes the rows durable, not visible.
	Finish() (Message, error)
	Abort() error
}

// Message is what a partition hands to the batch's commit.
type Message any

// Context is what a sink may use.
type Context struct {
	QueryName string
	Resolve   func(path string) string
	// OpenStore opens a folder by path or URL.
	OpenStore func(path string) (objstore.Store, error)
	Conf      map[string]string
	NowMs     func() int64
	TimeZone  string
	// Retain tells how many batches of a sink's own log must stay readable.
	PartitionBy []string
}

// Spec registers a sink.
type Spec struct {
	Name    string
	Aliases []string
	Summary string
	Options []Option
	// Modes are the output modes that the sink takes.
	Modes []string
	// AsyncProgress tells that the sink knows what to do with BatchInfo.Reused.
	AsyncProgress bool
	Open          func(ctx context.Context, c Context, options Options) (Sink, error)
}

// Option documents one option.
type Option struct{ Name, Type, Default, Doc string }

// Options are a sink's options; Get ignores case, as Spark does.
type Options map[string]string
