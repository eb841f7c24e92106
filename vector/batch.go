package vector

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// Batch is a run of rows of one schema. It is immutable once it has been
// emitted: an operator that wants other rows or columns makes another Batch.
//
// A Batch may carry a selection: the rows of the underlying columns that are
// live, in order. Col hides it: it returns a dense column, gathered on first
// use, so that a filter copies only the columns that somebody reads.
//
// A Batch is used by one goroutine at a time.
type Batch struct {
	Schema *Schema
	cols   []arrow.Array // physical columns, all of one length
	dense  []arrow.Array // gathered columns, where sel != nil
	sel    []uint32
	rows   int // live rows
	// extended counts the trailing columns of cols that hold one value per live
	// row although sel is set (see Extend).
	extended int
}

// NewBatch makes a batch of n rows; each column has length n.
func NewBatch(s *Schema, cols []arrow.Array, n int) *Batch {
	if len(cols) != len(s.Fields) {
		panic("vector: batch and schema differ in width")
	}
	for _, c := range cols {
		if c.Len() != n {
			panic("vector: column length differs from the batch's")
		}
	}
	return &Batch{Schema: s, cols: cols, rows: n}
}

// Len is the number of live rows.
func (b *Batch) Len() int { return b.rows }

// NumCols is the number of columns.
func (b *Batch) NumCols() int { return len(b.cols) }

// Col is column i with one value per live row.
func (b *Batch) Col(i int) arrow.Array {
	if b.sel == nil {
		return b.cols[i]
	}
	if b.dense == nil {
		b.dense = make([]arrow.Array, len(b.cols))
	}
	if b.dense[i] == nil {
		b.dense[i] = Take(b.cols[i], b.sel)
	}
	return b.dense[i]
}

// Select is the batch of the given live rows (indexes into 0..Len()), in the
// order given; an index may repeat. The slice is kept.
func (b *Batch) Select(rows []uint32) *Batch {
	if b.extended > 0 && b.sel != nil {
		b = &Batch{Schema: b.Schema, cols: b.Columns(), rows: b.rows}
	}
	sel := rows
	if b.sel != nil {
		sel = make([]uint32, len(rows))
		for i, r := range rows {
			sel[i] = b.sel[r]
		}
	}
	return &Batch{Schema: b.Schema, cols: b.cols, sel: sel, rows: len(rows)}
}

// Slice is the live rows from lo up to hi.
func (b *Batch) Slice(lo, hi int) *Batch {
	if lo == 0 && hi == b.rows {
		return b
	}
	if b.sel != nil && b.extended == 0 {
		return &Batch{Schema: b.Schema, cols: b.cols, sel: b.sel[lo:hi:hi], rows: hi - lo}
	}
	cols := make([]arrow.Array, len(b.cols))
	for i := range b.cols {
		cols[i] = SliceArray(b.Col(i), lo, hi)
	}
	return &Batch{Schema: b.Schema, cols: cols, rows: hi - lo}
}

// Project is the batch of some of the columns; nothing is copied.
func (b *Batch) Project(s *Schema, cols []int) *Batch {
	if b.extended > 0 && b.sel != nil {
		b = &Batch{Schema: b.Schema, cols: b.Columns(), rows: b.rows}
	}
	out := &Batch{Schema: s, cols: make([]arrow.Array, len(cols)), sel: b.sel, rows: b.rows}
	if b.dense != nil {
		out.dense = make([]arrow.Array, len(cols))
	}
	for i, c := range cols {
		out.cols[i] = b.cols[c]
		if b.dense != nil {
			out.dense[i] = b.dense[c]
		}
	}
	return out
}

// WithSchema is the same columns under other names.
func (b *Batch) WithSchema(s *Schema) *Batch {
	c := *b
	c.Schema = s
	return &c
}

// Columns are all dense columns.
func (b *Batch) Columns() []arrow.Array {
	out := make([]arrow.Array, len(b.cols))
	for i := range out {
		out[i] = b.Col(i)
	}
	return out
}

// Extend is the batch with more columns behind its own; each added Vec has one
// value per live row. s is the schema of all columns. The columns of b stay
// ungathered until they are read.
func (b *Batch) Extend(s *Schema, more []Vec) *Batch {
	n := len(b.cols)
	out := &Batch{Schema: s, cols: make([]arrow.Array, n+len(more)), sel: b.sel, rows: b.rows}
	copy(out.cols, b.cols)
	if b.sel != nil {
		out.dense = make([]arrow.Array, n+len(more))
		copy(out.dense, b.dense)
	}
	for i, v := range more {
		a := v.Dense(b.rows)
		if b.sel != nil {
			out.dense[n+i] = a
		}
		out.cols[n+i] = a
	}
	out.extended = len(more)
	return out
}
