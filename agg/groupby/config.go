// Package groupby holds the operators of streaming aggregation: Partial
// aggregates the rows of one task before the exchange, Final merges them into
// the state of its partition and emits by output mode. What they do, and count,
// is what Spark's StateStoreSaveExec does.
package groupby

import (
	"fmt"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Config describes one grouping. The input of Partial has the key columns
// first, then the columns that Agg.Args and Agg.Filter name.
type Config struct {
	// Keys are flat: fixed-width, boolean, string or binary. A window is two
	// timestamp columns, start and end; other nested keys come encoded (vector.EncodeKey).
	Keys []*vector.Type
	Aggs []Agg
	Mode string // append, update or complete
	// EventTime is the key column (timestamps in microseconds) by which groups
	// are late and evicted, -1 if there is none.
	EventTime int
	// WindowEnd tells that EventTime is a window's end and the key before it its start.
	WindowEnd bool
	Conf      *kernels.Conf
	// View is how readers of the state show the table.
	View *statestore.View
}

// Agg is one aggregate of a grouping.
type Agg struct {
	Impl     *agg.Impl
	Args     []int // columns of Partial's input
	Filter   int   // boolean column of the rows that count, -1: all
	Distinct bool
}

// Bound is the aggregate with DISTINCT applied.
func (a *Agg) Bound() *agg.Impl {
	if a.Distinct {
		return agg.Distinct(a.Impl)
	}
	return a.Impl
}

// The output modes.
const (
	modeAppend   = "append"
	modeUpdate   = "update"
	modeComplete = "complete"
)

// layout is what the operators derive from a Config.
type layout struct {
	Config
	impls    []*agg.Impl    // with DISTINCT applied
	exchange *vector.Schema // of Partial's output: keys, states, number of rows
	output   *vector.Schema // of Final's output: keys, results
}

func newLayout(cfg Config) (*layout, error) {
	switch cfg.Mode {
	case modeAppend, modeUpdate, modeComplete:
	default:
		return nil, fmt.Errorf("groupby: output mode %q", cfg.Mode)
	}
	if cfg.EventTime >= len(cfg.Keys) || cfg.WindowEnd && cfg.EventTime < 1 {
		return nil, fmt.Errorf("groupby: event time column %d of %d keys", cfg.EventTime, len(cfg.Keys))
	}
	l := &layout{Config: cfg}
	var keys []vector.Field
	for i, t := range cfg.Keys {
		keys = append(keys, vector.Field{Name: fmt.Sprintf("key_%d", i), Type: t, Nullable: true})
	}
	states, results := keys[:len(keys):len(keys)], keys[:len(keys):len(keys)]
	for i, a := range cfg.Aggs {
		im := a.Bound()
		l.impls = append(l.impls, im)
		for _, f := range im.State {
			f.Name = fmt.Sprintf("agg_%d_%s", i, f.Name)
			states = append(states, f)
		}
		results = append(results, vector.Field{Name: fmt.Sprintf("agg_%d", i), Type: im.Result, Nullable: true})
	}
	l.exchange = vector.NewSchema(append(states, vector.Field{Name: "rows", Type: vector.Long})...)
	l.output = vector.NewSchema(results...)
	return l, nil
}

// evicts tells whether the watermark closes groups.
func (l *layout) evicts() bool { return l.EventTime >= 0 && l.Mode != modeComplete }
