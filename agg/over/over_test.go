package over_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/agg/over"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// row is a row of the test's input: partition, order key, value. A bound is the key
// less 1 and plus 2.
type row struct{ g, o, v int64 }

var (
	input  = vector.NewSchema(long("g"), long("o"), long("v"), long("from"), long("to"))
	output = vector.NewSchema(long("g"), long("o"), long("v"), long("f"))
)

func long(name string) vector.Field {
	return vector.Field{Name: name, Type: vector.Long, Nullable: true}
}

// frames are named ends of frames and what they mean for rows i and j of one partition.
var (
	firsts = map[string]over.Bound{"start": {}, "2 before": {Kind: over.ByRows, Offset: -2}, "row": {Kind: over.ByRows}, "peers": {Kind: over.Peers}, "value": {Kind: over.ByValue, Column: 3}}
	lasts  = map[string]over.Bound{"end": {}, "1 after": {Kind: over.ByRows, Offset: 1}, "row": {Kind: over.ByRows}, "peers": {Kind: over.Peers}, "value": {Kind: over.ByValue, Column: 4}}
)

func inFrame(rows []row, i, j int, first, last string) bool {
	a, b := rows[i], rows[j]
	lo := map[string]bool{"start": true, "2 before": j >= i-2, "row": j >= i, "peers": b.o >= a.o, "value": b.o >= a.o-1}[first]
	hi := map[string]bool{"end": true, "1 after": j <= i+1, "row": j <= i, "peers": b.o <= a.o, "value": b.o <= a.o+2}[last]
	return lo && hi
}

// TestFrames compares sums over frames with a sum over the rows that a frame holds by
// its definition.
func TestFrames(t *testing.T) {
	sum := bindSum(t)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			return row{rapid.Int64Range(0, 2).Draw(t, "g"), rapid.Int64Range(0, 6).Draw(t, "o"), rapid.Int64Range(-9, 9).Draw(t, "v")}
		}), 1, 40).Draw(t, "rows")
		slices.SortStableFunc(rows, func(a, b row) int { return int(a.g*100 + a.o - b.g*100 - b.o) })
		first := rapid.SampledFrom([]string{"start", "2 before", "row", "peers", "value"}).Draw(t, "first")
		last := rapid.SampledFrom([]string{"end", "1 after", "row", "peers", "value"}).Draw(t, "last")
		got := run(t, rows, over.Call{Impl: sum, Args: []int{2}, Filter: -1, Frame: over.Frame{Lo: firsts[first], Hi: lasts[last]}})
		for i, r := range rows {
			want, n := int64(0), 0
			for j, s := range rows {
				if s.g == r.g && inFrame(rows, i, j, first, last) {
					want, n = want+s.v, n+1
				}
			}
			text := "<nil>"
			if n > 0 {
				text = fmt.Sprint(want)
			}
			if got[i] != text {
				t.Fatalf("from %s to %s, row %d of %v: got %s, want %s", first, last, i, rows, got[i], text)
			}
		}
	})
}

func TestRanks(t *testing.T) {
	rows := []row{{0, 1, 10}, {0, 1, 11}, {0, 2, 12}, {0, 3, 13}, {0, 3, 14}, {1, 1, 20}}
	for _, c := range []struct {
		call over.Call
		want []string
	}{
		{over.Call{Name: "row_number"}, []string{"1", "2", "3", "4", "5", "1"}},
		{over.Call{Name: "rank"}, []string{"1", "1", "3", "4", "4", "1"}},
		{over.Call{Name: "dense_rank"}, []string{"1", "1", "2", "3", "3", "1"}},
		{over.Call{Name: "ntile", N: 3}, []string{"1", "1", "2", "2", "3", "1"}},
		{over.Call{Name: "percent_rank"}, []string{"0", "0", "0.5", "0.75", "0.75", "0"}},
		{over.Call{Name: "cume_dist"}, []string{"0.4", "0.4", "0.6", "1", "1", "1"}},
		{over.Call{Name: "lag", Args: []int{2, 1}, N: -1}, []string{"1", "10", "11", "12", "13", "1"}},
		{over.Call{Name: "lead", Args: []int{2, 1}, N: 2}, []string{"12", "13", "14", "3", "3", "1"}},
		{over.Call{Name: "nth_value", Args: []int{2}, N: 2, Frame: over.Frame{Hi: over.Bound{Kind: over.Peers}}}, []string{"11", "11", "11", "11", "11", "<nil>"}},
	} {
		c.call.Filter = -1
		if got := run(t, rows, c.call); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.call.Name, got, c.want)
		}
	}
}

func bindSum(t *testing.T) *agg.Impl {
	f, _ := agg.Lookup("sum")
	impl, err := f.Bind(&kernels.Conf{ANSI: true}, []kernels.Arg{{Type: vector.Long, Nullable: true}})
	if err != nil {
		t.Fatal(err)
	}
	return impl
}

// run computes one call over sorted rows, which come in two batches.
func run(t interface{ Fatal(args ...any) }, rows []row, c over.Call) []string {
	out := *output
	out.Fields = slices.Clone(output.Fields)
	out.Fields[3].Type = resultOf(c)
	op, err := over.New(over.Config{Schema: input, Partition: []int{0}, Order: []over.Key{{Column: 1}}, Calls: []over.Call{c}, Keep: 3, Output: &out})
	if err != nil {
		t.Fatal(err)
	}
	if err := op.Open(&exec.Task{}); err != nil {
		t.Fatal(err)
	}
	half := len(rows) / 2
	for _, part := range [][]row{rows[:half], rows[half:]} {
		if err := op.Process(0, batchOf(part), nil); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err = op.EndBatch(func(b *vector.Batch) error {
		for i := range b.Len() {
			got = append(got, fmt.Sprint(kernels.ValueAt(out.Fields[3].Type, b.Col(3), i)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func resultOf(c over.Call) *vector.Type {
	switch c.Name {
	case "percent_rank", "cume_dist":
		return vector.Double
	case "row_number", "rank", "dense_rank", "ntile":
		return vector.Int
	}
	return vector.Long
}

func batchOf(rows []row) *vector.Batch {
	cols := make([][]int64, 5)
	for _, r := range rows {
		for i, v := range []int64{r.g, r.o, r.v, r.o - 1, r.o + 2} {
			cols[i] = append(cols[i], v)
		}
	}
	arrays := make([]arrow.Array, len(cols))
	for i, c := range cols {
		arrays[i] = vector.NewFixed(vector.Long, c, nil)
	}
	return vector.NewBatch(input, arrays, len(rows))
}
