package over

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/vector"
)

// chunk bounds the rows that are handed to an aggregate at a time.
const chunk = 1 << 16

// aggregate computes an aggregate over each row's frame.
func (w *window) aggregate(c *Call) (arrow.Array, error) {
	in := w.input(c)
	lo, hi := c.Frame.Lo.Kind, c.Frame.Hi.Kind
	switch {
	case lo == Unbounded && hi == Unbounded:
		return w.whole(c, in)
	case lo == Unbounded:
		return w.running(c, in)
	}
	return w.sliding(c, in)
}

// input is the rows that count for an aggregate: args has them only, and rank[i] is how
// many of them come before row i.
type input struct {
	args []arrow.Array
	rank []int
}

func (w *window) input(c *Call) *input {
	in := &input{args: make([]arrow.Array, len(c.Args)), rank: make([]int, w.n+1)}
	var rows []uint32
	for i := range w.n {
		in.rank[i] = i
		if c.Filter >= 0 {
			in.rank[i] = len(rows)
			if f := w.cols[c.Filter]; f.IsValid(i) && vector.Bools(f).Get(i) {
				rows = append(rows, uint32(i))
			}
		}
	}
	in.rank[w.n] = w.n
	for k, a := range c.Args {
		in.args[k] = w.cols[a]
		if c.Filter >= 0 {
			in.args[k] = vector.Take(w.cols[a], rows)
		}
	}
	if c.Filter >= 0 {
		in.rank[w.n] = len(rows)
	}
	return in
}

// slice is the arguments in the rows lo up to hi of those that count.
func (in *input) slice(lo, hi int) []arrow.Array {
	out := make([]arrow.Array, len(in.args))
	for i, a := range in.args {
		out[i] = vector.SliceArray(a, lo, hi)
	}
	return out
}

// whole computes one value a partition.
func (w *window) whole(c *Call, in *input) (arrow.Array, error) {
	parts := len(w.partitions) - 1
	states := agg.NewStates([]*agg.Impl{c.Impl})
	defer states.Free()
	states.Grow(parts)
	for p := range parts {
		lo, hi := in.rank[w.partitions[p]], in.rank[w.partitions[p+1]]
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			g := make([]uint32, end-lo)
			for i := range g {
				g[i] = uint32(p)
			}
			if err := states.Update(0, g, in.slice(lo, end)); err != nil {
				return nil, err
			}
		}
	}
	values, err := states.Result(0, vector.AllGroups(parts))
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, w.n)
	for i, p := range w.partitionOf {
		rows[i] = uint32(p)
	}
	return vector.Take(values, rows), nil
}

// running computes frames that begin with the partition: a state goes along with the
// rows, and is read where the frame's end moves.
func (w *window) running(c *Call, in *input) (arrow.Array, error) {
	frame := w.frame(c.Frame)
	rows := make([]uint32, w.n)
	var values []arrow.Array
	for p := range len(w.partitions) - 1 {
		first, last := w.partitions[p], w.partitions[p+1]
		states := agg.NewStates([]*agg.Impl{c.Impl})
		states.Grow(1)
		at, end := in.rank[first], -1
		for i := first; i < last; i++ {
			if _, hi := frame(i); hi != end {
				end = hi
				to := in.rank[hi]
				if to > at {
					if err := states.Update(0, make([]uint32, to-at), in.slice(at, to)); err != nil {
						return nil, err
					}
					at = to
				}
				v, err := states.Result(0, []uint32{0})
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			rows[i] = uint32(len(values) - 1)
		}
		states.Free()
	}
	return vector.Take(vector.Concat(values), rows), nil
}

// sliding computes other frames anew for each row: a group a row.
func (w *window) sliding(c *Call, in *input) (arrow.Array, error) {
	frame := w.frame(c.Frame)
	states := agg.NewStates([]*agg.Impl{c.Impl})
	defer states.Free()
	states.Grow(w.n)
	var g, rows []uint32
	flush := func() error {
		args := make([]arrow.Array, len(in.args))
		for k, a := range in.args {
			args[k] = vector.Take(a, rows)
		}
		err := states.Update(0, g, args)
		g, rows = g[:0], rows[:0]
		return err
	}
	for i := range w.n {
		lo, hi := frame(i)
		for j := in.rank[lo]; j < in.rank[hi]; j++ {
			g, rows = append(g, uint32(i)), append(rows, uint32(j))
		}
		if len(g) >= chunk {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return states.Result(0, vector.AllGroups(w.n))
}
