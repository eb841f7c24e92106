// Package session holds the operator of aggregation by session windows: Final keeps the
// open sessions of its partition, merges new ones into them, and emits those that the
// watermark closes. What it does, and counts, is what Spark's
// SessionWindowStateStoreRestoreExec, MergingSessionsExec and SessionWindowStateStoreSaveExec do.
package session

import (
	"fmt"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Config describes one aggregation by sessions. The input is the output of
// groupby.Partial with the columns
//
//	keys, start and end of the row's own session, states, number of rows
//
// and the output is keys, start and end, results.
type Config struct {
	// Keys beside the session are flat: fixed-width, boolean, string or binary; a window
	// is two timestamp columns; other nested keys come encoded (vector.EncodeKey).
	Keys  []*vector.Type
	Impls []*agg.Impl
	Mode  string // append or complete
	// Watermark tells that rows whose session ends at or before the watermark are late
	// and, in append mode, that sessions are closed by it.
	Watermark bool
	// View is how readers of the state show the table.
	View *statestore.View
}

// layout is what the operator derives from a Config.
type layout struct {
	Config
	input  *vector.Schema
	output *vector.Schema
	evicts bool
}

func newLayout(cfg Config) (*layout, error) {
	if cfg.Mode != "append" && cfg.Mode != "complete" {
		return nil, fmt.Errorf("session: output mode %q", cfg.Mode)
	}
	l := &layout{Config: cfg, evicts: cfg.Watermark && cfg.Mode == "append"}
	var keys []vector.Field
	for i, t := range cfg.Keys {
		keys = append(keys, vector.Field{Name: fmt.Sprintf("key_%d", i), Type: t, Nullable: true})
	}
	keys = append(keys, vector.Field{Name: "start", Type: vector.Timestamp}, vector.Field{Name: "end", Type: vector.Timestamp})
	states, results := keys[:len(keys):len(keys)], keys[:len(keys):len(keys)]
	for i, im := range cfg.Impls {
		for _, f := range im.State {
			f.Name = fmt.Sprintf("agg_%d_%s", i, f.Name)
			states = append(states, f)
		}
		results = append(results, vector.Field{Name: fmt.Sprintf("agg_%d", i), Type: im.Result, Nullable: true})
	}
	l.input = vector.NewSchema(append(states, vector.Field{Name: "rows", Type: vector.Long})...)
	l.output = vector.NewSchema(results...)
	return l, nil
}

// startColumn is the input column of the start; the end is behind it.
func (l *layout) startColumn() int { return len(l.Keys) }
