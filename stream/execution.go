package stream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/watermark"

	"github.com/vstream/vstream/checkpoint"
)

// Execution is one run of a query, from start to end. It is one goroutine, Run;
// the other methods may be called from anywhere.
type Execution struct {
	cfg   Config
	runID string

	// What Run opened; touched by its goroutine only.
	dir           *checkpoint.Dir
	async         *asyncLogs // nil without asynchronous progress tracking
	conf          map[string]string
	plan          *physical.Plan
	runtime       *exec.Runtime
	sources       []source.Source
	tables        *tables
	state         statestore.Store
	tracker       *watermark.Tracker
	workers       int
	offsetVersion int // of the offset log

	// Where the query stands.
	next        int64           // batch to run next
	start       []source.Offset // position of each source before it
	committed   []source.Offset // position of each source up to which no restart reads again
	replay      *checkpoint.OffsetEntry
	replayNext  *checkpoint.OffsetEntry // to be replayed after it
	prevWM      int64                   // watermark of the batch before: rows are late against it
	ranWM       int64                   // watermark of the last batch that ran in this run
	ran         bool                    // a batch ran in this run
	version     statestore.Version      // state before the next batch
	maintain    sync.WaitGroup
	maintaining atomic.Bool
	asyncState  bool               // asynchronous state checkpointing
	pending     *pendingBatch      // with it: the newest batch, until it is committed
	cancel      context.CancelFunc // ends the run
	idleSince   time.Time

	// Moves of the state to other partitions.
	control       bool  // the batch to be replayed is one
	moveTo        int   // the partitions to move to when no planned batch is left; 0: stay
	controlMillis int64 // what moves took since the last progress

	mu       sync.Mutex
	changed  *sync.Cond
	id       string
	progress []*Progress
	idle     int64 // number of triggers that found nothing to do
	stopping bool
	ended    bool
	err      error
	wake     context.CancelFunc
}

// New prepares a run. Nothing is opened before Run.
func New(cfg Config) *Execution {
	if cfg.Clock == nil {
		cfg.Clock = systemClock{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	e := &Execution{cfg: cfg, runID: uuid.NewString()}
	e.changed = sync.NewCond(&e.mu)
	return e
}

// Run runs the query until its trigger ends, Stop is called, ctx is done or it
// fails. After a failure or a cancelled ctx nothing half-written is visible, and a new
// Execution on the same checkpoint goes on from there.
func (e *Execution) Run(ctx context.Context) error {
	err := e.run(ctx)
	if err != nil && !errors.Is(err, errStopped) {
		where := "query " + e.cfg.Name
		if e.cfg.Name == "" {
			where = "query " + e.ID()
		}
		err = condition.In(err, where)
	} else {
		err = nil
	}
	e.mu.Lock()
	e.ended, e.err = true, err
	e.changed.Broadcast()
	e.mu.Unlock()
	if e.cfg.Listener != nil {
		e.cfg.Listener.Terminated(e.ID(), e.runID, err)
	}
	return err
}

var errStopped = errors.New("stopped")

func (e *Execution) run(ctx context.Context) (err error) {
	ctx, e.cancel = context.WithCancel(ctx)
	defer e.cancel()
	defer func() {
		if cerr := e.close(); err == nil {
			err = cerr
		}
	}()
	if err := e.open(ctx); err != nil {
		return err
	}
	if e.cfg.Listener != nil {
		e.cfg.Listener.Started(e.ID(), e.runID, e.cfg.Name)
	}
	err = e.drain(ctx, e.loop(ctx))
	if e.async != nil {
		inOrder := err == nil || errors.Is(err, errStopped)
		if lerr := e.async.close(ctx, inOrder); lerr != nil && inOrder {
			return lerr
		}
		e.commitSources(ctx, e.async.processed())
	}
	return err
}

// loop runs micro-batches as the trigger says.
func (e *Execution) loop(ctx context.Context) error {
	for {
		began := e.cfg.Clock.Now()
		ran, err := e.trigger(ctx)
		if err != nil {
			return err
		}
		if e.stopRequested() {
			return nil
		}
		switch e.cfg.Trigger.Kind {
		case Once:
			return nil
		case AvailableNow:
			if !ran {
				return nil
			}
			continue
		}
		if !ran && e.pending == nil {
			e.noteIdle()
		}
		if err := e.pause(ctx, began, ran); err != nil {
			return err
		}
	}
}

// pollingDelay is spark.sql.streaming.pollingDelay: how long a query without an
// interval waits before it asks its sources again.
const pollingDelay = 10 * time.Millisecond

func (e *Execution) pause(ctx context.Context, began time.Time, ran bool) error {
	wait := pollingDelay
	if iv := e.cfg.Trigger.Interval; iv > 0 {
		now := e.cfg.Clock.Now()
		wait = began.Truncate(iv).Add(iv).Sub(now)
	} else if ran {
		return ctx.Err()
	}
	if wait > 0 {
		sleep, cancel := context.WithCancel(ctx)
		e.mu.Lock()
		e.wake = cancel
		stop := e.stopping
		e.mu.Unlock()
		if !stop {
			e.cfg.Clock.Sleep(sleep, wait)
		}
		cancel()
	}
	if e.stopRequested() {
		return errStopped
	}
	return ctx.Err()
}

func (e *Execution) stopRequested() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stopping
}

// Stop asks the query to end after the micro-batch that is running, and waits for
// it or for ctx.
func (e *Execution) Stop(ctx context.Context) error {
	e.mu.Lock()
	e.stopping = true
	if e.wake != nil {
		e.wake()
	}
	e.mu.Unlock()
	return e.wait(ctx, func() bool { return e.ended })
}

// Wait waits for the end of the query and returns its error.
func (e *Execution) Wait(ctx context.Context) error {
	if err := e.wait(ctx, func() bool { return e.ended }); err != nil {
		return err
	}
	return e.Err()
}

// ProcessAllAvailable waits until the query has processed everything that was
// available when it was called: until a trigger that began afterwards found nothing to do.
func (e *Execution) ProcessAllAvailable(ctx context.Context) error {
	e.mu.Lock()
	from := e.idle
	if e.wake != nil && e.cfg.Trigger.Interval == 0 {
		e.wake()
	}
	e.mu.Unlock()
	// The trigger that is running may have looked at the sources before the call.
	if err := e.wait(ctx, func() bool { return e.ended || e.idle >= from+2 }); err != nil {
		return err
	}
	return e.Err()
}

func (e *Execution) wait(ctx context.Context, until func() bool) error {
	defer context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !until() {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.changed.Wait()
	}
	return nil
}

// Err is the query's error once it has ended.
func (e *Execution) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Active tells whether the query has not ended.
func (e *Execution) Active() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.ended
}

// ID is the query's id, kept in the checkpoint; "" before the checkpoint is open.
func (e *Execution) ID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.id
}

// RunID identifies this run.
func (e *Execution) RunID() string { return e.runID }

func (e *Execution) noteIdle() {
	e.mu.Lock()
	e.idle++
	e.changed.Broadcast()
	e.mu.Unlock()
	if e.cfg.Listener != nil && e.idleSince.IsZero() {
		e.idleSince = e.cfg.Clock.Now()
		e.cfg.Listener.Idle(e.ID(), e.runID, e.idleSince)
	}
}

// crash is a named point between two steps of a micro-batch.
func (e *Execution) crash(point string) error {
	if e.cfg.Crash == nil {
		return nil
	}
	return e.cfg.Crash(point)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
