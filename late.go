package vstream

import (
	"context"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

// Late sends the rows that the query's stateful operators drop, because the watermark has
// passed them or because they have no event time to be put in a window by, to a sink of
// their own. Its columns are LateSchema. It takes part in each micro-batch as the query's
// sink does: with a file sink, every dropped row is there exactly once. A memory sink's
// table has the query's name with "_late" behind it.
func (w *Writer) Late(format string, options sink.Options, partitionBy ...string) *Writer {
	w.late = &Writer{t: w.t, format: format, options: options, partitionBy: partitionBy}
	return w
}

// LateTo is Late with a sink of the caller's own.
func (w *Writer) LateTo(s sink.Sink) *Writer {
	w.late = &Writer{t: w.t, sink: s}
	return w
}

// LateSchema are the columns of late sinks:
//
//	batch_id BIGINT, operator_id BIGINT, operator STRING, reason STRING,
//	event_time TIMESTAMP, watermark TIMESTAMP, row STRING
//
// reason is late or null_event_time, event_time what was compared with the watermark (of a
// window its end), and row the row as JSON, with the columns that its operator reads.
func LateSchema() *vector.Schema { return exec.LostSchema }

// openLate opens the late sink; nil if the query has none.
func (w *Writer) openLate(ctx context.Context) (sink.Sink, error) {
	if w.late == nil {
		return nil, nil
	}
	if w.name != "" {
		w.late.name = w.name + "_late"
	}
	s, err := w.late.openSink(ctx, "append")
	return s, condition.In(err, "late sink")
}
