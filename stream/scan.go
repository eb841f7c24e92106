package stream

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// scanTask reads a group of splits one after the other and counts the rows that
// pass the pushed-down filter: those are the source's input rows.
func scanTask(s *physical.Scan, group []source.Split, rows *int64, kernel func(partition int) *kernels.Ctx) exec.ScanTask {
	return func(ctx context.Context, out exec.Emit, room func() int) error {
		r := &scanRun{scan: s, kernel: kernel(0), out: out, room: room}
		if s.NewFilter != nil {
			var err error
			if r.filter, err = s.NewFilter(); err != nil {
				return err
			}
		}
		for _, split := range group {
			err := split.Read(ctx, r.emit)
			if errors.Is(err, errEnough) {
				break
			}
			if err != nil {
				return condition.In(err, split.Describe())
			}
		}
		atomic.AddInt64(rows, r.rows)
		return nil
	}
}

// scanRun filters and counts the rows of one task.
type scanRun struct {
	scan   *physical.Scan
	kernel *kernels.Ctx
	filter kernels.Expr   // nil: none
	checks []kernels.Expr // of the scan's Checks, once they are needed
	out    exec.Emit
	room   func() int
	rows   int64
}

// errEnough ends the reading of a split: a limit has been reached.
var errEnough = errors.New("enough rows")

// emit passes no more rows on than the limits above the scan need. As in Spark the others do
// not count as input.
func (r *scanRun) emit(b *vector.Batch) error {
	for at := 0; at < b.Len(); {
		n := b.Len() - at
		if room := r.room(); room == 0 {
			return errEnough
		} else if room > 0 {
			n = min(n, room)
		}
		if err := r.push(b.Slice(at, at+n)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

func (r *scanRun) push(b *vector.Batch) error {
	counted := false
	if n := len(r.scan.Columns); len(b.Schema.Fields) > n { // see source.Pushdown.Absent
		passed, err := r.passed(b, vector.Values[int64](b.Col(n)))
		if err != nil {
			return err
		}
		r.rows, counted = r.rows+passed, true
		b = vector.NewBatch(&vector.Schema{Fields: b.Schema.Fields[:n:n]}, b.Columns()[:n], b.Len())
	}
	if r.filter != nil {
		kept, err := exec.Keep(r.kernel, r.filter, b)
		if err != nil || kept == nil {
			return err
		}
		b = kept
	}
	if !counted {
		r.rows += withTimes(r.scan, b)
	}
	return r.out(b)
}

// passed is the number of rows that a reader of records lets through: it does not check what
// a record has no value for.
func (r *scanRun) passed(b *vector.Batch, absent []int64) (int64, error) {
	for _, c := range r.scan.Checks[len(r.checks):] {
		e, err := c.New()
		if err != nil {
			return 0, err
		}
		r.checks = append(r.checks, e)
	}
	dropped := vector.NewBitmap(b.Len())
	for i, e := range r.checks {
		v, err := e.Eval(r.kernel, b)
		if err != nil {
			return 0, err
		}
		reads, values, mask := r.scan.Checks[i].Columns, vector.Bools(v.Arr), v.Mask()
		for row, lacks := range absent {
			if lacks&reads == 0 && (v.IsNull(row) || !values.Get(row&mask)) {
				dropped.Set(row)
			}
		}
	}
	n := int64(0)
	for row := range absent {
		if !dropped.Get(row) {
			n++
		}
	}
	return n, nil
}

// withTimes is the number of rows that have the times which the scan's rows need.
func withTimes(s *physical.Scan, b *vector.Batch) int64 {
	var known []vector.Bitmap
	for _, c := range s.Needed {
		if valid := vector.Validity(b.Col(c)); valid != nil {
			known = append(known, valid)
		}
	}
	n := b.Len()
	if len(known) == 0 {
		return int64(n)
	}
	for row := range b.Len() {
		for _, valid := range known {
			if !valid.Get(row) {
				n--
				break
			}
		}
	}
	return int64(n)
}
