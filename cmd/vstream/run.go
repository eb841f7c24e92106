package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/job"
)

func runCommand() *cobra.Command {
	var flags jobFlags
	var show int
	var cpuProfile string
	c := &cobra.Command{
		Use: "run JOB", Short: "Run a job's queries", Args: cobra.ExactArgs(1),
		Long: `Run the queries of a job file until they end or an interrupt comes. The first
interrupt lets the running micro-batches finish, the second one gives them up; either
way the next run goes on without loss or duplicates.

Progress is one line per micro-batch on a terminal and one JSON object per
micro-batch otherwise. A query without a sink prints its rows to the console.

Exit codes: 0 done, 1 a query failed, 2 the job file is wrong, 3 the checkpoint
refuses the change.`,
	}
	flags.register(c)
	c.Flags().IntVar(&show, "show", 0, "at the end, print the first `N` rows of each file and memory sink")
	c.Flags().StringVar(&cpuProfile, "cpuprofile", "", "write a CPU profile to this `file`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if cpuProfile != "" {
			stop, err := profile(cpuProfile)
			if err != nil {
				return wrong(err)
			}
			defer stop()
		}
		queries, err := flags.prepare(args[0])
		if err != nil {
			return wrong(err)
		}
		r := &runSession{out: c.OutOrStdout(), log: c.ErrOrStderr(), show: show}
		return r.run(c.Context(), queries)
	}
	return c
}

func profile(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, condition.IO(err, "create", path)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}

// runSession runs queries to their end.
type runSession struct {
	out, log io.Writer
	show     int
	queries  []*runningQuery
}

// run starts the queries and waits for them. No query runs if one cannot start.
func (r *runSession) run(ctx context.Context, prepared []*job.Prepared) error {
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	progress := printer(r.out)
	for _, p := range prepared {
		if err := p.Validate(); err != nil {
			return wrong(err)
		}
	}
	for _, p := range prepared {
		l := &runningQuery{prepared: p, print: progress}
		p.Writer.Listen(l)
		q, err := p.Start(ctx)
		if err != nil {
			r.stop(ctx)
			return wrong(err)
		}
		l.query = q
		r.queries = append(r.queries, l)
	}
	defer r.onInterrupt(ctx, abort)()
	var failures []error
	code := exitDone
	for _, q := range r.queries {
		err := q.query.Wait(context.WithoutCancel(ctx))
		if err == nil || errors.Is(err, context.Canceled) {
			continue
		}
		failures = append(failures, q.prepared.Locate(err))
		code = max(code, exitCode(err, exitFailed))
	}
	r.report(ctx)
	if code != exitDone {
		return &exitError{code, errors.Join(failures...)}
	}
	return nil
}

// onInterrupt stops the queries after their micro-batches at the first signal, and
// at once at the second.
func (r *runSession) onInterrupt(ctx context.Context, abort func()) (done func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			if n > 1 {
				abort()
				return
			}
			fmt.Fprintln(r.log, "stopping after the micro-batches that are running; interrupt again to give them up")
			go r.stop(ctx)
		}
	}()
	return func() { signal.Stop(signals) }
}

func (r *runSession) stop(ctx context.Context) {
	for _, q := range r.queries {
		q.query.Stop(ctx)
	}
}

// printer prints progress as fits where it goes to.
func printer(w io.Writer) func(name string, p *vstream.Progress) {
	if terminal(w) {
		return func(name string, p *vstream.Progress) { fmt.Fprintf(w, "%s  %s\n", name, p.Summary()) }
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(_ string, p *vstream.Progress) {
		// The reader may have gone away; the query goes on.
		_ = enc.Encode(p)
	}
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
