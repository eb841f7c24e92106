package groupby

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// storeName is Spark's name of an aggregation's store.
const storeName = "default"

// A block of changes is full at commitRows rows; exportRows are read together: few enough for the groups'
// states to stay in the cache between the aggregates.
const (
	commitRows = 1 << 17
	exportRows = 1 << 13
)

// fields are the columns of the store: keys, then states.
func (l *layout) fields() []vector.Field { return l.exchange.Fields[:l.exchange.Len()-1] }

// Stores is the one table of the aggregation.
func (f *Final) Stores() []exec.Store {
	cols := exec.StoreColumns(f.fields())
	s := statestore.Schema{Keys: cols[:len(f.Keys)], Values: cols[len(f.Keys):], OrderCol: f.EventTime, Route: exec.FirstColumns(len(f.Keys)), View: f.View}
	return []exec.Store{{Name: storeName, Schema: s}}
}

// Commit stages the groups that the micro-batch changed and what it evicted.
func (f *Final) Commit(stage func(store string, c *statestore.Changes) error) error {
	c := &statestore.Changes{}
	if f.evicted.groups > 0 {
		c.HasDeleteBelow, c.DeleteBelow = true, f.evicted.below
	}
	var pending [][]arrow.Array
	rows := 0
	put := func() {
		if rows > 0 {
			c.Puts = append(c.Puts, toBlock(f.fields(), pending, rows))
			pending, rows = nil, 0
		}
	}
	for _, b := range f.every() {
		for lo := 0; lo < len(b.dirty); lo += exportRows {
			g := b.dirty[lo:min(lo+exportRows, len(b.dirty))]
			cols := f.keysOf(b, g)
			for i := range f.impls {
				cols = append(cols, b.states.Export(i, g)...)
			}
			pending = append(pending, cols)
			if rows += len(g); rows >= commitRows {
				put()
			}
		}
	}
	put()
	if err := stage(storeName, c); err != nil {
		return err
	}
	return f.shed(false)
}

// Load applies recovered changes.
func (f *Final) Load(_ string, c *statestore.Changes) error {
	if c.Clear {
		for _, b := range f.every() {
			b.free()
		}
		f.live, f.forever = newBuckets(), nil
		if err := f.clearCold(); err != nil {
			return err
		}
	}
	if c.HasDeleteBelow && f.evicts() {
		if err := f.evict(c.DeleteBelow, nil); err != nil {
			return err
		}
		f.evicted = evictions{}
	}
	for _, b := range c.Deletes {
		if err := f.remove(b); err != nil {
			return err
		}
	}
	for _, b := range c.Puts {
		cols, err := exec.BlockColumns(f.fields(), b)
		if err != nil {
			return err
		}
		if err := f.mergeBatch(cols, b.Rows, 0); err != nil {
			return err
		}
		if err := f.shed(false); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the groups of a block of keys.
func (f *Final) remove(b statestore.Block) error {
	keys, err := exec.BlockColumns(f.fields()[:len(f.Keys)], b)
	if err != nil {
		return err
	}
	parts, rows := f.split(keys, b.Rows)
	if rows != nil {
		for i, c := range keys {
			keys[i] = vector.Take(c, rows)
		}
	}
	lo := 0
	for _, p := range parts {
		k := slice(keys, lo, lo+p.rows)
		lo += p.rows
		if p.to != f.forever && f.WindowEnd {
			k = append(k[:f.EventTime-1:f.EventTime-1], k[f.EventTime+1:]...)
		}
		if err := f.removeCold(p.to, k, p.rows); err != nil {
			return err
		}
		gid := make([]uint32, p.rows)
		p.to.table.Find(k, gid)
		p.to.states.Grow(p.to.table.Len())
		gone := make([]bool, p.to.table.Len())
		for _, g := range gid {
			gone[g] = true
		}
		var stay []uint32
		for g, x := range gone {
			if !x {
				stay = append(stay, uint32(g))
			}
		}
		keyTypes := f.tableKeys
		if p.to == f.forever {
			keyTypes = f.Keys
		}
		if err := p.to.keep(keyTypes, f.impls, stay); err != nil {
			return err
		}
	}
	return nil
}

// toBlock joins parts of columns into a block.
func toBlock(fields []vector.Field, parts [][]arrow.Array, rows int) statestore.Block {
	cols := make([]arrow.Array, len(fields))
	part := make([]arrow.Array, len(parts))
	for i := range fields {
		for k, p := range parts {
			part[k] = p[i]
		}
		cols[i] = vector.Concat(part)
	}
	return exec.Block(fields, cols, rows)
}
