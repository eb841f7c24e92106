// Command restart measures how long a query with much state takes to restart, from the start of the
// process to the end of the first micro-batch, and how many bytes go to the checkpoint for each row of
// state that changes: an aggregation by keys that come in random order, in update mode, with the
// checkpoint on disk and every write synced.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/stream"
)

// started is when this process began, as near as a program can tell.
var started = time.Now()

// job is the query and what it runs on.
type job struct {
	keys, rows, perBatch int64
	provider, budget     string
	dir                  string
}

func main() {
	var j job
	flag.Int64Var(&j.keys, "keys", 5_300_000, "keys that rows may have")
	flag.Int64Var(&j.rows, "rows", 15_000_000, "rows before the restart; three for each key leave one key in twenty out")
	flag.Int64Var(&j.perBatch, "batch", 500_000, "rows of a micro-batch")
	flag.StringVar(&j.provider, "provider", statestore.Default(), "state store provider")
	flag.StringVar(&j.budget, "budget", "", "memory budget of the state; empty: the default")
	flag.StringVar(&j.dir, "dir", "", "where the checkpoint is made; empty: in the system's place for temporary files")
	n := flag.Int("n", 3, "restarts")
	profile := flag.String("profile", "", "file for a CPU profile of the last restart")
	again := flag.Int64("again", 0, "restart in this process and run one batch after so many: what the command starts itself")
	flag.Parse()
	var err error
	if *again > 0 {
		err = j.restart(*again, *profile)
	} else {
		err = j.measure(*n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

// measure makes the checkpoint in this process and restarts in n others, one after another.
func (j *job) measure(n int) error {
	dir, err := os.MkdirTemp(j.dir, "vstream-restart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	j.dir = dir
	batches := j.rows / j.perBatch
	var first progress
	if err := j.run(batches, &first); err != nil {
		return err
	}
	written, err := stateBytes(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d rows of state after %d batches of %d rows\n", first.state, batches, j.perBatch)
	fmt.Printf("%.1f bytes of state files for each changed row, of which changelogs %.1f\n",
		float64(written.all)/float64(first.changed), float64(written.changelogs)/float64(first.changed))
	for i := range n {
		args := append(os.Args[1:len(os.Args):len(os.Args)], fmt.Sprint("-again=", batches+int64(i)), "-dir="+dir)
		if i < n-1 {
			args = append(args, "-profile=")
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// restart goes on with a checkpoint for one batch.
func (j *job) restart(done int64, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return j.run(done+1, &progress{first: time.Since})
}

// run runs the query until it has done so many batches in all its runs.
func (j *job) run(batches int64, p *progress) error {
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", "2"), vstream.WithConf("spark.sql.streaming.stateStore.providerClass", j.provider),
		vstream.WithConf("vstream.state.memoryBudget", j.budget))
	if err != nil {
		return err
	}
	f := &feed.Feed{PerSecond: j.perBatch, Load: 1, Batches: batches - 1, Keys: j.keys}
	if err := f.View(s, "e", 0); err != nil {
		return err
	}
	t, err := s.SQL("SELECT k, count(*) AS n, sum(v) AS s, max(ts) AS last FROM e GROUP BY k")
	if err != nil {
		return err
	}
	q, err := t.Write().Name("restart").Mode("update").Format("noop").Checkpoint(filepath.Join(j.dir, "checkpoint")).
		Trigger(vstream.AvailableNow()).Listen(p).Start(context.Background())
	if err != nil {
		return err
	}
	return q.Wait(context.Background())
}

// progress adds up what the batches changed. first, if it is set, is asked at the end of the first batch
// how long ago the process began, and not again.
type progress struct {
	state, changed int64
	first          func(time.Time) time.Duration
}

// Started notes nothing.
func (p *progress) Started(_, _, _ string) {}

// Progress notes a batch.
func (p *progress) Progress(b *stream.Progress) {
	for _, o := range b.StateOperators {
		p.state = o.NumRowsTotal
		p.changed += o.NumRowsUpdated
	}
	if p.first != nil {
		fmt.Printf("first batch after a restart finished after %d ms, of which the batch took %d\n", p.first(started).Milliseconds(), b.BatchDuration)
		p.first = nil
	}
}

// Idle notes nothing.
func (p *progress) Idle(_, _ string, _ time.Time) {}

// Terminated notes nothing.
func (p *progress) Terminated(_, _ string, _ error) {}
