package watermark

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// Policy combines the watermarks of several inputs (spark.sql.streaming.multipleWatermarkPolicy).
type Policy uint8

const (
	Min Policy = iota // the slowest input holds the query's watermark back
	Max               // the fastest input drives it
)

// ParsePolicy reads "min" or "max", without regard to case.
func ParsePolicy(s string) (Policy, error) {
	switch strings.ToLower(s) {
	case "", "min":
		return Min, nil
	case "max":
		return Max, nil
	}
	return Min, condition.New("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", "confName", "spark.sql.streaming.multipleWatermarkPolicy", "confValue", s, "confOptions", "min, max")
}

// Tracker keeps the watermark of one query. It follows Spark's WatermarkTracker:
// an input's watermark is its highest event time minus its delay; the query's is the
// lowest (or highest) of its inputs' and never goes back. An input that has had no
// row since the query started counts as 1970-01-01.
type Tracker struct {
	policy Policy
	delays []int64       // by Watermark node
	nodes  map[int]int64 // highest watermark by node, since the start
	global int64
}

// NewTracker starts at a watermark: 0 for a new query, the logged one after a restart.
func NewTracker(policy Policy, delays []int64, start int64) *Tracker {
	return &Tracker{policy: policy, delays: delays, nodes: map[int]int64{}, global: start}
}

// Defined tells whether the query has a watermark at all.
func (t *Tracker) Defined() bool { return len(t.delays) > 0 }

// Current is the watermark in milliseconds.
func (t *Tracker) Current() int64 { return t.global }

// Advance takes the highest event time of each node in a finished batch (nodes
// without rows are missing) and returns the watermark for the next one.
func (t *Tracker) Advance(maxByNode map[int]int64) int64 {
	if len(t.delays) == 0 {
		return t.global
	}
	for node, delay := range t.delays {
		prev, known := t.nodes[node]
		if top, ok := maxByNode[node]; ok {
			if w := top - delay; !known || w > prev {
				t.nodes[node] = w
			}
		} else if !known {
			t.nodes[node] = 0
		}
	}
	chosen := t.nodes[0]
	for node := range t.delays {
		if t.policy == Min {
			chosen = min(chosen, t.nodes[node])
		} else {
			chosen = max(chosen, t.nodes[node])
		}
	}
	t.global = max(t.global, chosen)
	return t.global
}
