package exec

import (
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// DropLate removes the rows whose time, a column of timestamps in microseconds, the
// watermark of the batch before has passed, and counts them. Rows without a time stay.
// column -1: the operator has no event time, and nothing is late.
func DropLate(t *Task, column int, in *vector.Batch) *vector.Batch {
	if column < 0 || !t.Watermark.Set || in.Len() == 0 {
		return in
	}
	times := in.Col(column)
	ts, valid, bound := vector.Values[int64](times), vector.Validity(times), watermark.Micros(t.Watermark.Late)
	late := 0
	for i, v := range ts {
		if v <= bound && valid.Get(i) {
			late++
		}
	}
	if late == 0 {
		return in
	}
	t.Metrics.NumRowsDroppedByWatermark += int64(late)
	t.Metrics.LateRows += int64(late)
	rows := make([]uint32, 0, len(ts)-late)
	for i, v := range ts {
		if v > bound || !valid.Get(i) {
			rows = append(rows, uint32(i))
		}
	}
	return in.Select(rows)
}
