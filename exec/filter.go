package exec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Filter keeps the rows whose predicate is true. It copies nothing: the batch
// that it emits carries a selection.
type Filter struct {
	Stateless
	Pred kernels.Expr
}

// Process emits the rows that pass.
func (f *Filter) Process(_ int, in *vector.Batch, out Emit) error {
	b, err := Keep(f.Task.Kernel, f.Pred, in)
	if err != nil || b == nil {
		return err
	}
	return out(b)
}

// Keep is the batch of the rows of in for which pred is true; nil if there are none.
func Keep(ctx *kernels.Ctx, pred kernels.Expr, in *vector.Batch) (*vector.Batch, error) {
	v, err := kernels.Transient(ctx, pred, in)
	if err != nil {
		return nil, err
	}
	if v.Const {
		if v.Arr.IsNull(0) || !vector.Bools(v.Arr).Get(0) {
			return nil, nil
		}
		return in, nil
	}
	sel := TrueRows(v.Arr)
	switch len(sel) {
	case 0:
		return nil, nil
	case in.Len():
		return in, nil
	}
	return in.Select(sel), nil
}

// TrueRows lists the rows of a boolean column that are true, a byte of the bitmap at a time.
func TrueRows(a arrow.Array) []uint32 {
	n := a.Len()
	bits, valid := vector.Bools(a), vector.Validity(a)
	count := n
	if valid == nil {
		count = bits.CountSet(n)
	}
	out := make([]uint32, 0, count)
	for i := 0; i < n; i += 8 {
		w := bits[i>>3]
		if valid != nil {
			w &= valid[i>>3]
		}
		if r := n - i; r < 8 {
			w &= 1<<r - 1
		}
		for j := uint32(i); w != 0; j, w = j+1, w>>1 {
			if w&1 != 0 {
				out = append(out, j)
			}
		}
	}
	return out
}
