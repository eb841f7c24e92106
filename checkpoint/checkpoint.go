// Package checkpoint is a query's directory: metadata, offset log, commit log and
// operator metadata, in the text formats that Spark 4.3 itself writes (documented in
// docs/format). Spark can go on with a stateless query's checkpoint, and the other
// way round.
package checkpoint

import (
	"context"
	"encoding/json"
)

// OffsetEntry is the plan of one micro-batch, written before it runs (Spark's OffsetSeq).
type OffsetEntry struct {
	Version     int // 1: sources by position; 2: by name
	WatermarkMs int64
	TimestampMs int64
	Conf        map[string]string
	// Sources holds each source's end offset as JSON by name (version 2) or, by
	// position, in Ordered (version 1); nil: the source has no offset yet.
	Sources map[string]json.RawMessage
	Ordered []json.RawMessage
}

// CommitEntry closes a micro-batch after the sink has committed (Spark's CommitMetadata).
// StateIDs are the attempt ids of the winning state versions: operator -> partition -> store.
type CommitEntry struct {
	Version         int // 1: watermark only; 2: with state ids; 3: with sinks
	NextWatermarkMs int64
	StateIDs        map[int64][][]string
	Sinks           map[string]SinkInfo
}

// SinkInfo is what a commit entry of version 3 says about a sink, under the sink's name.
type SinkInfo struct {
	SinkName     string `json:"sinkName"`
	CommitOffset string `json:"commitOffset"` // JSON, "-" for none
	ProviderName string `json:"providerName"`
	IsActive     bool   `json:"isActive"`
}

// Log is an append-only log of one small object per batch.
type Log[E any] interface {
	// Add writes entry batch; CONCURRENT_STREAM_LOG_UPDATE if it exists.
	Add(ctx context.Context, batch int64, e E) error
	Get(ctx context.Context, batch int64) (E, bool, error)
	// Latest is the entry with the highest batch id; ok is false on an empty log.
	Latest(ctx context.Context) (batch int64, e E, ok bool, err error)
	// Batches are all batch ids in the log, ascending.
	Batches(ctx context.Context) ([]int64, error)
	// Purge removes the entries below batch.
	Purge(ctx context.Context, below int64) error
}
