package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/job"
)

// jobFlags are the flags of the commands that take a job file.
type jobFlags struct {
	queries      []string
	set          []string
	availableNow bool
}

func (f *jobFlags) register(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.queries, "query", nil, "only these `queries` of the job")
	c.Flags().StringArrayVar(&f.set, "set", nil, "replace a value of the job file: `path=value`, as in queries.q.outputMode=update")
	c.Flags().BoolVar(&f.availableNow, "available-now", false, "process what is there now and end, whatever the triggers say")
}

// prepare reads the job and analyses the queries that are asked for. Relative paths
// start from the job file's directory.
func (f *jobFlags) prepare(file string) ([]*job.Prepared, error) {
	j, err := job.ReadWith(file, f.set)
	if err != nil {
		return nil, err
	}
	queries, err := f.selected(j)
	if err != nil {
		return nil, err
	}
	o, err := j.Open(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	out := make([]*job.Prepared, len(queries))
	for i, q := range queries {
		if f.availableNow {
			q.Trigger = &job.Trigger{Kind: "availableNow", At: q.At}
		}
		if out[i], err = o.Prepare(q); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *jobFlags) selected(j *job.Job) ([]*job.Query, error) {
	if len(f.queries) == 0 {
		return j.Queries, nil
	}
	byName := map[string]*job.Query{}
	var names []string
	for _, q := range j.Queries {
		byName[q.Name] = q
		names = append(names, q.Name)
	}
	var out []*job.Query
	for _, n := range f.queries {
		q := byName[n]
		if q == nil {
			err := condition.New("VSTREAM_JOB_FILE", "detail", "it has no query "+n)
			if near := condition.Nearest(n, names); near != "" {
				err.WithHint("did you mean %s?", near)
			}
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}
