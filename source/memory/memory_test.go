package memory_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/source/memory"
	"github.com/vstream/vstream/vector"
)

var (
	ctx    = context.Background()
	schema = vector.NewSchema(vector.Field{Name: "a", Type: vector.Long}, vector.Field{Name: "b", Type: vector.Long})
)

func batch(values ...int64) *vector.Batch {
	a := vector.NewFixed(vector.Long, values, nil)
	return vector.NewBatch(schema, []arrow.Array{a, a}, len(values))
}

func read(t *testing.T, s source.Source, from, to source.Offset) []int64 {
	t.Helper()
	splits, err := s.Plan(ctx, from, to, source.Pushdown{Columns: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	var out []int64
	for _, sp := range splits {
		if err := sp.Read(ctx, func(b *vector.Batch) error {
			out = append(out, vector.Values[int64](b.Col(0))...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestStream(t *testing.T) {
	s := memory.New(schema)
	if o, err := s.Latest(ctx, "", false); o != "" || err != nil {
		t.Error(o, err)
	}
	s.Add(batch(1, 2))
	s.Add(batch(3))
	o1, err := s.Latest(ctx, "", false)
	if err != nil || o1 != `{"batches":2}` {
		t.Fatal(o1, err)
	}
	s.Add(batch(4, 5, 6).Select([]uint32{2}))
	o2, err := s.Latest(ctx, o1, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := read(t, s, "", o1); !reflect.DeepEqual(got, []int64{1, 2, 3}) {
			t.Error(got)
		}
	}
	if err := s.Commit(ctx, o1); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, o1, o2); !reflect.DeepEqual(got, []int64{6}) {
		t.Error(got)
	}
	if _, err := s.Plan(ctx, "", o1, source.Pushdown{}); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) {
		t.Error(err)
	}
	if _, err := s.Latest(ctx, `{"batches":9}`, false); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) {
		t.Error(err)
	}
}

func TestAvailableNow(t *testing.T) {
	s := memory.New(schema)
	end := s.Add(batch(1))
	if err := s.PrepareAvailableNow(ctx, ""); err != nil {
		t.Fatal(err)
	}
	s.Add(batch(2))
	if o, err := s.Latest(ctx, "", false); o != end || err != nil {
		t.Error(o, err)
	}
	if o, err := s.Latest(ctx, end, false); o != end || err != nil {
		t.Error(o, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Latest(ctx, end, false); o == end || err != nil {
		t.Error(o, err)
	}
}
