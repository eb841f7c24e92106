package stream

import (
	"context"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sink"
)

// spec describes this query for the comparison on the next restart.
func (e *Execution) spec() checkpoint.Spec {
	s := checkpoint.Spec{ID: e.id, Sink: e.cfg.Sink.Describe()}
	for _, in := range e.cfg.Inputs {
		if in.Name != "" {
			s.Sources = append(s.Sources, in.Name)
		}
	}
	for _, op := range e.plan.Operators {
		s.Operators = append(s.Operators, op.Spec)
	}
	return s
}

// checkSpec refuses a restart that would go on with state or output of another
// meaning, which Spark does not notice, and notes what the query is now.
func (e *Execution) checkSpec(ctx context.Context, r *checkpoint.Recovery) error {
	now := e.spec()
	before, ok, err := e.dir.ReadSpec(ctx)
	if err != nil {
		return err
	}
	if ok && before.ID != "" && before.ID != e.id {
		return condition.New("VSTREAM_CHECKPOINT_OF_ANOTHER_QUERY", "checkpoint", e.dir.Location(),
			"detail", fmt.Sprintf("its metadata names query %s, but query %s wrote it", e.id, before.ID)).
			WithHint("restore the metadata file of this checkpoint, or start with a new one")
	}
	if ok && r.Offsets != nil {
		if err := compareSpecs(before, now); err != nil {
			return err
		}
		if err := checkRemoved(&before, &now); err != nil {
			return err
		}
	}
	if s, starts := e.cfg.Sink.(sink.Starter); starts {
		if err := s.Start(ctx, e.id, r.Batch, ok && before.Sink == now.Sink); err != nil {
			return err
		}
	}
	if ok && reflect.DeepEqual(before, now) {
		return nil
	}
	return e.dir.WriteSpec(ctx, now)
}

func compareSpecs(before, now checkpoint.Spec) error {
	for id := range min(len(before.Operators), len(now.Operators)) {
		old, new := before.Operators[id], now.Operators[id]
		var names []string
		for k := range old {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			if old[k] != new[k] {
				return refused(fmt.Sprintf("the %s of stateful operator %d", k, id), old[k], new[k])
			}
		}
	}
	oldKind, oldPlace, _ := strings.Cut(before.Sink, "[")
	kind, place, _ := strings.Cut(now.Sink, "[")
	if oldKind == kind && strings.HasPrefix(kind, "FileSink") && oldPlace != place {
		return refused("the folder of the file sink", strings.TrimSuffix(oldPlace, "]"), strings.TrimSuffix(place, "]"))
	}
	return nil
}

func refused(what, before, now string) error {
	return condition.New("VSTREAM_RESTART_REFUSED", "what", what, "before", before, "now", now).
		WithHint("undo the change, or start the changed query with a new checkpoint location: the state and output so far are of the query as it was")
}
