package exec

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// FirstColumns are the indices 0 to n-1.
func FirstColumns(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Route tells for each row of a block of a table which of n partitions owns it: the one to
// which the exchange before the operator would send the row.
func Route(s *statestore.Schema, b statestore.Block, n int) ([]int, error) {
	owner := make([]int, b.Rows)
	if len(s.Route) == 0 {
		return owner, nil
	}
	cols := make([]arrow.Array, len(s.Route))
	for i, at := range s.Route {
		a, err := blockColumn(routeType(s.Keys[at]), b.Cols[at], b.Rows)
		if err != nil {
			return nil, err
		}
		cols[i] = a
	}
	hash := make([]uint64, b.Rows)
	vector.HashColumns(cols, hash)
	for i, h := range hash {
		owner[i] = PartitionOf(h, n)
	}
	return owner, nil
}

// routeType is a type whose values have the bytes of a stored column and hash like it.
func routeType(c statestore.Column) *vector.Type {
	switch c.Type {
	case vector.Null.String():
		return vector.Null
	case vector.Bool.String():
		return vector.Bool
	case vector.Float.String():
		return vector.Float
	case vector.Double.String():
		return vector.Double
	case vector.CalendarInterval.String():
		return vector.CalendarInterval
	}
	switch c.Width {
	case 0:
		return vector.Binary
	case 1:
		return vector.Byte
	case 2:
		return vector.Short
	case 4:
		return vector.Int
	case 8:
		return vector.Long
	}
	return vector.Decimal(38, 0)
}
