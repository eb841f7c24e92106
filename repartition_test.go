package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/stream"
)

// stopAt makes a crash hook that fails the nth time that a point is reached.
func stopAt(point string, n int) func(string) error {
	return func(p string) error {
		if point != "" && p != point {
			return nil
		}
		if n--; n == 0 {
			return errStop
		}
		return nil
	}
}

var errStop = errors.New("stopped by the test")

// runPart runs a flights job with the state in a number of partitions until the hook stops it;
// whole tells whether it came to its end.
func runPart(t *testing.T, job, dir string, partitions int, hook func(string) error) (whole bool) {
	t.Helper()
	err := runFlights(job, dir, hook, vstream.WithConf("spark.sql.streaming.stateStore.partitions", fmt.Sprint(partitions)), vstream.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil && !errors.Is(err, errStop) {
		t.Fatal(condition.Render(err))
	}
	return err == nil
}

// outputRows are the rows of a job without the numbers of their batches, which control batches shift.
func outputRows(t *testing.T, job, dir string) []string {
	t.Helper()
	rows := readOutput(t, job, dir)
	seen := map[string]string{}
	for i, r := range rows {
		batch, row, ok := strings.Cut(r, ": ")
		if flightJobs[job].format != "" || !ok {
			continue
		}
		if seen[batch] == "" {
			seen[batch] = fmt.Sprintf("%03d", len(seen))
		}
		rows[i] = seen[batch] + ": " + row
	}
	return rows
}

// statePartitions is the number of partitions of each operator's state.
func statePartitions(t *testing.T, dir string) []int {
	t.Helper()
	store, err := objstore.Open(t.Context(), filepath.Join(dir, "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := checkpoint.OpenReadOnly(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := d.Operators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, op := range ops {
		for _, s := range op.Stores {
			out = append(out, s.NumPartitions)
		}
	}
	return out
}

// manyPartitions are jobs of each kind of operator, which move through hundreds of partitions.
var manyPartitions = []string{"json", "update", "once", "outer", "session", "limit"}

// TestRepartitionOnRestart moves the state of each kind of operator between restarts, up and
// down: the output is that of a run without moves.
func TestRepartitionOnRestart(t *testing.T) {
	for job := range flightJobs {
		if job == "late" {
			continue // its rows hold the numbers of batches, which moves shift
		}
		t.Run(job, func(t *testing.T) {
			whole := t.TempDir()
			if err := runFlights(job, whole, nil); err != nil {
				t.Fatal(condition.Render(err))
			}
			dir := t.TempDir()
			numbers := []int{3, 40, 7}
			if slices.Contains(manyPartitions, job) {
				numbers = []int{200, 100, 7, 400}
			}
			for _, partitions := range numbers {
				runPart(t, job, dir, partitions, stopAt("after-commit-log", 2))
			}
			if !runPart(t, job, dir, 1, nil) {
				t.Fatal("the last run did not end")
			}
			compareRows(t, "output", outputRows(t, job, whole), outputRows(t, job, dir))
			for _, n := range statePartitions(t, dir) {
				if n != 1 {
					t.Errorf("the state is in %d partitions", n)
				}
			}
		})
	}
}

// TestRepartitionCutShort stops the move at every point of it; the next run asks for yet another
// number of partitions.
func TestRepartitionCutShort(t *testing.T) {
	for _, job := range []string{"update", "join"} {
		whole := t.TempDir()
		if err := runFlights(job, whole, nil); err != nil {
			t.Fatal(condition.Render(err))
		}
		want := outputRows(t, job, whole)
		for n := 1; n <= 9; n++ {
			t.Run(fmt.Sprint(job, n), func(t *testing.T) {
				dir := t.TempDir()
				runPart(t, job, dir, 2, stopAt("after-commit-log", 2))
				runPart(t, job, dir, 5, stopAt("", n))
				runPart(t, job, dir, 5, stopAt("", 1))
				if !runPart(t, job, dir, 3, nil) {
					t.Fatal("the last run did not end")
				}
				compareRows(t, "output", want, outputRows(t, job, dir))
				for _, p := range statePartitions(t, dir) {
					if p != 3 {
						t.Errorf("the state is in %d partitions", p)
					}
				}
			})
		}
	}
}

// TestRepartitionEveryStoreCallFails lets each call of the checkpoint's store fail during a
// repartition at rest: the state is in the old partitions or in the new ones, never between.
func TestRepartitionEveryStoreCallFails(t *testing.T) {
	f := newFixture(t, vstream.WithLogger(slog.New(slog.DiscardHandler)))
	first := func() *disk {
		d := newDisk(t)
		if err := d.run(f.s); err != nil {
			t.Fatal(condition.Render(err))
		}
		return d
	}
	move := func(d *disk, rules ...faulty.Rule) (calls int, err error) {
		store := faulty.New(d.inner, rules...)
		_, err = stream.Repartition(context.Background(), objstore.Sub(store, "cp"), 5)
		return len(store.Calls()), err
	}
	finish := func(d *disk) outcome {
		t.Helper()
		if err := d.run(f.s); err != nil {
			t.Fatal(condition.Render(err))
		}
		return d.outcome(t)
	}
	f.add("a 1 1", "a 2 2", "b 3 3", "c 3 4", "d 4 5")
	f.add("a 21 5", "b 24 6", "c 22 1", "e 23 2")
	whole := first()
	moved := first()
	calls, err := move(moved)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	cut := make([][]*disk, 3)
	for kind := range cut {
		for n := 1; n <= calls; n++ {
			cut[kind] = append(cut[kind], first())
		}
	}
	f.add("a 25 7", "a 60 8", "b 61 9")
	want := finish(whole)
	if got := finish(moved); len(want.rows) == 0 {
		t.Fatal("no output")
	} else {
		compareRows(t, "output", want.rows, got.rows)
		want.state = got.state
	}
	for kind, name := range []string{"without effect", "after its effect", "crash"} {
		for i, d := range cut[kind] {
			at := fmt.Sprintf("call %d fails, %s", i+1, name)
			rule := func(c faulty.Call) faulty.Fault {
				if c.N != i+1 {
					return faulty.Fault{}
				}
				return faulty.Fault{Err: condition.IO(syscall.EIO, string(c.Op), c.Name), Done: name == "after its effect", Crash: name == "crash"}
			}
			move(d, rule)
			if _, err := move(d); err != nil && !errors.Is(err, condition.Name("STATE_REPARTITION_INVALID_CHECKPOINT.SHUFFLE_PARTITIONS_ALREADY_MATCH")) {
				t.Errorf("%s: the next try ended with %s", at, condition.Render(err))
				continue
			}
			t.Run(at, func(t *testing.T) { compare(t, want, finish(d)) })
		}
	}
}

// TestRepartitionCrashPoints ends a move from 200 partitions to 100 at 20 points of it: the state that a restart would
// load is then the whole old one or the whole new one, and the query goes on as without the move.
func TestRepartitionCrashPoints(t *testing.T) {
	f := newFixture(t, vstream.WithLogger(slog.New(slog.DiscardHandler)), vstream.WithConf("spark.sql.shuffle.partitions", "200"))
	var rows []string
	for n := range 300 {
		rows = append(rows, fmt.Sprintf("k%d %d %d", n, n%7, n), fmt.Sprintf("k%d %d %d", n/2, 20+n%5, n))
	}
	f.add(rows...)
	first := func() *disk {
		d := newDisk(t)
		if err := d.run(f.s); err != nil {
			t.Fatal(condition.Render(err))
		}
		return d
	}
	move := func(d *disk, rules ...faulty.Rule) int {
		store := faulty.New(d.inner, rules...)
		if _, err := stream.Repartition(context.Background(), objstore.Sub(store, "cp"), 100); err != nil && len(rules) == 0 {
			t.Fatal(condition.Render(err))
		}
		return len(store.Calls())
	}
	const points = 20
	old, moved := first(), first()
	before := stateRows(t, objstore.Sub(old.inner, "cp"))
	calls := move(moved)
	after := stateRows(t, objstore.Sub(moved.inner, "cp"))
	if calls < points || slices.Equal(before, after) {
		t.Fatalf("%d calls", calls)
	}
	var cut []*disk
	for point := range points {
		d := first()
		move(d, func(c faulty.Call) faulty.Fault {
			if c.N != 1+point*(calls-1)/(points-1) {
				return faulty.Fault{}
			}
			return faulty.Fault{Err: errStop, Crash: true}
		})
		if state := stateRows(t, objstore.Sub(d.inner, "cp")); !slices.Equal(state, before) && !slices.Equal(state, after) {
			t.Errorf("point %d: the state is neither the old nor the new one", point)
		}
		cut = append(cut, d)
	}
	f.add("k1 25 7", "k2 60 8", "k3 61 9")
	for _, d := range append(cut, moved, old) {
		if err := d.run(f.s); err != nil {
			t.Fatal(condition.Render(err))
		}
	}
	want := old.outcome(t).rows
	for point, d := range append(cut, moved) {
		compareRows(t, fmt.Sprint("output after point ", point), want, d.outcome(t).rows)
	}
}

// TestUnfinishedRepartitionOnRestart: a query takes over a repartition at rest that was cut short.
func TestUnfinishedRepartitionOnRestart(t *testing.T) {
	dir := t.TempDir()
	runPart(t, "update", dir, 2, stopAt("after-commit-log", 2))
	store, err := objstore.Open(t.Context(), filepath.Join(dir, "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	fails := func(c faulty.Call) faulty.Fault {
		return faulty.Fault{Err: map[bool]error{true: syscall.EIO}[strings.HasPrefix(c.Name, "commits/") && c.Op == faulty.CreateExclusive]}
	}
	if _, err := stream.Repartition(t.Context(), faulty.New(store, fails), 4); err == nil {
		t.Fatal("the repartition did not fail")
	}
	if _, err := vstream.Repartition(t.Context(), filepath.Join(dir, "checkpoint"), 3); !errors.Is(err, condition.Name("STATE_REPARTITION_INVALID_CHECKPOINT.LAST_BATCH_ABANDONED_REPARTITION")) {
		t.Errorf("another number: %v", err)
	}
	whole := t.TempDir()
	for _, d := range []string{dir, whole} {
		if err := runFlights("update", d, nil); err != nil {
			t.Fatal(condition.Render(err))
		}
	}
	compareRows(t, "output", outputRows(t, "update", whole), outputRows(t, "update", dir))
	if got := statePartitions(t, dir); got[0] != 4 {
		t.Errorf("the state is in %v partitions", got)
	}
}

// TestRepartitionWithoutCommit: a move that was cut short and whose commit before it is gone is refused, on restart and
// at rest, and nothing is written. With the commit back, or without the entry of the move, the query goes on.
func TestRepartitionWithoutCommit(t *testing.T) {
	whole := t.TempDir()
	if err := runFlights("update", whole, nil); err != nil {
		t.Fatal(condition.Render(err))
	}
	for _, repair := range []string{"commit back", "move taken back"} {
		t.Run(repair, func(t *testing.T) {
			dir := t.TempDir()
			runPart(t, "update", dir, 2, stopAt("after-commit-log", 2))
			runPart(t, "update", dir, 5, stopAt("after-offset-log", 1))
			commit := filepath.Join(dir, "checkpoint/commits/1")
			kept, err := os.ReadFile(commit)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(commit); err != nil {
				t.Fatal(err)
			}
			before := listing(t, dir)
			missing := func(err error) {
				t.Helper()
				var e *condition.Error
				if !errors.As(err, &e) || e.Name != "VSTREAM_CHECKPOINT_INCONSISTENT" || !strings.Contains(e.Message, "the commit of batch 1 is missing") || !strings.Contains(e.Hint, "offsets/2") {
					t.Errorf("%v", err)
				}
				if after := listing(t, dir); !slices.Equal(before, after) {
					t.Errorf("written: %v, then %v", before, after)
				}
			}
			missing(runFlights("update", dir, nil, vstream.WithLogger(slog.New(slog.DiscardHandler))))
			_, err = vstream.Repartition(t.Context(), filepath.Join(dir, "checkpoint"), 5)
			missing(err)
			if repair == "commit back" {
				err = os.WriteFile(commit, kept, 0o666)
			} else {
				err = os.Remove(filepath.Join(dir, "checkpoint/offsets/2"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if !runPart(t, "update", dir, 5, nil) {
				t.Fatal("the last run did not end")
			}
			compareRows(t, "output", outputRows(t, "update", whole), outputRows(t, "update", dir))
		})
	}
}

// listing is the names and sizes of the files below a folder, without the lock.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	store, err := objstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	infos, err := store.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range infos {
		if !strings.HasSuffix(i.Name, ".vstream.lock") {
			out = append(out, fmt.Sprint(i.Name, " ", i.Size))
		}
	}
	return out
}
