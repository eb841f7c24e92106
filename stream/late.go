package stream

import (
	"context"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/sink"
)

// checkLate refuses a late sink in the place of the query's own: both would count the
// same batches there, and one would take the other's for its own.
func (e *Execution) checkLate() error {
	if e.cfg.Late == nil {
		return nil
	}
	place := e.cfg.Late.Describe()
	if strings.Contains(place, "[") && place == e.cfg.Sink.Describe() {
		return condition.New("VSTREAM_INVALID_VALUE", "what", "the place of the late sink", "value", place).
			WithHint("the query's rows go there; write the late rows somewhere else")
	}
	return nil
}

// beginLate opens the batch in the late sink; nil if the query has none.
func (e *Execution) beginLate(ctx context.Context, m *microBatch) (*output, error) {
	if e.cfg.Late == nil {
		return nil, nil
	}
	w, done, err := e.cfg.Late.Begin(ctx, sink.BatchInfo{QueryID: e.id, BatchID: m.id, Schema: exec.LostSchema, Mode: "append"})
	if err != nil {
		return nil, condition.In(err, "late sink")
	}
	return newOutput(ctx, w, done), nil
}

// commit makes the batch visible in the sinks: the late one first, so that who sees the
// result of a batch finds what it lacks.
func (e *Execution) commitSinks(ctx context.Context, out, late *output) error {
	if late != nil {
		if err := late.commit(ctx); err != nil {
			return condition.In(err, "late sink")
		}
		if err := e.crash("after-late-commit"); err != nil {
			return err
		}
	}
	return out.commit(ctx)
}
