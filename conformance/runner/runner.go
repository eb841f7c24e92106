// Package runner runs scenario files (conformance/FORMAT.md) through the public API
// and compares what they give with their goldens.
package runner

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/job"
	"github.com/vstream/vstream/sink/memory"
)

// Options say how scenarios are run.
type Options struct {
	// Restart stops the queries after each run step; the next starts them from their
	// checkpoints. Otherwise they run on where the recorder's do, too. The difference shows where
	// Spark itself forgets something on a restart: the watermarks of several sources.
	Restart bool
	// Timeout bounds a scenario; 0: 20 s.
	Timeout time.Duration
	// TempDir is where work directories are made; "" for the fastest place there is.
	TempDir string
	// Conf are settings over those of every scenario.
	Conf map[string]string
}

// defaults are the fixed settings that a scenario need not give. Spark, which made the
// goldens, does not complete its logs when a query with asynchronous progress tracking stops.
var defaults = map[string]string{"spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC", "vstream.asyncProgress.drainOnStop": "false"}

// scenarioRun is one scenario while it runs.
type scenarioRun struct {
	o        Options
	s        *job.Scenario
	dir      string // work directory
	prefix   string // of the names of running queries
	def      job.Definition
	replaced map[string]bool // sources of a job file whose rows the scenario gives
	pending  []pendingFile
	files    int
	opened   *job.Opened
	live     map[string]*liveQuery
	names    map[string]bool       // of queries in the process-wide tables
	marks    map[string]*sync.Once // injected failures that have been
	records  []Record
}

type pendingFile struct{ staged, name string }

// sequence makes the names of running queries unique in the process.
var sequence atomic.Int64

// Execute runs the steps of a scenario and gives their records. An error means that
// the scenario could not be run; what the engine refuses is in the records.
func Execute(ctx context.Context, s *job.Scenario, o Options) (records []Record, err error) {
	r, err := newRun(s, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		r.close()
	}()
	for i, step := range s.Steps {
		if err := r.step(ctx, i, step); err != nil {
			return r.records, fmt.Errorf("step %d (%s): %w", i, step.Kind, err)
		}
	}
	return r.records, nil
}

func newRun(s *job.Scenario, o Options) (*scenarioRun, error) {
	dir, err := os.MkdirTemp(o.tempDir(), "vstream-scenario-")
	if err != nil {
		return nil, err
	}
	return &scenarioRun{
		o: o, s: s, dir: dir, prefix: "s" + strconv.FormatInt(sequence.Add(1), 10) + "_", def: s.Definition(),
		replaced: addedSources(s), live: map[string]*liveQuery{}, names: map[string]bool{},
	}, nil
}

// tempDir prefers memory: scenarios are full of small synced writes.
func (o Options) tempDir() string {
	const memoryDir = "/dev/shm"
	if o.TempDir != "" {
		return o.TempDir
	}
	if info, err := os.Stat(memoryDir); err == nil && info.IsDir() && info.Mode().Perm()&0o002 != 0 {
		return memoryDir
	}
	return ""
}

func (r *scenarioRun) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r.stop(ctx)
	for name := range r.names {
		memory.Drop(name)
		memory.Drop(name + "_late")
	}
	os.RemoveAll(r.dir)
}

// step runs one step.
func (r *scenarioRun) step(ctx context.Context, index int, s *job.Step) error {
	switch s.Kind {
	case job.StepAdd:
		return r.add(s)
	case job.StepRun:
		return r.run(ctx, index)
	case job.StepSleep:
		select {
		case <-time.After(time.Duration(s.Wait * float64(time.Second))):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := r.stop(ctx); err != nil {
		return err
	}
	switch s.Kind {
	case job.StepRestart:
		r.def = r.def.Patch(s)
		return nil
	case job.StepCrash:
		return r.crash(s)
	case job.StepRemove:
		return r.remove(s.Paths...)
	case job.StepCheckpoint:
		return r.inspect(index, s)
	case job.StepRepartition:
		return r.repartition(ctx, index, s)
	case job.StepReadState:
		return r.readState(ctx, index, s)
	}
	return fmt.Errorf("unknown step")
}

// job reads the definition as it is now and gives it the runner's settings.
func (r *scenarioRun) job() (*job.Job, error) {
	j, err := r.def.Job()
	if err != nil {
		return nil, err
	}
	for k, v := range defaults {
		if _, set := j.Conf[k]; !set {
			j.Conf[k] = v
		}
	}
	for k, v := range r.o.Conf {
		j.Conf[k] = v
	}
	for _, q := range j.Queries {
		if q.Checkpoint == "" {
			q.Checkpoint = "cp/" + q.Name
		}
	}
	r.replaceSources(j)
	return j, nil
}

// replaceSources lets a job file read the rows of the scenario instead of its own
// sources; the sources that get no rows are read from beside the job file.
func (r *scenarioRun) replaceSources(j *job.Job) {
	if r.def.External == "" {
		return
	}
	for _, s := range j.Sources {
		if objects, added := r.replaced[s.Name]; added {
			if objects {
				s.Format, s.Options = "json", map[string]string{}
			}
			s.Options["path"] = "in/" + s.Name
		} else if p := s.Options["path"]; p != "" && !filepath.IsAbs(p) {
			s.Options["path"] = filepath.Join(filepath.Dir(r.def.External), p)
		}
	}
}

// addedSources are the sources that get rows, and whether these are JSON objects.
func addedSources(s *job.Scenario) map[string]bool {
	out := map[string]bool{}
	for _, step := range s.Steps {
		for _, rows := range step.Add {
			out[rows.Source] = out[rows.Source] || rows.Objects
		}
	}
	return out
}

// open makes a session of the job.
func (r *scenarioRun) open() error {
	j, err := r.job()
	if err != nil {
		return err
	}
	for _, s := range j.Sources {
		if p := s.Options["path"]; p != "" && r.def.External == "" {
			if err := os.MkdirAll(filepath.Join(r.dir, p), 0o777); err != nil {
				return err
			}
		}
	}
	opened, err := j.Open(r.dir, vstream.WithClock(impatient{time.Now()}), vstream.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		return err
	}
	r.opened = opened
	return nil
}

// impatient is the clock of a query that is not to wait between triggers. It goes at a tenth of the
// pace since the start, so that on a busy machine no interval ends that did not end for Spark.
type impatient struct{ start time.Time }

func (c impatient) Now() time.Time { return c.start.Add(time.Since(c.start) / 10) }

func (impatient) Sleep(ctx context.Context, _ time.Duration) {
	t := time.NewTimer(time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
