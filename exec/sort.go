package exec

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// SortKey is one key of a Sort.
type SortKey struct {
	Expr      kernels.Expr
	Desc      bool
	NullsLast bool
}

// Sort orders all rows of the micro-batch. It is stable.
type Sort struct {
	Stateless
	Keys []SortKey

	batches []*vector.Batch
}

// Process keeps the batch.
func (s *Sort) Process(_ int, in *vector.Batch, _ Emit) error {
	s.batches = append(s.batches, in)
	return nil
}

// EndBatch emits the rows in order.
func (s *Sort) EndBatch(out Emit) error {
	in := concat(s.batches)
	s.batches = nil
	if in == nil {
		return nil
	}
	compare := make([]func(i, j int) int, len(s.Keys))
	for k, key := range s.Keys {
		v, err := key.Expr.Eval(s.Task.Kernel, in)
		if err != nil {
			return err
		}
		compare[k] = comparator(key, v.Dense(in.Len()))
	}
	rows := make([]uint32, in.Len())
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortStableFunc(rows, func(i, j uint32) int {
		for _, c := range compare {
			if d := c(int(i), int(j)); d != 0 {
				return d
			}
		}
		return 0
	})
	return out(in.Select(rows))
}

// comparator compares rows by one key, nulls first or last as the key says.
func comparator(key SortKey, a arrow.Array) func(i, j int) int {
	values, valid := kernels.Comparator(key.Expr.Type(), a, a), vector.Validity(a)
	return func(i, j int) int {
		vi, vj := valid.Get(i), valid.Get(j)
		if !vi || !vj {
			switch {
			case vi == vj:
				return 0
			case vi == key.NullsLast:
				return -1
			}
			return 1
		}
		if key.Desc {
			return values(j, i)
		}
		return values(i, j)
	}
}

// concat joins batches of one schema; nil if there are none.
func concat(batches []*vector.Batch) *vector.Batch {
	if len(batches) == 0 {
		return nil
	}
	if len(batches) == 1 {
		return batches[0]
	}
	n := 0
	for _, b := range batches {
		n += b.Len()
	}
	cols := make([]arrow.Array, batches[0].NumCols())
	for c := range cols {
		parts := make([]arrow.Array, len(batches))
		for i, b := range batches {
			parts[i] = b.Col(c)
		}
		cols[c] = vector.Concat(parts)
	}
	return vector.NewBatch(batches[0].Schema, cols, n)
}
