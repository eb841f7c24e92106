package stream

import (
	"context"
	"strconv"
)

// minBatchesToRetain is the default of spark.sql.streaming.minBatchesToRetain.
const minBatchesToRetain = 100

// housekeep removes log entries that are no longer kept and lets the state store
// write snapshots, in the background, one round at a time. A failure is logged: the
// query's results do not depend on it.
func (e *Execution) housekeep(ctx context.Context) {
	if e.async != nil {
		return // the writer of the logs does it
	}
	retain := e.retain()
	if err := e.dir.Purge(ctx, retain); err != nil {
		e.cfg.Log.Warn("old log entries could not be removed", "error", err)
	}
	if e.state == nil || !e.maintaining.CompareAndSwap(false, true) {
		return
	}
	version := e.version
	e.maintain.Add(1)
	go func() {
		defer e.maintain.Done()
		defer e.maintaining.Store(false)
		if err := e.state.Maintain(context.WithoutCancel(ctx), version, e.attempt, version.N-int64(retain)); err != nil {
			e.cfg.Log.Warn("state maintenance failed; it will be tried again", "error", err)
		}
	}()
}

// retain is how many batches before the newest one stay in the logs and in the state.
func (e *Execution) retain() int {
	if n, err := strconv.Atoi(e.conf["spark.sql.streaming.minBatchesToRetain"]); err == nil && n > 0 {
		return n
	}
	return minBatchesToRetain
}

// attempt names the winning attempt of a state version, from the commit log.
func (e *Execution) attempt(n int64) (string, bool) {
	c, ok, err := e.dir.Commits().Get(context.Background(), n-1)
	if err != nil || !ok {
		return "", false
	}
	return attemptOf(&c), true
}
