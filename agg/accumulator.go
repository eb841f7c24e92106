package agg

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// Accumulator holds the states of one aggregate for the groups 0..n of one
// table. The fixed-width part of a group's state lies in the group's row, side
// by side with the states of the other aggregates (see States); what varies in
// size lies in the accumulator itself. g always gives one group per row of the
// columns beside it.
type Accumulator interface {
	// Width is the number of bytes, a multiple of 8, that the state takes in a
	// group's row. One flag byte besides is everybody's.
	Width() int
	// Init makes the states of the groups lo up to hi empty; their rows may hold anything.
	Init(r Rows, lo, hi int)
	// Update folds argument rows in. args may have more columns than the
	// accumulator reads (constants that Bind took).
	Update(r Rows, g []uint32, args []arrow.Array) error
	// Merge folds in states in the form of Export.
	Merge(r Rows, g []uint32, state []arrow.Array) error
	// Export is the states of groups as columns of the types Impl.State.
	Export(r Rows, g []uint32) []arrow.Array
	// Result is the aggregate's value for each of the groups, of type Impl.Result.
	Result(r Rows, g []uint32) (arrow.Array, error)
	// Bytes is the memory beside the rows.
	Bytes() int
}

// restorer is implemented by accumulators whose Merge into an empty state rounds.
type restorer interface {
	// Restore puts states in the form of Export into empty ones, bit by bit.
	Restore(r Rows, g []uint32, state []arrow.Array)
}

// Rows gives an accumulator its part of every group's row.
type Rows struct {
	base   unsafe.Pointer // the state of group 0
	stride uintptr
	flag   uintptr // offset of the flag byte from base
}

// at is the value at offset off in the state of group g.
func at[T any](r Rows, g uint32, off uintptr) *T {
	return (*T)(unsafe.Add(r.base, uintptr(g)*r.stride+off))
}

// flagOf is the flag byte of group g.
func (r Rows) flagOf(g uint32) *uint8 {
	return (*uint8)(unsafe.Add(r.base, uintptr(g)*r.stride+r.flag))
}

// set is the flag of a state that has a value.
const set uint8 = 1

// clear zeroes words and the flag of the groups lo..hi.
func (r Rows) clear(lo, hi, words int) {
	for g := lo; g < hi; g++ {
		p := unsafe.Slice(at[uint64](r, uint32(g), 0), words)
		for i := range p {
			p[i] = 0
		}
		*r.flagOf(uint32(g)) = 0
	}
}

// valid drops the rows in which one of cols is null; without nulls it costs nothing.
func valid(g []uint32, cols ...arrow.Array) ([]uint32, []arrow.Array) {
	n := len(g)
	var keep vector.Bitmap
	for _, c := range cols {
		v := vector.Validity(c)
		switch {
		case v == nil:
		case keep == nil:
			keep = append(vector.Bitmap(nil), v...)
		default:
			for i := range keep {
				keep[i] &= v[i]
			}
		}
	}
	if keep == nil {
		return g, cols
	}
	rows := make([]uint32, 0, n)
	for i := range n {
		if keep[i>>3]&(1<<(i&7)) != 0 {
			rows = append(rows, uint32(i))
		}
	}
	out := make([]arrow.Array, len(cols))
	for i, c := range cols {
		out[i] = vector.Take(c, rows)
	}
	return pick(g, rows), out
}

// pick gathers groups by row.
func pick(g, rows []uint32) []uint32 {
	out := make([]uint32, len(rows))
	for i, r := range rows {
		out[i] = g[r]
	}
	return out
}

// gather reads the value at off in the state of each group.
func gather[T any](r Rows, g []uint32, off uintptr) []T {
	out := make([]T, len(g))
	for i, x := range g {
		out[i] = *at[T](r, x, off)
	}
	return out
}

// gatherSet is the groups whose state has a value, as a validity bitmap; nil if all have.
func gatherSet(r Rows, g []uint32) vector.Bitmap {
	var out vector.Bitmap
	for i, x := range g {
		if *r.flagOf(x)&set == 0 {
			if out == nil {
				out = vector.NewValid(len(g))
			}
			out[i>>3] &^= 1 << (i & 7)
		}
	}
	return out
}

// export is the values at offset 0 as a column that is null where no value is set.
func export[T any](t *vector.Type, r Rows, g []uint32) arrow.Array {
	return vector.NewFixed(t, gather[T](r, g, 0), gatherSet(r, g))
}
