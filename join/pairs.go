package join

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// pairRows bounds the joined rows that are made at a time, so that a row with a
// million matches needs no more memory than others.
const pairRows = 4096

// probeVector is the number of rows whose chains are looked up together.
const probeVector = 1024

// pairs are rows of a batch and kept rows with equal keys.
type pairs struct {
	in, kept []uint32
}

// probe finds the kept rows with the keys of a batch and calls full when there are pairRows
// of them and at the end. Rows of the batch for which enough is true are left out; first
// takes one kept row for each.
//
// It takes a step in the chains of many rows at a time, so that their cache misses overlap.
func (p *pairs) probe(x *index, marks []uint8, k *keyBatch, enough []bool, first bool, full func() error) error {
	if p.in == nil {
		p.in, p.kept = make([]uint32, 0, pairRows+probeVector), make([]uint32, 0, pairRows+probeVector)
	}
	p.in, p.kept = p.in[:0], p.kept[:0]
	var rows, next [probeVector]uint32
	ids, mask := x.ids(k), uint32(len(x.heads)-1)
	for lo := 0; lo < len(k.hash); lo += probeVector {
		hi := min(lo+probeVector, len(k.hash))
		n := 0
		for i := lo; i < hi; i++ {
			c := x.heads[tag(k.hash[i])&mask]
			rows[n], next[n] = uint32(i), c
			if c != 0 {
				n++
			}
		}
		if k.null != nil {
			n = k.dropNulls(rows[:n], next[:n])
		}
		for n > 0 {
			found := len(p.in)
			active := 0
			for a := range n {
				row, c := rows[a], next[a]-1
				e := &x.entries[c]
				if e.key == ids[row] {
					p.in, p.kept = append(p.in, row), append(p.kept, c)
				}
				rows[active], next[active] = row, e.next
				if e.next != 0 {
					active++
				}
			}
			n = active
			p.verify(x, k, marks, enough, found)
			if first {
				n = p.stop(rows[:n], next[:n], found)
			}
			if len(p.in) >= pairRows {
				if err := p.flush(full); err != nil {
					return err
				}
			}
		}
	}
	return p.flush(full)
}

// verify drops, of the pairs from number found on, those with other keys, dead kept
// rows and rows of the batch that need no more.
func (p *pairs) verify(x *index, k *keyBatch, marks []uint8, enough []bool, found int) {
	n := found
	for i := found; i < len(p.in); i++ {
		row, r := p.in[i], p.kept[i]
		if marks[r]&dead != 0 || enough != nil && enough[row] || !x.single && !x.equal(k, int(row), r) {
			continue
		}
		p.in[n], p.kept[n] = row, r
		n++
	}
	p.in, p.kept = p.in[:n], p.kept[:n]
}

// stop takes the rows of the batch in the pairs from number found on, which are in the
// order of rows, off the list of those that go on.
func (p *pairs) stop(rows, next []uint32, found int) int {
	n := 0
	for i, row := range rows {
		for found < len(p.in) && p.in[found] < row {
			found++
		}
		if found < len(p.in) && p.in[found] == row {
			continue
		}
		rows[n], next[n] = row, next[i]
		n++
	}
	return n
}

func (p *pairs) flush(full func() error) error {
	if len(p.in) == 0 {
		return nil
	}
	err := full()
	p.in, p.kept = p.in[:0], p.kept[:0]
	return err
}

// columns are the given columns of the joined rows: side tells which side the batch is.
func (p *pairs) columns(want []Column, side int, in *vector.Batch, kept *rows) []arrow.Array {
	out := make([]arrow.Array, len(want))
	for i, c := range want {
		if c.Side == side {
			out[i] = vector.Take(in.Col(c.Index), p.in)
		} else {
			out[i] = kept.gather(c.Index, p.kept)
		}
	}
	return out
}

// filter keeps the pairs for which the condition is true; b are their columns.
func (p *pairs) filter(ctx *kernels.Ctx, cond kernels.Expr, b *vector.Batch) error {
	v, err := cond.Eval(ctx, b)
	if err != nil {
		return err
	}
	bits, valid, m := vector.Bools(v.Arr), vector.Validity(v.Arr), v.Mask()
	n := 0
	for i := range p.in {
		if k := i & m; bits.Get(k) && valid.Get(k) {
			p.in[n], p.kept[n] = p.in[i], p.kept[i]
			n++
		}
	}
	p.in, p.kept = p.in[:n], p.kept[:n]
	return nil
}

// withNulls is the result of rows that have no match: their own columns, given by get, and nulls.
func withNulls(schema *vector.Schema, output []Column, side, n int, get func(c int) arrow.Array) *vector.Batch {
	cols := make([]arrow.Array, len(output))
	for i, c := range output {
		if c.Side == side {
			cols[i] = get(c.Index)
		} else {
			cols[i] = vector.Repeat(vector.ConstNull(schema.Fields[i].Type).Arr, n)
		}
	}
	return vector.NewBatch(schema, cols, n)
}
