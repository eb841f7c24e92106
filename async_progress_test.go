package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/vector"
)

// The sink rowlog appends every row to a file, as a line that ends with a full stop: at least
// once. A kill may leave the beginning of a row, which counts as none.
func init() {
	sink.Register(sink.Spec{Name: "rowlog", Modes: []string{"append"}, AsyncProgress: true,
		Open: func(_ context.Context, c sink.Context, o sink.Options) (sink.Sink, error) {
			return rowLog{c.Resolve(o["path"])}, nil
		}})
}

type rowLog struct{ path string }

func (rowLog) Guarantee() sink.Guarantee { return sink.AtLeastOnce }
func (rowLog) Close() error              { return nil }
func (l rowLog) Describe() string        { return "RowLog[" + l.path + "]" }

func (l rowLog) Begin(context.Context, sink.BatchInfo) (sink.BatchWriter, bool, error) {
	return &sink.Stage{Done: func(_ context.Context, rows []*vector.Batch) error {
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		_, err = f.WriteString("\n" + strings.Join(append(lines(rows), ""), ".\n"))
		return errors.Join(err, f.Close())
	}}, false, nil
}

func readRowLog(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, l := range strings.Split(string(text), "\n") {
		if row, whole := strings.CutSuffix(l, "."); whole {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// asyncQuery starts a query over the fixture with asynchronous progress tracking.
func (f *fixture) asyncQuery(options map[string]string) (*vstream.Query, error) {
	f.t.Helper()
	e, err := f.s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING, ts TIMESTAMP, v BIGINT").Load()
	if err != nil {
		f.t.Fatal(err)
	}
	w := e.Write().Name("q").Format("rowlog").Option("path", "rows").Checkpoint("cp").Option("asyncProgressTrackingEnabled", "true")
	for k, v := range options {
		w.Option(k, v)
	}
	return w.Start(f.t.Context())
}

// finish lets a query process everything, stops it and gives the ids of its batches.
func (f *fixture) finish(q *vstream.Query, err error) (ids []int64) {
	f.t.Helper()
	if err == nil {
		err = q.ProcessAllAvailable(f.t.Context())
	}
	if err == nil {
		err = q.Stop(f.t.Context())
	}
	if err == nil {
		err = q.Err()
	}
	if err != nil {
		f.t.Fatal(condition.Render(err))
	}
	for _, p := range q.RecentProgress() {
		ids = append(ids, p.BatchID)
	}
	return ids
}

// logs are the batches of the offset and of the commit log.
func (f *fixture) logs() string {
	f.t.Helper()
	store, err := objstore.Open(f.t.Context(), filepath.Join(f.dir, "cp"))
	if err != nil {
		f.t.Fatal(err)
	}
	d, err := checkpoint.OpenReadOnly(f.t.Context(), store)
	if err != nil {
		f.t.Fatal(err)
	}
	offsets, err := d.Offsets().Batches(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	commits, err := d.Commits().Batches(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return fmt.Sprint(offsets, commits)
}

const (
	hour = "3600000"
	off  = "false"
)

// TestAsyncProgressDrains: after an orderly stop the query goes on without tracking.
func TestAsyncProgressDrains(t *testing.T) {
	f := newFixture(t)
	f.add("a 1 1")
	f.add("b 2 2")
	f.add("c 3 3")
	if ids := f.finish(f.asyncQuery(map[string]string{"asyncProgressTrackingCheckpointIntervalMs": hour})); fmt.Sprint(ids) != "[0 1 2]" {
		t.Errorf("batches %v", ids)
	}
	if got := f.logs(); got != "[0 1 2] [0 2]" {
		t.Errorf("logs %s", got)
	}
	f.add("d 4 4")
	if ids := f.finish(f.asyncQuery(map[string]string{"asyncProgressTrackingEnabled": off})); fmt.Sprint(ids) != "[3]" {
		t.Errorf("batches %v", ids)
	}
	if rows := readRowLog(t, filepath.Join(f.dir, "rows")); len(rows) != 4 {
		t.Errorf("rows %q", rows)
	}
}

// TestAsyncProgressCleansSource: a file that a restart may read again is left alone, and
// files of batches that are not in the log are cleaned up with those that are.
func TestAsyncProgressCleansSource(t *testing.T) {
	f := newFixture(t)
	for _, r := range []string{"a 1 1", "b 2 2", "c 3 3"} {
		f.add(r)
	}
	e, err := f.s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Option("cleanSource", "delete").Schema("k STRING").Load()
	if err != nil {
		t.Fatal(err)
	}
	start := func(drain string) (*vstream.Query, error) {
		if err := f.s.SetConf("vstream.asyncProgress.drainOnStop", drain); err != nil {
			return nil, err
		}
		return e.Write().Name("q").Format("rowlog").Option("path", "rows").Checkpoint("cp").
			Option("asyncProgressTrackingEnabled", "true").Option("asyncProgressTrackingCheckpointIntervalMs", hour).Start(t.Context())
	}
	for _, tt := range []struct{ drain, left string }{{"false", "[0002.json 0003.json]"}, {"true", "[]"}} {
		f.finish(start(tt.drain))
		entries, err := os.ReadDir(filepath.Join(f.dir, "in"))
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := fmt.Sprint(names); got != tt.left {
			t.Errorf("drain %s: left %s, want %s", tt.drain, got, tt.left)
		}
	}
}

// TestAsyncProgressGap: without draining the logs have a gap, which needs the documented
// way out or one orderly stop.
func TestAsyncProgressGap(t *testing.T) {
	f := newFixture(t, vstream.WithConf("vstream.asyncProgress.drainOnStop", "false"))
	for _, r := range []string{"a 1 1", "b 2 2", "c 3 3"} {
		f.add(r)
	}
	long := map[string]string{"asyncProgressTrackingCheckpointIntervalMs": hour}
	f.finish(f.asyncQuery(long))
	if got := f.logs(); got != "[0] [0]" {
		t.Errorf("logs %s", got)
	}
	// The first batch of the next run is logged; those behind it are not.
	f.finish(f.asyncQuery(long))
	if got := f.logs(); got != "[0 1] [0 1]" {
		t.Errorf("logs %s", got)
	}
	store, err := objstore.Open(t.Context(), filepath.Join(f.dir, "cp"))
	if err != nil {
		t.Fatal(err)
	}
	f.finish(f.asyncQuery(map[string]string{"asyncProgressTrackingCheckpointIntervalMs": "0"}))
	for _, name := range []string{"offsets/1", "commits/1", "commits/2"} {
		if err := store.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	q, err := f.asyncQuery(map[string]string{"asyncProgressTrackingEnabled": off})
	if err == nil {
		err = q.Wait(t.Context())
	}
	if !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_INCONSISTENT")) || !strings.Contains(condition.Render(err), "batch 1 doesn't exist") ||
		!strings.Contains(condition.Render(err), "asyncProgressTrackingCheckpointIntervalMs to 0") {
		t.Errorf("with a gap: %v", err)
	}
	// An orderly stop closes the gap, whether a batch ran or not.
	if err := f.s.SetConf("vstream.asyncProgress.drainOnStop", "true"); err != nil {
		t.Fatal(err)
	}
	f.finish(f.asyncQuery(long))
	if got := f.logs(); got != "[0 1 2] [0 2]" {
		t.Errorf("logs %s", got)
	}
	if ids := f.finish(f.asyncQuery(map[string]string{"asyncProgressTrackingEnabled": off})); len(ids) > 0 {
		t.Errorf("batches %v", ids)
	}
}

// TestAsyncProgressRefused: what Spark's conditions exclude.
func TestAsyncProgressRefused(t *testing.T) {
	f := newFixture(t)
	f.add("a 1 1")
	const unsupported, invalid = "VSTREAM_ASYNC_PROGRESS_UNSUPPORTED", "VSTREAM_INVALID_OPTION"
	tests := []struct {
		name, sql string
		change    func(w *vstream.Writer)
		want      condition.Name
		text      string
	}{
		{"once", "SELECT k FROM e", func(w *vstream.Writer) { w.Trigger(vstream.Once()) }, unsupported, "the trigger once"},
		{"availableNow", "SELECT k FROM e", func(w *vstream.Writer) { w.Trigger(vstream.AvailableNow()) }, unsupported, "the trigger availableNow"},
		{"file sink", "SELECT k FROM e", func(w *vstream.Writer) { w.Format("parquet").Option("path", "out") }, unsupported, "the sink parquet"},
		{"foreachBatch", "SELECT k FROM e", func(w *vstream.Writer) {
			w.ForeachBatch(func(context.Context, int64, *vector.Schema, []*vector.Batch) error { return nil })
		}, unsupported, "sink ForeachBatchSink"},
		{"stateful", "SELECT DISTINCT k FROM e", func(w *vstream.Writer) { w.Mode("update") }, unsupported, "a query with state"},
		{"not a number", "SELECT k FROM e", func(w *vstream.Writer) { w.Option("asyncProgressTrackingCheckpointIntervalMs", "1s") }, invalid, "1s"},
		{"not a boolean", "SELECT k FROM e", func(w *vstream.Writer) { w.Option("asyncProgressTrackingEnabled", "yes") }, invalid, "yes"},
	}
	for _, tt := range tests {
		table, err := f.s.SQL(tt.sql)
		if err != nil {
			t.Fatal(err)
		}
		w := table.Write().Name("q").Checkpoint(tt.name).Option("asyncProgressTrackingEnabled", "true")
		tt.change(w)
		q, err := w.Start(t.Context())
		if err == nil {
			err = q.Wait(t.Context())
		}
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// points notes the points that a query passes and lets a test act on them.
type points struct {
	mu   sync.Mutex
	seen []string
	at   func(point string) error
}

func (p *points) pass(point string) error {
	p.mu.Lock()
	p.seen = append(p.seen, point)
	p.mu.Unlock()
	if p.at == nil {
		return nil
	}
	return p.at(point)
}

// TestAsyncProgressWaits: a writer that hangs lets the query run one batch ahead of what
// fits into its queue, and its entries are written in order.
func TestAsyncProgressWaits(t *testing.T) {
	p, held := &points{}, make(chan struct{})
	var once sync.Once
	p.at = func(point string) error {
		if point == "after-async-offset-log" {
			once.Do(func() { <-held })
		}
		return nil
	}
	f := newFixture(t, vstream.WithCrashPoints(p.pass))
	for n := range 6 {
		f.add(fmt.Sprintf("a %d %d", n, n))
	}
	q, err := f.asyncQuery(map[string]string{"asyncProgressTrackingCheckpointIntervalMs": "0"})
	if err != nil {
		t.Fatal(err)
	}
	// The queue is full with commit 0 and offsets 1; batch 1 waits with its commit.
	for len(p.upTo("after-sink-commit", 2)) < 2 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // time to do wrong
	ahead := len(p.upTo("after-sink-commit", 100))
	close(held)
	f.finish(q, nil)
	if ahead != 2 {
		t.Errorf("%d batches ran while the writer hung", ahead)
	}
	var writes []string
	for _, s := range p.seen {
		if strings.HasPrefix(s, "after-async-") {
			writes = append(writes, strings.TrimSuffix(strings.TrimPrefix(s, "after-async-"), "-log"))
		}
	}
	if want := strings.TrimSpace(strings.Repeat("offset commit ", 6)); strings.Join(writes, " ") != want {
		t.Errorf("written in the order %v", writes)
	}
}

// upTo are the passes of a point so far, n at most.
func (p *points) upTo(point string, n int) (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if s == point && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// TestAsyncProgressWriterFails: the failure of a write ends the query, and nothing is logged
// behind it.
func TestAsyncProgressWriterFails(t *testing.T) {
	broken := errors.New("broken disk")
	p := &points{}
	p.at = func(point string) error {
		if point == "after-async-commit-log" && len(p.upTo(point, 9)) == 2 {
			return broken
		}
		return nil
	}
	f := newFixture(t, vstream.WithCrashPoints(p.pass))
	for n := range 6 {
		f.add(fmt.Sprintf("a %d %d", n, n))
	}
	q, err := f.asyncQuery(map[string]string{"asyncProgressTrackingCheckpointIntervalMs": "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(t.Context()); !errors.Is(err, broken) {
		t.Errorf("ended with %v", err)
	}
	if got := f.logs(); got != "[0 1] [0 1]" {
		t.Errorf("logs %s", got)
	}
}

// asyncJobs are the intervals of the jobs that a child process runs with asynchronous
// progress tracking.
var asyncJobs = map[string]string{"async": "0", "async-sparse": "3"}

// runAsync processes the flights a file at a time, stops in order, and starts once more
// without asynchronous progress tracking, which must find nothing left to do.
func runAsync(job, dir string, crash func(string) error, more ...vstream.Option) error {
	ctx := context.Background()
	s, err := vstream.New(append(more, vstream.WithCrashPoints(crash))...)
	if err != nil {
		return err
	}
	t, err := s.Read("csv").Option("path", "examples/data/flights").Option("header", "true").Option("maxFilesPerTrigger", "1").
		Schema("scheduled_at STRING, departed_at STRING, dep_delay INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING").Load()
	if err != nil {
		return err
	}
	for _, on := range []string{"true", "false"} {
		q, err := t.Write().Name("q").Format("rowlog").Option("path", filepath.Join(dir, "rows")).Checkpoint(filepath.Join(dir, "checkpoint")).
			Option("asyncProgressTrackingEnabled", on).Option("asyncProgressTrackingCheckpointIntervalMs", asyncJobs[job]).Start(ctx)
		if err != nil {
			return err
		}
		if err := errors.Join(q.ProcessAllAvailable(ctx), q.Stop(ctx), q.Err()); err != nil {
			return err
		}
		if n := len(q.RecentProgress()); on == "false" && n > 0 {
			return fmt.Errorf("%d batches were left after an orderly stop", n)
		}
	}
	return nil
}

// TestAsyncProgressKilled kills the process with SIGKILL between all steps and at any moment:
// nothing is lost, and rows that come again are the only difference.
func TestAsyncProgressKilled(t *testing.T) {
	distinct := func(dir string) []string { return slices.Compact(readRowLog(t, filepath.Join(dir, "rows"))) }
	dir := t.TempDir()
	if err := runAsync("async", dir, nil); err != nil {
		t.Fatal(condition.Render(err))
	}
	want := distinct(dir)
	batches, moments := 3, 30
	if testing.Short() {
		batches, moments = 1, 3
	}
	for job := range asyncJobs {
		for _, point := range append([]string{"after-async-offset-log", "after-async-commit-log"}, crashPoints...) {
			if point == "after-state-commit" {
				continue // there is no state
			}
			for batch := range batches {
				at := fmt.Sprintf("%s/%d", point, batch)
				t.Run(job+"/"+at, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					if err := child(job, dir, at).Run(); !killed(err) && (err != nil || job == "async" || batch == 0) {
						t.Fatalf("the child was not killed: %v", err)
					}
					if err := child(job, dir, "").Run(); err != nil {
						t.Fatal(err)
					}
					compareRows(t, "output", want, distinct(dir))
				})
			}
		}
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	for kills := 0; kills < moments; {
		dir, job := t.TempDir(), []string{"async", "async-sparse"}[kills%2]
		kills += killUntilDone(t, job, dir, random, 120)
		compareRows(t, "output", want, distinct(dir))
	}
}

// BenchmarkTinyBatches runs a query without state on batches of one row from a generator, with
// every batch waiting for its log entries and with asynchronous progress tracking. The metric is
// micro-batches per second.
func BenchmarkTinyBatches(b *testing.B) {
	for _, async := range []string{"false", "true"} {
		b.Run("async="+async, func(b *testing.B) {
			s, err := vstream.New(vstream.WithDir(b.TempDir()))
			if err != nil {
				b.Fatal(err)
			}
			t, err := s.Read("rate-micro-batch").Option("rowsPerBatch", "1").Load()
			if err != nil {
				b.Fatal(err)
			}
			done := &finished{want: int64(b.N), reached: make(chan struct{})}
			b.ResetTimer()
			q, err := t.Write().Format("noop").Checkpoint("cp").Option("asyncProgressTrackingEnabled", async).Listen(done).Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			<-done.reached
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "batches/s")
			if err := q.Stop(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// finished closes reached when so many batches are done.
type finished struct {
	n, want int64
	reached chan struct{}
}

func (f *finished) Started(_, _, _ string) {}

func (f *finished) Progress(*vstream.Progress) {
	if f.n++; f.n == f.want {
		close(f.reached)
	}
}

func (f *finished) Idle(_, _ string, _ time.Time) {}

func (f *finished) Terminated(_, _ string, _ error) {}
