// Package noop is the sink that drops all rows, for measuring.
package noop

import (
	"context"

	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

func init() {
	sink.Register(sink.Spec{
		Name: "noop", Summary: "Drops all rows.", Modes: []string{"append", "update", "complete"}, AsyncProgress: true,
		Open: func(context.Context, sink.Context, sink.Options) (sink.Sink, error) { return noop{}, nil },
	})
}

// noop is the sink.
type noop struct{}

func (noop) Guarantee() sink.Guarantee { return sink.Idempotent }

func (noop) Begin(context.Context, sink.BatchInfo) (sink.BatchWriter, bool, error) {
	return batch{}, false, nil
}

func (noop) Close() error     { return nil }
func (noop) Describe() string { return "NoopTable" }

type batch struct{}

func (batch) Partition(context.Context, int) (sink.PartitionWriter, error) { return partition{}, nil }
func (batch) Commit(context.Context, []sink.Message) error                 { return nil }
func (batch) Abort(context.Context) error                                  { return nil }

type partition struct{}

func (partition) Write(*vector.Batch) error     { return nil }
func (partition) Finish() (sink.Message, error) { return nil, nil }
func (partition) Abort() error                  { return nil }
