// Package stream runs a query: triggers, the micro-batch loop, recovery, the
// watermark and progress.
package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Input is one streaming source or static table of a query. Relations of the plan
// carry it as their Handle; one Input read in two places is one source with one offset.
type Input struct {
	Relation string // the name that SQL uses
	Name     string // for source evolution; "" if unnamed
	Format   string
	Spec     *source.Spec
	Options  source.Options
	Schema   *vector.Schema
	Static   bool
}

// TriggerKind says when micro-batches run.
type TriggerKind uint8

const (
	ProcessingTime TriggerKind = iota // every Interval; 0: as fast as possible
	Once                              // one micro-batch
	AvailableNow                      // everything that is there at the start, then end
)

// Trigger decides when the next micro-batch starts.
type Trigger struct {
	Kind     TriggerKind
	Interval time.Duration
}

// Clock is replaced in tests.
type Clock interface {
	Now() time.Time
	// Sleep returns early when ctx is done.
	Sleep(ctx context.Context, d time.Duration)
}

// Config is everything that one run of a query needs.
type Config struct {
	Name string // the query's name in the job file; "" if it has none
	// Compile makes the physical plan; conf is the query's configuration after what the
	// checkpoint has fixed took precedence.
	Compile func(conf map[string]string) (*physical.Plan, error)
	// Inputs are the query's streaming sources in the order of the plan.
	Inputs []*Input
	// Sink is open; the Execution closes it at the end of Run.
	Sink sink.Sink
	// Late takes the rows that stateful operators drop, in the columns of exec.LostSchema; it
	// is open and closed as Sink is. Nil: nobody asks for them.
	Late       sink.Sink
	Checkpoint objstore.Store
	Mode       string // "append", "update", "complete"
	Trigger    Trigger
	// Facts describe what only the caller knows of the query, for the comparison with
	// the checkpoint: its filters, the sink's options.
	Facts    []checkpoint.Fact
	Async    *AsyncProgress // nil: every batch waits for its log entries
	Conf     map[string]string
	Kernel   *kernels.Conf
	Resolve  func(path string) string
	Clock    Clock
	Listener Listener
	Log      *slog.Logger
	// Crash is called at the named points between the steps of a micro-batch; tests
	// let it fail there. With Async or asynchronous state checkpointing, two goroutines call it. Nil in production.
	Crash func(point string) error
}

// Listener hears of a query's life. Calls come from the query's goroutine.
type Listener interface {
	Started(id, runID, name string)
	Progress(p *Progress)
	// Idle: a trigger found nothing to do.
	Idle(id, runID string, at time.Time)
	Terminated(id, runID string, err error)
}
