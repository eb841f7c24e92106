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

// optional are the drivers that a program may be built without.
var optional = map[string]bool{"rocksdb": true}

// Register adds a driver under its names (short name, Spark's provider class names); a duplicate is a bug and panics.
func Register(d Driver, names ...string) {
	for _, n := range names {
		if drivers[n] != nil {
			panic("statestore: driver registered twice: " + n)
		}
		drivers[n] = d
	}
}

// Lookup finds a driver by name. One that this program is built without fails on Open
// with VSTREAM_STATE_PROVIDER_NOT_BUILT_IN.
func Lookup(name string) (Driver, bool) {
	if d, ok := drivers[name]; ok {
		return d, true
	}
	if optional[name] {
		return notBuiltIn(name), true
	}
	return nil, false
}

type notBuiltIn string

func (n notBuiltIn) Open(context.Context, objstore.Store, map[string]string) (Store, error) {
	return nil, condition.New("VSTREAM_STATE_PROVIDER_NOT_BUILT_IN", "provider", string(n)).
		WithHint("use the provider \"memory\", or a program that is built with %s", string(n))
}
