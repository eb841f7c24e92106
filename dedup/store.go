package dedup

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// storeName is Spark's name of a deduplication's store.
const storeName = "default"

// ExpiryColumn is the column of the time at which a key leaves, within a watermark.
const ExpiryColumn = "expiresAtMicros"

// blockRows is the least number of keys of a block of changes, but for the last.
const blockRows = 8192

// fields are the columns of the store. Within a watermark the time at which a key
// leaves is the last of them, and a key column too, so that keys leave by range.
func (d *Dedup) fields() []vector.Field {
	out := make([]vector.Field, 0, len(d.Keys)+1)
	for _, k := range d.Keys {
		out = append(out, vector.Field{Name: k.Name, Type: k.Type, Nullable: true})
	}
	if d.Within {
		out = append(out, vector.Field{Name: ExpiryColumn, Type: vector.Long})
	}
	return out
}

// Stores is the one table of keys.
func (d *Dedup) Stores() []exec.Store {
	s := statestore.Schema{Keys: exec.StoreColumns(d.fields()), OrderCol: d.KeyTime, Route: exec.FirstColumns(len(d.Keys)), View: d.View}
	for i, k := range d.Keys {
		if k.Declared != nil {
			s.Keys[i].Type = k.Declared.String()
		}
	}
	if d.Within {
		s.OrderCol = len(d.Keys)
	}
	return []exec.Store{{Name: storeName, Schema: s}}
}

// Commit stages the keys that the micro-batch added and what it evicted.
func (d *Dedup) Commit(stage func(store string, c *statestore.Changes) error) error {
	c := &statestore.Changes{}
	if d.removed {
		c.HasDeleteBelow, c.DeleteBelow = true, d.below
	}
	fields := d.fields()
	put := func(cols []arrow.Array, rows int) {
		if rows > 0 {
			c.Puts = append(c.Puts, exec.Block(fields, cols, rows))
		}
	}
	switch {
	case d.Within:
		g := d.expiring.kept()
		put(append(d.expiring.table.Columns(g), vector.NewFixed(vector.Long, d.expiring.times(g), nil)), len(g))
	case d.KeyTime >= 0:
		d.commitTimed(put)
	default:
		put(d.plain.table.Columns(d.plain.added), len(d.plain.added))
	}
	if err := stage(storeName, c); err != nil {
		return err
	}
	return d.shed(false)
}

// commitTimed puts the keys that were added, those of small sets together.
func (d *Dedup) commitTimed(put func(cols []arrow.Array, rows int)) {
	parts, rows := make([][]arrow.Array, len(d.Keys)), 0
	flush := func() {
		cols := make([]arrow.Array, len(parts))
		for i, p := range parts {
			if rows > 0 {
				cols[i] = vector.Concat(p)
			}
			parts[i] = nil
		}
		put(cols, rows)
		rows = 0
	}
	for _, s := range d.timed.every() {
		g := s.kept(d.KeyTime)
		if len(g) == 0 {
			continue
		}
		for i, c := range s.table.Columns(g) {
			parts[i] = append(parts[i], c)
		}
		if rows += len(g); rows >= blockRows {
			flush()
		}
	}
	flush()
}

// Load applies recovered changes.
func (d *Dedup) Load(_ string, c *statestore.Changes) error {
	if c.Clear {
		d.clear()
		if err := d.clearCold(); err != nil {
			return err
		}
	}
	if c.HasDeleteBelow {
		if _, err := d.evict(c.DeleteBelow); err != nil {
			return err
		}
	}
	for _, b := range c.Deletes {
		if b.Rows > 0 {
			return fmt.Errorf("dedup: a deletion of %d single keys, which no version has written", b.Rows)
		}
	}
	for _, b := range c.Puts {
		cols, err := exec.BlockColumns(d.fields(), b)
		if err != nil {
			return fmt.Errorf("dedup: %w", err)
		}
		d.restore(cols, b.Rows)
		if err := d.shed(false); err != nil {
			return err
		}
	}
	return nil
}

// restore puts recovered keys in.
func (d *Dedup) restore(cols []arrow.Array, n int) {
	keys := cols[:len(d.Keys)]
	switch gid := make([]uint32, n); {
	case n == 0:
	case d.Within:
		d.expiring.add(keys, vector.Values[int64](cols[len(d.Keys)]), gid)
		d.expiring.added = nil
	case d.KeyTime >= 0:
		d.timed.add(keys, gid)
		for _, g := range d.timed.grown {
			g.set.added = g.set.added[:g.before]
		}
	default:
		d.plain.add(keys, gid, nil)
		d.plain.added = nil
	}
}
