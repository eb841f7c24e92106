package exec

import "github.com/vstream/vstream/vector"

// Limit passes the first N rows of the micro-batch after skipping Offset rows; N = -1: no
// limit. It is for results that are computed whole in every batch (complete mode).
type Limit struct {
	Stateless
	N, Offset int64

	seen int64
}

// Open starts counting anew.
func (l *Limit) Open(t *Task) error {
	l.seen = 0
	return l.Stateless.Open(t)
}

// Process emits the part of the batch within the limit.
func (l *Limit) Process(_ int, in *vector.Batch, out Emit) error {
	n := int64(in.Len())
	lo := min(max(l.Offset-l.seen, 0), n)
	hi := n
	if l.N >= 0 {
		hi = min(max(l.Offset+l.N-l.seen, 0), n)
	}
	l.seen += n
	if lo >= hi {
		return nil
	}
	return out(in.Slice(int(lo), int(hi)))
}

// room is how many rows the chain can take before the first of its limits may be reached, -1
// if it has none: a scan that goes on row by row, as Spark's does, stops there.
func (c *chain) room() int {
	room := -1
	single := false
	for _, op := range c.ops {
		switch op := op.(type) {
		case *Filter, *Project, *Rename, *Observe:
		case *Limit:
			if op.N < 0 {
				continue
			}
			left := int(max(op.Offset+op.N-op.seen, 0))
			if single {
				left = min(left, 1)
			}
			if room < 0 || left < room {
				room = left
			}
		default:
			single = true // a row may become several
		}
	}
	return room
}
