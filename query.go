package vstream

import (
	"context"

	"github.com/vstream/vstream/stream"
)

// Progress is what one micro-batch did, with the fields of Spark's StreamingQueryProgress.
type Progress = stream.Progress

// Query is a running query.
type Query struct {
	s       *Session
	name    string
	run     *stream.Execution
	cleanup func()
	done    chan struct{}
}

// live runs the query to its end.
func (q *Query) live(ctx context.Context) {
	q.run.Run(ctx)
	q.cleanup()
	close(q.done)
	q.s.mu.Lock()
	defer q.s.mu.Unlock()
	q.s.ended.Broadcast()
}

// ID is the query's id; it stays the same over restarts from one checkpoint. It is ""
// until the checkpoint is open.
func (q *Query) ID() string { return q.run.ID() }

// RunID identifies this run.
func (q *Query) RunID() string { return q.run.RunID() }

// Name is the query's name, "" if it has none.
func (q *Query) Name() string { return q.name }

// Active tells whether the query has not ended.
func (q *Query) Active() bool { return q.run.Active() }

// Err is the error with which the query ended, nil while it runs.
func (q *Query) Err() error { return q.run.Err() }

// Wait waits for the end of the query and returns its error.
func (q *Query) Wait(ctx context.Context) error {
	select {
	case <-q.done:
		return q.run.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop ends the query after the micro-batch that is running and waits for that.
func (q *Query) Stop(ctx context.Context) error {
	if err := q.run.Stop(ctx); err != nil {
		return err
	}
	select {
	case <-q.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ProcessAllAvailable waits until everything that the sources had when it was
// called is processed and committed. It returns the query's error if it fails.
func (q *Query) ProcessAllAvailable(ctx context.Context) error {
	return q.run.ProcessAllAvailable(ctx)
}

// RecentProgress are the last micro-batches of this run (up to 100), oldest first.
func (q *Query) RecentProgress() []*Progress { return q.run.RecentProgress() }

// LastProgress is the last micro-batch of this run, nil before the first.
func (q *Query) LastProgress() *Progress {
	all := q.run.RecentProgress()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
