//go:build rocksdb

package rocksdb

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/statestore"
)

// tier is the capacity tier of one query. The database is made when something is first
// written to it.
type tier struct {
	budget *statestore.Budget
	parent string // of the scratch folder; "": the system's
	tables atomic.Uint32
	files  atomic.Uint64

	closed  atomic.Bool
	once    sync.Once
	scratch *scratch
	db      *db
	err     error
}

// database is the database, opened at first use.
func (t *tier) database() (*db, error) {
	t.once.Do(func() {
		if t.scratch, t.err = newScratch(t.parent); t.err != nil {
			return
		}
		cache, writeBuffer := t.shares()
		t.db, t.err = openDB(filepath.Join(t.scratch.dir, "db"), cache, writeBuffer)
		if t.err != nil {
			t.db = nil
			t.err = t.failed("open", t.err)
		}
	})
	return t.db, t.err
}

// The tier's parts of the memory budget: the block cache with filters and indexes, and each of the two
// write buffers; RocksDB does not work with less than the least.
const (
	cacheShare, writeShare = 0.17, 0.04
	leastCache, leastWrite = 1 << 20, 256 << 10
)

func (t *tier) shares() (cache, writeBuffer int64) {
	limit := float64(t.budget.Limit())
	return max(leastCache, int64(cacheShare*limit)), min(max(leastWrite, int64(writeShare*limit)), 128<<20)
}

// Table makes an empty table.
func (t *tier) Table(s statestore.Schema) (statestore.TierTable, error) {
	return &table{tier: t, keys: newKeyForm(t.tables.Add(1), s), values: newForm(s.Values, -1), nk: len(s.Keys)}, nil
}

// Account opens an account of the memory budget.
func (t *tier) Account() *statestore.Account { return t.budget.Account() }

// Close closes the database and removes it.
func (t *tier) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.budget.Close()
	t.once.Do(func() { t.err = condition.New("INTERNAL_ERROR", "message", "the state's capacity tier is closed") })
	if t.db != nil {
		t.db.close()
	}
	if t.scratch != nil {
		return t.scratch.remove()
	}
	return nil
}

// failed is the condition of an operation that RocksDB refused.
func (t *tier) failed(op string, err error) error { return condition.IO(err, op, t.scratch.dir) }

// table is one table: the keys that begin with its number.
type table struct {
	tier   *tier
	keys   *keyForm
	values *form
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
	t.values.lengths(cols, n)
	// Values are written in the order of the rows first, then records in the order of the keys.
	at, total := make([]uint32, b.Rows), uint32(0)
	for i, l := range n {
		at[i] = total
		total += l
	}
	values := make([]byte, total)
	t.values.put(values, at, cols) // at is where each value ends now
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
	d, err := t.tier.database()
	if err != nil {
		return err
	}
	t.batch, t.wrote = batch, true
	binary.LittleEndian.PutUint32(batch[8:], uint32(rows))
	name := ""
	if ingest {
		name = filepath.Join(t.tier.scratch.dir, fmt.Sprintf("%d.sst", t.tier.files.Add(1)))
	}
	if err := d.write(batch, name); err != nil {
		return t.tier.failed("write", err)
	}
	return nil
}

// Get looks keys up.
func (t *table) Get(b statestore.Block) ([]uint32, statestore.Block, error) {
	if !t.wrote || b.Rows == 0 {
		return nil, statestore.Block{}, nil
	}
	d, err := t.tier.database()
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
		return nil, statestore.Block{}, t.tier.failed("read", err)
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
	values := statestore.Block{Rows: hits, Cols: make([]statestore.ColumnData, len(t.values.width))}
	t.values.get(out, places, values.Cols)
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
	d, err := t.tier.database()
	if err != nil {
		return err
	}
	begin, end, last := t.keys.bounds(r)
	if err := d.deleteRange(begin, end, last); err != nil {
		return t.tier.failed("write", err)
	}
	return nil
}

// Scan gives the rows of a range.
func (t *table) Scan(r statestore.Range, fn func(statestore.Block) error) error {
	if !t.wrote || r.Kind == statestore.Between && r.Lo > r.Hi {
		return nil
	}
	d, err := t.tier.database()
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
		b := statestore.Block{Rows: rows, Cols: make([]statestore.ColumnData, t.nk+len(t.values.width))}
		t.keys.decode(piece, keys, b.Cols[:t.nk])
		t.values.get(piece, values, b.Cols[t.nk:])
		stopped = fn(b)
		return stopped
	})
	if err != nil && stopped == nil {
		return t.tier.failed("read", err)
	}
	return err
}
