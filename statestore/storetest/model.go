// Package storetest is the test suite that every state store driver must pass. It checks
// a driver against a model that keeps every version of every table in maps.
package storetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/vstream/vstream/statestore"
)

// schema has an order column, keys and values of all kinds.
var schema = statestore.Schema{
	Keys: []statestore.Column{
		{Name: "end", Type: "timestamp", Width: 8, Nullable: true},
		{Name: "k", Type: "string", Nullable: true},
	},
	Values: []statestore.Column{
		{Name: "n", Type: "bigint", Width: 8},
		{Name: "s", Type: "string", Nullable: true},
		{Name: "d", Type: "decimal(38,0)", Width: 16, Nullable: true},
	},
	OrderCol: 0,
}

// key and value are a row as comparable values; null is a kind of its own.
type key struct {
	end     int64
	nullEnd bool
	k       string
	nullK   bool
}

type value struct {
	n     int64
	s     string
	nullS bool
	d     [16]byte
	nullD bool
}

// contents are the rows of one table in one version.
type contents map[key]value

// change is what one batch does to one table.
type change struct {
	clear   bool
	below   *int64
	deletes []key
	puts    contents
}

func (c contents) apply(ch change) contents {
	out := contents{}
	for k, v := range c {
		if !ch.clear && (ch.below == nil || k.nullEnd || k.end > *ch.below) {
			out[k] = v
		}
	}
	for _, k := range ch.deletes {
		delete(out, k)
	}
	maps.Copy(out, ch.puts)
	return out
}

// column builds a column.
type column struct {
	statestore.ColumnData
	rows int
}

func (c *column) add(null, variable bool, bytesOf []byte) {
	if variable && c.Off == nil {
		c.Off = []uint32{0}
	}
	c.Data = append(c.Data, bytesOf...)
	if variable {
		c.Off = append(c.Off, uint32(len(c.Data)))
	}
	if c.rows%8 == 0 {
		c.Valid = append(c.Valid, 0)
	}
	if !null {
		c.Valid[c.rows/8] |= 1 << (c.rows % 8)
	}
	c.rows++
}

func block(columns []column, rows int) statestore.Block {
	b := statestore.Block{Rows: rows}
	for _, c := range columns {
		b.Cols = append(b.Cols, c.ColumnData)
	}
	return b
}

func addKey(cols []column, k key) {
	cols[0].add(k.nullEnd, false, binary.LittleEndian.AppendUint64(nil, uint64(k.end)))
	cols[1].add(k.nullK, true, []byte(k.k))
}

// changes is ch in columns, in blocks of at most blockRows rows.
func (ch change) changes(blockRows int) *statestore.Changes {
	c := &statestore.Changes{Clear: ch.clear}
	if ch.below != nil {
		c.HasDeleteBelow, c.DeleteBelow = true, *ch.below
	}
	cols := make([]column, 2)
	for _, k := range ch.deletes {
		addKey(cols, k)
	}
	if len(ch.deletes) > 0 {
		c.Deletes = append(c.Deletes, block(cols, len(ch.deletes)))
	}
	cols, rows := make([]column, 5), 0
	flush := func() {
		if rows > 0 {
			c.Puts = append(c.Puts, block(cols, rows))
			cols, rows = make([]column, 5), 0
		}
	}
	for k, v := range ch.puts {
		addKey(cols, k)
		cols[2].add(false, false, binary.LittleEndian.AppendUint64(nil, uint64(v.n)))
		cols[3].add(v.nullS, true, []byte(v.s))
		cols[4].add(v.nullD, false, v.d[:])
		if rows++; rows == blockRows {
			flush()
		}
	}
	flush()
	return c
}

func null(c statestore.ColumnData, row int) bool {
	return c.Valid != nil && c.Valid[row/8]>>(row%8)&1 == 0
}

func variable(c statestore.ColumnData, row int) string {
	return string(c.Data[c.Off[row]:c.Off[row+1]])
}

func fixed(c statestore.ColumnData, row int) int64 {
	return int64(binary.LittleEndian.Uint64(c.Data[8*row:]))
}

func keyAt(b statestore.Block, row int) key {
	k := key{end: fixed(b.Cols[0], row), nullEnd: null(b.Cols[0], row), k: variable(b.Cols[1], row), nullK: null(b.Cols[1], row)}
	return k
}

// read takes changes apart; a key that is put twice is an error.
func read(c *statestore.Changes) (change, error) {
	ch := change{clear: c.Clear, puts: contents{}}
	if c.HasDeleteBelow {
		ch.below = &c.DeleteBelow
	}
	for _, b := range c.Deletes {
		for row := range b.Rows {
			ch.deletes = append(ch.deletes, keyAt(b, row))
		}
	}
	for _, b := range c.Puts {
		for row := range b.Rows {
			k := keyAt(b, row)
			if _, twice := ch.puts[k]; twice {
				return ch, fmt.Errorf("key %+v is put twice", k)
			}
			v := value{n: fixed(b.Cols[2], row), s: variable(b.Cols[3], row), nullS: null(b.Cols[3], row), nullD: null(b.Cols[4], row)}
			copy(v.d[:], bytes.Clone(b.Cols[4].Data[16*row:16*row+16]))
			ch.puts[k] = v
		}
	}
	return ch, nil
}
