package exec

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// StreamLimit passes the first N rows of a stream, in the order in which they come: it
// counts over all micro-batches. Its state is the count, one row from the first row on, as
// in Spark's StreamingGlobalLimitExec. It runs on one partition.
type StreamLimit struct {
	N int64

	task   *Task
	passed int64
	before int64 // passed when the micro-batch began
	stored bool  // the state has its row
}

// The table of a StreamLimit: a key that is always null, and the count.
var (
	limitKey   = vector.Field{Name: "key", Type: vector.Null, Nullable: true}
	limitValue = vector.Field{Name: "value", Type: vector.Long, Nullable: true}
)

var limitView = &statestore.View{
	Key:   []statestore.ViewField{{Name: limitKey.Name, Type: limitKey.Type.String(), Column: 0}},
	Value: []statestore.ViewField{{Name: limitValue.Name, Type: limitValue.Type.String(), Column: 1}},
}

// Open begins a micro-batch.
func (l *StreamLimit) Open(t *Task) error {
	l.task, l.before = t, l.passed
	return nil
}

// Process emits the part of the batch within the limit.
func (l *StreamLimit) Process(_ int, in *vector.Batch, out Emit) error {
	n := min(int64(in.Len()), l.N-l.passed)
	if n <= 0 {
		return nil
	}
	l.passed += n
	return out(in.Slice(0, int(n)))
}

// EndBatch counts.
func (l *StreamLimit) EndBatch(Emit) error {
	m := l.task.Metrics
	if l.passed > l.before {
		l.stored = true
		m.NumRowsUpdated++
	}
	if l.stored {
		m.NumRowsTotal++
	}
	return nil
}

// Stores is the table of the count.
func (l *StreamLimit) Stores() []Store {
	return []Store{{Name: "default", Schema: statestore.Schema{
		Keys: StoreColumns([]vector.Field{limitKey}), Values: StoreColumns([]vector.Field{limitValue}), OrderCol: -1, View: limitView,
	}}}
}

// Load takes the count over.
func (l *StreamLimit) Load(_ string, c *statestore.Changes) error {
	if c.Clear || len(c.Deletes) > 0 {
		l.passed, l.stored = 0, false
	}
	for _, b := range c.Puts {
		if b.Rows != 1 {
			return fmt.Errorf("limit: a count of %d rows", b.Rows)
		}
		cols, err := BlockColumns([]vector.Field{limitKey, limitValue}, b)
		if err != nil {
			return fmt.Errorf("limit: %w", err)
		}
		l.passed, l.stored = vector.Values[int64](cols[1])[0], true
	}
	return nil
}

// Commit stages the count if it changed.
func (l *StreamLimit) Commit(stage func(store string, c *statestore.Changes) error) error {
	c := &statestore.Changes{}
	if l.passed > l.before {
		cols := []arrow.Array{vector.NewNull(vector.Null, 1), vector.NewFixed(vector.Long, []int64{l.passed}, nil)}
		c.Puts = []statestore.Block{Block([]vector.Field{limitKey, limitValue}, cols, 1)}
	}
	return stage("default", c)
}
