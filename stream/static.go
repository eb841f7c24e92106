package stream

import (
	"context"
	"runtime"
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Static runs plans that read no stream, each once and without state. All plans that
// one Static runs see the same time.
type Static struct {
	Kernel  *kernels.Conf
	Resolve func(path string) string
	Clock   Clock // nil: the system's

	now time.Time
}

// Run computes a plan and returns its rows in the order of the output partitions.
func (q *Static) Run(ctx context.Context, p *physical.Plan) ([]*vector.Batch, error) {
	if q.now.IsZero() {
		if q.Clock == nil {
			q.Clock = systemClock{}
		}
		q.now = q.Clock.Now()
	}
	t := &tables{source: q.sourceContext, workers: runtime.GOMAXPROCS(0)}
	if err := t.open(ctx, &physical.Plan{Statics: []*physical.Static{{Plan: p}}}); err != nil {
		return nil, err
	}
	if err := t.fill(ctx, p, q.kernelContext); err != nil {
		return nil, err
	}
	return t.run(ctx, p, q.kernelContext)
}

func (q *Static) sourceContext(in *Input) source.Context {
	return source.Context{
		Name: in.Relation, Resolve: q.Resolve, Conf: q.Kernel.Conf,
		NowMs: func() int64 { return q.now.UnixMilli() }, TimeZone: q.Kernel.Zone.String(),
	}
}

func (q *Static) kernelContext(partition int) *kernels.Ctx {
	return &kernels.Ctx{BatchTimeMicros: q.now.UnixMicro(), Zone: q.Kernel.Zone, ANSI: q.Kernel.ANSI, Partition: partition, Conf: q.Kernel.Conf}
}
