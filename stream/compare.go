package stream

import (
	"context"
	"errors"
	"strings"

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
	if err := e.checkVolatile(ctx, e.dir); err != nil {
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
	var err error
	if e.runtime, err = exec.NewRuntime(e.plan.Graph, 1); err != nil {
		return err
	}
	return e.eachTable(func(id statestore.ID, s statestore.Schema) error { return e.registry().Compare(ctx, id, s) })
}

func (e *Execution) registry() *statestore.Registry {
	return statestore.NewRegistry(e.dir.State(), e.conf)
}

// eachTable calls fn for the state tables of the first partition.
func (e *Execution) eachTable(fn func(id statestore.ID, s statestore.Schema) error) error {
	return e.runtime.Stateful(func(op, partition int, s exec.Stateful) error {
		if partition > 0 {
			return nil
		}
		for _, st := range s.Stores() {
			if err := fn(statestore.ID{Operator: op, Name: st.Name}, st.Schema); err != nil {
				return err
			}
		}
		return nil
	})
}

// explain adds to an error that ends a restart what has changed, why that matters and what can be done. The
// conditions that Spark has for it tell of columns and classes only.
func (e *Execution) explain(ctx context.Context, err error) error {
	c, ok := checkpoint.RefusalOf(err)
	if !ok {
		return err
	}
	known := *condition.As(err)
	if known.Hint != "" {
		return err
	}
	hint := c.Why + " " + c.Do
	if before, there, rerr := e.readSpec(ctx); rerr == nil && there && e.plan != nil {
		hint = checkpoint.Describe(checkpoint.Compare(before, e.spec())) + hint
	}
	return known.WithHint("%s", strings.TrimSpace(hint))
}

// checkVolatile refuses a query that has run before and whose sink's rows ended with the process, as Spark does.
func (e *Execution) checkVolatile(ctx context.Context, dir *checkpoint.Dir) error {
	s, ok := e.cfg.Sink.(sink.Volatile)
	if !ok || s.Recovers(e.cfg.Mode) {
		return nil
	}
	batches, err := dir.Offsets().Batches(ctx)
	if err == nil && len(batches) > 0 {
		err = condition.New("_LEGACY_ERROR_TEMP_1299", "checkpointPath", dir.Location()+"/offsets")
	}
	return err
}

// startSinks lets the sinks refuse what does not go with the checkpoint. Nothing is written.
func (e *Execution) startSinks(ctx context.Context, r *checkpoint.Recovery, before checkpoint.Spec, known bool) error {
	if s, starts := e.cfg.Sink.(sink.Starter); starts {
		// A checkpoint without a spec is one that Spark began.
		at := sink.Resumption{Next: r.Batch, Continued: known && sameSink(before, e.sinkFacts()), Planned: !known && r.Replay}
		if err := s.Start(ctx, e.id, at); err != nil {
			return err
		}
	}
	if s, starts := e.cfg.Late.(sink.Starter); starts {
		was, _ := before.Value("late.sink", "")
		if err := s.Start(ctx, e.id, sink.Resumption{Next: r.Batch, Continued: was == e.cfg.Late.Describe()}); err != nil {
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
