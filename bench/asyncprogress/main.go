// Command asyncprogress measures how many micro-batches of a few rows a query without state runs in a
// second, with and without asynchronous progress tracking, and prints Spark's figures for the same beside
// them if PEERS_PYTHON names a Python that has pyspark.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/stream"
)

//go:embed spark.py
var sparkScript string

// modes are the settings that are compared, by the interval in ms; negative: off.
var modes = []struct {
	name     string
	interval int
}{{"off", -1}, {"every second", 1000}, {"every batch", 0}}

func main() {
	seconds := flag.Float64("seconds", 10, "how long each query runs")
	rows := flag.Int64("rows", 10, "rows of a micro-batch")
	dir := flag.String("dir", "", "where the checkpoints are made; empty: in the system's place for temporary files")
	flag.Parse()
	if err := measure(*seconds, *rows, *dir); err != nil {
		fmt.Fprint(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

func measure(seconds float64, rows int64, dir string) error {
	fmt.Printf("%d cores, micro-batches of %d rows, %g s each\n\n", runtime.NumCPU(), rows, seconds)
	fmt.Printf("| engine | asynchronous progress tracking | micro-batches/s | relative |\n| --- | --- | ---: | ---: |\n")
	var off float64
	for _, m := range modes {
		rate, err := run(m.interval, seconds, rows, dir)
		if err != nil {
			return err
		}
		if m.interval < 0 {
			off = rate
		}
		fmt.Printf("| vstream | %s | %.1f | %.3f |\n", m.name, rate, rate/off)
	}
	python := os.Getenv("PEERS_PYTHON")
	if python == "" {
		return nil
	}
	c := exec.Command(python, "-c", sparkScript, strconv.FormatFloat(seconds, 'g', -1, 64), strconv.FormatInt(rows, 10), dir)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return err
	}
	var rates map[string]float64
	if err := json.Unmarshal(out, &rates); err != nil {
		return err
	}
	for _, m := range modes {
		rate := rates[strconv.Itoa(m.interval)]
		fmt.Printf("| spark | %s | %.1f | %.3f |\n", m.name, rate, rate/off)
	}
	return nil
}

// run gives the micro-batches per second of a query with that interval.
func run(interval int, seconds float64, rows int64, dir string) (float64, error) {
	folder, err := os.MkdirTemp(dir, "vstream-async-progress-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	s, err := vstream.New()
	if err != nil {
		return 0, err
	}
	if err := (&feed.Feed{PerSecond: rows, Load: 1, Batches: 1 << 40}).View(s, "e", 1); err != nil {
		return 0, err
	}
	t, err := s.SQL("SELECT k, v + 1 AS v FROM e WHERE v % 2 = 0")
	if err != nil {
		return 0, err
	}
	w := t.Write().Format("noop").Checkpoint(filepath.Join(folder, "checkpoint"))
	if interval >= 0 {
		w = w.Option("asyncProgressTrackingEnabled", "true").Option("asyncProgressTrackingCheckpointIntervalMs", strconv.Itoa(interval))
	}
	n := &counter{}
	q, err := w.Listen(n).Start(context.Background())
	if err != nil {
		return 0, err
	}
	time.Sleep(time.Second) // the first micro-batches open files
	began, before := time.Now(), n.batches.Load()
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	rate := float64(n.batches.Load()-before) / time.Since(began).Seconds()
	return rate, q.Stop(context.Background())
}

// counter counts micro-batches.
type counter struct{ batches atomic.Int64 }

func (c *counter) Started(_, _, _ string)          {}
func (c *counter) Progress(*stream.Progress)       { c.batches.Add(1) }
func (c *counter) Idle(_, _ string, _ time.Time)   {}
func (c *counter) Terminated(_, _ string, _ error) {}
