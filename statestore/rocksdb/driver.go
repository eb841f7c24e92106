//go:build rocksdb

package rocksdb

import (
	"context"
	"errors"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/durable"
)

func init() { statestore.Register(driver{}, statestore.RocksDB, statestore.SparkRocksDB) }

type driver struct{}

// Open opens the durable store; the tier costs nothing until something is given to it.
func (driver) Open(ctx context.Context, dir objstore.Store, conf map[string]string) (statestore.Store, error) {
	budget, err := statestore.OpenBudget(conf)
	if err != nil {
		return nil, err
	}
	s, err := durable.Open(ctx, dir, conf)
	if err != nil {
		budget.Close()
		return nil, err
	}
	return &store{s, newCapacity(budget, conf[durable.LocalDir])}, nil
}

// store is a durable store with a tier.
type store struct {
	statestore.Store
	tier *capacity
}

// Tier is the capacity tier.
func (s *store) Tier() statestore.Tier { return s.tier }

// Close closes the store and removes the tier.
func (s *store) Close() error { return errors.Join(s.Store.Close(), s.tier.Close()) }
