// Package statestore makes the state of stateful operators durable: versions of
// columnar tables, by batch, under an attempt id.
//
// The operator's own table is the hot tier and authoritative while a key is in
// it. A store is the durable truth beneath: it takes, per micro-batch and
// partition, each touched key once with its last value, as columns, and gives
// them back after a restart. Reads and writes are in bulk only.
package statestore

import "context"

// ID names one table: operator, partition and store name ("default" for
// aggregations, "left-keyToNumValues", …).
type ID struct {
	Operator, Partition int
	Name                string
}

// Version is a committed version of one table. N is the batch id + 1; 0 is the
// empty table before the first batch. Attempt makes the files of a failed
// attempt unreachable: the commit log names the attempt that won.
type Version struct {
	N       int64
	Attempt string
}

// Column is the layout of one key or value column: fixed width in bytes, or
// Width 0 for variable-width bytes. Type is the column's Spark type (DDL), for
// the schema check on restart and for readers of the state; the store does not interpret it.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Width    int    `json:"width"`
	Nullable bool   `json:"nullable"`
}

// Schema is what the checkpoint records about a table. A key is unique. OrderCol, if
// not -1, is the fixed 8-byte signed key column by which DeleteBelow evicts (the window's end or event time, in
// microseconds).
type Schema struct {
	Keys, Values []Column
	OrderCol     int
	// Route are the key columns by whose hash a row belongs to a partition, in the order
	// of the exchange before the operator; none: all rows are in partition 0.
	Route []int
	// View is how readers of the state show the table; nil: they do not.
	View *View
}

// Block is a run of rows in columns: first the key columns, then the value
// columns. In a block of deletes there are only key columns.
type Block struct {
	Rows int
	Cols []ColumnData
}

// ColumnData is one column of a Block. A fixed-width column has Rows*Width bytes
// in Data (little endian, a null's bytes are zero); a variable one has Rows+1
// offsets. Valid is an Arrow validity bitmap, nil if nothing is null.
type ColumnData struct {
	Data  []byte
	Off   []uint32
	Valid []byte
}

// Changes is what one micro-batch did to one table, applied in this order:
// DeleteBelow, then Deletes, then Puts. A key occurs at most once in Puts.
type Changes struct {
	// DeleteBelow, if HasDeleteBelow, deletes all rows whose order column is <= it.
	HasDeleteBelow bool
	DeleteBelow    int64
	Deletes        []Block
	Puts           []Block
	Clear          bool // first of all, drop every row (complete rewrites)
}

// Loader receives a table's contents on recovery, in order: a snapshot's rows as
// Changes with Puts only, then the Changes of each batch after it.
type Loader func(c *Changes) error

// Store gives access to all tables of one query under one provider. Its methods may be
// called concurrently for different IDs.
type Store interface {
	// Register declares a table before Load. It fails with a STATE_STORE_*_SCHEMA_NOT_COMPATIBLE
	// condition if the checkpoint holds the table with another schema.
	Register(ctx context.Context, id ID, s Schema) error
	// Load replays version v of a table; N = 0 loads nothing. An empty Attempt stands for the
	// only attempt that wrote version N, for checkpoints whose commit log is gone.
	// VSTREAM_STATE_VERSION_UNAVAILABLE says that files are missing or broken.
	Load(ctx context.Context, id ID, v Version, fn Loader) error
	// Stage hands over the changes of version n of a table under an attempt id. They are encoded right away;
	// the blocks may be used again when it returns. A table that comes
	// into being after version 1, as in a repartition, is staged with Clear.
	Stage(ctx context.Context, id ID, n int64, attempt string, c *Changes) error
	// Commit makes everything staged for version n under the attempt durable, all
	// tables together. base is the version on which n builds. Meanwhile the next version may be staged.
	Commit(ctx context.Context, n int64, attempt string, base Version) error
	// Abort drops what is staged.
	Abort(n int64, attempt string)
	// Maintain writes snapshots and removes versions that no retained batch needs (all below keep). It runs in
	// the background, never at the same time as itself; v is the newest committed version.
	Maintain(ctx context.Context, v Version, lineage func(n int64) (attempt string, ok bool), keep int64) error
	Metrics() Metrics
	Close() error
}

// Metrics are a store's counters since it was opened.
type Metrics struct {
	BytesWritten, ChangelogFiles, SnapshotFiles int64
	LoadedSnapshot                              int64 // version of the snapshot that recovery used, -1 if none
	ReplayedChangelogs                          int64
}
