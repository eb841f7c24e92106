package stream

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
)

// AsyncProgress lets the micro-batches of a query without state run ahead of its logs
// (Spark's asynchronous progress tracking). After a failure everything behind the newest
// logged batch is processed again, in one batch or several: at least once, under batch ids
// that may have been used for other rows.
type AsyncProgress struct {
	// Interval is the least time between two batches that are logged; the first batch of a
	// run is logged in any case. 0 or less: every batch is.
	Interval time.Duration
	// DrainOnStop completes the logs when the query stops in order, so that it can
	// go on without asynchronous progress tracking.
	DrainOnStop bool
}

// ErrAsyncUnsupported is the error for what asynchronous progress tracking cannot be
// used with.
func ErrAsyncUnsupported(what string) error {
	return condition.New("VSTREAM_ASYNC_PROGRESS_UNSUPPORTED", "what", what).
		WithHint("set asyncProgressTrackingEnabled to false")
}

// pendingWrites is how many log entries may wait for the writer, as in Spark: those of one
// batch. A batch that has more to log waits.
const pendingWrites = 2

// asyncLogs writes the offset log and the commit log in order, in a goroutine of its
// own. Its methods are called by the query's goroutine only.
type asyncLogs struct {
	cfg   AsyncProgress
	dir   *checkpoint.Dir
	clock Clock
	crash func(point string) error
	purge func(ctx context.Context) error

	// What the query's goroutine knows.
	issued   int64                   // newest batch whose offsets went to the writer in this run, -1
	issuedAt time.Time               // when that was
	ran      bool                    // a batch was finished in this run
	position *checkpoint.OffsetEntry // where the next batch starts, nil: at the beginning
	newest   finishedBatch           // the newest one, id -1 before the first
	waiting  []batchEnd              // batches whose commits went to the writer, oldest first

	writes  chan func() error
	durable atomic.Int64  // newest batch whose commit the writer has written, -1
	broken  chan struct{} // closed by the writer when a write has failed with err
	ended   chan struct{} // closed by the writer at its end
	err     error         // to be read after broken or ended
}

// finishedBatch is what the logs have to say of a batch.
type finishedBatch struct {
	id      int64
	start   *checkpoint.OffsetEntry // entry of the batch before, nil if it is not known
	end     []source.Offset         // nil: the batch is of an earlier run
	offsets *checkpoint.OffsetEntry
	commit  *checkpoint.CommitEntry
}

type batchEnd struct {
	id  int64
	end []source.Offset
}

// openAsync starts the writer where the logs end.
func (e *Execution) openAsync(r *checkpoint.Recovery) {
	l := &asyncLogs{
		cfg: *e.cfg.Async, dir: e.dir, clock: e.cfg.Clock, crash: e.crash,
		purge:  func(ctx context.Context) error { return e.dir.Purge(ctx, e.retain()) },
		issued: -1, position: r.Start, newest: finishedBatch{id: -1},
		writes: make(chan func() error, pendingWrites), broken: make(chan struct{}), ended: make(chan struct{}),
	}
	if !r.Replay && r.Offsets != nil {
		l.newest = finishedBatch{id: r.Batch - 1, offsets: r.Offsets, commit: r.Commit}
	}
	l.durable.Store(-1)
	e.async = l
	go l.write()
}

// write is the writer's goroutine. After a failure it drops what is left: the logs must not
// go on behind an entry that is missing.
func (l *asyncLogs) write() {
	defer close(l.ended)
	for w := range l.writes {
		if l.err != nil {
			continue
		}
		if l.err = w(); l.err != nil {
			close(l.broken)
		}
	}
}

// send hands a write to the writer and waits while the queue is full. The error is
// that of an earlier write, or of ctx.
func (l *asyncLogs) send(ctx context.Context, w func() error) error {
	select {
	case <-l.broken:
		return l.err
	default:
	}
	select {
	case l.writes <- w:
		return nil
	case <-l.broken:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plan logs the offsets of a batch if the interval has passed. A write that has begun is
// not cancelled with ctx.
func (l *asyncLogs) plan(ctx context.Context, id int64, entry checkpoint.OffsetEntry) error {
	now := l.clock.Now()
	if l.issued >= 0 && now.Sub(l.issuedAt) < l.cfg.Interval {
		return nil
	}
	l.issued, l.issuedAt = id, now
	return l.send(ctx, func() error {
		if err := l.dir.Offsets().Add(context.WithoutCancel(ctx), id, entry); err != nil {
			return err
		}
		return l.crash("after-async-offset-log")
	})
}

// commit logs that a batch is done if its offsets are logged, and for the first batch of
// a run: its offsets may be in the log from the run before.
func (l *asyncLogs) commit(ctx context.Context, m *microBatch, entry checkpoint.CommitEntry) error {
	id, logged := m.id, l.issued == m.id || !l.ran
	l.newest = finishedBatch{id: id, start: l.position, end: m.end, offsets: &m.entry, commit: &entry}
	l.position, l.ran = &m.entry, true
	if !logged {
		return nil
	}
	l.waiting = append(l.waiting, batchEnd{id, m.end})
	background := context.WithoutCancel(ctx)
	return l.send(ctx, func() error {
		if err := l.dir.Commits().Add(background, id, entry); err != nil {
			return err
		}
		if err := l.crash("after-async-commit-log"); err != nil {
			return err
		}
		l.durable.Store(id)
		return l.purge(background)
	})
}

// processed are the ends of the newest batch that no restart runs again; nil: no news.
func (l *asyncLogs) processed() (end []source.Offset) {
	durable := l.durable.Load()
	for len(l.waiting) > 0 && l.waiting[0].id <= durable {
		end, l.waiting = l.waiting[0].end, l.waiting[1:]
	}
	if l.newest.id == durable && l.newest.end != nil {
		end = l.newest.end
	}
	return end
}

// close lets the writer finish. If the query stopped in order, the logs are
// completed as DrainOnStop says.
func (l *asyncLogs) close(ctx context.Context, inOrder bool) error {
	close(l.writes)
	<-l.ended
	if l.err != nil || !inOrder || !l.cfg.DrainOnStop || l.newest.id < 0 {
		return l.err
	}
	if err := l.complete(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	l.durable.Store(l.newest.id)
	return nil
}

// complete writes what a restart without asynchronous progress tracking needs: the offsets
// of the newest batch and of the one before, which end where the newest begins, and the
// newest commit. Each prefix of these writes is a state that a crash may leave, too.
func (l *asyncLogs) complete(ctx context.Context) error {
	n := l.newest
	if n.id > 0 {
		if n.start == nil {
			start, err := l.newestBelow(ctx, n.id)
			if err != nil {
				return err
			}
			n.start = start
		}
		if n.start != nil {
			if err := addMissing(ctx, l.dir.Offsets(), n.id-1, *n.start); err != nil {
				return err
			}
		}
	}
	if err := addMissing(ctx, l.dir.Offsets(), n.id, *n.offsets); err != nil {
		return err
	}
	return addMissing(ctx, l.dir.Commits(), n.id, *n.commit)
}

// newestBelow is the newest entry of the offset log before a batch, nil if there is none.
func (l *asyncLogs) newestBelow(ctx context.Context, id int64) (*checkpoint.OffsetEntry, error) {
	batches, err := l.dir.Offsets().Batches(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(batches) - 1; i >= 0; i-- {
		if batches[i] < id {
			entry, _, err := l.dir.Offsets().Get(ctx, batches[i])
			return &entry, err
		}
	}
	return nil, nil
}

func addMissing[E any](ctx context.Context, log checkpoint.Log[E], id int64, entry E) error {
	if _, there, err := log.Get(ctx, id); there || err != nil {
		return err
	}
	return log.Add(ctx, id, entry)
}
