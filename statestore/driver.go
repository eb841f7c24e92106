package statestore

import (
	"context"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Driver opens a store in the checkpoint's state directory. conf holds the
// query's spark.sql.streaming.stateStore.* and vstream.state.* settings.
type Driver interface {
	Open(ctx context.Context, dir objstore.Store, conf map[string]string) (Store, error)
}

var drivers = map[string]Driver{}

// The short names of the drivers.
const (
	Memory  = "memory"
	RocksDB = "rocksdb" // a program may be built without it
)

// SparkRocksDB is the class name under which Spark knows its RocksDB provider.
const SparkRocksDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

// Default is the driver of queries that name none: rocksdb, or memory in a program
// that is built without it.
func Default() string {
	if drivers[RocksDB] != nil {
		return RocksDB
	}
	return Memory
}

// Register adds a driver under its names (short name, Spark's provider class names); a duplicate is a bug and panics.
func Register(d Driver, names ...string) {
	for _, n := range names {
		if drivers[n] != nil {
			panic("statestore: driver registered twice: " + n)
		}
		drivers[n] = d
	}
}

// Lookup finds a driver by name. In a program that is built without RocksDB, "rocksdb" fails on Open with
// VSTREAM_STATE_PROVIDER_NOT_BUILT_IN, and Spark's class of that name, which jobs that
// came from Spark have in them, stands for memory. The files of both are the same.
func Lookup(name string) (Driver, bool) {
	if d, ok := drivers[name]; ok {
		return d, true
	}
	switch name {
	case SparkRocksDB:
		d, ok := drivers[Memory]
		return d, ok
	case RocksDB:
		return notBuiltIn{}, true
	}
	return nil, false
}

// BuiltIn tells whether this program has a driver of this name.
func BuiltIn(name string) bool { return drivers[name] != nil }

type notBuiltIn struct{}

func (notBuiltIn) Open(context.Context, objstore.Store, map[string]string) (Store, error) {
	return nil, condition.New("VSTREAM_STATE_PROVIDER_NOT_BUILT_IN", "provider", RocksDB).
		WithHint("install RocksDB (on Debian and Ubuntu: apt-get install librocksdb-dev) and build with \"make build\" or \"go build -tags rocksdb ./cmd/vstream\"; or use the provider \"memory\", whose files are the same")
}
