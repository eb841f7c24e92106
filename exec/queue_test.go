package exec

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func numbers(values ...int64) *vector.Batch {
	return batchOf(vector.NewSchema(vector.Field{Name: "v", Type: vector.Long}), values)
}

func batchOf(s *vector.Schema, values []int64) *vector.Batch {
	return vector.NewBatch(s, []arrow.Array{vector.NewFixed(vector.Long, values, nil)}, len(values))
}

func drain(t *testing.T, q *queue, partition int) []int64 {
	t.Helper()
	var out []int64
	for {
		b, err := q.next(context.Background(), partition)
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return out
		}
		out = append(out, vector.Values[int64](b.Col(0))...)
	}
}

// TestQueueOrder: consumers see the producers in their order, however they ran.
func TestQueueOrder(t *testing.T) {
	q := newQueue(2, 3, 0)
	for _, p := range []int{2, 0, 1} {
		for k := range 2 {
			for part := range 2 {
				if err := q.push(p, part, numbers(int64(100*part+10*p+k))); err != nil {
					t.Fatal(err)
				}
			}
		}
		q.close(p)
	}
	for part := range 2 {
		base := int64(100 * part)
		want := []int64{base, base + 1, base + 10, base + 11, base + 20, base + 21}
		if got := drain(t, q, part); !reflect.DeepEqual(got, want) {
			t.Errorf("partition %d: %v, want %v", part, got, want)
		}
	}
}

// TestQueueLimit: a producer that is not read yet waits when the queue is full, and
// everything still comes out.
func TestQueueLimit(t *testing.T) {
	const producers, batches, limit = 4, 50, 3
	q := newQueue(1, producers, limit)
	var wg sync.WaitGroup
	for p := range producers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range batches {
				if err := q.push(p, 0, numbers(int64(p*batches+k))); err != nil {
					t.Error(err)
				}
			}
			q.close(p)
		}()
	}
	got := drain(t, q, 0)
	wg.Wait()
	for i, v := range got {
		if v != int64(i) {
			t.Fatalf("row %d is %d", i, v)
		}
	}
	if len(got) != producers*batches {
		t.Errorf("%d rows", len(got))
	}
}

// TestQueueFail: a failure wakes producers and consumers.
func TestQueueFail(t *testing.T) {
	q := newQueue(1, 2, 1)
	failure := errors.New("failure")
	if err := errors.Join(q.push(1, 0, numbers(1)), q.push(1, 0, numbers(2))); err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 2)
	go func() { results <- q.push(1, 0, numbers(3)) }()
	go func() { _, err := q.next(context.Background(), 0); results <- err }()
	q.fail(failure)
	for range 2 {
		if err := <-results; !errors.Is(err, failure) {
			t.Errorf("%v", err)
		}
	}
}

// TestSplit: each row goes to the partition that owns its key group, in order, and
// every partition count gives contiguous ranges of key groups.
func TestSplit(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, KeyGroups} {
		last := 0
		for h := range uint64(KeyGroups) {
			p := PartitionOf(h, n)
			if p < last || p >= n {
				t.Fatalf("%d partitions: group %d belongs to %d after %d", n, h, p, last)
			}
			last = p
		}
	}
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(i % 50)
	}
	s := vector.NewSchema(vector.Field{Name: "v", Type: vector.Long})
	e := &Exchange{Keys: []int{0}, Partitions: 3}
	owner, rows := map[int64]int{}, 0
	err := e.split(batchOf(s, values), &splitScratch{}, func(p int, b *vector.Batch) error {
		for _, v := range vector.Values[int64](b.Col(0)) {
			if o, ok := owner[v]; ok && o != p {
				return fmt.Errorf("key %d is in partitions %d and %d", v, o, p)
			}
			owner[v] = p
			rows++
		}
		return nil
	})
	if err != nil || rows != len(values) || len(owner) != 50 {
		t.Errorf("%d rows, %d keys, %v", rows, len(owner), err)
	}
}
