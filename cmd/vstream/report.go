package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/job"
)

// printing keeps lines of queries that run side by side apart.
var printing sync.Mutex

// runningQuery counts what a query does and prints its progress. It is a
// stream.Listener.
type runningQuery struct {
	prepared *job.Prepared
	query    *vstream.Query
	print    func(name string, p *vstream.Progress)

	mu            sync.Mutex
	began, ended  time.Time
	batches       int
	in, out, late int64
	watermark     bool // the query has one, so that rows can be late
}

// Started notes the time.
func (q *runningQuery) Started(_, _, _ string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.began = time.Now()
}

// Progress counts and prints a micro-batch.
func (q *runningQuery) Progress(p *vstream.Progress) {
	q.mu.Lock()
	q.batches++
	q.in += p.NumInputRows
	q.out += p.Sink.NumOutputRows
	q.watermark = q.watermark || p.EventTime != nil
	for _, o := range p.StateOperators {
		q.late += o.LateRows
	}
	q.mu.Unlock()
	printing.Lock()
	defer printing.Unlock()
	q.print(q.prepared.Name, p)
}

// Idle does nothing.
func (q *runningQuery) Idle(_, _ string, _ time.Time) {}

// Terminated notes the time.
func (q *runningQuery) Terminated(_, _ string, _ error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = time.Now()
}

// summary is one line.
func (q *runningQuery) summary() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.batches == 0 {
		if q.query.Err() != nil {
			return q.prepared.Name + ": failed before the first micro-batch was done"
		}
		return q.prepared.Name + ": nothing new: the checkpoint is up to date"
	}
	batches := "micro-batches"
	if q.batches == 1 {
		batches = "micro-batch"
	}
	s := fmt.Sprintf("%s: %d %s, %d rows in, %d rows out", q.prepared.Name, q.batches, batches, q.in, q.out)
	if q.watermark {
		s += fmt.Sprintf(", %d late rows dropped", q.late)
	}
	if !q.began.IsZero() && q.ended.After(q.began) {
		s += ", " + q.ended.Sub(q.began).Round(time.Millisecond).String()
	}
	return s
}

// report prints what the queries did and, if asked, what their sinks hold.
func (r *runSession) report(ctx context.Context) {
	for _, q := range r.queries {
		fmt.Fprintln(r.log, q.summary())
	}
	if r.show <= 0 {
		return
	}
	for _, q := range r.queries {
		s, rows, ok, err := q.prepared.Output(context.WithoutCancel(ctx))
		if err != nil {
			fmt.Fprint(r.log, condition.Render(err))
			continue
		}
		if ok {
			text := table.Show(s, rows, table.Options{Rows: r.show, Truncate: showWidth, Zone: time.UTC})
			fmt.Fprintf(r.out, "%s:\n%s\n", q.prepared.Name, text)
		}
	}
}

// showWidth is where --show cuts a cell: a window is shown whole.
const showWidth = 50
