package memory_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/memory"
	"github.com/vstream/vstream/vector"
)

var schema = vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})

func open(t *testing.T, name string) sink.Sink {
	t.Helper()
	spec, _ := sink.Lookup("memory")
	s, err := spec.Open(context.Background(), sink.Context{QueryName: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s sink.Sink, query, mode string, id int64, values ...int64) (done bool) {
	t.Helper()
	ctx := context.Background()
	w, done, err := s.Begin(ctx, sink.BatchInfo{QueryID: query, BatchID: id, Schema: schema, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	if done {
		return true
	}
	var parts []sink.Message
	for n, v := range values { // one row per partition
		p, err := w.Partition(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(vector.NewBatch(schema, []arrow.Array{vector.NewFixed(vector.Long, []int64{v}, nil)}, 1)); err != nil {
			t.Fatal(err)
		}
		m, err := p.Finish()
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, m)
	}
	if err := w.Commit(ctx, parts); err != nil {
		t.Fatal(err)
	}
	return false
}

func rows(t *testing.T, name string) []int64 {
	t.Helper()
	table, ok := memory.Lookup(name)
	if !ok {
		t.Fatal("no table " + name)
	}
	var out []int64
	_, batches := table.Rows()
	for _, b := range batches {
		out = append(out, vector.Values[int64](b.Col(0))...)
	}
	return out
}

func TestModes(t *testing.T) {
	for mode, want := range map[string][]int64{"append": {1, 2, 3}, "update": {1, 2, 3}, "complete": {3}} {
		s := open(t, "m_"+mode)
		run(t, s, "q", mode, 0, 1, 2)
		run(t, s, "q", mode, 1, 3)
		if !run(t, open(t, "M_"+mode), "q", mode, 1, 4) {
			t.Errorf("%s: batch 1 ran again", mode)
		}
		if got := rows(t, "m_"+mode); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", mode, got, want)
		}
	}
}

func TestAnotherQueryStartsOver(t *testing.T) {
	s := open(t, "reused")
	run(t, s, "first", "append", 0, 1)
	run(t, s, "second", "append", 0, 2)
	if got := rows(t, "reused"); !slices.Equal(got, []int64{2}) {
		t.Errorf("got %v", got)
	}
	memory.Drop("reused")
	if _, ok := memory.Lookup("reused"); ok {
		t.Error("the table is still there")
	}
}

func TestLostRows(t *testing.T) {
	s := open(t, "lost")
	_, _, err := s.Begin(context.Background(), sink.BatchInfo{QueryID: "q", BatchID: 3, Schema: schema, Mode: "append"})
	if !errors.Is(err, condition.Name("VSTREAM_SINK_LACKS_BATCHES")) {
		t.Errorf("got %v", err)
	}
	run(t, s, "q", "complete", 3, 7)
	if got := rows(t, "lost"); !slices.Equal(got, []int64{7}) {
		t.Errorf("got %v", got)
	}
}

func TestNameIsRequired(t *testing.T) {
	spec, _ := sink.Lookup("memory")
	if _, err := spec.Open(context.Background(), sink.Context{}, nil); !errors.Is(err, condition.Name("_LEGACY_ERROR_TEMP_1194")) {
		t.Errorf("got %v", err)
	}
}
