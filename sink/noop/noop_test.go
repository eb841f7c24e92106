package noop_test

import (
	"context"
	"testing"

	"github.com/vstream/vstream/sink"
	_ "github.com/vstream/vstream/sink/noop"
	"github.com/vstream/vstream/vector"
)

func TestBatch(t *testing.T) {
	spec, ok := sink.Lookup("NOOP")
	if !ok {
		t.Fatal("not registered")
	}
	ctx := context.Background()
	s, err := spec.Open(ctx, sink.Context{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, done, err := s.Begin(ctx, sink.BatchInfo{})
	if err != nil || done {
		t.Fatal(done, err)
	}
	p, err := w.Partition(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(vector.NewBatch(vector.NewSchema(), nil, 3)); err != nil {
		t.Fatal(err)
	}
	m, err := p.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx, []sink.Message{m}); err != nil {
		t.Fatal(err)
	}
}
