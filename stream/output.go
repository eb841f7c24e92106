package stream

import (
	"context"
	"slices"
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
	finished []finished
}

// finished is what partition n left for the commit.
type finished struct {
	n       int
	message sink.Message
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
	slices.SortFunc(o.finished, func(a, b finished) int { return a.n - b.n })
	messages := make([]sink.Message, len(o.finished))
	for i, f := range o.finished {
		messages[i] = f.message
	}
	return o.w.Commit(ctx, messages)
}

func (o *output) abort(ctx context.Context) {
	if o != nil && !o.done {
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
	p.o.finished = append(p.o.finished, finished{p.n, m})
	return nil
}

func (p *partition) Abort() { p.p.Abort() }

type discard struct{}

func (discard) Write(*vector.Batch) error { return nil }
func (discard) Close() error              { return nil }
func (discard) Abort()                    {}
