package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/job"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/vector"
)

// liveQuery is a query that has been started.
type liveQuery struct {
	prepared *job.Prepared
	query    *vstream.Query
	capture  *capture
}

// run is a run step: it makes the pending files visible, starts the queries that
// are not running and lets all of them process everything.
func (r *scenarioRun) run(ctx context.Context, index int) error {
	if len(r.pending) > 1 {
		// A running query could take one of the files before the others are there. The
		// recorder stops the queries for that, too.
		if err := r.stop(ctx); err != nil {
			return err
		}
	}
	for _, l := range r.live {
		l.capture.reset()
	}
	if err := r.publish(); err != nil {
		return err
	}
	rec := Record{Step: index}
	if r.opened == nil {
		if err := r.open(); err != nil {
			j, jerr := r.def.Job()
			if jerr != nil {
				return jerr
			}
			for _, q := range j.Queries {
				rec.Queries = append(rec.Queries, QueryRecord{Name: q.Name, Error: failure(err, "analysis")})
			}
			r.records = append(r.records, rec)
			return nil
		}
	}
	for _, q := range r.opened.Job.Queries {
		out, err := r.runQuery(ctx, q)
		if err != nil {
			return err
		}
		rec.Queries = append(rec.Queries, out)
	}
	r.records = append(r.records, rec)
	if r.o.Restart {
		return r.stopQueries(ctx)
	}
	return nil
}

func (r *scenarioRun) runQuery(ctx context.Context, q *job.Query) (out QueryRecord, err error) {
	out.Name = q.Name
	l := r.live[q.Name]
	if l == nil {
		var refused *Failure
		if l, refused = r.start(ctx, q); refused != nil {
			out.Error = refused
			return out, nil
		}
		r.live[q.Name] = l
	}
	out.Schema = l.prepared.Table.Schema().String()
	ends := q.Trigger != nil && (q.Trigger.Kind == "availableNow" || q.Trigger.Kind == "once")
	if ends {
		err = l.query.Wait(ctx)
	} else {
		err = l.query.ProcessAllAvailable(ctx)
	}
	if ctx.Err() != nil {
		return out, fmt.Errorf("query %s did not finish: %w", q.Name, ctx.Err())
	}
	out.Batches = l.capture.batches(q)
	if err != nil {
		out.Error = failure(err, "run")
	}
	if err != nil || ends {
		delete(r.live, q.Name)
	}
	out.Table = held(l.prepared.Output(ctx))
	out.Late = held(l.prepared.Late(ctx))
	return out, nil
}

// held is what a sink holds; nil if that cannot be known.
func held(s *vector.Schema, rows []*vector.Batch, ok bool, err error) *Table {
	switch {
	case err != nil:
		return &Table{Error: failure(err, "read")}
	case !ok:
		return nil
	}
	t := &Table{Rows: rowsOf(s, rows)}
	sortRows(t.Rows)
	return t
}

// start analyses and starts a query; what it is refused for comes back as a Failure.
func (r *scenarioRun) start(ctx context.Context, q *job.Query) (*liveQuery, *Failure) {
	p, err := r.opened.Prepare(q)
	if err != nil {
		return nil, failure(err, "analysis")
	}
	p.Name = r.prefix + q.Name
	r.names[p.Name] = true
	l := &liveQuery{prepared: p, capture: &capture{failAt: int64(q.FailAtBatch), failed: r.failedMark(q)}}
	p.Writer.Listen(l.capture)
	if captured(q) {
		p.Writer.To(l.capture.sink())
	}
	if l.query, err = p.Start(ctx); err != nil {
		return nil, failure(err, "start")
	}
	return l, nil
}

// captured tells whether the rows of the query's batches are compared.
func captured(q *job.Query) bool { return q.Sink == nil || q.Sink.Format == "foreachBatch" }

// stop ends the session: the next run reads the job anew.
func (r *scenarioRun) stop(ctx context.Context) error {
	r.opened = nil
	return r.stopQueries(ctx)
}

// stopQueries stops all queries; the next run starts them from their checkpoints.
func (r *scenarioRun) stopQueries(ctx context.Context) error {
	var first error
	for name, l := range r.live {
		if err := l.query.Stop(ctx); err != nil && first == nil {
			first = fmt.Errorf("query %s does not stop: %w", name, err)
		}
		delete(r.live, name)
	}
	return first
}

// capture hears what a query does.
type capture struct {
	failAt int64 // the sink fails once after this batch; -1: never
	failed *sync.Once

	mu       sync.Mutex
	rows     map[int64]capturedRows
	progress []*vstream.Progress
	order    []int64 // batches with rows, as they came
}

type capturedRows struct {
	schema  *vector.Schema
	batches []*vector.Batch
}

// failedMark remembers over restarts that the failure of a query's sink has been.
func (r *scenarioRun) failedMark(q *job.Query) *sync.Once {
	if r.marks == nil {
		r.marks = map[string]*sync.Once{}
	}
	if r.marks[q.Name] == nil {
		r.marks[q.Name] = &sync.Once{}
	}
	return r.marks[q.Name]
}

var errInjected = errors.New("injected failure after sink output")

// sink keeps the rows of each batch.
func (c *capture) sink() sink.Sink {
	return foreach.New(func(_ context.Context, id int64, schema *vector.Schema, rows []*vector.Batch) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.rows == nil {
			c.rows = map[int64]capturedRows{}
		}
		c.rows[id] = capturedRows{schema, rows}
		c.order = append(c.order, id)
		var err error
		if id == c.failAt {
			c.failed.Do(func() { err = errInjected })
		}
		return err
	})
}

func (c *capture) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows, c.progress, c.order = nil, nil, nil
}

// Started implements stream.Listener.
func (c *capture) Started(_, _, _ string) {}

// Progress implements stream.Listener.
func (c *capture) Progress(p *vstream.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = append(c.progress, p)
}

// Idle implements stream.Listener.
func (c *capture) Idle(_, _ string, _ time.Time) {}

// Terminated implements stream.Listener.
func (c *capture) Terminated(_, _ string, _ error) {}

// batches are the batches since the last reset: those with progress, then those whose rows
// came out before they failed.
func (c *capture) batches(q *job.Query) []Batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []Batch{}
	seen := map[int64]bool{}
	rows := func(id int64) []any {
		if !captured(q) {
			return nil
		}
		values := []any{}
		if r, ok := c.rows[id]; ok {
			values = rowsOf(r.schema, r.batches)
		}
		if !q.Ordered {
			sortRows(values)
		}
		return values
	}
	for _, p := range c.progress {
		seen[p.BatchID] = true
		b := Batch{ID: p.BatchID, Rows: rows(p.BatchID), NumInputRows: p.NumInputRows, Operators: []Operators{}}
		if w, ok := p.EventTime["watermark"]; ok {
			b.Watermark = &w
		}
		for _, o := range p.StateOperators {
			b.Operators = append(b.Operators, Operators{o.OperatorName, o.NumRowsTotal, o.NumRowsUpdated, o.NumRowsRemoved, o.NumRowsDroppedByWatermark})
		}
		if q.Ordered {
			b.Operators = nil
		}
		out = append(out, b)
	}
	for _, id := range c.order {
		if !seen[id] {
			seen[id] = true
			out = append(out, Batch{ID: id, Rows: rows(id), Incomplete: true})
		}
	}
	return out
}
