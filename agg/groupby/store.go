package groupby

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// storeName is Spark's name of an aggregation's store.
const storeName = "default"

// commitRows bounds the rows of a block of changes.
const commitRows = 1 << 17

// fields are the columns of the store: keys, then states.
func (l *layout) fields() []vector.Field { return l.exchange.Fields[:l.exchange.Len()-1] }

// Stores is the one table of the aggregation.
func (f *Final) Stores() []exec.Store {
	s := statestore.Schema{OrderCol: f.EventTime}
	for i, x := range f.fields() {
		c := statestore.Column{Name: x.Name, Type: x.Type.String(), Width: storeWidth(x.Type), Nullable: x.Nullable}
		if i < len(f.Keys) {
			s.Keys = append(s.Keys, c)
		} else {
			s.Values = append(s.Values, c)
		}
	}
	return []exec.Store{{Name: storeName, Schema: s}}
}

// storeWidth is the bytes of a value in the store; a boolean takes one.
func storeWidth(t *vector.Type) int {
	switch t.Kind {
	case vector.KindBool, vector.KindNull:
		return 1
	}
	return t.Width()
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
		for lo := 0; lo < len(b.dirty); lo += commitRows {
			g := b.dirty[lo:min(lo+commitRows, len(b.dirty))]
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
	return stage(storeName, c)
}

// Load applies recovered changes.
func (f *Final) Load(_ string, c *statestore.Changes) error {
	if c.Clear {
		for _, b := range f.every() {
			b.free()
		}
		f.live, f.forever = newBuckets(), nil
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
		cols, err := fromBlock(f.fields(), b)
		if err != nil {
			return err
		}
		if err := f.mergeBatch(cols, b.Rows, 0); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the groups of a block of keys.
func (f *Final) remove(b statestore.Block) error {
	keys, err := fromBlock(f.fields()[:len(f.Keys)], b)
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
	out := statestore.Block{Rows: rows, Cols: make([]statestore.ColumnData, len(fields))}
	col := make([]arrow.Array, len(parts))
	for i, x := range fields {
		for k, p := range parts {
			col[k] = p[i]
		}
		out.Cols[i] = toColumn(x.Type, vector.Concat(col))
	}
	return out
}

// toColumn is a column in the store's form: a null's bytes are zero.
func toColumn(t *vector.Type, a arrow.Array) statestore.ColumnData {
	n := a.Len()
	valid := vector.Validity(a)
	c := statestore.ColumnData{Valid: valid}
	switch {
	case t.Kind == vector.KindNull:
		c.Data = make([]byte, n)
	case t.Kind == vector.KindBool:
		bits := vector.Bools(a)
		c.Data = make([]byte, n)
		for i := range c.Data {
			if valid.Get(i) {
				c.Data[i] = bits[i>>3] >> (i & 7) & 1
			}
		}
	case t.Width() > 0:
		w := t.Width()
		c.Data = fixedBytes(a, n*w)
		if valid != nil {
			c.Data = append([]byte(nil), c.Data...)
			for i := range n {
				if !valid.Get(i) {
					clear(c.Data[i*w : (i+1)*w])
				}
			}
		}
	default:
		off, data := vector.Strings(a)
		c.Off = make([]uint32, n+1)
		for i, o := range off[:n+1] {
			c.Off[i] = uint32(o - off[0])
		}
		c.Data = data[off[0]:off[n]]
	}
	return c
}

// fixedBytes are the first size bytes of a fixed-width column's values.
func fixedBytes(a arrow.Array, size int) []byte {
	if size == 0 {
		return nil
	}
	d := a.Data()
	w := size / a.Len()
	return d.Buffers()[1].Bytes()[d.Offset()*w:][:size]
}

// fromBlock is the columns of a block.
func fromBlock(fields []vector.Field, b statestore.Block) ([]arrow.Array, error) {
	if len(b.Cols) != len(fields) {
		return nil, fmt.Errorf("groupby: a block of %d columns for a table of %d", len(b.Cols), len(fields))
	}
	out := make([]arrow.Array, len(fields))
	for i, x := range fields {
		a, err := fromColumn(x.Type, b.Cols[i], b.Rows)
		if err != nil {
			return nil, fmt.Errorf("groupby: column %s: %w", x.Name, err)
		}
		out[i] = a
	}
	return out, nil
}

func fromColumn(t *vector.Type, c statestore.ColumnData, rows int) (arrow.Array, error) {
	valid := vector.Bitmap(c.Valid)
	if valid != nil && len(valid) < (rows+7)/8 {
		return nil, fmt.Errorf("%d bytes of validity for %d rows", len(valid), rows)
	}
	w := storeWidth(t)
	if w > 0 && len(c.Data) != rows*w {
		return nil, fmt.Errorf("%d bytes for %d values of %d", len(c.Data), rows, w)
	}
	switch {
	case t.Kind == vector.KindNull:
		return vector.NewNull(t, rows), nil
	case t.Kind == vector.KindBool:
		bits := vector.NewBitmap(rows)
		for i, v := range c.Data {
			bits[i>>3] |= v & 1 << (i & 7)
		}
		return vector.NewBool(bits, rows, valid), nil
	case w > 0:
		// The copy aligns the values; a recovered block may start anywhere.
		words := make([]uint64, (len(c.Data)+7)/8)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(c.Data)), c.Data)
		switch w {
		case 1:
			return vector.NewFixed(t, view[uint8](words, rows), valid), nil
		case 2:
			return vector.NewFixed(t, view[uint16](words, rows), valid), nil
		case 4:
			return vector.NewFixed(t, view[uint32](words, rows), valid), nil
		case 8:
			return vector.NewFixed(t, words, valid), nil
		}
		return vector.NewFixed(t, view[[2]uint64](words, rows), valid), nil
	}
	if len(c.Off) != rows+1 {
		return nil, fmt.Errorf("%d offsets for %d rows", len(c.Off), rows)
	}
	off := make([]int32, rows+1)
	for i, o := range c.Off {
		if int(o) > len(c.Data) || i > 0 && o < c.Off[i-1] {
			return nil, fmt.Errorf("offset %d of row %d", o, i)
		}
		off[i] = int32(o)
	}
	return vector.NewString(t, off, c.Data, valid), nil
}

// view is the memory of words as n values of another width.
func view[T any](words []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
