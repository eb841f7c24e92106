package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vstream/vstream/job"
)

// Status is how a scenario went.
type Status uint8

// The statuses.
const (
	Passed  Status = iota
	Failed         // something differs from the golden, or the scenario could not be run
	Skipped        // there is nothing to compare with
)

// Result is the outcome of one scenario.
type Result struct {
	Name    string // AREA/NAME
	File    string
	Status  Status
	Known   string   // the reason of a known failure
	Details []string // the differences, or why it was skipped
	Took    time.Duration
}

const goldenSuffix, ownSuffix = ".golden.json", ".vstream.json"

// Name is AREA/NAME of a scenario file.
func Name(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	dir, base := filepath.Split(file)
	return filepath.Base(filepath.Clean(dir)) + "/" + strings.TrimSuffix(base, filepath.Ext(base))
}

// Check runs a scenario and compares it with its golden. With update, a golden of
// our own is written instead; what Spark recorded is never overwritten.
func Check(ctx context.Context, file string, o Options, update bool) Result {
	began := time.Now()
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	r := Result{Name: Name(file), File: file}
	status, details, err := check(ctx, file, o, update)
	r.Status, r.Details = status, details
	if err != nil {
		r.Status, r.Details = Failed, []string{err.Error()}
	}
	r.Took = time.Since(began)
	return r
}

func check(ctx context.Context, file string, o Options, update bool) (Status, []string, error) {
	s, err := job.ReadScenario(file)
	if err != nil {
		return Failed, nil, err
	}
	golden, path, err := goldenOf(s)
	if err != nil {
		return Failed, nil, err
	}
	own := golden == nil || golden.Spark == ""
	if update && own {
		records, err := Execute(ctx, s, o)
		if err != nil {
			return Failed, nil, err
		}
		g := &Golden{Scenario: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Runs: records}
		return Passed, nil, os.WriteFile(path, g.Encode(), 0o666)
	}
	if golden == nil {
		return Skipped, []string{"there is no golden " + filepath.Base(path)}, nil
	}
	records, err := Execute(ctx, s, o)
	if err != nil {
		return Failed, nil, err
	}
	var details []string
	if s.MustRefuse && !own {
		details, err = refused(ctx, s, o, golden.Runs, records)
	} else {
		details = compare(s, golden.Runs, records)
	}
	if len(details) > 0 {
		return Failed, details, err
	}
	return Passed, nil, err
}

// goldenOf reads the golden that counts for a scenario; nil if it does not exist,
// with the path where ours belongs.
func goldenOf(s *job.Scenario) (*Golden, string, error) {
	base := strings.TrimSuffix(s.File, filepath.Ext(s.File))
	path := base + goldenSuffix
	if s.Divergence != "" && !s.MustRefuse {
		path = base + ownSuffix
	}
	g, err := ReadGolden(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, path, nil
	}
	return g, path, err
}

// refused checks a scenario whose change must be refused: everything before matches
// the golden, the first run with the change fails with a named condition, and without
// the change the job goes on.
func refused(ctx context.Context, s *job.Scenario, o Options, want, got []Record) ([]string, error) {
	at := 0
	for at < len(got) && got[at].failure() == nil {
		at++
	}
	if at == len(got) {
		return []string{"the change is not refused"}, nil
	}
	f := got[at].failure()
	if f.Condition == nil || *f.Condition == "INTERNAL_ERROR" || *f.Condition == "VSTREAM_UNSUPPORTED" {
		return []string{fmt.Sprintf("step %d: refused without a condition of its own: [%s] %s", got[at].Step, f.name(), f.Message)}, nil
	}
	details := compare(s, want[:min(at, len(want))], got[:at])
	if len(details) > 0 {
		return details, nil
	}
	undone := undo(s, got[at].Step)
	if undone == nil {
		return nil, nil
	}
	records, err := Execute(ctx, undone, o)
	if err != nil {
		return nil, err
	}
	last := records[len(records)-1]
	if f := last.failure(); f != nil {
		return []string{fmt.Sprintf("after the refusal the unchanged job does not go on: [%s] %s", f.name(), f.Message)}, nil
	}
	return nil, nil
}

// undo is the scenario up to the refused step, then with the change taken back and
// one more run; nil if the change is not a restart.
func undo(s *job.Scenario, refusedStep int) *job.Scenario {
	change := -1
	for i, step := range s.Steps[:refusedStep] {
		if step.Changes() {
			change = i
		}
	}
	if change < 0 {
		return nil
	}
	return s.Undo(change, refusedStep)
}

// failure is the first error of a record.
func (r *Record) failure() *Failure {
	if r.Error != nil {
		return r.Error
	}
	for _, q := range r.Queries {
		if q.Error != nil {
			return q.Error
		}
	}
	return nil
}
