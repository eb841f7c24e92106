package exec

import "github.com/vstream/vstream/vector"

// Graph is a compiled query: pipelines connected by exchanges. It is built once
// per run of a query and executed once per micro-batch.
//
//	scan ─ filter ─ project ─ partial aggregate ═╗ exchange by key group
//	                                             ╚═ final aggregate ─ project ─ sink
type Graph struct {
	Pipelines []*Pipeline // producers before consumers
	Scans     int         // number of scans, numbered from 0
}

// Pipeline is a chain of operators between two borders. It is fed by a scan, one
// instance per task, or by exchanges, one instance per partition.
type Pipeline struct {
	Scan   int         // the scan that feeds it; -1: exchanges do
	Inputs []*Exchange // by port of the first operator, when Scan is -1
	Ops    []OpSpec
	Dest   *Exchange // nil: the sink
}

// OpSpec makes instances of one operator.
type OpSpec struct {
	Name string // for explain and metrics
	// ID numbers the stateful operators of the query from 0, in the order of the
	// plan from the top down, as Spark does; -1 for operators without state.
	ID int
	// Note says more about it to people.
	Note string
	New  func() (Operator, error)
}

// Exchange moves rows to the partition that owns their key group.
type Exchange struct {
	Keys       []int // columns; none: everything goes to partition 0
	Partitions int
}

// KeyGroups is the fixed number of key groups: state is owned, moved and
// repartitioned in contiguous ranges of them.
const KeyGroups = 1024

// PartitionOf is the partition of n that owns the key group of a hash.
func PartitionOf(hash uint64, n int) int {
	return int(hash%KeyGroups) * n / KeyGroups
}

// split sends each row of b to the partition that owns its key. push is called
// at most once per partition, in order.
func (e *Exchange) split(b *vector.Batch, scratch *splitScratch, push func(partition int, b *vector.Batch) error) error {
	n := b.Len()
	if n == 0 {
		return nil
	}
	if e.Partitions == 1 || len(e.Keys) == 0 {
		return push(0, b)
	}
	cols := scratch.cols[:0]
	for _, k := range e.Keys {
		cols = append(cols, b.Col(k))
	}
	scratch.cols = cols
	if cap(scratch.hash) < n {
		scratch.hash = make([]uint64, n)
	}
	hash := scratch.hash[:n]
	vector.HashColumns(cols, hash)
	counts := make([]int, e.Partitions)
	for i, h := range hash {
		p := PartitionOf(h, e.Partitions)
		hash[i] = uint64(p)
		counts[p]++
	}
	sel := make([][]uint32, e.Partitions)
	rows := make([]uint32, n)
	at := 0
	for p, c := range counts {
		sel[p] = rows[at : at : at+c]
		at += c
	}
	for i, p := range hash {
		sel[p] = append(sel[p], uint32(i))
	}
	for p, s := range sel {
		if len(s) == 0 {
			continue
		}
		part := b
		if len(s) < n {
			part = b.Select(s)
		}
		if err := push(p, part); err != nil {
			return err
		}
	}
	return nil
}
