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

// probe finds the kept rows with the keys of a batch, but for those with one of the marks
// hide, and calls full when there are pairRows of them and at the end. Rows of the
// batch for which enough is true are left; first takes one kept row for each.
func (p *pairs) probe(x *index, marks []uint8, hide uint8, k *keyBatch, enough []bool, first bool, full func() error) error {
	if p.in == nil {
		p.in, p.kept = make([]uint32, 0, pairRows), make([]uint32, 0, pairRows)
	}
	p.in, p.kept = p.in[:0], p.kept[:0]
	var heads [probeVector]uint32
	mask := uint32(len(x.heads) - 1)
	word := len(x.words) == 1 && len(x.bytes) == 0
	for lo := 0; lo < len(k.hash); lo += probeVector {
		hash := k.hash[lo:min(lo+probeVector, len(k.hash))]
		for i, h := range hash {
			heads[i] = x.heads[tag(h)&mask]
		}
		for i, h := range hash {
			c := heads[i]
			row := lo + i
			if c == 0 || !k.usable(row) {
				continue
			}
			t := tag(h)
			for c != 0 {
				r := c - 1
				c = x.next[r]
				if word {
					if x.words[0][r] != k.words[0][row] {
						continue
					}
				} else if x.tags[r] != t || !x.equal(k, row, r) {
					continue
				}
				if marks[r]&hide != 0 {
					continue
				}
				if enough != nil && enough[row] {
					break
				}
				p.in, p.kept = append(p.in, uint32(row)), append(p.kept, r)
				if len(p.in) == pairRows {
					if err := p.flush(full); err != nil {
						return err
					}
				}
				if first {
					break
				}
			}
		}
	}
	return p.flush(full)
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
