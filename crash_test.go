package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Jobs over the flights, run in a child process that is killed or in this one.
const (
	childJob   = "VSTREAM_TEST_JOB"   // which of flightJobs the child runs
	childDir   = "VSTREAM_TEST_DIR"   // in it the child keeps checkpoint and output
	childPoint = "VSTREAM_TEST_POINT" // "point/batch": where the child kills itself
	childKills = "VSTREAM_TEST_KILLS" // how often TestKilledOnSmallBudgets kills; unset, a few times
)

// TestMain runs a flights job instead of the tests in a child process.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		run := runFlights
		if _, ok := asyncJobs[os.Getenv(childJob)]; ok {
			run = runAsync
		}
		var mu sync.Mutex
		seen := map[string]int{}
		err := run(os.Getenv(childJob), dir, func(point string) error {
			mu.Lock()
			defer mu.Unlock()
			at := fmt.Sprintf("%s/%d", point, seen[point])
			seen[point]++
			if at == os.Getenv(childPoint) {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				time.Sleep(time.Minute)
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, condition.Render(err))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runFlights(job, dir string, crash func(string) error, more ...vstream.Option) error {
	j := jobOf(job)
	ctx := context.Background()
	opts := []vstream.Option{vstream.WithConf("spark.sql.shuffle.partitions", "2"), vstream.WithConf("spark.sql.streaming.stateStore.minDeltasForSnapshot", "2"), vstream.WithCrashPoints(crash)}
	if j.budget != "" {
		opts = append(opts, vstream.WithConf("vstream.state.memoryBudget", j.budget), vstream.WithConf("vstream.state.snapshotPieceSize", "8KB"))
	}
	if j.async {
		opts = append(opts, vstream.WithConf("vstream.state.asyncCheckpoint", "true"))
	}
	s, err := vstream.New(append(opts, more...)...)
	if err != nil {
		return err
	}
	t, err := s.Read("csv").Option("path", "examples/data/flights").Option("header", "true").Option("maxFilesPerTrigger", "5").
		Schema("scheduled_at TIMESTAMP, departed_at TIMESTAMP, dep_delay INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING, air_time INT, distance INT").Load()
	if err != nil {
		return err
	}
	delay := "6 hours"
	if j.late != "" {
		delay = j.late
	}
	if t, err = t.WithWatermark("departed_at", delay); err != nil {
		return err
	}
	if len(j.once) > 0 {
		if t, err = t.DropDuplicatesWithinWatermark(j.once...); err != nil {
			return err
		}
	}
	if err := t.View("flights"); err != nil {
		return err
	}
	if t, err = s.SQL(j.query); err != nil {
		return err
	}
	w := t.Write().Name("departures").Mode(j.mode).Checkpoint(filepath.Join(dir, "checkpoint")).Trigger(vstream.AvailableNow())
	out := filepath.Join(dir, "out")
	if j.format == "" {
		w.ForeachBatch(batchFiles(out))
	} else {
		w.Format(j.format).Option("path", out)
	}
	if j.late != "" {
		w.Late("json", sink.Options{"path": filepath.Join(dir, "late")})
	}
	q, err := w.Start(ctx)
	if err != nil {
		return err
	}
	return q.Wait(ctx)
}

// readOutput are the visible rows of what a job has written, sorted.
func readOutput(t *testing.T, job, dir string) []string {
	t.Helper()
	j := jobOf(job)
	if j.format == "" {
		return readBatchFiles(t, filepath.Join(dir, "out"))
	}
	rows := readFiles(t, j.format, mustSchema(t, j.columns), filepath.Join(dir, "out"))
	if j.late != "" {
		for _, r := range readFiles(t, "json", vstream.LateSchema(), filepath.Join(dir, "late")) {
			rows = append(rows, "late: "+r)
		}
	}
	return rows
}

// readFiles are the visible rows of a file sink, sorted.
func readFiles(t *testing.T, format string, schema *vector.Schema, dir string) []string {
	t.Helper()
	spec, _ := source.Lookup(format)
	c := source.Context{Name: "out", Resolve: func(p string) string { return p }, TimeZone: "UTC", NowMs: func() int64 { return time.Now().UnixMilli() }}
	b, err := spec.OpenBatch(context.Background(), c, source.Options{"path": dir}, schema)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	var columns []int
	for i := range schema.Len() {
		columns = append(columns, i)
	}
	splits, err := b.Plan(context.Background(), source.Pushdown{Columns: columns})
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	var rows []string
	for _, s := range splits {
		err := s.Read(context.Background(), func(b *vector.Batch) error {
			for i := range b.Len() {
				var cells []string
				for c, f := range b.Schema.Fields {
					cells = append(cells, fmt.Sprint(kernels.ValueAt(f.Type, b.Col(c), i)))
				}
				rows = append(rows, strings.Join(cells, "|"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(condition.Render(err))
		}
	}
	sort.Strings(rows)
	return rows
}

func mustSchema(t *testing.T, ddl string) *vector.Schema {
	t.Helper()
	s, err := vstream.ParseSchema(ddl)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome is what a job leaves behind: its output and its state.
type outcome struct{ rows, state []string }

func readOutcome(t *testing.T, job, dir string) outcome {
	t.Helper()
	return outcome{readOutput(t, job, dir), readState(t, filepath.Join(dir, "checkpoint"))}
}

// undisturbed is the outcome of a job without any crash.
func undisturbed(t *testing.T, job string) outcome {
	t.Helper()
	dir := t.TempDir()
	if err := runFlights(job, dir, nil); err != nil {
		t.Fatal(condition.Render(err))
	}
	o := readOutcome(t, job, dir)
	if len(o.rows) == 0 || len(o.state) == 0 {
		t.Fatalf("only %d rows and %d rows of state", len(o.rows), len(o.state))
	}
	return o
}

func child(job, dir, point string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJob+"="+job, childDir+"="+dir, childPoint+"="+point)
	cmd.Stderr = os.Stderr
	return cmd
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// crashPoints are the steps of a micro-batch after which tests kill the process.
var crashPoints = []string{"after-offset-log", "after-compute", "after-state-commit", "after-sink-commit", "after-commit-log"}

// latePoints are those, for a query with a late sink.
var latePoints = append([]string{"after-late-commit"}, crashPoints...)

// TestKilledAtEveryPoint kills the process with SIGKILL between the steps of a
// micro-batch and runs the job again.
func TestKilledAtEveryPoint(t *testing.T) {
	batches := map[string]int{"many": 2, "all": 1, "parquet": 4, "json": 2, "csv": 2, "update": 2, "complete": 2, "once": 2, "join": 2, "late": 3, "outer": 1, "session": 1, "limit": 1, "distinct": 1,
		"many" + withAsync: 3, "parquet" + withAsync: 4, "late" + withAsync: 3, "once" + withAsync: 2, "join" + withAsync: 2, "complete" + withAsync: 2}
	for job, n := range batches {
		if testing.Short() {
			n = 1
		}
		want := undisturbed(t, strings.TrimSuffix(job, withAsync))
		points := crashPoints
		if jobOf(job).late != "" {
			points = latePoints
		}
		for _, point := range points {
			for batch := range n {
				at := fmt.Sprintf("%s/%d", point, batch)
				t.Run(job+"/"+at, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					if err := child(job, dir, at).Run(); !killed(err) {
						t.Fatalf("the child was not killed: %v", err)
					}
					if err := child(job, dir, "").Run(); err != nil {
						t.Fatal(err)
					}
					compare(t, want, readOutcome(t, job, dir))
				})
			}
		}
	}
}

// TestKilledAtAnyMoment kills the process with SIGKILL at random moments, several
// times in a row, until a run gets through.
func TestKilledAtAnyMoment(t *testing.T) {
	moments := map[string]int{"many": 20, "parquet": 40, "json": 20, "late": 20, "many" + withAsync: 20, "parquet" + withAsync: 20, "late" + withAsync: 20}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	for job, n := range moments {
		if testing.Short() {
			n = 3
		}
		want := undisturbed(t, strings.TrimSuffix(job, withAsync))
		kills := 0
		for kills < n {
			dir := t.TempDir()
			kills += killUntilDone(t, job, dir, random, 250)
			compare(t, want, readOutcome(t, job, dir))
		}
	}
}

// TestKilledOnSmallBudgets kills jobs whose state is larger than its budget, so that most of it lies in the
// provider's tier, with SIGKILL at random moments, as often as childKills says.
func TestKilledOnSmallBudgets(t *testing.T) {
	n := 12
	if testing.Short() {
		n = 3
	}
	if text := os.Getenv(childKills); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	const seed = 2
	random := rand.New(rand.NewPCG(seed, seed))
	jobs := []string{"many", "many" + withAsync, "all", "csv" + withAsync}
	want := map[string]outcome{}
	for kills, round := 0, 0; kills < n; round++ {
		job := jobs[round%len(jobs)]
		if _, ok := want[job]; !ok {
			want[job] = undisturbed(t, strings.TrimSuffix(job, withAsync))
		}
		dir := t.TempDir()
		k := killUntilDone(t, job, dir, random, 250)
		compare(t, want[job], readOutcome(t, job, dir))
		kills += k
		t.Logf("%s: %d kills, %d in all", job, k, kills)
	}
}

// killUntilDone runs a job again and again, killing it at random moments of its first so many
// milliseconds, until a run gets through; it gives the number of kills. The time grows with each kill, so that a
// run gets through on a slow machine, too.
func killUntilDone(t *testing.T, job, dir string, random *rand.Rand, millis int) (kills int) {
	t.Helper()
	for {
		cmd := child(job, dir, "")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(5+random.IntN(millis))*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			return kills
		}
		if !killed(err) {
			t.Fatalf("after %d kills: %v", kills, err)
		}
		kills++
		millis += millis/16 + 1
	}
}

func compare(t *testing.T, want, got outcome) {
	t.Helper()
	compareRows(t, "output", want.rows, got.rows)
	compareRows(t, "state", want.state, got.state)
}

func compareRows(t *testing.T, what string, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%s: %d rows, want %d; the first difference is row %d:\n got  %s\n want %s", what, len(got), len(want), i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
}
