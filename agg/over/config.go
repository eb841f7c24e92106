// Package over holds the operator of OVER: functions of the rows around a row, for
// static tables.
package over

import (
	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/vector"
)

// Config describes the functions over one window definition. The input comes sorted by
// the partition columns, then by the order keys, with all rows of a partition in one instance.
type Config struct {
	Schema    *vector.Schema // of the input
	Partition []int          // columns
	Order     []Key
	Calls     []Call
	// Keep is how many leading columns of the input the output has, before a column for
	// each call; Output is its schema.
	Keep   int
	Output *vector.Schema
}

// Key is an order key.
type Key struct {
	Column          int
	Desc, NullsLast bool
}

// Call is one function. Args are columns of the input.
type Call struct {
	Name   string    // row_number, rank, …; "" for an aggregate
	Impl   *agg.Impl // of an aggregate
	Args   []int
	Filter int   // boolean column of the rows that count, -1: all
	N      int64 // ntile: buckets; lag, lead: offset in rows, back if negative; nth_value: from 1
	Frame  Frame
	// IgnoreNulls leaves the rows out in which the argument of lag, lead or nth_value is null.
	IgnoreNulls bool
}

// Frame is the rows around a row that an aggregate or nth_value sees, both ends included.
type Frame struct{ Lo, Hi Bound }

// BoundKind is how a Bound is given.
type BoundKind uint8

// The kinds of bounds.
const (
	Unbounded BoundKind = iota // the partition's end
	ByRows                     // Offset rows after the row, before it if negative
	Peers                      // the first or last row with equal order keys
	ByValue                    // where the order key passes the value in Column
)

// Bound is an end of a Frame.
type Bound struct {
	Kind   BoundKind
	Offset int64
	Column int
}
