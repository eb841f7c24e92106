package sink

import (
	"context"

	"github.com/vstream/vstream/vector"
)

// Stage is a BatchWriter for sinks that take a whole batch at once: it keeps the
// rows of all partitions and gives them to Done when the batch commits, in the
// order of the partitions.
type Stage struct {
	Done func(ctx context.Context, batches []*vector.Batch) error
}

// Partition opens one partition.
func (s *Stage) Partition(context.Context, int) (PartitionWriter, error) { return &stagedRows{}, nil }

// Commit passes the rows on.
func (s *Stage) Commit(ctx context.Context, parts []Message) error {
	var all []*vector.Batch
	for _, p := range parts {
		all = append(all, p.([]*vector.Batch)...)
	}
	return s.Done(ctx, all)
}

// Abort drops the rows.
func (s *Stage) Abort(context.Context) error { return nil }

type stagedRows struct{ batches []*vector.Batch }

func (r *stagedRows) Write(b *vector.Batch) error {
	if b.Len() > 0 {
		r.batches = append(r.batches, b)
	}
	return nil
}

func (r *stagedRows) Finish() (Message, error) { return r.batches, nil }

func (r *stagedRows) Abort() error {
	r.batches = nil
	return nil
}
