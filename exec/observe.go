package exec

import (
	"github.com/vstream/vstream/vector"
)

// Observe notes the event times of the rows that pass, for the watermark. Column
// holds timestamps in microseconds; statistics are in whole milliseconds, rounded down
// as in Spark, so that a watermark never runs ahead of a row.
type Observe struct {
	Stateless
	Column int
	Node   int // number of the Watermark node
}

// Process passes the batch on.
func (o *Observe) Process(_ int, in *vector.Batch, out Emit) error {
	col := in.Col(o.Column)
	values, valid := vector.Values[int64](col), vector.Validity(col)
	s := EventTimeStats{Max: -1 << 63, Min: 1<<63 - 1}
	lo, hi := int64(1<<63-1), int64(-1<<63)
	if valid == nil {
		for _, v := range values {
			lo, hi = min(lo, v), max(hi, v)
			s.Sum += v / 1000
		}
		s.Count = int64(len(values))
	} else {
		for i, v := range values {
			if valid.Get(i) {
				lo, hi = min(lo, v), max(hi, v)
				s.Sum += v / 1000
				s.Count++
			}
		}
	}
	if s.Count > 0 {
		s.Min, s.Max = floorMillis(lo), floorMillis(hi)
		m := o.Task.Metrics
		if m.EventTime == nil {
			m.EventTime = map[int]*EventTimeStats{}
		}
		if t := m.EventTime[o.Node]; t == nil {
			m.EventTime[o.Node] = &s
		} else {
			t.Max, t.Min = max(t.Max, s.Max), min(t.Min, s.Min)
			t.Sum, t.Count = t.Sum+s.Sum, t.Count+s.Count
		}
	}
	return out(in)
}

func floorMillis(micros int64) int64 {
	q := micros / 1000
	if micros%1000 < 0 {
		q--
	}
	return q
}
