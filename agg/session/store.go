package session

import (
	"fmt"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// storeName is Spark's name of a session aggregation's store.
const storeName = "default"

// fields are the columns of the store: keys and start, which are its key, then end and states.
func (f *Final) fields() []vector.Field { return f.input.Fields[:f.input.Len()-1] }

// Stores is the one table of sessions.
func (f *Final) Stores() []exec.Store {
	all := exec.StoreColumns(f.fields())
	nk := f.startColumn() + 1
	return []exec.Store{{Name: storeName, Schema: statestore.Schema{Keys: all[:nk], Values: all[nk:], OrderCol: -1, Route: exec.FirstColumns(nk - 1), View: f.View}}}
}

// Commit stages the sessions that are new or changed and those that are gone.
func (f *Final) Commit(stage func(store string, c *statestore.Changes) error) error {
	c := &statestore.Changes{}
	fields, nk := f.fields(), f.startColumn()+1
	var gone, put []uint32
	for _, x := range f.gone {
		if f.open.slots[x].stored {
			gone = append(gone, x)
		}
	}
	for _, x := range f.changed {
		if f.open.slots[x.slot].live {
			f.open.slots[x.slot].stored = true
			put = append(put, x.slot)
		}
	}
	if len(gone) > 0 {
		c.Deletes = []statestore.Block{exec.Block(fields[:nk], f.keyColumns(gone)[:nk], len(gone))}
	}
	c.Deletes = append(c.Deletes, f.cold.noted...)
	if len(put) > 0 {
		c.Puts = []statestore.Block{exec.Block(fields, f.stateColumns(put), len(put))}
	}
	if err := stage(storeName, c); err != nil {
		return err
	}
	return f.shed()
}

// Load applies recovered changes.
func (f *Final) Load(_ string, c *statestore.Changes) error {
	if c.Clear {
		f.open.free()
		f.clear()
		if err := f.clearCold(); err != nil {
			return err
		}
	}
	fields, nk := f.fields(), f.startColumn()+1
	for _, b := range c.Deletes {
		cols, err := exec.BlockColumns(fields[:nk], b)
		if err != nil {
			return fmt.Errorf("session: %w", err)
		}
		kid, err := f.keysOf(cols[:nk-1], b.Rows)
		if err != nil {
			return err
		}
		f.open.remove(kid, vector.Values[int64](cols[nk-1]))
	}
	for _, b := range c.Puts {
		cols, err := exec.BlockColumns(fields, b)
		if err != nil {
			return fmt.Errorf("session: %w", err)
		}
		if err := f.restore(cols, b.Rows); err != nil {
			return err
		}
	}
	if f.open.sparse() {
		if err := f.rebuild(f.open.all()); err != nil {
			return err
		}
	}
	return f.shed()
}
