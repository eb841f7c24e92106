package exec_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/vector"
)

var oneColumn = vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})

func TestStreamLimit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.Int64Range(0, 40).Draw(rt, "limit")
		var l exec.Stateful = &exec.StreamLimit{N: limit}
		var log []*statestore.Changes
		next, out := int64(0), int64(0) // rows in and out so far
		for range rapid.IntRange(1, 8).Draw(rt, "batches") {
			var m exec.Metrics
			check := func(err error) {
				if err != nil {
					rt.Fatal(err)
				}
			}
			check(l.Open(&exec.Task{Metrics: &m}))
			before, first := out, next
			for range rapid.IntRange(0, 3).Draw(rt, "pieces") {
				rows := make([]int64, rapid.IntRange(0, 9).Draw(rt, "rows"))
				for i := range rows {
					rows[i] = next
					next++
				}
				b := vector.NewBatch(oneColumn, []arrow.Array{vector.NewFixed(vector.Long, rows, nil)}, len(rows))
				check(l.Process(0, b, func(b *vector.Batch) error {
					for _, v := range vector.Values[int64](b.Col(0)) {
						if want := first + out - before; v != want {
							return fmt.Errorf("row %d came instead of %d", v, want)
						}
						out++
					}
					return nil
				}))
			}
			check(l.EndBatch(nil))
			if want := min(next-first, limit-before); out-before != want {
				rt.Fatalf("%d rows came out of %d, limit %d after %d", out-before, next-first, limit, before)
			}
			var want exec.Metrics
			if out > before {
				want.NumRowsUpdated = 1
			}
			if out > 0 {
				want.NumRowsTotal = 1
			}
			if d := cmp.Diff(want, m); d != "" {
				rt.Fatalf("counters differ (-want +got):\n%s", d)
			}
			check(l.Commit(func(store string, c *statestore.Changes) error {
				log = append(log, c)
				return nil
			}))
			if rapid.Bool().Draw(rt, "restart") {
				limit += rapid.Int64Range(0, 3).Draw(rt, "more")
				l = &exec.StreamLimit{N: limit}
				for _, c := range log {
					check(l.Load("default", c))
				}
			}
		}
	})
}

func TestBlocks(t *testing.T) {
	types := []*vector.Type{vector.Null, vector.Bool, vector.Byte, vector.Short, vector.Int, vector.Long, vector.Double, vector.String, vector.Binary, vector.Decimal(20, 2)}
	for _, typ := range types {
		fields := []vector.Field{{Name: "c", Type: typ, Nullable: true}}
		for _, n := range []int{0, 1, 9} {
			a := vector.NewNull(typ, n)
			got, err := exec.BlockColumns(fields, exec.Block(fields, []arrow.Array{a}, n))
			if err != nil || got[0].Len() != n || got[0].NullN() != n {
				t.Errorf("%s: %d nulls came back as %v, %v", typ, n, got, err)
			}
		}
	}
	f := []vector.Field{{Name: "v", Type: vector.Int}, {Name: "s", Type: vector.String}}
	v := vector.SliceArray(vector.NewFixed(vector.Int, []int32{1, 2, 3}, nil), 1, 3)
	s := vector.SliceArray(vector.NewString(vector.String, []int32{0, 1, 3, 3}, []byte("xyz"), nil), 1, 3)
	got, err := exec.BlockColumns(f, exec.Block(f, []arrow.Array{v, s}, 2))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int32{2, 3}, vector.Values[int32](got[0])); d != "" {
		t.Error(d)
	}
	if off, data := vector.Strings(got[1]); string(data[off[0]:off[1]]) != "yz" || off[1] != off[2] {
		t.Errorf("strings %v %q", off, data)
	}
	for _, b := range []statestore.Block{
		{Rows: 2},
		{Rows: 2, Cols: []statestore.ColumnData{{Data: make([]byte, 7)}, {Off: make([]uint32, 3)}}},
		{Rows: 2, Cols: []statestore.ColumnData{{Data: make([]byte, 8)}, {Off: make([]uint32, 2)}}},
		{Rows: 2, Cols: []statestore.ColumnData{{Data: make([]byte, 8)}, {Off: []uint32{0, 2, 1}, Data: []byte("ab")}}},
		{Rows: 9, Cols: []statestore.ColumnData{{Data: make([]byte, 36), Valid: []byte{1}}, {Off: make([]uint32, 10)}}},
	} {
		if _, err := exec.BlockColumns(f, b); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}
