package exec

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/internal/vectest"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

// TestRouteIsTheExchange: stored rows belong to the partition to which the exchange sent them.
func TestRouteIsTheExchange(t *testing.T) {
	flat := []*vector.Type{
		vector.Null, vector.Bool, vector.Byte, vector.Short, vector.Int, vector.Long, vector.Float, vector.Double, vector.String, vector.Binary,
		vector.Date, vector.Timestamp, vector.TimestampNTZ, vector.Decimal(9, 2), vector.Decimal(38, 3),
	}
	rapid.Check(t, func(t *rapid.T) {
		var fields []vector.Field
		for range rapid.IntRange(1, 4).Draw(t, "columns") {
			fields = append(fields, vector.Field{Name: "c", Type: rapid.SampledFrom(flat).Draw(t, "type"), Nullable: true})
		}
		n := rapid.IntRange(0, 50).Draw(t, "rows")
		cols := make([]arrow.Array, len(fields))
		for i, f := range fields {
			if f.Type == vector.Null {
				cols[i] = vector.NewNull(f.Type, n)
			} else {
				cols[i] = vectest.Column(t, f.Type, n)
			}
		}
		partitions := rapid.IntRange(1, 9).Draw(t, "partitions")
		schema := statestore.Schema{Keys: StoreColumns(fields), OrderCol: -1, Route: FirstColumns(len(fields))}
		block := Block(fields, cols, n)
		got, err := Route(&schema, block, partitions)
		if err != nil {
			t.Fatal(err)
		}
		hash := make([]uint64, n)
		vector.HashColumns(cols, hash)
		want := make([]int, n)
		for i, h := range hash {
			want[i] = PartitionOf(h, partitions)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v of types %v, want %v", got, fields, want)
		}
		var rows []uint32
		for i := range want {
			if want[i] == 0 {
				rows = append(rows, uint32(i))
			}
		}
		own := block.Select(rows)
		again, err := Route(&schema, own, partitions)
		if err != nil || slices.ContainsFunc(again, func(p int) bool { return p != 0 }) {
			t.Fatalf("the rows of partition 0 belong to %v, %v", again, err)
		}
	})
}
