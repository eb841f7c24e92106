// Package memory is the state store driver "memory": the operators' own tables are the
// only ones, and all state must fit in memory.
//
// Importing it registers it under "memory" and Spark's provider class name.
package memory

import (
	"context"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
)

func init() {
	statestore.Register(driver{}, statestore.Memory, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
}

type driver struct{}

// Open opens the store.
func (driver) Open(ctx context.Context, dir objstore.Store, conf map[string]string) (statestore.Store, error) {
	return durable.Open(ctx, dir, conf)
}
