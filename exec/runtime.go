package exec

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
	"github.com/vstream/vstream/watermark"
)

// bufferedRows bounds what an exchange holds for consumers that are behind.
const bufferedRows = 1 << 20

// Batch is what one micro-batch brings to a Graph.
type Batch struct {
	ID int64
	// Watermark of each stateful operator.
	Watermark func(op int) watermark.Pair
	// Kernel is the expression context of a partition or task.
	Kernel func(partition int) *kernels.Ctx
	// Scans are the tasks of each scan, in the order in which their rows count.
	Scans [][]ScanTask
	// Sink opens the writer of output partition n. Output partitions are numbered over
	// all pipelines that end in the sink.
	Sink func(n int) (Writer, error)
	// Late opens the writer of partition n of the late sink, which takes the rows that
	// stateful operators drop; nil: the query has no such sink.
	Late func(n int) (Writer, error)
}

// ScanTask reads a part of a source and pushes its rows in order. room tells how many rows
// may be pushed now without too many: 0 if a limit has been reached, -1 if there is none.
type ScanTask func(ctx context.Context, out Emit, room func() int) error

// Writer takes one output partition's rows.
type Writer interface {
	Write(*vector.Batch) error
	// Close ends the partition; the rows are durable but not visible.
	Close() error
	Abort()
}

// OpMetrics are the counters of one operator over all its instances.
type OpMetrics struct {
	Spec *OpSpec
	Metrics
}

// Result is what a micro-batch did.
type Result struct {
	Operators  []OpMetrics // the stateful operators, by id
	EventTime  map[int]*EventTimeStats
	OutputRows int64
	LostRows   int64 // handed to the late sink
}

// Runtime executes a Graph. It owns the operator instances; those of stateful
// operators live until the query ends.
type Runtime struct {
	graph   *Graph
	workers int
	// chains[p] are the instances of pipeline p: by partition, or for scans a free list.
	chains [][]*chain
	free   []chan *chain
}

// chain is one instance of a pipeline's operators.
type chain struct {
	ops     []Operator
	metrics []Metrics
	emits   []Emit
}

// NewRuntime builds the partitioned instances. workers bounds the scan tasks that run at a time.
func NewRuntime(g *Graph, workers int) (*Runtime, error) {
	r := &Runtime{graph: g, workers: max(1, workers), chains: make([][]*chain, len(g.Pipelines)), free: make([]chan *chain, len(g.Pipelines))}
	for i, p := range g.Pipelines {
		n := r.workers
		if p.Scan < 0 {
			n = p.Inputs[0].Partitions
		}
		for range n {
			c, err := newChain(p)
			if err != nil {
				return nil, err
			}
			r.chains[i] = append(r.chains[i], c)
		}
		if p.Scan >= 0 {
			r.free[i] = make(chan *chain, n)
			for _, c := range r.chains[i] {
				r.free[i] <- c
			}
		}
	}
	return r, nil
}

func newChain(p *Pipeline) (*chain, error) {
	c := &chain{metrics: make([]Metrics, len(p.Ops))}
	for i := range p.Ops {
		op, err := p.Ops[i].New()
		if err != nil {
			return nil, err
		}
		c.ops = append(c.ops, op)
	}
	return c, nil
}

// Stateful calls fn for each instance of each stateful operator.
func (r *Runtime) Stateful(fn func(op, partition int, s Stateful) error) error {
	for i, p := range r.graph.Pipelines {
		for j := range p.Ops {
			if p.Ops[j].ID < 0 {
				continue
			}
			for n, c := range r.chains[i] {
				if err := fn(p.Ops[j].ID, n, c.ops[j].(Stateful)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// run is one execution of the graph.
type run struct {
	*Runtime
	ctx     context.Context
	cancel  context.CancelCauseFunc
	batch   *Batch
	queues  map[*Exchange]*queue
	first   map[*Pipeline]int // first producer (or output partition) number of a pipeline
	number  map[*Pipeline]int // of a pipeline's first instance among all of them
	writers []Writer
	noTime  map[int]int64 // rows without a time, by the operator that does not get them
	mu      sync.Mutex
	result  Result
}

// Run executes one micro-batch. On an error everything that it started has ended
// when it returns, all writers are aborted, and the operators' state is undefined.
func (r *Runtime) Run(ctx context.Context, b *Batch) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &run{Runtime: r, ctx: ctx, cancel: cancel, batch: b, queues: map[*Exchange]*queue{}, first: map[*Pipeline]int{}, number: map[*Pipeline]int{}, noTime: map[int]int64{}}
	x.layout()
	stop := context.AfterFunc(ctx, func() {
		for _, q := range x.queues {
			q.fail(context.Cause(ctx))
		}
	})
	defer stop()
	x.execute()
	if err := context.Cause(ctx); err != nil {
		for _, w := range x.writers {
			if w != nil {
				w.Abort()
			}
		}
		return nil, err
	}
	x.collect()
	return &x.result, nil
}

// layout numbers the producers of each exchange and the output partitions.
func (x *run) layout() {
	producers := map[*Exchange]int{}
	unbounded := map[*Exchange]bool{}
	outputs, instances := 0, 0
	for _, p := range x.graph.Pipelines {
		n := x.instances(p)
		x.number[p] = instances
		instances += n
		if p.Dest == nil {
			x.first[p] = outputs
			outputs += n
			continue
		}
		x.first[p] = producers[p.Dest]
		producers[p.Dest] += n
		if p.Scan < 0 {
			unbounded[p.Dest] = true
		}
	}
	x.writers = make([]Writer, outputs)
	for e, n := range producers {
		limit := bufferedRows
		if unbounded[e] {
			limit = 0
		}
		x.queues[e] = newQueue(e.Partitions, n, limit)
	}
}

func (x *run) instances(p *Pipeline) int {
	if p.Scan >= 0 {
		return len(x.batch.Scans[p.Scan])
	}
	return p.Inputs[0].Partitions
}

// execute starts the partitions and works off the scan tasks, in order.
func (x *run) execute() {
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, p := range x.graph.Pipelines {
		if p.Scan >= 0 {
			continue
		}
		for n, c := range x.chains[i] {
			wg.Add(1)
			go func() {
				defer wg.Done()
				x.guard(func() error { return x.consume(p, n, c) })
			}()
		}
	}
	type job struct {
		p *Pipeline
		i int // pipeline
		n int // task
	}
	jobs := make(chan job)
	for range x.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				x.guard(func() error { return x.scan(j.p, j.i, j.n) })
			}
		}()
	}
	for i, p := range x.graph.Pipelines {
		if p.Scan < 0 {
			continue
		}
		for n := range x.batch.Scans[p.Scan] {
			select {
			case jobs <- job{p, i, n}:
			case <-x.ctx.Done():
			}
		}
	}
	close(jobs)
}

// guard turns a panic into an error of this query, with its stack; other queries go on.
func (x *run) guard(fn func() error) {
	defer func() {
		if r := recover(); r != nil {
			x.cancel(condition.New("INTERNAL_ERROR", "message", fmt.Sprintf("%v\n%s", r, debug.Stack())))
		}
	}()
	if err := fn(); err != nil {
		x.cancel(err)
	}
}

func (x *run) scan(p *Pipeline, pipeline, n int) error {
	c := <-x.free[pipeline]
	defer func() { x.free[pipeline] <- c }()
	return x.instance(p, c, n, func(in Emit) error {
		return x.batch.Scans[p.Scan][n](x.ctx, in, c.room)
	}, nil)
}

func (x *run) consume(p *Pipeline, n int, c *chain) error {
	return x.instance(p, c, n, nil, func(port int, in Emit) error {
		q := x.queues[p.Inputs[port]]
		for {
			b, err := q.next(x.ctx, n)
			if err != nil || b == nil {
				return err
			}
			if err := in(b); err != nil {
				return err
			}
		}
	})
}

// instance runs a chain of operators over its whole input. Exactly one of scan
// and port is set.
func (x *run) instance(p *Pipeline, c *chain, n int, scan func(Emit) error, port func(port int, in Emit) error) error {
	end, done, err := x.destination(p, n)
	if err != nil {
		return err
	}
	ctx := x.batch.Kernel(n)
	lost := x.lost(x.number[p] + n)
	for i, op := range c.ops {
		c.metrics[i] = Metrics{}
		t := &Task{Ctx: x.ctx, BatchID: x.batch.ID, Partition: n, Kernel: ctx, Metrics: &c.metrics[i]}
		above := x.stateAbove(p, i)
		t.Watermark = x.batch.Watermark(operatorID(above))
		if above != nil && lost != nil {
			t.Lose = func(reason string, times arrow.Array, rows *vector.Batch) error {
				return lost.write(t, above, reason, times, rows)
			}
		}
		if err := op.Open(t); err != nil {
			return err
		}
	}
	c.link(end)
	if scan != nil {
		err = scan(c.emits[0])
	} else {
		for i := range p.Inputs {
			in := c.emits[0]
			if i > 0 {
				in = func(b *vector.Batch) error { return c.ops[0].Process(i, b, c.emits[1]) }
			}
			if err = port(i, in); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	for i, op := range c.ops {
		if err := op.EndBatch(c.emits[i+1]); err != nil {
			return err
		}
	}
	if scan != nil {
		x.merge(p, c)
	}
	if err := x.close(lost); err != nil {
		return err
	}
	return done()
}

// stateAbove is the stateful operator that operator i of p is or that takes its rows, nil
// if there is none: a partial aggregate sees the watermark of its final one.
func (x *run) stateAbove(p *Pipeline, i int) *OpSpec {
	for p != nil {
		for j := range p.Ops[i:] {
			if o := &p.Ops[i+j]; o.ID >= 0 {
				return o
			}
		}
		if p.Dest == nil {
			return nil
		}
		dest := p.Dest
		p, i = nil, 0
		for _, q := range x.graph.Pipelines {
			for _, in := range q.Inputs {
				if in == dest {
					p = q
				}
			}
		}
	}
	return nil
}

func operatorID(op *OpSpec) int {
	if op == nil {
		return -1
	}
	return op.ID
}

// link makes emits[i] feed operator i; emits[len(ops)] is the destination.
func (c *chain) link(end Emit) {
	c.emits = make([]Emit, len(c.ops)+1)
	c.emits[len(c.ops)] = end
	for i := len(c.ops) - 1; i >= 0; i-- {
		op, next, m := c.ops[i], c.emits[i+1], &c.metrics[i]
		c.emits[i] = func(b *vector.Batch) error {
			if b.Len() == 0 {
				return nil
			}
			m.RowsIn += int64(b.Len())
			return op.Process(0, b, next)
		}
	}
}

// destination is where an instance's rows go, and how it ends.
func (x *run) destination(p *Pipeline, n int) (Emit, func() error, error) {
	slot := x.first[p] + n
	if p.Dest != nil {
		q := x.queues[p.Dest]
		scratch := &splitScratch{}
		return func(b *vector.Batch) error {
			return p.Dest.split(b, scratch, func(partition int, b *vector.Batch) error { return q.push(slot, partition, b) })
		}, func() error { q.close(slot); return nil }, nil
	}
	w, err := x.batch.Sink(slot)
	if err != nil {
		return nil, nil, err
	}
	x.mu.Lock()
	x.writers[slot] = w
	x.mu.Unlock()
	rows := int64(0)
	return func(b *vector.Batch) error {
			if b.Len() == 0 {
				return nil
			}
			rows += int64(b.Len())
			return w.Write(b)
		}, func() error {
			if err := w.Close(); err != nil {
				return err
			}
			x.mu.Lock()
			x.result.OutputRows += rows
			x.mu.Unlock()
			return nil
		}, nil
}

// merge adds the counters of a finished scan task.
func (x *run) merge(p *Pipeline, c *chain) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range c.metrics {
		x.addEventTime(c.metrics[i].EventTime)
		x.addNoTime(p, i, c.metrics[i].NullTimeRows)
	}
}

// addNoTime counts rows without a time at the stateful operator that they do not get to.
func (x *run) addNoTime(p *Pipeline, i int, rows int64) {
	if rows > 0 {
		x.noTime[operatorID(x.stateAbove(p, i))] += rows
	}
}

func (x *run) addEventTime(from map[int]*EventTimeStats) {
	for node, s := range from {
		if x.result.EventTime == nil {
			x.result.EventTime = map[int]*EventTimeStats{}
		}
		t := x.result.EventTime[node]
		if t == nil {
			c := *s
			x.result.EventTime[node] = &c
			continue
		}
		t.Max, t.Min = max(t.Max, s.Max), min(t.Min, s.Min)
		t.Sum, t.Count = t.Sum+s.Sum, t.Count+s.Count
	}
}

// collect adds up the counters of the partitioned operators.
func (x *run) collect() {
	for i, p := range x.graph.Pipelines {
		if p.Scan >= 0 {
			continue
		}
		for j := range p.Ops {
			var sum Metrics
			for _, c := range x.chains[i] {
				m := &c.metrics[j]
				sum.RowsIn += m.RowsIn
				sum.NumRowsTotal += m.NumRowsTotal
				sum.NumRowsUpdated += m.NumRowsUpdated
				sum.NumRowsRemoved += m.NumRowsRemoved
				sum.NumRowsDroppedByWatermark += m.NumRowsDroppedByWatermark
				sum.LateRows += m.LateRows
				x.addNoTime(p, j, m.NullTimeRows)
				sum.DuplicateRows += m.DuplicateRows
				sum.MemoryBytes += m.MemoryBytes
				x.addEventTime(m.EventTime)
			}
			if id := p.Ops[j].ID; id >= 0 {
				for len(x.result.Operators) <= id {
					x.result.Operators = append(x.result.Operators, OpMetrics{})
				}
				x.result.Operators[id] = OpMetrics{Spec: &p.Ops[j], Metrics: sum}
			}
		}
	}
	for id := range x.result.Operators {
		x.result.Operators[id].NullTimeRows = x.noTime[id]
	}
}
