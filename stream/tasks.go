package stream

import (
	"context"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/source"
)

// minTaskBytes keeps small splits together in one task.
const minTaskBytes = 4 << 20

// scanTasks plans the splits of every scan and packs neighbouring ones into tasks.
func (e *Execution) scanTasks(ctx context.Context, m *microBatch, kernel func(partition int) *kernels.Ctx) ([][]exec.ScanTask, error) {
	tasks := make([][]exec.ScanTask, len(e.plan.Scans))
	for n, s := range e.plan.Scans {
		if s.Barred() {
			continue
		}
		i := e.sourceIndex(s)
		splits, err := e.sources[i].Plan(ctx, e.start[i], m.end[i], source.Pushdown{Columns: s.Columns, Absent: len(s.Checks) > 0})
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
