package merge

import (
	"encoding/binary"
	"slices"

	"github.com/vstream/vstream/statestore"
)

// A block is full at so many rows, or at so many bytes in columns without a fixed width.
const (
	blockRows  = 1 << 16
	blockBytes = 1 << 28
)

// Blocks gives the rows of the table, each key once.
func (t *Table) Blocks() []statestore.Block {
	var blocks []statestore.Block
	places := make([]place, 0, min(t.count, blockRows))
	size := 0
	for e, p := range t.at {
		if !t.live[e] {
			continue
		}
		size += t.variableBytes(p)
		if places = append(places, p); len(places) == blockRows || size >= blockBytes {
			blocks = append(blocks, t.gather(places))
			places, size = places[:0], 0
		}
	}
	if len(places) > 0 {
		blocks = append(blocks, t.gather(places))
	}
	return blocks
}

// variableBytes is the size of a row's values without a fixed width.
func (t *Table) variableBytes(p place) int {
	n := 0
	for _, c := range t.blocks[p.block].Cols {
		if c.Off != nil {
			n += int(c.Off[p.row+1] - c.Off[p.row])
		}
	}
	return n
}

// gather copies the rows at the places into a block of their own.
func (t *Table) gather(places []place) statestore.Block {
	b := statestore.Block{Rows: len(places)}
	for i := range len(t.schema.Keys) + len(t.schema.Values) {
		width := 0
		if i < len(t.schema.Keys) {
			width = t.schema.Keys[i].Width
		} else {
			width = t.schema.Values[i-len(t.schema.Keys)].Width
		}
		b.Cols = append(b.Cols, t.gatherColumn(places, i, width))
	}
	return b
}

func (t *Table) gatherColumn(places []place, i, width int) statestore.ColumnData {
	var out statestore.ColumnData
	if width == 8 && !t.nulls(i) {
		out.Data = t.gatherWords(places, i)
		return out
	}
	if width > 0 {
		out.Data = make([]byte, 0, len(places)*width)
	} else {
		out.Off = make([]uint32, 1, len(places)+1)
	}
	for n, p := range places {
		c := &t.blocks[p.block].Cols[i]
		row := int(p.row)
		if !isValid(c.Valid, row) {
			if out.Valid == nil {
				out.Valid = allValid(len(places))
			}
			out.Valid[n/8] &^= 1 << (n % 8)
		}
		if width > 0 {
			out.Data = append(out.Data, c.Data[row*width:(row+1)*width]...)
			continue
		}
		out.Data = append(out.Data, c.Data[c.Off[row]:c.Off[row+1]]...)
		out.Off = append(out.Off, uint32(len(out.Data)))
	}
	return out
}

// nulls tells whether there may be nulls in column i.
func (t *Table) nulls(i int) bool {
	return slices.ContainsFunc(t.blocks, func(b statestore.Block) bool { return b.Cols[i].Valid != nil })
}

// gatherWords copies column i, of 8 bytes a row and without nulls.
func (t *Table) gatherWords(places []place, i int) []byte {
	from := make([][]byte, len(t.blocks))
	for b := range from {
		from[b] = t.blocks[b].Cols[i].Data
	}
	out := make([]byte, 8*len(places))
	for n, p := range places {
		binary.LittleEndian.PutUint64(out[8*n:], binary.LittleEndian.Uint64(from[p.block][8*int(p.row):]))
	}
	return out
}

func allValid(rows int) []byte {
	v := make([]byte, (rows+7)/8)
	for i := range v {
		v[i] = 0xff
	}
	return v
}

// Below gives the rows whose order column is not null and at most below: those that
// Changes.DeleteBelow deletes.
func (t *Table) Below(below int64) []statestore.Block {
	var places []place
	t.eachBelow(below, func(entry int) { places = append(places, t.at[entry]) })
	var blocks []statestore.Block
	for lo := 0; lo < len(places); lo += blockRows {
		blocks = append(blocks, t.gather(places[lo:min(lo+blockRows, len(places))]))
	}
	return blocks
}
