package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"time"
)

// engine runs a query the given number of times; repetition i writes to run/i.
type engine interface {
	name() string
	run(ctx context.Context, query, run string) ([]sample, error)
}

// newEngine makes an engine; why is not empty if it is not installed.
func newEngine(ctx context.Context, name string, s settings, binary string) (e engine, why string, err error) {
	switch name {
	case "vstream":
		if binary == "" {
			binary = filepath.Join(s.work, "vstream")
			build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/vstream")
			build.Dir = filepath.Dir(filepath.Clean(s.bench))
			if out, err := build.CombinedOutput(); err != nil {
				return nil, "", fmt.Errorf("building vstream: %w\n%s", err, out)
			}
		}
		return vstream{s, binary}, "", nil
	case "spark", "duckdb", "polars":
		python := os.Getenv("PEERS_PYTHON")
		if python == "" {
			python = "python3"
		}
		modules := map[string]string{"spark": "import pyspark, yaml", "duckdb": "import duckdb, pyarrow", "polars": "import polars"}[name]
		if out, err := exec.CommandContext(ctx, python, "-c", modules).CombinedOutput(); err != nil {
			return nil, fmt.Sprintf("%s cannot %s: %s", python, modules, lastLine(out, err)), nil
		}
		return peer{s, name, python}, "", nil
	}
	return nil, "", fmt.Errorf("unknown engine %s", name)
}

func lastLine(out []byte, err error) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if l := lines[len(lines)-1]; len(l) > 0 {
		return string(l)
	}
	return err.Error()
}

// vstream runs in one process per repetition, and its wall time is the process's.
type vstream struct {
	s      settings
	binary string
}

func (v vstream) name() string { return "vstream" }

func (v vstream) run(ctx context.Context, query, run string) ([]sample, error) {
	var out []sample
	for rep := range v.s.reps {
		cmd := exec.CommandContext(ctx, v.binary, "run", filepath.Join(v.s.bench, "jobs", query+".yaml"))
		cores := strconv.Itoa(v.s.cores)
		cmd.Env = append(os.Environ(), "DATA="+v.s.data, "RUN="+filepath.Join(run, strconv.Itoa(rep)), "CORES="+cores, "GOMAXPROCS="+cores)
		var progress, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &progress, &stderr
		s, err := measure(cmd)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
		}
		for dec := json.NewDecoder(&progress); dec.More(); {
			var batch struct{ Sink struct{ NumOutputRows int64 } }
			if err := dec.Decode(&batch); err != nil {
				return nil, err
			}
			s.Rows += batch.Sink.NumOutputRows
		}
		out = append(out, s)
	}
	return out, nil
}

// peer is a script in peers that prints a sample per repetition as a JSON line.
type peer struct {
	s      settings
	engine string
	python string
}

func (p peer) name() string { return p.engine }

func (p peer) run(ctx context.Context, query, run string) ([]sample, error) {
	what := query
	if p.engine == "spark" {
		what = filepath.Join(p.s.bench, "jobs", query+".yaml")
	}
	cmd := exec.CommandContext(ctx, p.python, filepath.Join(p.s.bench, "peers", "run_"+p.engine+".py"), what, run,
		strconv.Itoa(p.s.reps), strconv.Itoa(p.s.cores))
	cmd.Env = append(os.Environ(), "DATA="+p.s.data)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	var out []sample
	for dec := json.NewDecoder(&stdout); dec.More(); {
		var s sample
		if err := dec.Decode(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) != p.s.reps {
		return nil, fmt.Errorf("%d repetitions instead of %d\n%s", len(out), p.s.reps, stderr.Bytes())
	}
	return out, nil
}

// row is a line of the table.
type row struct {
	query, engine string
	events        int64
	median        sample
	unit          time.Duration // of calibrate before and after, in the mean
	result        result
}

// runWorkload runs a workload on an engine and keeps the repetition with the median wall time.
func runWorkload(ctx context.Context, s settings, e engine, w workload) (row, error) {
	run, err := filepath.Abs(filepath.Join(s.work, "run", e.name(), w.name))
	if err != nil {
		return row{}, err
	}
	if err := os.RemoveAll(run); err != nil {
		return row{}, err
	}
	for rep := range s.reps {
		if err := os.MkdirAll(filepath.Join(run, strconv.Itoa(rep)), 0o755); err != nil {
			return row{}, err
		}
	}
	before := calibrate(s.cores)
	samples, err := e.run(ctx, w.name, run)
	if err != nil {
		return row{}, err
	}
	r := row{query: w.name, engine: e.name(), unit: (before + calibrate(s.cores)) / 2}
	if r.events, err = w.events(s.data); err != nil {
		return row{}, err
	}
	last := samples[len(samples)-1]
	if r.result, err = resultOf(ctx, filepath.Join(run, strconv.Itoa(s.reps-1), "out"), w.ignored); err != nil {
		return row{}, err
	}
	if r.result == (result{}) {
		r.result.rows = last.Rows
	}
	sort.Slice(samples, func(i, j int) bool { return samples[i].Wall < samples[j].Wall })
	r.median = samples[len(samples)/2]
	return r, os.RemoveAll(run)
}
