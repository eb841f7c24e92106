// Package changelog is the byte format of state files: changelogs, which hold what one
// micro-batch did to all tables of a query, and snapshots, which hold one whole table.
// docs/format/changelog.md and docs/format/snapshot.md describe it byte by byte.
package changelog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/vstream/vstream/statestore"
)

// Limits of the format.
const (
	BlockRows  = 1 << 16 // rows of one block
	maxColumns = 1 << 12
	maxWidth   = 1 << 10
	maxName    = 1 << 12
	// targetBytes is where the variable-width bytes of a block are cut.
	targetBytes = 1 << 26
)

// Flags of a section.
const (
	flagClear       = 1
	flagDeleteBelow = 2
	knownFlags      = flagClear | flagDeleteBelow
)

// encoder holds the scratch memory of EncodeSection.
type encoder struct{ planes, lengths, comp []byte }

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// EncodeSection appends the changes of one table to dst. The layout of c must be that of
// s; anything else is an error.
func EncodeSection(dst []byte, s statestore.Schema, c *statestore.Changes) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	var flags byte
	if c.Clear {
		flags |= flagClear
	}
	if c.HasDeleteBelow {
		flags |= flagDeleteBelow
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(len(s.Keys)))
	dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
	widths := widthsOf(s)
	for _, w := range widths {
		dst = binary.AppendUvarint(dst, uint64(w))
	}
	if c.HasDeleteBelow {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(c.DeleteBelow))
	}
	dst, err := e.appendBlocks(dst, widths[:len(s.Keys)], c.Deletes)
	if err != nil {
		return nil, fmt.Errorf("deletes: %w", err)
	}
	if dst, err = e.appendBlocks(dst, widths, c.Puts); err != nil {
		return nil, fmt.Errorf("puts: %w", err)
	}
	return dst, nil
}

func widthsOf(s statestore.Schema) []int {
	w := make([]int, 0, len(s.Keys)+len(s.Values))
	for _, c := range s.Keys {
		w = append(w, c.Width)
	}
	for _, c := range s.Values {
		w = append(w, c.Width)
	}
	return w
}

// appendBlocks appends the blocks, each with its number of rows in front, and a 0. They
// are cut to BlockRows rows, and to less if they hold long values.
func (e *encoder) appendBlocks(dst []byte, widths []int, blocks []statestore.Block) ([]byte, error) {
	for i := range blocks {
		b := &blocks[i]
		if err := checkBlock(b, widths); err != nil {
			return nil, err
		}
		for lo := 0; lo < b.Rows; {
			hi := cut(b, widths, lo)
			dst = binary.AppendUvarint(dst, uint64(hi-lo))
			for c, w := range widths {
				var err error
				if dst, err = e.appendColumn(dst, &b.Cols[c], w, lo, hi); err != nil {
					return nil, fmt.Errorf("column %d: %w", c, err)
				}
			}
			lo = hi
		}
	}
	return binary.AppendUvarint(dst, 0), nil
}

// checkBlock makes sure that a block has the memory that its rows and widths promise.
func checkBlock(b *statestore.Block, widths []int) error {
	if len(b.Cols) != len(widths) {
		return fmt.Errorf("a block has %d columns, not %d", len(b.Cols), len(widths))
	}
	for i, w := range widths {
		c := &b.Cols[i]
		switch {
		case w > 0 && len(c.Data) < b.Rows*w:
			return fmt.Errorf("column %d has %d bytes for %d rows of %d", i, len(c.Data), b.Rows, w)
		case w == 0 && b.Rows > 0 && (len(c.Off) < b.Rows+1 || int(c.Off[b.Rows]) > len(c.Data)):
			return fmt.Errorf("column %d has %d offsets and %d bytes for %d rows", i, len(c.Off), len(c.Data), b.Rows)
		case c.Valid != nil && len(c.Valid) < (b.Rows+7)/8:
			return fmt.Errorf("column %d has a validity bitmap of %d bytes for %d rows", i, len(c.Valid), b.Rows)
		}
	}
	return nil
}

// cut finds where the block that begins at row lo, a multiple of 8, ends.
func cut(b *statestore.Block, widths []int, lo int) int {
	n := min(b.Rows-lo, BlockRows)
	for i, w := range widths {
		if w > 0 {
			continue
		}
		off := b.Cols[i].Off
		for n > 8 && off[lo+n]-off[lo] > targetBytes {
			n = (n/2 + 7) &^ 7
		}
	}
	return lo + n
}

// appendColumn appends rows lo..hi of a column.
func (e *encoder) appendColumn(dst []byte, c *statestore.ColumnData, width, lo, hi int) ([]byte, error) {
	dst = e.appendValidity(dst, c.Valid, lo, hi)
	if width > 0 {
		return e.appendPlanes(dst, c.Data[lo*width:hi*width], width), nil
	}
	off := c.Off[lo : hi+1]
	e.lengths = grow(e.lengths, 4*(hi-lo))
	for i, o := range off[1:] {
		if o < off[i] {
			return nil, errors.New("offsets fall")
		}
		binary.LittleEndian.PutUint32(e.lengths[4*i:], o-off[i])
	}
	data := c.Data[off[0]:off[hi-lo]]
	if len(data) > maxStream {
		return nil, fmt.Errorf("values of %d bytes are too long", len(data))
	}
	return e.appendStream(e.appendPlanes(dst, e.lengths, 4), data), nil
}

// appendValidity appends 0 if no row of lo..hi is null, and 1 and the bitmap otherwise.
// lo is a multiple of 8.
func (e *encoder) appendValidity(dst, valid []byte, lo, hi int) []byte {
	if valid == nil {
		return append(dst, 0)
	}
	bits := append(e.planes[:0], valid[lo/8:(hi+7)/8]...)
	e.planes = bits
	if rest := (hi - lo) % 8; rest > 0 {
		bits[len(bits)-1] &= 1<<rest - 1
	}
	nulls := false
	for i, b := range bits {
		full := byte(0xff)
		if rest := hi - lo - 8*i; rest < 8 {
			full = 1<<rest - 1
		}
		nulls = nulls || b != full
	}
	if !nulls {
		return append(dst, 0)
	}
	return e.appendStream(append(dst, 1), bits)
}

func (e *encoder) appendPlanes(dst, values []byte, width int) []byte {
	e.planes = grow(e.planes, len(values))
	split(e.planes, values, width)
	return e.appendStream(dst, e.planes)
}

// DecodeSection reads the changes of one table, whose layout must be that of s. The
// blocks may share memory with data.
func DecodeSection(data []byte, s statestore.Schema) (*statestore.Changes, error) {
	r := &reader{b: data}
	flags := r.byte()
	if flags&^knownFlags != 0 {
		r.fail(fmt.Errorf("unknown flags %#x", flags))
	}
	want := widthsOf(s)
	keys, values := r.uvarint(maxColumns, "number of columns"), r.uvarint(maxColumns, "number of columns")
	if r.err == nil && (keys != len(s.Keys) || values != len(s.Values)) {
		r.fail(fmt.Errorf("it has %d key and %d value columns, not %d and %d", keys, values, len(s.Keys), len(s.Values)))
	}
	for i := 0; r.err == nil && i < len(want); i++ {
		if w := r.uvarint(maxWidth, "column width"); r.err == nil && w != want[i] {
			r.fail(fmt.Errorf("column %d is %d bytes wide, not %d", i, w, want[i]))
		}
	}
	c := &statestore.Changes{Clear: flags&flagClear != 0, HasDeleteBelow: flags&flagDeleteBelow != 0}
	if c.HasDeleteBelow {
		c.DeleteBelow = int64(r.uint64())
	}
	c.Deletes = r.blocks(want[:len(s.Keys)])
	c.Puts = r.blocks(want)
	if r.err == nil && len(r.b) > 0 {
		r.fail(fmt.Errorf("%d bytes follow the last block", len(r.b)))
	}
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

func (r *reader) blocks(widths []int) []statestore.Block {
	var blocks []statestore.Block
	for {
		rows := r.uvarint(BlockRows, "number of rows")
		if r.err != nil || rows == 0 {
			return blocks
		}
		b := statestore.Block{Rows: rows, Cols: make([]statestore.ColumnData, len(widths))}
		for i, w := range widths {
			r.column(&b.Cols[i], rows, w)
			if r.err != nil {
				return nil
			}
		}
		blocks = append(blocks, b)
	}
}

func (r *reader) column(c *statestore.ColumnData, rows, width int) {
	switch has := r.byte(); {
	case has == 1:
		c.Valid = r.stream((rows+7)/8, nil)
	case has != 0:
		r.fail(fmt.Errorf("unknown validity kind %d", has))
	}
	if width > 0 {
		c.Data = r.planes(rows, width)
		return
	}
	lengths := r.planes(rows, 4)
	if r.err != nil {
		return
	}
	c.Off = make([]uint32, rows+1)
	total := uint64(0)
	for i := range rows {
		total += uint64(binary.LittleEndian.Uint32(lengths[4*i:]))
		c.Off[i+1] = uint32(min(total, maxStream+1))
	}
	if total > maxStream {
		r.fail(fmt.Errorf("values of %d bytes are over the limit of %d", total, maxStream))
		return
	}
	c.Data = r.stream(int(total), nil)
}

// planes reads rows values of width bytes.
func (r *reader) planes(rows, width int) []byte {
	if width == 1 {
		return r.stream(rows, nil)
	}
	r.room = grow(r.room, rows*width)
	p := r.stream(rows*width, r.room)
	if r.err != nil {
		return nil
	}
	out := make([]byte, len(p))
	join(out, p, width)
	return out
}
