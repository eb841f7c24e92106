package over

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// Operator computes the functions when all rows are there.
type Operator struct {
	exec.Stateless
	Config
	batches []*vector.Batch
}

// New makes the operator.
func New(cfg Config) (exec.Operator, error) { return &Operator{Config: cfg}, nil }

// Process keeps the batch.
func (o *Operator) Process(_ int, in *vector.Batch, _ exec.Emit) error {
	o.batches = append(o.batches, in)
	return nil
}

// EndBatch emits the rows with the functions' values.
func (o *Operator) EndBatch(out exec.Emit) error {
	if len(o.batches) == 0 {
		return nil
	}
	w := &window{Config: &o.Config, cols: concat(o.batches)}
	w.n = rowsOf(o.batches)
	o.batches = nil
	w.divide()
	cols := slices.Clone(w.cols[:o.Keep])
	for i := range o.Calls {
		c, err := w.call(&o.Calls[i])
		if err != nil {
			return err
		}
		cols = append(cols, c)
	}
	return out(vector.NewBatch(o.Output, cols, w.n))
}

func rowsOf(batches []*vector.Batch) int {
	n := 0
	for _, b := range batches {
		n += b.Len()
	}
	return n
}

func concat(batches []*vector.Batch) []arrow.Array {
	cols := make([]arrow.Array, batches[0].NumCols())
	for c := range cols {
		parts := make([]arrow.Array, len(batches))
		for i, b := range batches {
			parts[i] = b.Col(c)
		}
		cols[c] = vector.Concat(parts)
	}
	return cols
}

// window is the sorted rows with their partitions and peers.
type window struct {
	*Config
	cols []arrow.Array
	n    int
	// partition and peer i are the rows starts[i] up to starts[i+1].
	partitions, peers []int
	partitionOf       []int // by row: index into partitions
	peerOf            []int // by row: index into peers
}

func (w *window) divide() {
	newPartition := w.changes(w.Partition)
	order := make([]int, len(w.Order))
	for i, k := range w.Order {
		order[i] = k.Column
	}
	newPeer := w.changes(order)
	w.partitionOf, w.peerOf = make([]int, w.n), make([]int, w.n)
	for i := range w.n {
		switch {
		case i == 0 || newPartition(i-1, i):
			w.partitions, w.peers = append(w.partitions, i), append(w.peers, i)
		case newPeer(i-1, i):
			w.peers = append(w.peers, i)
		}
		w.partitionOf[i], w.peerOf[i] = len(w.partitions)-1, len(w.peers)-1
	}
	w.partitions, w.peers = append(w.partitions, w.n), append(w.peers, w.n)
}

// changes tells whether two rows differ in some of the columns.
func (w *window) changes(columns []int) func(i, j int) bool {
	compare := make([]func(i, j int) int, len(columns))
	for k, c := range columns {
		compare[k] = kernels.Comparator(w.Schema.Fields[c].Type, w.cols[c], w.cols[c])
	}
	return func(i, j int) bool {
		for _, f := range compare {
			if f(i, j) != 0 {
				return true
			}
		}
		return false
	}
}

// partition is the partition of a row: the rows lo up to hi.
func (w *window) partition(i int) (lo, hi int) {
	p := w.partitionOf[i]
	return w.partitions[p], w.partitions[p+1]
}

// peer is the rows with the order keys of a row: lo up to hi.
func (w *window) peer(i int) (lo, hi int) {
	p := w.peerOf[i]
	return w.peers[p], w.peers[p+1]
}
