package stream

import (
	"context"
	"sync"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// tables are the static tables that a query joins with its streams.
type tables struct {
	source  func(in *Input) source.Context
	workers int
	opened  map[*Input]source.Batch
}

// open opens the tables that the static plans of p read.
func (t *tables) open(ctx context.Context, p *physical.Plan) error {
	for _, s := range p.Statics {
		if err := t.open(ctx, s.Plan); err != nil {
			return err
		}
		for _, scan := range s.Plan.Scans {
			if scan.Rows != nil {
				continue
			}
			in := scan.Relation.Handle.(*Input)
			if t.opened[in] != nil {
				continue
			}
			if in.Spec.OpenBatch == nil {
				return condition.New("VSTREAM_UNSUPPORTED", "feature", "reading "+in.Format+" as a static table")
			}
			b, err := in.Spec.OpenBatch(ctx, t.source(in), in.Options, in.Schema)
			if err != nil {
				return condition.In(err, "table "+in.Relation)
			}
			if t.opened == nil {
				t.opened = map[*Input]source.Batch{}
			}
			t.opened[in] = b
		}
	}
	return nil
}

// fill reads the tables that may have changed since they were last read. kernel makes
// the expression contexts of this micro-batch.
func (t *tables) fill(ctx context.Context, p *physical.Plan, kernel func(partition int) *kernels.Ctx) error {
	for _, s := range p.Statics {
		version, err := t.version(ctx, s.Plan)
		if err != nil {
			return err
		}
		if version == s.Version && !s.Varies {
			continue
		}
		if err := t.fill(ctx, s.Plan, kernel); err != nil {
			return err
		}
		rows, err := t.run(ctx, s.Plan, kernel)
		if err != nil {
			return err
		}
		if err := s.Table.Fill(rows); err != nil {
			return err
		}
		s.Version = version
	}
	return nil
}

// version identifies the contents of all tables that a plan reads.
func (t *tables) version(ctx context.Context, p *physical.Plan) (string, error) {
	version := "read" // a table that was never filled has none
	for _, scan := range p.Scans {
		if scan.Rows != nil {
			continue
		}
		in := scan.Relation.Handle.(*Input)
		v, err := t.opened[in].Version(ctx)
		if err != nil {
			return "", condition.In(err, "table "+in.Relation)
		}
		version += "\n" + v
	}
	for _, s := range p.Statics {
		v, err := t.version(ctx, s.Plan)
		if err != nil {
			return "", err
		}
		version += "\n" + v
	}
	return version, nil
}

// run computes the rows of a static plan, with operators that live as long as the run.
func (t *tables) run(ctx context.Context, p *physical.Plan, kernel func(partition int) *kernels.Ctx) ([]*vector.Batch, error) {
	r, err := exec.NewRuntime(p.Graph, t.workers)
	if err != nil {
		return nil, err
	}
	scans := make([][]exec.ScanTask, len(p.Scans))
	var read int64 // counted, but no input of the query
	for n, s := range p.Scans {
		if s.Rows != nil {
			scans[n] = []exec.ScanTask{func(_ context.Context, out exec.Emit, _ func() int) error {
				b, err := s.Rows(kernel(0))
				if err != nil {
					return err
				}
				return out(b)
			}}
			continue
		}
		in := s.Relation.Handle.(*Input)
		splits, err := t.opened[in].Plan(ctx, source.Pushdown{Columns: s.Columns})
		if err != nil {
			return nil, condition.In(err, "table "+in.Relation)
		}
		for _, group := range pack(splits, t.workers) {
			scans[n] = append(scans[n], scanTask(s, group, &read, kernel))
		}
	}
	out := &collected{}
	_, err = r.Run(ctx, &exec.Batch{
		Watermark: func(int) watermark.Pair { return watermark.Pair{} },
		Kernel:    kernel,
		Scans:     scans,
		Sink:      out.open,
	})
	if err != nil {
		return nil, err
	}
	return out.rows(), nil
}

// collected takes the rows of all output partitions.
type collected struct {
	mu    sync.Mutex
	parts []*part
}

func (c *collected) open(n int) (exec.Writer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.parts) <= n {
		c.parts = append(c.parts, &part{})
	}
	return c.parts[n], nil
}

// rows are the batches in the order of the partitions.
func (c *collected) rows() []*vector.Batch {
	var out []*vector.Batch
	for _, p := range c.parts {
		out = append(out, p.batches...)
	}
	return out
}

type part struct{ batches []*vector.Batch }

func (p *part) Write(b *vector.Batch) error {
	p.batches = append(p.batches, b)
	return nil
}

func (p *part) Close() error { return nil }
func (p *part) Abort()       {}
