package stream

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
)

// settlePartitions puts the number of partitions in force into the configuration. On a
// fresh checkpoint it is what the state is asked to have, else that of the exchanges. Later it is
// what the last finished batch had; another one that is asked for takes a control batch.
func (e *Execution) settlePartitions(r *checkpoint.Recovery) error {
	asked := 0
	for _, key := range []string{internalStatePartitions, statePartitions} {
		text := e.cfg.Conf[key]
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > exec.KeyGroups {
			return condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", text, "expected", "a number from 1 to "+strconv.Itoa(exec.KeyGroups))
		}
		asked = n
	}
	if e.control = controls(r); e.control {
		e.conf[shufflePartitions] = r.Start.Conf[shufflePartitions]
	}
	switch {
	case r.Offsets != nil:
		e.moveTo = asked
	case asked > 0:
		e.conf[shufflePartitions] = strconv.Itoa(asked)
	}
	if e.conf[shufflePartitions] == "" {
		e.conf[shufflePartitions] = strconv.Itoa(runtime.GOMAXPROCS(0))
	}
	return nil
}

// controlBatches finishes a move of the state that was cut short and then makes the one
// that is asked for, if no planned batch has to be finished first.
func (e *Execution) controlBatches(ctx context.Context) error {
	if e.control {
		entry := *e.replay
		e.control, e.replay = false, nil
		if err := e.repartition(ctx, entry, true); err != nil {
			return err
		}
	}
	if e.replay != nil || e.moveTo == 0 || len(e.plan.Operators) == 0 {
		return nil
	}
	to := e.moveTo
	e.moveTo = 0
	if strconv.Itoa(to) == e.conf[shufflePartitions] {
		return nil
	}
	last, ok, err := e.dir.Offsets().Get(ctx, e.next-1)
	if err != nil || !ok {
		return err
	}
	return e.repartition(ctx, control(&last, to), false)
}

// errNoCommit refuses a move whose control batch is in the offset log. Spark tolerates a commit log that was cut,
// but the commit before the move names the state to move.
func errNoCommit(dir *checkpoint.Dir, batch int64) error {
	return condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", dir.Location(), "detail", fmt.Sprintf("the commit of batch %d is missing, so that its state cannot be moved", batch-1)).
		WithHint("restore commits/%d from a copy; or remove offsets/%d, the entry of the move, and run the query, which then runs batch %d again with its old number of partitions", batch-1, batch, batch-1)
}

// repartition runs a control batch and brings the operators up again in their new partitions.
func (e *Execution) repartition(ctx context.Context, entry checkpoint.OffsetEntry, logged bool) error {
	began := e.cfg.Clock.Now()
	e.cfg.Log.Info("moving the state to another number of partitions", "query", e.cfg.Name, "batch", e.next,
		"before", e.conf[shufflePartitions], "now", entry.Conf[shufflePartitions])
	commit, ok, err := e.dir.Commits().Get(ctx, e.next-1)
	if err != nil {
		return err
	}
	if !ok {
		return errNoCommit(e.dir, e.next)
	}
	e.maintain.Wait()
	if err := e.state.Close(); err != nil {
		return err
	}
	e.state = nil
	p := &repartition{dir: e.dir, batch: e.next, entry: entry, logged: logged, commit: commit, crash: e.crash}
	if err := p.run(ctx); err != nil {
		return err
	}
	e.conf[shufflePartitions] = entry.Conf[shufflePartitions]
	if e.plan, err = e.cfg.Compile(e.conf); err != nil {
		return err
	}
	if err := e.tables.open(ctx, e.plan); err != nil {
		return err
	}
	if e.runtime, err = exec.NewRuntime(e.plan.Graph, e.workers); err != nil {
		return err
	}
	r, err := e.dir.Recover(ctx, false)
	if err != nil {
		return err
	}
	e.next = r.Batch
	if err := e.openState(ctx, r); err != nil {
		return err
	}
	e.controlMillis += e.cfg.Clock.Now().Sub(began).Milliseconds()
	return nil
}
