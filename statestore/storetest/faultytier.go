package storetest

import (
	"sync"

	"github.com/vstream/vstream/statestore"
)

// FaultyTier passes calls on to another tier until Fail gives an error for one. It is safe for concurrent use.
type FaultyTier struct {
	statestore.Tier
	// Fail is asked before each call with its number, counted from 1, and its name; nil: none fails.
	Fail func(n int, op string) error

	mu    sync.Mutex
	calls int
}

// Calls is the number of calls so far.
func (f *FaultyTier) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *FaultyTier) call(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.Fail == nil {
		return nil
	}
	return f.Fail(f.calls, op)
}

// Table passes the call on; the calls of the table are counted with it.
func (f *FaultyTier) Table(s statestore.Schema) (statestore.TierTable, error) {
	if err := f.call("Table"); err != nil {
		return nil, err
	}
	t, err := f.Tier.Table(s)
	return &faultyTable{t, f}, err
}

type faultyTable struct {
	inner statestore.TierTable
	tier  *FaultyTier
}

func (t *faultyTable) Write(b statestore.Block) error {
	if err := t.tier.call("Write"); err != nil {
		return err
	}
	return t.inner.Write(b)
}

func (t *faultyTable) Get(keys statestore.Block) ([]uint32, statestore.Block, error) {
	if err := t.tier.call("Get"); err != nil {
		return nil, statestore.Block{}, err
	}
	return t.inner.Get(keys)
}

func (t *faultyTable) Delete(keys statestore.Block) error {
	if err := t.tier.call("Delete"); err != nil {
		return err
	}
	return t.inner.Delete(keys)
}

func (t *faultyTable) DeleteRange(r statestore.Range) error {
	if err := t.tier.call("DeleteRange"); err != nil {
		return err
	}
	return t.inner.DeleteRange(r)
}

func (t *faultyTable) Scan(r statestore.Range, fn func(b statestore.Block) error) error {
	if err := t.tier.call("Scan"); err != nil {
		return err
	}
	return t.inner.Scan(r, fn)
}
