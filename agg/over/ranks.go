package over

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// call computes one function for all rows.
func (w *window) call(c *Call) (arrow.Array, error) {
	switch c.Name {
	case "":
		return w.aggregate(c)
	case "row_number":
		return w.ints(func(i, lo, _ int) int { return i - lo + 1 }), nil
	case "rank":
		return w.ints(func(i, lo, _ int) int { return w.peers[w.peerOf[i]] - lo + 1 }), nil
	case "dense_rank":
		return w.ints(func(i, lo, _ int) int { return w.peerOf[i] - w.peerOf[lo] + 1 }), nil
	case "ntile":
		return w.ints(func(i, lo, hi int) int { return ntile(i-lo, hi-lo, c.N) }), nil
	case "percent_rank":
		return w.doubles(func(i, lo, hi int) float64 {
			if hi-lo == 1 {
				return 0
			}
			return float64(w.peers[w.peerOf[i]]-lo) / float64(hi-lo-1)
		}), nil
	case "cume_dist":
		return w.doubles(func(i, lo, hi int) float64 {
			_, last := w.peer(i)
			return float64(last-lo) / float64(hi-lo)
		}), nil
	case "lag", "lead":
		return w.shifted(c), nil
	case "nth_value":
		return w.nth(c)
	}
	return nil, fmt.Errorf("over: unknown function %s", c.Name)
}

// ints is an int column; f gets a row and its partition.
func (w *window) ints(f func(i, lo, hi int) int) arrow.Array {
	out := make([]int32, w.n)
	for i := range out {
		lo, hi := w.partition(i)
		out[i] = int32(f(i, lo, hi))
	}
	return vector.NewFixed(vector.Int, out, nil)
}

func (w *window) doubles(f func(i, lo, hi int) float64) arrow.Array {
	out := make([]float64, w.n)
	for i := range out {
		lo, hi := w.partition(i)
		out[i] = f(i, lo, hi)
	}
	return vector.NewFixed(vector.Double, out, nil)
}

// ntile is the bucket of row i of n; the first n modulo buckets have one row more.
func ntile(i, n int, buckets int64) int {
	b := int(min(buckets, int64(n)))
	size, more := n/b, n%b
	if i < more*(size+1) {
		return i/(size+1) + 1
	}
	return more + (i-more*(size+1))/size + 1
}

// shifted is the first argument N rows on, or else the second argument of the row.
func (w *window) shifted(c *Call) arrow.Array {
	rows := make([]uint32, w.n)
	counted := w.counted(c)
	for i := range rows {
		lo, hi := w.partition(i)
		rows[i] = uint32(w.n + i)
		if j := counted.from(i, c.N); j >= int64(lo) && j < int64(hi) {
			rows[i] = uint32(j)
		}
	}
	return vector.Take(vector.Concat([]arrow.Array{w.cols[c.Args[0]], w.cols[c.Args[1]]}), rows)
}

// nth is the argument in the N-th row of the frame, or null.
func (w *window) nth(c *Call) (arrow.Array, error) {
	t := w.Schema.Fields[c.Args[0]].Type
	values := vector.Concat([]arrow.Array{w.cols[c.Args[0]], vector.NewNull(t, 1)})
	frame := w.frame(c.Frame)
	counted := w.counted(c)
	rows := make([]uint32, w.n)
	for i := range rows {
		lo, hi := frame(i)
		rows[i] = uint32(w.n)
		if lo >= hi {
			continue
		}
		if j := counted.from(lo-1, c.N); j < int64(hi) {
			rows[i] = uint32(j)
		}
	}
	return vector.Take(values, rows), nil
}

// counted are the rows that count for a function: those whose argument is not null, with
// IGNORE NULLS, or else all.
type counted struct {
	all  bool
	n    int64
	rows []int // the rows that count
	rank []int // by row: how many of those come before it; one more for the end
}

func (w *window) counted(c *Call) *counted {
	if !c.IgnoreNulls {
		return &counted{all: true, n: int64(w.n)}
	}
	col := w.cols[c.Args[0]]
	out := &counted{n: int64(w.n), rank: make([]int, w.n+1)}
	for i := range w.n {
		out.rank[i] = len(out.rows)
		if col.IsValid(i) {
			out.rows = append(out.rows, i)
		}
	}
	out.rank[w.n] = len(out.rows)
	return out
}

// from is the n-th row that counts after row i, or before it if n is negative, and i
// itself if n is 0; -1 or the number of rows if there is none.
func (c *counted) from(i int, n int64) int64 {
	switch {
	case n == 0:
		return int64(i)
	case c.all:
		return int64(i) + n
	case n < 0:
		if k := int64(c.rank[i]) + n; k >= 0 {
			return int64(c.rows[k])
		}
		return -1
	}
	if k := int64(c.rank[i+1]) + n - 1; k < int64(len(c.rows)) {
		return int64(c.rows[k])
	}
	return c.n
}
