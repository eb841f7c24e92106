// Package dedup holds the operator of dropDuplicates and
// dropDuplicatesWithinWatermark: it passes the first row of each key at once and
// remembers the key until the watermark is past it. What it does, and counts, is what
// Spark's StreamingDeduplicateExec and StreamingDeduplicateWithinWatermarkExec do.
package dedup

import (
	"fmt"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Config describes one deduplication.
type Config struct {
	// Output are the columns that are emitted, the first of the input. Columns behind
	// them serve as keys or times only.
	Output *vector.Schema
	// Keys are flat: fixed-width, boolean, string or binary. A window is two timestamp
	// columns; other nested keys come encoded (vector.EncodeKey). No keys: one row passes.
	Keys []Key
	// EventTime is the input column (timestamps in microseconds) by which rows are
	// late; -1 if none are.
	EventTime int
	// KeyTime is the index in Keys of the event time by which keys leave the state: the
	// watermark is past them. -1: they stay, or leave Within.
	KeyTime int
	// Within tells that a key leaves the state when the watermark reaches the event time
	// of its first row plus Delay microseconds; a null event time counts as 1970.
	Within bool
	Delay  int64
	// View is how readers of the state show the table.
	View *statestore.View
}

// Key is one key column of the input. Declared is the type that the state's schema
// tells, for keys that come encoded; nil: Type.
type Key struct {
	Column         int
	Name           string
	Type, Declared *vector.Type
}

func (c *Config) check() error {
	switch {
	case c.KeyTime >= len(c.Keys):
		return fmt.Errorf("dedup: key time %d of %d keys", c.KeyTime, len(c.Keys))
	case c.KeyTime >= 0 && (c.Within || c.EventTime < 0):
		return fmt.Errorf("dedup: keys leave by one time, by which rows are late too")
	case c.Within && c.EventTime < 0:
		return fmt.Errorf("dedup: no event time")
	}
	return nil
}
