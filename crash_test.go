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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// The flights job, run in a child process that is killed or in this one.
const (
	flightsQuery = `SELECT window(departed_at, '1 hour') AS hour, origin, count(*) AS flights, avg(dep_delay) AS mean_delay, max(dep_delay) AS max_delay
		FROM flights GROUP BY window(departed_at, '1 hour'), origin`
	childDir   = "VSTREAM_TEST_DIR"   // in it the child keeps checkpoint and output
	childPoint = "VSTREAM_TEST_POINT" // "point/batch": where the child kills itself
)

// TestMain runs the flights job instead of the tests in a child process.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		seen := map[string]int{}
		err := runFlights(dir, func(point string) error {
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

func runFlights(dir string, crash func(string) error) error {
	ctx := context.Background()
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", "2"), vstream.WithConf("spark.sql.streaming.stateStore.minDeltasForSnapshot", "2"), vstream.WithCrashPoints(crash))
	if err != nil {
		return err
	}
	t, err := s.Read("csv").Option("path", "examples/data/flights").Option("header", "true").Option("maxFilesPerTrigger", "5").
		Schema("scheduled_at TIMESTAMP, departed_at TIMESTAMP, dep_delay INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING, air_time INT, distance INT").Load()
	if err != nil {
		return err
	}
	if t, err = t.WithWatermark("departed_at", "6 hours"); err != nil {
		return err
	}
	if err := t.View("flights"); err != nil {
		return err
	}
	if t, err = s.SQL(flightsQuery); err != nil {
		return err
	}
	q, err := t.Write().Name("departures").Format("parquet").Option("path", filepath.Join(dir, "out")).
		Checkpoint(filepath.Join(dir, "checkpoint")).Trigger(vstream.AvailableNow()).Start(ctx)
	if err != nil {
		return err
	}
	return q.Wait(ctx)
}

// readOutput are the visible rows of a Parquet sink's folder, sorted.
func readOutput(t *testing.T, dir string) []string {
	t.Helper()
	spec, _ := source.Lookup("parquet")
	schema := mustSchema(t, "hour STRUCT<start: TIMESTAMP, end: TIMESTAMP>, origin STRING, flights BIGINT, mean_delay DOUBLE, max_delay INT")
	c := source.Context{Name: "out", Resolve: func(p string) string { return p }, TimeZone: "UTC", NowMs: func() int64 { return time.Now().UnixMilli() }}
	b, err := spec.OpenBatch(context.Background(), c, source.Options{"path": filepath.Join(dir, "out")}, schema)
	if err != nil {
		t.Fatal(condition.Render(err))
	}
	splits, err := b.Plan(context.Background(), source.Pushdown{Columns: []int{0, 1, 2, 3, 4}})
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

// undisturbed is the result of the flights job without any crash.
func undisturbed(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := runFlights(dir, nil); err != nil {
		t.Fatal(condition.Render(err))
	}
	rows := readOutput(t, dir)
	if len(rows) < 1000 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

func child(dir, point string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childPoint+"="+point)
	cmd.Stderr = os.Stderr
	return cmd
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// TestKilledAtEveryPoint kills the process with SIGKILL between the steps of a
// micro-batch and runs the job again.
func TestKilledAtEveryPoint(t *testing.T) {
	want := undisturbed(t)
	for _, point := range []string{"after-offset-log", "after-compute", "after-state-commit", "after-sink-commit", "after-commit-log"} {
		for batch := range 4 {
			if testing.Short() && batch > 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", point, batch), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := child(dir, fmt.Sprintf("%s/%d", point, batch)).Run(); !killed(err) {
					t.Fatalf("the child was not killed: %v", err)
				}
				if err := child(dir, "").Run(); err != nil {
					t.Fatal(err)
				}
				compare(t, want, readOutput(t, dir))
			})
		}
	}
}

// TestKilledAtAnyMoment kills the process with SIGKILL at random moments, several
// times in a row, until a run gets through.
func TestKilledAtAnyMoment(t *testing.T) {
	want := undisturbed(t)
	moments := 50
	if testing.Short() {
		moments = 5
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	kills := 0
	for kills < moments {
		dir := t.TempDir()
		for {
			cmd := child(dir, "")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(5+random.IntN(250))*time.Millisecond, func() { cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			if err == nil {
				break
			}
			if !killed(err) {
				t.Fatalf("after %d kills: %v", kills, err)
			}
			kills++
		}
		compare(t, want, readOutput(t, dir))
	}
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	if strings.Join(want, "\n") == strings.Join(got, "\n") {
		return
	}
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%d rows, want %d; the first difference is row %d:\n got  %s\n want %s", len(got), len(want), i, got[i], want[i])
		}
	}
	t.Fatalf("%d rows, want %d", len(got), len(want))
}
