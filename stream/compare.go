package stream

import (
	"context"
	"errors"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/statestore"
)

// Comparison is what a restart of a query would meet.
type Comparison struct {
	// Fresh: nothing has run on the checkpoint yet.
	Fresh bool
	// Batch is where the query goes on; Replay: that batch has been planned and is run again.
	Batch  int64
	Replay bool
	// Changes since the last run, the refused ones included.
	Changes []checkpoint.Change
}

// Refused tells whether the query would not start.
func (c *Comparison) Refused() bool {
	for _, x := range c.Changes {
		if x.Verdict == checkpoint.Refused {
			return true
		}
	}
	return false
}

// Compare tells what Run would say to the query's checkpoint, without running or writing
// anything, and whether a query runs on it or not. An error is one that no rule about restarts is
// about. It is for an Execution that is not run; the caller closes the sinks.
func (e *Execution) Compare(ctx context.Context) (*Comparison, error) {
	dir, err := checkpoint.OpenReadOnly(ctx, e.cfg.Checkpoint)
	if errors.Is(err, condition.Name("PATH_NOT_FOUND")) {
		return &Comparison{Fresh: true}, nil
	}
	out := &Comparison{}
	if err == nil {
		e.dir, e.id = dir, dir.ID()
		err = e.compare(ctx, out)
	}
	if c, ok := checkpoint.RefusalOf(err); ok {
		out.Changes, err = append(out.Changes, c), nil
	}
	return out, err
}

// compare goes the way of open as far as that only reads.
func (e *Execution) compare(ctx context.Context, out *Comparison) error {
	r, err := e.dir.Recover(ctx, e.cfg.Async != nil)
	if err != nil {
		return err
	}
	out.Batch, out.Replay, out.Fresh = r.Batch, r.Replay, r.Offsets == nil
	out.Changes = e.settle(r)
	if err := e.settlePartitions(r); err != nil {
		return err
	}
	if err := e.settleOffsets(r); err != nil {
		return err
	}
	if e.plan, err = e.cfg.Compile(e.conf); err != nil {
		return err
	}
	before, ok, err := e.readSpec(ctx)
	if err != nil {
		return err
	}
	if ok && r.Offsets != nil {
		out.Changes = append(out.Changes, checkpoint.Compare(before, e.spec())...)
	}
	if out.Refused() {
		return nil
	}
	if r.Start != nil {
		if _, err := endOffsets(r.Start, len(e.cfg.Inputs), e.names()); err != nil {
			return err
		}
	}
	if err := e.comparePaths(ctx); err != nil {
		return err
	}
	if err := e.compareState(ctx, r); err != nil {
		return err
	}
	return e.startSinks(ctx, r, before, ok)
}

// comparePaths opens the sources that read folders: their own logs tell what they have read.
func (e *Execution) comparePaths(ctx context.Context) error {
	for i, in := range e.cfg.Inputs {
		if _, ok := in.Options.Get("path"); !ok {
			continue
		}
		s, err := e.openSource(ctx, i)
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// compareState compares the operators and the columns of their tables.
func (e *Execution) compareState(ctx context.Context, r *checkpoint.Recovery) error {
	if _, err := e.dir.CheckOperators(ctx, r, e.operatorInfos()); err != nil || len(e.plan.Operators) == 0 {
		return err
	}
	runtime, err := exec.NewRuntime(e.plan.Graph, 1)
	if err != nil {
		return err
	}
	registry := statestore.NewRegistry(e.dir.State(), e.conf)
	return runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		if partition > 0 {
			return nil
		}
		for _, st := range s.Stores() {
			if err := registry.Compare(ctx, statestore.ID{Operator: op, Name: st.Name}, st.Schema); err != nil {
				return err
			}
		}
		return nil
	})
}

// startSinks lets the sinks refuse what does not go with the checkpoint. Nothing is written.
func (e *Execution) startSinks(ctx context.Context, r *checkpoint.Recovery, before checkpoint.Spec, known bool) error {
	if s, starts := e.cfg.Sink.(sink.Starter); starts {
		if err := s.Start(ctx, e.id, r.Batch, known && sameSink(before, e.sinkFacts())); err != nil {
			return err
		}
	}
	if s, starts := e.cfg.Late.(sink.Starter); starts {
		was, _ := before.Value("late.sink", "")
		if err := s.Start(ctx, e.id, r.Batch, was == e.cfg.Late.Describe()); err != nil {
			return condition.In(err, "late sink")
		}
	}
	return nil
}

// sameSink tells whether the batches before went to the sink of these facts, too.
func sameSink(before checkpoint.Spec, sink []checkpoint.Fact) bool {
	for _, f := range sink {
		if old, known := before.Value(f.Key, f.Subject); f.Key != "late.sink" && (!known || old != f.Value) {
			return false
		}
	}
	return true
}
