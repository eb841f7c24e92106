//go:build rocksdb

package rocksdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/tier"
)

// capacity is the capacity tier of one query: a database for the tables whose rows are scanned and deleted
// by ranges of an order column, and files for the others. Both are made when something is first written to them.
type capacity struct {
	budget *statestore.Budget
	tables atomic.Uint32
	files  atomic.Uint64
	space  *tier.Space
	closed atomic.Bool

	folder func() (*scratch, error)
	open   func() (*db, error)
}

// The tier's parts of the memory budget: the block cache with filters and indexes, each of the two
// write buffers, and the filters of files; RocksDB does not work with less than the least.
const (
	cacheShare, writeShare, filterShare = 0.07, 0.03, 0.12
	leastCache, leastWrite              = 1 << 20, 256 << 10
)

// newCapacity makes an empty tier with its scratch folder in parent, "" for the system's place for temporary files.
func newCapacity(budget *statestore.Budget, parent string) *capacity {
	t := &capacity{budget: budget}
	limit := float64(budget.Limit())
	t.folder = sync.OnceValues(func() (*scratch, error) {
		if t.closed.Load() {
			return nil, errClosed()
		}
		return newScratch(parent)
	})
	t.open = sync.OnceValues(func() (*db, error) {
		if t.closed.Load() {
			return nil, errClosed()
		}
		s, err := t.folder()
		if err != nil {
			return nil, err
		}
		cache, writeBuffer := max(leastCache, int64(cacheShare*limit)), min(max(leastWrite, int64(writeShare*limit)), 128<<20)
		d, err := openDB(filepath.Join(s.dir, "db"), cache, writeBuffer)
		if err != nil {
			return nil, condition.IO(err, "open", s.dir)
		}
		return d, nil
	})
	t.space = tier.NewSpace(func() (string, error) {
		s, err := t.folder()
		if err != nil {
			return "", err
		}
		return s.dir, nil
	}, int64(filterShare*limit))
	return t
}

func errClosed() error {
	return condition.New("INTERNAL_ERROR", "message", "the state's capacity tier is closed")
}

// Table makes an empty table.
func (t *capacity) Table(s statestore.Schema) (statestore.TierTable, error) {
	if s.OrderCol < 0 {
		return t.space.Table(s), nil
	}
	return &table{tier: t, keys: newKeyForm(t.tables.Add(1), s), values: tier.NewForm(s.Values, -1), nk: len(s.Keys)}, nil
}

// Account opens an account of the memory budget.
func (t *capacity) Account() *statestore.Account { return t.budget.Account() }

// Close closes the database and the files and removes them.
func (t *capacity) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.budget.Close()
	err := t.space.Close()
	if d, failed := t.open(); failed == nil {
		d.close()
	}
	if s, failed := t.folder(); failed == nil {
		err = errors.Join(err, s.remove())
	}
	return err
}

// table is one table: the keys that begin with its number.
type table struct {
	tier   *capacity
	keys   *keyForm
	values *tier.Form
	nk     int // key columns
	wrote  bool

	batch []byte // scratch
	lens  []uint32
	found buffer
}

// Kinds of records in a write batch.
const (
	recordDelete = 0
	recordPut    = 1
)

// ingestBytes is the size from which a batch goes into a table file of its own instead
// of the write buffer.
const ingestBytes = 4 << 20

// Write puts rows.
func (t *table) Write(b statestore.Block) error {
	if b.Rows == 0 {
		return nil
	}
	keys, off := t.keys.encode(b.Cols[:t.nk], b.Rows)
	cols := b.Cols[t.nk:]
	n := make([]uint32, b.Rows)
	t.values.Lengths(cols, n)
	// Values are written in the order of the rows first, then records in the order of the keys.
	at, total := make([]uint32, b.Rows), uint32(0)
	for i, l := range n {
		at[i] = total
		total += l
	}
	values := make([]byte, total)
	t.values.Put(values, at, cols) // at is where each value ends now
	batch := append(t.batch[:0], make([]byte, 12)...)
	for _, row := range sortKeys(keys, off) {
		batch = append(batch, recordPut)
		batch = appendBytes(batch, keys[off[row]:off[row+1]])
		batch = appendBytes(batch, values[at[row]-n[row]:at[row]])
	}
	return t.apply(batch, b.Rows, len(batch) >= ingestBytes)
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func (t *table) apply(batch []byte, rows int, ingest bool) error {
	d, err := t.tier.open()
	if err != nil {
		return err
	}
	t.batch, t.wrote = batch, true
	binary.LittleEndian.PutUint32(batch[8:], uint32(rows))
	name := ""
	if ingest {
		s, err := t.tier.folder()
		if err != nil {
			return err
		}
		name = filepath.Join(s.dir, fmt.Sprintf("%d.sst", t.tier.files.Add(1)))
	}
	if err := d.write(batch, name); err != nil {
		return condition.IO(err, "write", d.dir)
	}
	return nil
}

// Get looks keys up.
func (t *table) Get(b statestore.Block) ([]uint32, statestore.Block, error) {
	if !t.wrote || b.Rows == 0 {
		return nil, statestore.Block{}, nil
	}
	d, err := t.tier.open()
	if err != nil {
		return nil, statestore.Block{}, err
	}
	keys, off := t.keys.encode(b.Cols, b.Rows)
	order := sortKeys(keys, off)
	sorted, sortedOff := make([]byte, 0, len(keys)), make([]uint32, 1, len(off))
	for _, row := range order {
		sorted = append(sorted, keys[off[row]:off[row+1]]...)
		sortedOff = append(sortedOff, uint32(len(sorted)))
	}
	if cap(t.lens) < b.Rows {
		t.lens = make([]uint32, b.Rows)
	}
	lens := t.lens[:b.Rows]
	out, err := d.get(sorted, sortedOff, lens, &t.found)
	if err != nil {
		return nil, statestore.Block{}, condition.IO(err, "read", d.dir)
	}
	// Back into the order of the rows.
	const none = missing
	place, hits, at := off[:b.Rows], 0, uint32(0)
	for i, row := range order {
		if lens[i] == missing {
			place[row] = none
			continue
		}
		place[row] = at
		at += lens[i]
		hits++
	}
	rows, places := make([]uint32, 0, hits), make([]uint32, 0, hits)
	for row, p := range place {
		if p != none {
			rows, places = append(rows, uint32(row)), append(places, p)
		}
	}
	values := statestore.Block{Rows: hits, Cols: make([]statestore.ColumnData, t.values.Columns())}
	t.values.Get(out, places, values.Cols)
	return rows, values, nil
}

// Delete removes keys.
func (t *table) Delete(b statestore.Block) error {
	if !t.wrote || b.Rows == 0 {
		return nil
	}
	keys, off := t.keys.encode(b.Cols, b.Rows)
	batch := append(t.batch[:0], make([]byte, 12)...)
	for _, row := range sortKeys(keys, off) {
		batch = append(batch, recordDelete)
		batch = appendBytes(batch, keys[off[row]:off[row+1]])
	}
	return t.apply(batch, b.Rows, false)
}

// DeleteRange removes the rows of a range.
func (t *table) DeleteRange(r statestore.Range) error {
	if !t.wrote || r.Kind == statestore.Between && r.Lo > r.Hi {
		return nil
	}
	d, err := t.tier.open()
	if err != nil {
		return err
	}
	begin, end, last := t.keys.bounds(r)
	if err := d.deleteRange(begin, end, last); err != nil {
		return condition.IO(err, "write", d.dir)
	}
	return nil
}

// Scan gives the rows of a range.
func (t *table) Scan(r statestore.Range, fn func(statestore.Block) error) error {
	if !t.wrote || r.Kind == statestore.Between && r.Lo > r.Hi {
		return nil
	}
	d, err := t.tier.open()
	if err != nil {
		return err
	}
	begin, end, _ := t.keys.bounds(r)
	var stopped error
	err = d.scan(begin, end, func(rows int, piece []byte) error {
		keys, values := make([]uint32, rows), make([]uint32, rows)
		p := uint32(0)
		for i := range rows {
			nk, nv := binary.LittleEndian.Uint32(piece[p:]), binary.LittleEndian.Uint32(piece[p+4:])
			keys[i], values[i] = p+8, p+8+nk
			p += 8 + nk + nv
		}
		b := statestore.Block{Rows: rows, Cols: make([]statestore.ColumnData, t.nk+t.values.Columns())}
		t.keys.decode(piece, keys, b.Cols[:t.nk])
		t.values.Get(piece, values, b.Cols[t.nk:])
		stopped = fn(b)
		return stopped
	})
	if err != nil && stopped == nil {
		return condition.IO(err, "read", d.dir)
	}
	return err
}
