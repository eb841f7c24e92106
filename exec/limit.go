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
