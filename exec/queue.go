package exec

import (
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

type splitScratch struct {
	hash []uint64
	cols []arrow.Array
}

// queue is one exchange during one micro-batch. Each consuming partition sees
// the producers' batches in the order of the producers, whatever the order in which
// they ran: so the same input gives the same order of rows at every operator.
//
// Producers wait while more than limit rows are buffered, but for the one that
// the consumers read: the lowest that is not closed. limit 0 means no limit, for
// producers that are consumers of another exchange themselves (they would wait for each other).
type queue struct {
	mu       sync.Mutex
	changed  *sync.Cond
	slots    [][][]*vector.Batch // [partition][producer]
	cursor   []int               // [partition] producer being read
	closed   []bool              // [producer]
	head     int                 // lowest producer not closed
	buffered int
	limit    int
	err      error
}

func newQueue(partitions, producers, limit int) *queue {
	q := &queue{slots: make([][][]*vector.Batch, partitions), cursor: make([]int, partitions), closed: make([]bool, producers), limit: limit}
	for p := range q.slots {
		q.slots[p] = make([][]*vector.Batch, producers)
	}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// push hands a batch of a producer to a partition.
func (q *queue) push(producer, partition int, b *vector.Batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && q.limit > 0 && q.buffered > q.limit && !(producer == q.head && len(q.slots[partition][producer]) == 0) {
		q.changed.Wait()
	}
	if q.err != nil {
		return q.err
	}
	q.slots[partition][producer] = append(q.slots[partition][producer], b)
	q.buffered += b.Len()
	q.changed.Broadcast()
	return nil
}

// close ends a producer's input.
func (q *queue) close(producer int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed[producer] = true
	for q.head < len(q.closed) && q.closed[q.head] {
		q.head++
	}
	q.changed.Broadcast()
}

// fail wakes everybody with an error.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	q.changed.Broadcast()
}

// next is the next batch of a partition, nil at the end of the micro-batch.
func (q *queue) next(ctx context.Context, partition int) (*vector.Batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.err != nil {
			return nil, q.err
		}
		at := q.cursor[partition]
		if at == len(q.closed) {
			return nil, nil
		}
		if s := q.slots[partition][at]; len(s) > 0 {
			b := s[0]
			s[0] = nil
			q.slots[partition][at] = s[1:]
			q.buffered -= b.Len()
			q.changed.Broadcast()
			return b, nil
		}
		if q.closed[at] {
			q.cursor[partition]++
			continue
		}
		q.changed.Wait()
	}
}
