package vstream

import (
	"context"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/stream"
	"github.com/vstream/vstream/vector"
)

// Collect computes a table that reads no stream and returns its rows, in order if
// the query has an ORDER BY. The batches have the table's Schema. A table that reads a stream
// has no end: the error is _LEGACY_ERROR_TEMP_3102, as in Spark.
func (t *Table) Collect(ctx context.Context) ([]*vector.Batch, error) {
	conf := t.s.kernelConf()
	a := t.s.analyser()
	n, err := t.build(a)
	if err != nil {
		return nil, err
	}
	if n.Streaming() {
		return nil, condition.New("_LEGACY_ERROR_TEMP_3102", "msg", "Queries with streaming sources must be executed with writeStream.start()").
			WithHint("start the query with Write")
	}
	q := &stream.Static{Kernel: conf, Resolve: t.s.resolve, Clock: t.s.clock}
	run := func(n plan.Node) ([]*vector.Batch, error) {
		_, p, err := compile(n, physical.Config{Mode: "complete", Partitions: partitionsOf(conf.Conf), Conf: conf, Batch: true})
		if err != nil {
			return nil, err
		}
		return q.Run(ctx, p)
	}
	if n, err = a.FinishBatch(n, run); err != nil {
		return nil, err
	}
	return run(n)
}
