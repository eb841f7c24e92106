package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/vector"
)

const asyncState = "vstream.state.asyncCheckpoint"

// counts starts a query over the fixture that counts rows by key, one file in a batch, with its
// checkpoint on a disk; each gets the number and the rows of every batch that is emitted.
func (f *fixture) counts(d *disk, trigger vstream.Trigger, each func(id int64, rows []string), rules ...faulty.Rule) (*vstream.Query, error) {
	f.t.Helper()
	disks.Store(d.url, faulty.New(d.inner, rules...))
	e, err := f.s.Read("json").Option("path", "in").Option("maxFilesPerTrigger", "1").Schema("k STRING, ts TIMESTAMP, v BIGINT").Load()
	if err == nil {
		err = e.View("e")
	}
	if err == nil {
		e, err = f.s.SQL("SELECT k, count(*) AS n FROM e GROUP BY k")
	}
	if err != nil {
		f.t.Fatal(err)
	}
	var out foreach.Func = func(_ context.Context, id int64, _ *vector.Schema, rows []*vector.Batch) error {
		each(id, lines(rows))
		return nil
	}
	return e.Write().Name("q").Mode("update").ForeachBatch(out).Checkpoint("faulty://" + d.url + "/cp").Trigger(trigger).Start(f.t.Context())
}

// logsOn are the batches of the offset and of the commit log.
func (d *disk) logsOn(t *testing.T) string {
	t.Helper()
	dir, err := checkpoint.OpenReadOnly(t.Context(), objstore.Sub(d.inner, "cp"))
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := dir.Offsets().Batches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commits, err := dir.Commits().Batches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(offsets, commits)
}

func nothing(int64, []string) {}

// TestAsyncStateOverlaps: while the state of a batch is being written, the next batch is planned and
// computed, but its sink waits for the commit of the batch before.
func TestAsyncStateOverlaps(t *testing.T) {
	p, held := &points{}, make(chan struct{})
	p.at = func(point string) error {
		if point == "after-state-commit" && len(p.upTo(point, 2)) == 1 {
			<-held
		}
		return nil
	}
	f := newFixture(t, vstream.WithConf(asyncState, "true"), vstream.WithCrashPoints(p.pass))
	for n := range 3 {
		f.add(fmt.Sprintf("a %d %d", n, n))
	}
	d := newDisk(t)
	var mu sync.Mutex
	var emitted []string
	q, err := f.counts(d, vstream.ProcessingTime(0), func(id int64, rows []string) {
		mu.Lock()
		defer mu.Unlock()
		emitted = append(emitted, fmt.Sprint(id, rows))
	})
	if err != nil {
		t.Fatal(err)
	}
	for len(p.upTo("after-compute", 2)) < 2 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // time to do wrong
	mu.Lock()
	before := slices.Clone(emitted)
	mu.Unlock()
	if fmt.Sprint(before) != "[0 [a,1]]" || d.logsOn(t) != "[0 1] []" {
		t.Errorf("while the state of batch 0 was written: emitted %v, logs %s", before, d.logsOn(t))
	}
	close(held)
	f.finish(q, nil)
	if fmt.Sprint(emitted) != "[0 [a,1] 1 [a,2] 2 [a,3]]" || d.logsOn(t) != "[0 1 2] [0 1 2]" {
		t.Errorf("emitted %v, logs %s", emitted, d.logsOn(t))
	}
}

// TestAsyncStateDrains: however a run ends in order, the state of its last batch is durable and committed.
func TestAsyncStateDrains(t *testing.T) {
	slow := faulty.Named("changelog/", faulty.Fault{Delay: 30 * time.Millisecond}, faulty.CreateExclusive)
	for _, tt := range []struct {
		name, logs string
		trigger    vstream.Trigger
	}{
		{"once", "[0] [0]", vstream.Once()},
		{"availableNow", "[0 1 2] [0 1 2]", vstream.AvailableNow()},
		{"stop", "[0 1 2] [0 1 2]", vstream.ProcessingTime(0)},
		{"stop in the interval", "[0] [0]", vstream.ProcessingTime(time.Hour)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, vstream.WithConf(asyncState, "true"))
			for n := range 3 {
				f.add(fmt.Sprintf("a %d %d", n, n))
			}
			d := newDisk(t)
			emitted := make(chan int64, 3)
			q, err := f.counts(d, tt.trigger, func(id int64, _ []string) { emitted <- id }, slow)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(tt.name, "stop") { // the last batch may be on its way to the commit log
				for last := int64(strings.Count(tt.logs, " ") / 2); <-emitted < last; {
				}
				err = q.Stop(t.Context())
			}
			if err := errors.Join(err, q.Wait(t.Context())); err != nil {
				t.Fatal(condition.Render(err))
			}
			if got := d.logsOn(t); got != tt.logs {
				t.Errorf("logs %s, want %s", got, tt.logs)
			}
		})
	}
}

// TestAsyncStateFails: when the state of a batch cannot be written, the query ends with that batch's
// error, whatever became of the next one, and both run again, with the setting or without it.
func TestAsyncStateFails(t *testing.T) {
	for _, again := range []string{"true", "false"} {
		for _, kind := range []string{"failing", "torn", "failing late"} {
			t.Run(kind+", then "+again, func(t *testing.T) {
				f := newFixture(t, vstream.WithConf(asyncState, "true"), vstream.WithLogger(slog.New(slog.DiscardHandler)))
				for n := range 5 {
					f.add(fmt.Sprintf("a %d %d", n, n))
				}
				d := newDisk(t)
				fault := faulty.Fault{Err: condition.IO(syscall.EIO, "write", "the disk"), Torn: kind == "torn"}
				if kind == "failing late" {
					fault.Delay = 20 * time.Millisecond
				}
				q, err := f.counts(d, vstream.AvailableNow(), nothing, faulty.Named("changelog/3.", fault, faulty.CreateExclusive))
				if err != nil {
					t.Fatal(err)
				}
				err = q.Wait(t.Context())
				if !errors.Is(err, condition.Name("VSTREAM_IO")) || !strings.Contains(condition.Render(err), "batch 2") || strings.Contains(condition.Render(err), "batch 3") {
					t.Errorf("the query ended with %v", err)
				}
				if got := d.logsOn(t); got != "[0 1 2] [0 1]" && got != "[0 1 2 3] [0 1]" {
					t.Errorf("logs %s", got)
				}
				if err := f.s.SetConf(asyncState, again); err != nil {
					t.Fatal(err)
				}
				last := map[int64]string{}
				q, err = f.counts(d, vstream.AvailableNow(), func(id int64, rows []string) { last[id] = strings.Join(rows, " ") })
				if err == nil {
					err = q.Wait(t.Context())
				}
				if err != nil {
					t.Fatal(condition.Render(err))
				}
				if fmt.Sprint(last) != "map[2:a,3 3:a,4 4:a,5]" || d.logsOn(t) != "[0 1 2 3 4] [0 1 2 3 4]" {
					t.Errorf("emitted %v, logs %s", last, d.logsOn(t))
				}
			})
		}
	}
}

// TestAsyncStateReplaysTwo: a crash between the computing of a batch and the commit of the one before
// leaves two batches to be run again, as they were logged.
func TestAsyncStateReplaysTwo(t *testing.T) {
	for _, again := range []string{"true", "false"} {
		crashed := errors.New("crashed")
		p := &points{}
		p.at = func(point string) error {
			if point == "after-state-commit" && len(p.upTo(point, 2)) == 2 {
				for len(p.upTo("after-compute", 3)) < 3 {
					time.Sleep(time.Millisecond)
				}
				return crashed
			}
			return nil
		}
		f := newFixture(t, vstream.WithConf(asyncState, "true"), vstream.WithCrashPoints(p.pass))
		for n := range 3 {
			f.add(fmt.Sprintf("a %d %d", n, n))
		}
		d := newDisk(t)
		q, err := f.counts(d, vstream.AvailableNow(), nothing)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Wait(t.Context()); !errors.Is(err, crashed) {
			t.Fatal(err)
		}
		if got := d.logsOn(t); got != "[0 1 2] [0]" {
			t.Fatalf("logs %s", got)
		}
		p.at = nil
		if err := f.s.SetConf(asyncState, again); err != nil {
			t.Fatal(err)
		}
		f.add("a 9 9", "b 9 9")
		var emitted []string
		q, err = f.counts(d, vstream.AvailableNow(), func(id int64, rows []string) {
			slices.Sort(rows)
			emitted = append(emitted, fmt.Sprint(id, rows))
		})
		if err == nil {
			err = q.Wait(t.Context())
		}
		if err != nil {
			t.Fatal(condition.Render(err))
		}
		if got := fmt.Sprint(emitted); got != "[1 [a,2] 2 [a,3] 3 [a,4 b,1]]" {
			t.Errorf("then %s: emitted %s", again, got)
		}
	}
}

// TestAsyncStateSetting: the setting has two names and two values; a query without state does not mind it.
func TestAsyncStateSetting(t *testing.T) {
	const databricks = "spark.databricks.streaming.statefulOperator.asyncCheckpoint.enabled"
	for _, tt := range []struct{ short, long, text string }{
		{"yes", "", "yes"}, {"", "1", "1"}, {"true", "false", "the same setting"}, {"True", "true", ""}, {"", "true", ""}, {"false", "", ""},
	} {
		f := newFixture(t, vstream.WithConf(asyncState, tt.short), vstream.WithConf(databricks, tt.long))
		f.add("a 1 1")
		d := newDisk(t)
		q, err := f.counts(d, vstream.AvailableNow(), nothing)
		if err == nil {
			err = q.Wait(t.Context())
		}
		if tt.text == "" && err != nil || tt.text != "" && (!errors.Is(err, condition.Name("VSTREAM_INVALID_OPTION")) || !strings.Contains(err.Error(), tt.text)) {
			t.Errorf("%+v: %v", tt, err)
		}
		if err != nil {
			continue
		}
		entry, err := d.inner.Get(t.Context(), "cp/offsets/0")
		if err != nil {
			t.Fatal(err)
		}
		on := strings.EqualFold(tt.short, "true") || tt.long == "true"
		if strings.Contains(string(entry), `"vstream.state.asyncCheckpoint":"true"`) != on {
			t.Errorf("%+v: the offset log says %s", tt, entry)
		}
	}
}
