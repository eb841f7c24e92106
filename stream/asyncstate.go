package stream

import (
	"context"
	"errors"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
)

// Asynchronous state checkpointing, by its short name and by that of Databricks. An entry of the
// offset log that says so may have been written before the commit of the batch before.
const (
	asyncCheckpoint           = checkpoint.AsyncState
	databricksAsyncCheckpoint = "spark.databricks.streaming.statefulOperator.asyncCheckpoint.enabled"
)

// asyncState tells whether the state of a batch becomes durable while the next one is computed.
func asyncState(conf map[string]string) (on bool, err error) {
	set := ""
	for _, key := range []string{asyncCheckpoint, databricksAsyncCheckpoint} {
		value := strings.ToLower(conf[key])
		switch {
		case value == "":
			continue
		case value != "true" && value != "false":
			return false, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", conf[key], "expected", "true or false")
		case set != "" && value != set:
			return false, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", value, "expected", set+", as "+asyncCheckpoint+" says, which is the same setting")
		}
		set = value
	}
	return set == "true", nil
}

// pendingBatch is a batch whose state is being made durable while the query goes on. What it does,
// it does in this order: write the state, wait until the sink has the batch, write the commit entry.
type pendingBatch struct {
	m *microBatch
	// entry is what the commit log is to say once the sink has the batch; nil: the batch failed
	// and is not to be committed.
	entry chan *checkpoint.CommitEntry
	ended chan struct{} // closed at the end, when err and committed may be read

	committed bool
	err       error
}

// startPending begins to make the state of a batch durable. The batch before must have ended.
func (e *Execution) startPending(ctx context.Context, m *microBatch, write func(context.Context) error) {
	p := &pendingBatch{m: m, entry: make(chan *checkpoint.CommitEntry, 1), ended: make(chan struct{})}
	e.pending = p
	go func() {
		defer close(p.ended)
		if p.err = p.run(ctx, e, write); p.err != nil {
			e.cancel() // what is computed now builds on a state that will never be
		}
	}()
}

func (p *pendingBatch) run(ctx context.Context, e *Execution, write func(context.Context) error) error {
	if err := write(ctx); err != nil {
		return err
	}
	entry := <-p.entry
	if entry == nil {
		return nil
	}
	if err := e.dir.Commits().Add(ctx, p.m.id, *entry); err != nil {
		return err
	}
	p.committed = true
	return e.crash("after-commit-log")
}

// dropPending lets a batch that has failed end without a commit.
func (e *Execution) dropPending(m *microBatch) {
	if e.pending != nil && e.pending.m == m {
		e.pending.entry <- nil
	}
}

// awaitPending waits until the batch before is committed, and gives its error if that failed.
func (e *Execution) awaitPending(ctx context.Context) error {
	p := e.pending
	if p == nil {
		return nil
	}
	<-p.ended
	if p.err != nil {
		return p.err
	}
	e.pending = nil
	if p.committed && ctx.Err() == nil {
		e.committedBatch(ctx, p.m)
	}
	return nil
}

// checkPending is awaitPending if that need not wait.
func (e *Execution) checkPending(ctx context.Context) error {
	if e.pending == nil {
		return nil
	}
	select {
	case <-e.pending.ended:
		return e.awaitPending(ctx)
	default:
		return nil
	}
}

// drain ends the background work of a run that ended with err. If that fails, it is of an earlier
// batch than what err tells of, which may have failed only because of it.
func (e *Execution) drain(ctx context.Context, err error) error {
	p := e.pending
	perr := e.awaitPending(ctx)
	if perr == nil {
		return err
	}
	if err != nil && !errors.Is(err, perr) && !errors.Is(err, context.Canceled) && !errors.Is(err, errStopped) {
		e.cfg.Log.Warn("a later batch failed too", "query", e.cfg.Name, "error", err)
	}
	return inBatch(perr, p.m.id)
}
