package stream

import (
	"context"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// minTaskBytes keeps small splits together in one task.
const minTaskBytes = 4 << 20

// scanTasks plans the splits of every scan and packs neighbouring ones into tasks.
func (e *Execution) scanTasks(ctx context.Context, m *microBatch, kernel func(partition int) *kernels.Ctx) ([][]exec.ScanTask, error) {
	tasks := make([][]exec.ScanTask, len(e.plan.Scans))
	for n, s := range e.plan.Scans {
		i := e.sourceIndex(s)
		splits, err := e.sources[i].Plan(ctx, e.start[i], m.end[i], source.Pushdown{Columns: s.Columns})
		if err != nil {
			return nil, err
		}
		rows := &m.rows[i]
		if s.Again {
			rows = new(int64)
		}
		for _, group := range pack(splits, e.workers) {
			tasks[n] = append(tasks[n], scanTask(s, group, rows, kernel))
		}
	}
	return tasks, nil
}

// scanTask reads a group of splits one after the other and counts the rows that
// pass the pushed-down filter: those are the source's input rows.
func scanTask(s *physical.Scan, group []source.Split, rows *int64, kernel func(partition int) *kernels.Ctx) exec.ScanTask {
	return func(ctx context.Context, out exec.Emit) error {
		emit := func(b *vector.Batch) error {
			atomic.AddInt64(rows, int64(b.Len()))
			return out(b)
		}
		if s.NewFilter != nil {
			pred, err := s.NewFilter()
			if err != nil {
				return err
			}
			kctx, count := kernel(0), emit
			emit = func(b *vector.Batch) error {
				kept, err := exec.Keep(kctx, pred, b)
				if err != nil || kept == nil {
					return err
				}
				return count(kept)
			}
		}
		for _, split := range group {
			if err := split.Read(ctx, emit); err != nil {
				return condition.In(err, split.Describe())
			}
		}
		return nil
	}
}

// pack groups neighbouring splits into tasks of about equal size, a few per
// worker, so that a batch of many small files costs few tasks and a large file
// keeps all cores busy.
func pack(splits []source.Split, workers int) [][]source.Split {
	total := int64(0)
	for _, s := range splits {
		total += s.Size()
	}
	target := max(total/int64(4*workers), minTaskBytes)
	var out [][]source.Split
	size := int64(0)
	for i, s := range splits {
		if i == 0 || size >= target {
			out = append(out, nil)
			size = 0
		}
		out[len(out)-1] = append(out[len(out)-1], s)
		size += s.Size()
	}
	return out
}
