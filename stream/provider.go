package stream

import (
	"context"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
)

// openStore opens the query's state store and gives the operators its capacity tier, if it has one.
func (e *Execution) openStore(ctx context.Context) error {
	provider := e.conf[providerClass]
	if e.cfg.Conf[providerClass] == "" && provider == statestore.RocksDB && !statestore.BuiltIn(provider) {
		// A program that has RocksDB began the query by default. The files are the same.
		e.cfg.Log.Warn("this program is built without RocksDB, with which the query began: all state must fit in memory", "query", e.cfg.Name)
		provider = statestore.Memory
	}
	driver, ok := statestore.Lookup(provider)
	if !ok {
		return condition.New("VSTREAM_UNKNOWN_STATE_PROVIDER", "provider", provider)
	}
	var err error
	if e.state, err = driver.Open(ctx, e.dir.State(), e.conf); err != nil {
		e.state = nil
		return err
	}
	tiered, ok := e.state.(statestore.Tiered)
	if !ok {
		return nil
	}
	return e.runtime.Stateful(func(_, _ int, s exec.Stateful) error {
		if s, ok := s.(exec.Spiller); ok {
			return s.Spill(tiered.Tier())
		}
		return nil
	})
}
