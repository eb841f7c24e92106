package runner

import (
	"context"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/job"
	"github.com/vstream/vstream/vector"
)

// readState records what a state source reads from a query's checkpoint.
func (r *scenarioRun) readState(ctx context.Context, index int, s *job.Step) error {
	q, err := r.query(s.Args["query"])
	if err != nil {
		return err
	}
	rec := Record{Step: index}
	schema, rows, err := r.state(ctx, s, r.path(q.Checkpoint))
	if err != nil {
		rec.Error = failure(err, s.Kind)
	} else {
		rec.Schema, rec.Rows = schema.String(), rowsOf(schema, rows)
		sortRows(rec.Rows)
	}
	r.records = append(r.records, rec)
	return nil
}

func (r *scenarioRun) state(ctx context.Context, s *job.Step, checkpoint string) (*vector.Schema, []*vector.Batch, error) {
	j, err := r.job()
	if err != nil {
		return nil, nil, err
	}
	options := []vstream.Option{vstream.WithDir(r.dir)}
	for k, v := range j.Conf {
		options = append(options, vstream.WithConf(k, v))
	}
	session, err := vstream.New(options...)
	if err != nil {
		return nil, nil, err
	}
	format := s.Args["format"]
	if format == "" {
		format = "statestore"
	}
	read := session.ReadStatic(format).Option("path", checkpoint)
	for k, v := range s.Options {
		read.Option(k, v)
	}
	t, err := read.Load()
	if err == nil && len(s.Select) > 0 {
		t, err = t.Select(s.Select...)
	}
	if err != nil {
		return nil, nil, err
	}
	rows, err := t.Collect(ctx)
	return t.Schema(), rows, err
}
