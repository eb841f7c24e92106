package stream

import (
	"context"
	"fmt"
	"reflect"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
)

// spec describes this query for the comparison on the next restart.
func (e *Execution) spec() checkpoint.Spec {
	s := checkpoint.Spec{ID: e.id, Facts: append(sourceFacts(e.cfg.Inputs, e.cfg.Resolve), e.queryFacts()...)}
	for _, in := range e.cfg.Inputs {
		if in.Name != "" {
			s.Sources = append(s.Sources, in.Name)
		}
	}
	return s
}

// checkSpec refuses a restart that would go on with state or output of another
// meaning, which Spark does not notice, and notes what the query is now.
func (e *Execution) checkSpec(ctx context.Context, r *checkpoint.Recovery) error {
	if err := e.checkLate(); err != nil {
		return err
	}
	now := e.spec()
	before, ok, err := e.readSpec(ctx)
	if err != nil {
		return err
	}
	if ok && r.Offsets != nil {
		changes := checkpoint.Compare(before, now)
		for _, c := range changes {
			if c.Verdict == checkpoint.Refused {
				return c.Refusal()
			}
		}
		for _, c := range changes {
			e.cfg.Log.Info("the query has changed since its last run", "query", e.cfg.Name, "what", c.What(), "before", c.Before, "now", c.Now, "effect", c.Why)
		}
	}
	now.Removed = checkpoint.RemovedSources(before, now)
	if err := e.startSinks(ctx, r, before, ok); err != nil {
		return err
	}
	if err := e.eachTable(func(id statestore.ID, s statestore.Schema) error { return e.registry().SetOrder(ctx, id, s) }); err != nil {
		return err
	}
	if ok && reflect.DeepEqual(before, withoutLabels(now)) {
		return nil
	}
	return e.dir.WriteSpec(ctx, now)
}

// readSpec reads what the query was, and makes sure that it was this query.
func (e *Execution) readSpec(ctx context.Context) (checkpoint.Spec, bool, error) {
	before, ok, err := e.dir.ReadSpec(ctx)
	if err == nil && ok && before.ID != "" && before.ID != e.id {
		err = condition.New("VSTREAM_CHECKPOINT_OF_ANOTHER_QUERY", "checkpoint", e.dir.Location(),
			"detail", fmt.Sprintf("its metadata names query %s, but query %s wrote it", e.id, before.ID)).
			WithHint("restore the metadata file of this checkpoint, or start with a new one")
	}
	return before, ok, err
}

// withoutLabels is a spec as it is read back.
func withoutLabels(s checkpoint.Spec) checkpoint.Spec {
	facts := make([]checkpoint.Fact, len(s.Facts))
	for i, f := range s.Facts {
		f.Label = ""
		facts[i] = f
	}
	s.Facts = facts
	return s
}
