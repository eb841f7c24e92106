package runner

import (
	"context"
	"strconv"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/job"
)

// repartition moves the state of a stopped query to another number of partitions.
func (r *scenarioRun) repartition(ctx context.Context, index int, s *job.Step) error {
	q, err := r.query(s.Args["query"])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(s.Args["partitions"])
	if err != nil {
		return err
	}
	record := Record{Step: index, OK: true}
	if _, err := vstream.Repartition(ctx, r.path(q.Checkpoint), n); err != nil {
		record = Record{Step: index, Error: failure(err, s.Kind)}
	}
	r.records = append(r.records, record)
	return nil
}
