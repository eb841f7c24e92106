package foreach_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/vector"
)

func TestBatch(t *testing.T) {
	schema := vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})
	failure := errors.New("no")
	var ids, rows int64
	s := foreach.New(func(_ context.Context, id int64, s *vector.Schema, batches []*vector.Batch) error {
		ids += id
		for _, b := range batches {
			rows += int64(b.Len())
		}
		if s != schema {
			t.Error("another schema")
		}
		return failure
	})
	ctx := context.Background()
	w, done, err := s.Begin(ctx, sink.BatchInfo{BatchID: 7, Schema: schema})
	if done || err != nil {
		t.Fatal(done, err)
	}
	p, err := w.Partition(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(vector.NewBatch(schema, []arrow.Array{vector.NewFixed(vector.Long, []int64{1, 2}, nil)}, 2)); err != nil {
		t.Fatal(err)
	}
	m, err := p.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx, []sink.Message{m}); !errors.Is(err, failure) || ids != 7 || rows != 2 {
		t.Errorf("%v, id %d, %d rows", err, ids, rows)
	}
}
