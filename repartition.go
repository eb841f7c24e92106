package vstream

import (
	"context"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/stream"
)

// Repartition moves the state of the stateful query with this checkpoint to another
// number of partitions (1 to 1,024) while the query does not run, as Spark's
// streamingCheckpointManager.repartition does. It is a micro-batch of its own without rows,
// whose id is returned; a crash leaves either the old partitions or the new ones, and the same
// call finishes it. To move the state on the next start of the query instead, set
// spark.sql.streaming.stateStore.partitions.
//
// The errors are STATE_REPARTITION_INVALID_PARAMETER.*, STATE_REPARTITION_INVALID_CHECKPOINT.* and
// STATE_REWRITER_INVALID_CHECKPOINT.*, before anything is written.
func Repartition(ctx context.Context, checkpoint string, partitions int) (batch int64, err error) {
	store, err := objstore.Open(ctx, checkpoint)
	if err != nil {
		return 0, err
	}
	return stream.Repartition(ctx, store, partitions)
}
