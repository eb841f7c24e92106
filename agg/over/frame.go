package over

import (
	"sort"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// frame gives the frame of a row: the rows lo up to hi, within the partition.
func (w *window) frame(f Frame) func(i int) (lo, hi int) {
	first, last := w.bound(f.Lo, false), w.bound(f.Hi, true)
	return func(i int) (int, int) {
		lo, hi := w.partition(i)
		a, b := max(first(i), lo), min(last(i), hi)
		return min(a, hi), max(b, min(a, hi))
	}
}

// bound gives the first row of the frame, or with end the row behind its last.
func (w *window) bound(b Bound, end bool) func(i int) int {
	pick := func(lo, hi int) int {
		if end {
			return hi
		}
		return lo
	}
	switch b.Kind {
	case ByRows:
		return func(i int) int {
			// A far offset is the partition's end; clamped here so that it cannot overflow.
			off := int(max(min(b.Offset, int64(w.n)), int64(-w.n)))
			return i + off + pick(0, 1)
		}
	case Peers:
		return func(i int) int { return pick(w.peer(i)) }
	case ByValue:
		return w.byValue(b.Column, end)
	}
	return func(i int) int { return pick(w.partition(i)) }
}

// byValue searches the partition for the first row whose key is not before the bound
// or, with end, is behind it. A null bound stands among the null keys.
func (w *window) byValue(column int, end bool) func(i int) int {
	key := w.Order[0]
	t := w.Schema.Fields[key.Column].Type
	compare := kernels.Comparator(t, w.cols[key.Column], w.cols[column]) // nulls first
	keys, bounds := vector.Validity(w.cols[key.Column]), vector.Validity(w.cols[column])
	ordered := func(row, bound int) int {
		kv, bv := keys.Get(row), bounds.Get(bound)
		if !kv || !bv {
			switch {
			case kv == bv:
				return 0
			case kv == key.NullsLast:
				return -1
			}
			return 1
		}
		if key.Desc {
			return -compare(row, bound)
		}
		return compare(row, bound)
	}
	return func(i int) int {
		lo, hi := w.partition(i)
		return lo + sort.Search(hi-lo, func(k int) bool {
			d := ordered(lo+k, i)
			return d > 0 || d == 0 && !end
		})
	}
}
