package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/watermark"
)

// microBatch is the plan of one micro-batch and what it measured.
type microBatch struct {
	id      int64
	entry   checkpoint.OffsetEntry
	end     []source.Offset
	attempt string
	pair    watermark.Pair

	began  time.Time
	millis map[string]int64 // duration of each step
	rows   []int64          // input rows by source
	result *exec.Result
}

// forget clears the counters of a batch that was run again only to bring the state
// up to a sink that holds the batch already: its rows are not counted twice. (Spark does not
// run such a batch at all.)
func (m *microBatch) forget() {
	clear(m.rows)
	m.result.OutputRows, m.result.LostRows = 0, 0
	for i := range m.result.Operators {
		m.result.Operators[i].Metrics = exec.Metrics{}
	}
}

// timed measures one step.
func (m *microBatch) timed(clock Clock, step string, fn func() error) error {
	t := clock.Now()
	err := fn()
	m.millis[step] += clock.Now().Sub(t).Milliseconds()
	return err
}

// trigger runs one micro-batch if there is something to do: a planned batch to
// finish, new data, or a watermark that moved and an operator that waits for it.
func (e *Execution) trigger(ctx context.Context) (ran bool, err error) {
	if err := e.checkPending(ctx); err != nil {
		return false, err
	}
	if e.replay == nil && e.moveTo > 0 { // a move builds on a committed batch
		if err := e.awaitPending(ctx); err != nil {
			return false, err
		}
	}
	if err := e.controlBatches(ctx); err != nil {
		return false, inBatch(err, e.next)
	}
	m := &microBatch{id: e.next, attempt: uuid.NewString(), began: e.cfg.Clock.Now(), millis: map[string]int64{}, rows: make([]int64, len(e.sources))}
	if e.replay != nil {
		m.entry, e.replay, e.replayNext = *e.replay, e.replayNext, nil
		if m.end, err = endOffsets(&m.entry, len(e.sources), e.names()); err != nil {
			return false, inBatch(err, m.id)
		}
	} else {
		planned, err := e.planBatch(ctx, m)
		if err != nil {
			return false, inBatch(err, m.id)
		}
		if !planned {
			return false, nil
		}
	}
	if err := e.runBatch(ctx, m); err != nil {
		return false, inBatch(err, m.id)
	}
	return true, nil
}

func inBatch(err error, id int64) error { return condition.In(err, fmt.Sprintf("batch %d", id)) }

// planBatch asks the sources for new data and, if the batch is worthwhile, writes
// it to the offset log: from then on it will run with just these offsets.
func (e *Execution) planBatch(ctx context.Context, m *microBatch) (bool, error) {
	m.end = make([]source.Offset, len(e.sources))
	newData := false
	err := m.timed(e.cfg.Clock, "latestOffset", func() error {
		for i, s := range e.sources {
			end, err := s.Latest(ctx, e.start[i], e.cfg.Trigger.Kind == Once)
			if err != nil {
				return condition.In(err, "source "+e.cfg.Inputs[i].Relation)
			}
			m.end[i] = end
			newData = newData || end != e.start[i]
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if m.id > 0 && e.plan.Refused != nil && (newData || e.watermarkMoved()) {
		return false, e.plan.Refused
	}
	if !newData && !e.wantsNoDataBatch() {
		return false, nil
	}
	m.entry = checkpoint.OffsetEntry{Version: e.offsetVersion, WatermarkMs: e.tracker.Current(), TimestampMs: m.began.UnixMilli(), Conf: pinned(e.conf)}
	if e.asyncState {
		m.entry.Conf[asyncCheckpoint] = "true"
	}
	if m.entry.Version == 2 {
		m.entry.Sources = map[string]json.RawMessage{}
		for i, name := range e.names() {
			m.entry.Sources[name] = rawOffset(m.end[i])
		}
	} else {
		for _, o := range m.end {
			m.entry.Ordered = append(m.entry.Ordered, rawOffset(o))
		}
	}
	err = m.timed(e.cfg.Clock, "walCommit", func() error {
		if e.async != nil {
			return e.async.plan(ctx, m.id, m.entry)
		}
		return e.dir.Offsets().Add(ctx, m.id, m.entry)
	})
	if err != nil {
		return false, err
	}
	return true, e.crash("after-offset-log")
}

// watermarkMoved tells whether the last batch of this run moved the watermark, so that
// there may be something to do without new data.
func (e *Execution) watermarkMoved() bool {
	return e.ran && e.conf["spark.sql.streaming.noDataMicroBatches.enabled"] != "false" && e.tracker.Current() > e.ranWM
}

// wantsNoDataBatch: the watermark moved and an operator has rows to emit or remove for it.
func (e *Execution) wantsNoDataBatch() bool {
	if !e.watermarkMoved() {
		return false
	}
	for _, op := range e.plan.Operators {
		if op.FollowsWatermark {
			return true
		}
	}
	return false
}

func rawOffset(o source.Offset) json.RawMessage {
	if o == "" {
		return nil
	}
	return json.RawMessage(o)
}

// runBatch runs a batch that is in the offset log: state, sink, commit log, in this order. With
// asynchronous state checkpointing state and sink are written at the same time, and the next batch
// begins before the entry in the commit log is written, but its sink waits for that.
func (e *Execution) runBatch(ctx context.Context, m *microBatch) error {
	m.pair = watermark.Pair{Late: e.prevWM, Evict: m.entry.WatermarkMs, Set: e.tracker.Defined()}
	if strings.EqualFold(e.conf["spark.sql.streaming.statefulOperator.allowMultiple"], "false") {
		m.pair.Late = m.pair.Evict // one watermark for all, as in Spark before 3.5
	}
	if err := m.timed(e.cfg.Clock, "addBatch", func() error { return e.addBatch(ctx, m) }); err != nil {
		e.stateAbort(m)
		e.dropPending(m)
		return err
	}
	if err := m.timed(e.cfg.Clock, "commitOffsets", func() error { return e.commitBatch(ctx, m) }); err != nil {
		return err
	}
	e.finish(ctx, m)
	return nil
}

// addBatch computes the batch, makes the new state durable under the attempt's id, or begins to,
// and then commits the sink. Until the commit log names the attempt, a rerun of the batch
// starts from the state before it.
func (e *Execution) addBatch(ctx context.Context, m *microBatch) error {
	kernel := func(partition int) *kernels.Ctx { return e.kernelContext(m, partition) }
	var scans [][]exec.ScanTask
	err := m.timed(e.cfg.Clock, "getBatch", func() (err error) {
		if err := e.tables.fill(ctx, e.plan, kernel); err != nil {
			return err
		}
		scans, err = e.scanTasks(ctx, m, kernel)
		return err
	})
	if err != nil {
		return err
	}
	w, done, err := e.cfg.Sink.Begin(ctx, sink.BatchInfo{QueryID: e.id, BatchID: m.id, Schema: e.plan.Output, Mode: e.cfg.Mode, Reused: e.async != nil})
	if err != nil {
		return err
	}
	if done && len(e.plan.Operators) == 0 && !e.tracker.Defined() {
		m.result = &exec.Result{} // nothing but the sink's content depends on the rows
		return nil
	}
	out := newOutput(ctx, w, done)
	late, err := e.beginLate(ctx, m)
	if err != nil {
		out.abort(ctx)
		return err
	}
	b := &exec.Batch{ID: m.id, Watermark: e.watermarks(m), Kernel: kernel, Scans: scans, Sink: out.open}
	if late != nil {
		b.Late = late.open
	}
	m.result, err = e.runtime.Run(ctx, b)
	if err == nil {
		err = e.crash("after-compute")
	}
	if err == nil {
		err = e.saveState(ctx, m)
	}
	if err == nil {
		if done {
			m.forget()
		}
		err = e.commitSinks(ctx, out, late)
	}
	if err != nil {
		out.abort(context.WithoutCancel(ctx))
		late.abort(context.WithoutCancel(ctx))
		return err
	}
	return e.crash("after-sink-commit")
}

func (e *Execution) kernelContext(m *microBatch, partition int) *kernels.Ctx {
	return &kernels.Ctx{BatchTimeMicros: m.entry.TimestampMs * 1000, Zone: e.cfg.Kernel.Zone, ANSI: e.cfg.Kernel.ANSI, Partition: partition, Conf: e.conf}
}

// saveState encodes what each stateful operator changed and makes all of it durable with one
// write; with asynchronous state checkpointing, it only begins to, when the batch before is committed.
func (e *Execution) saveState(ctx context.Context, m *microBatch) error {
	base := e.version
	write := func(ctx context.Context) error {
		if len(e.plan.Operators) > 0 {
			if err := e.state.Commit(ctx, m.id+1, m.attempt, base); err != nil {
				return err
			}
		}
		return e.crash("after-state-commit")
	}
	if err := e.stageState(ctx, m); err != nil {
		return err
	}
	if !e.asyncState {
		return write(ctx)
	}
	if err := m.timed(e.cfg.Clock, "asyncCheckpointWait", func() error { return e.awaitPending(ctx) }); err != nil {
		return err
	}
	e.startPending(ctx, m, write)
	return nil
}

// stageState hands what each stateful operator changed to the state store.
func (e *Execution) stageState(ctx context.Context, m *microBatch) error {
	var g errgroup.Group
	g.SetLimit(e.workers)
	err := e.runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		g.Go(func() error {
			return s.Commit(func(store string, c *statestore.Changes) error {
				return e.state.Stage(ctx, statestore.ID{Operator: op, Partition: partition, Name: store}, m.id+1, m.attempt, c)
			})
		})
		return nil
	})
	if werr := g.Wait(); err == nil {
		err = werr
	}
	return err
}

func (e *Execution) stateAbort(m *microBatch) {
	if e.state != nil {
		e.state.Abort(m.id+1, m.attempt)
	}
}

// commitBatch closes the batch in the commit log, or lets that be done when its state is durable.
func (e *Execution) commitBatch(ctx context.Context, m *microBatch) error {
	tops := map[int]int64{}
	for node, s := range m.result.EventTime {
		tops[node] = s.Max
	}
	c := checkpoint.CommitEntry{Version: 1, NextWatermarkMs: e.tracker.Advance(tops)}
	if len(e.plan.Operators) > 0 {
		c.Version, c.StateIDs = 2, e.stateIDs(m.attempt)
	}
	var err error
	switch {
	case e.pending != nil:
		e.pending.entry <- &c
		return nil
	case e.async != nil:
		err = e.async.commit(ctx, m, c)
	default:
		err = e.dir.Commits().Add(ctx, m.id, c)
	}
	if err != nil {
		return err
	}
	return e.crash("after-commit-log")
}

// stateIDs names the attempt for every operator, partition and store, as Spark's commit log does.
func (e *Execution) stateIDs(attempt string) map[int64][][]string {
	ids := map[int64][][]string{}
	e.runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		stores := make([]string, len(s.Stores()))
		for i := range stores {
			stores[i] = attempt
		}
		ids[int64(op)] = append(ids[int64(op)], stores)
		return nil
	})
	return ids
}

// finish moves the query behind the batch.
func (e *Execution) finish(ctx context.Context, m *microBatch) {
	e.report(m)
	e.start = m.end
	e.next++
	e.prevWM, e.ranWM, e.ran = m.entry.WatermarkMs, m.entry.WatermarkMs, true
	e.idleSince = time.Time{}
	if len(e.plan.Operators) > 0 {
		e.version = statestore.Version{N: m.id + 1, Attempt: m.attempt}
	}
	if e.pending == nil {
		e.committedBatch(ctx, m)
	}
}

// committedBatch does what may be done once no restart runs the batch again. The query has not
// moved behind the next batch.
func (e *Execution) committedBatch(ctx context.Context, m *microBatch) {
	end := m.end
	if e.async != nil {
		end = e.async.processed()
	}
	e.commitSources(ctx, end)
	e.housekeep(ctx)
}

// commitSources tells the sources up to where no restart reads again; nil: no news.
func (e *Execution) commitSources(ctx context.Context, end []source.Offset) {
	for i, s := range e.sources {
		if end == nil || end[i] == e.committed[i] {
			continue
		}
		e.committed[i] = end[i]
		if err := s.Commit(ctx, end[i]); err != nil {
			e.cfg.Log.Warn("source could not note the commit", "source", e.cfg.Inputs[i].Relation, "error", err)
		}
	}
}
