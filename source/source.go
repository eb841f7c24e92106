// Package source is what a streaming source implements, and the registry.
package source

import (
	"context"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/vector"
)

// Offset is a source's position as canonical JSON, as the offset log keeps it; ""
// is the position before the first batch. The engine compares offsets only for equality.
type Offset string

// Source is one streaming input of one query. Its methods are called by one
// goroutine at a time, but for Split.Read.
type Source interface {
	// Schema is the full schema of the rows.
	Schema() *vector.Schema
	// Latest is the end of the next batch that starts after start, within the source's own rate
	// limits (maxFilesPerTrigger …), or with all, without them: up to what is there now (or was, when PrepareAvailableNow
	// was called). It equals start when there is nothing new.
	Latest(ctx context.Context, start Offset, all bool) (Offset, error)
	// Plan are the splits of the rows after start up to end, in the order in which
	// they are to be seen. It is called again with logged offsets after a crash and
	// must then give the same rows.
	Plan(ctx context.Context, start, end Offset, p Pushdown) ([]Split, error)
	// Commit tells that everything up to end is processed for good.
	Commit(ctx context.Context, end Offset) error
	Close() error
	// Describe is the source as progress events show it: FileStreamSource[file:/data/in].
	Describe() string
}

// Pushdown is what a query needs of a source. Columns are indexes into Schema, in
// the order in which batches must carry them (the batches have just these columns). Rows may be
// dropped early with Filter; the engine filters again.
type Pushdown struct {
	Columns []int
	// Filter, if not nil, drops rows of a decoded batch; nil result: no rows left.
	Filter func(b *vector.Batch) (*vector.Batch, error)
	// Absent asks readers of text for a BIGINT column behind the others in batches with records
	// that lack fields: bit i of a row tells that its record has no value for Columns[i].
	Absent bool
}

// Split is a part of a batch that one task reads.
type Split interface {
	// Size is a measure of work in bytes (an estimate), for packing splits into tasks.
	Size() int64
	// Read pushes the rows in order. It may run concurrently with other splits.
	Read(ctx context.Context, out func(*vector.Batch) error) error
	// Describe names it for errors: "file /data/in/0001.csv".
	Describe() string
}

// Optional interfaces, found by type assertion.
type (
	// AvailableNow sources freeze their end when the availableNow trigger starts.
	AvailableNow interface {
		PrepareAvailableNow(ctx context.Context, start Offset) error
	}
	// Backlogger reports what lies behind the end offset, for progress events.
	Backlogger interface {
		LatestAvailable() Offset
		Metrics(end Offset) map[string]string
	}
	// HiddenColumns are columns beyond Schema that a query may name but that * does not
	// show (the file source's _metadata struct). Pushdown.Columns numbers them from
	// Schema().Len().
	HiddenColumns interface{ HiddenColumns() []vector.Field }
	// RateLimited sources may need several batches for what is available now.
	RateLimited interface{ Limited() bool }
)

// Context is what a source may use.
type Context struct {
	Name string // the relation's name, for messages
	// Log is the source's own folder in the checkpoint (sources/<n>), nil for a batch read.
	Log objstore.Store
	// Resolve makes a relative path absolute.
	Resolve func(path string) string
	// Conf is the session's configuration.
	Conf map[string]string
	// NowMs is the clock, replaced in tests.
	NowMs func() int64
	// TimeZone is spark.sql.session.timeZone.
	TimeZone string
}

// Spec registers a source: its documentation and constructors.
type Spec struct {
	Name    string
	Aliases []string
	Summary string
	Options []Option
	// Kind is what sources have in common that understand each other's offsets: "file";
	// "" for the Name.
	Kind string
	// Open opens a streaming source. schema is the user's, nil if none was given.
	Open func(ctx context.Context, c Context, options Options, schema *vector.Schema) (Source, error)
	// Schema is the schema of a source that has only this one; nil if users give it.
	Schema *vector.Schema
	// NeedsSchema: a stream's schema is not inferred unless
	// spark.sql.streaming.schemaInference is true.
	NeedsSchema bool
	// DropsFiltered: the reader takes simple filters, and rows that fail them do not
	// count as input (Spark's JSON and CSV readers).
	DropsFiltered bool
	// InferSchema gives the schema when the user gave none; nil: the schema is required or fixed by Open.
	InferSchema func(ctx context.Context, c Context, options Options) (*vector.Schema, error)
	// OpenBatch reads the source once as a static table; nil if it can't.
	OpenBatch func(ctx context.Context, c Context, options Options, schema *vector.Schema) (Batch, error)
}

// Batch is a static table. Plan is called anew in each micro-batch. Version changes when the contents may have.
type Batch interface {
	Schema() *vector.Schema
	Plan(ctx context.Context, p Pushdown) ([]Split, error)
	Version(ctx context.Context) (string, error)
}

// Option documents one option.
type Option struct{ Name, Type, Default, Doc string }

// Options are a source's or sink's options; Get ignores case, as Spark does.
type Options map[string]string
