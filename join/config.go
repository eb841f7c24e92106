// Package join holds the operators that join rows: SymmetricHash joins two
// streams and keeps the rows of both in state, as Spark's
// StreamingSymmetricHashJoinExec does; Static joins a stream with a table that is
// read once per micro-batch.
package join

import (
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// Kind is the kind of a join.
type Kind uint8

// The kinds. Semi and Anti emit left rows only.
const (
	Inner Kind = iota
	LeftOuter
	RightOuter
	FullOuter
	LeftSemi
	LeftAnti
)

// Left and Right number the sides; they are the ports of SymmetricHash.
const (
	Left = iota
	Right
)

// preserves tells whether rows of a side without a match come out with nulls.
func (k Kind) preserves(side int) bool {
	return k == FullOuter || k == LeftOuter && side == Left || k == RightOuter && side == Right
}

// Column names a column of the joined row.
type Column struct{ Side, Index int }

// Config describes a stream-stream join.
type Config struct {
	Kind  Kind
	Sides [2]Side
	// Residual is the part of the condition beyond the keys; nil: none. It reads the columns
	// Reads, in this order, under ReadSchema.
	Residual   func() (kernels.Expr, error)
	Reads      []Column
	ReadSchema *vector.Schema
	// Output are the columns of the result, under Schema.
	Output []Column
	Schema *vector.Schema
}

// Side is one input of a stream-stream join.
type Side struct {
	// Schema is the input's: the columns that are kept, keys and times among them.
	Schema *vector.Schema
	// Keys are flat columns, of the same types as the other side's. A row with a null
	// key matches nothing.
	Keys []int
	// Late is the timestamp column by which input is late, -1 if none: rows at or before the
	// watermark are dropped.
	Late int
	// Time is the timestamp column by which rows leave the state, -1 if there is none.
	Time int
	// Bound gives the state watermark in milliseconds for an event-time watermark: rows
	// whose Time is at or before it leave. Nil: rows stay for ever.
	Bound func(watermarkMs int64) int64
	// Pre is the part of the condition on this side alone; nil: none. A row that fails
	// it is not kept and, if the side is preserved, comes out with nulls at once.
	Pre func() (kernels.Expr, error)
	// View is how readers of the state show the rows: the columns of its key are those of
	// Keys, the columns of its value those of Schema.
	View *statestore.View
}
