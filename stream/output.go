package stream

import (
	"context"
	"sync"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

// output connects the graph's output partitions with the sink's batch writer. If
// the sink holds the batch already (a crash came between the sink's commit and the commit
// log), the rows are computed again for the state's sake and dropped here.
type output struct {
	ctx      context.Context
	w        sink.BatchWriter
	done     bool
	mu       sync.Mutex
	messages []sink.Message
}

func newOutput(ctx context.Context, w sink.BatchWriter, done bool) *output {
	return &output{ctx: ctx, w: w, done: done}
}

func (o *output) open(n int) (exec.Writer, error) {
	if o.done {
		return discard{}, nil
	}
	p, err := o.w.Partition(o.ctx, n)
	if err != nil {
		return nil, err
	}
	return &partition{o: o, n: n, p: p}, nil
}

func (o *output) commit(ctx context.Context) error {
	if o.done {
		return nil
	}
	return o.w.Commit(ctx, o.messages)
}

func (o *output) abort(ctx context.Context) {
	if !o.done {
		o.w.Abort(ctx)
	}
}

type partition struct {
	o *output
	n int
	p sink.PartitionWriter
}

func (p *partition) Write(b *vector.Batch) error { return p.p.Write(b) }

func (p *partition) Close() error {
	m, err := p.p.Finish()
	if err != nil {
		return err
	}
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	for len(p.o.messages) <= p.n {
		p.o.messages = append(p.o.messages, nil)
	}
	p.o.messages[p.n] = m
	return nil
}

func (p *partition) Abort() { p.p.Abort() }

type discard struct{}

func (discard) Write(*vector.Batch) error { return nil }
func (discard) Close() error              { return nil }
func (discard) Abort()                    {}
