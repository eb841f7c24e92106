// Package watermark tracks event-time progress. Times are milliseconds since
// the epoch, as Spark's offset log keeps them.
package watermark

import "math"

// Pair is what one stateful operator sees in one batch: input at or before Late is
// dropped, state at or before Evict is emitted and removed. Late is the watermark of
// the batch before (they are equal in a no-data batch); see SURPRISES.md of the oracle: Spark keeps
// both so that chained operators do not drop each other's output.
type Pair struct {
	Late, Evict int64
	// Set is false when the query has no watermark: nothing is late, nothing is evicted.
	Set bool
}

// Micros is a watermark in microseconds, the unit of timestamps; what does not fit
// is the furthest time there is.
func Micros(millis int64) int64 {
	switch {
	case millis > math.MaxInt64/1000:
		return math.MaxInt64
	case millis < math.MinInt64/1000:
		return math.MinInt64
	}
	return millis * 1000
}
