// Command kernels times common expressions over a million rows and, where
// PEERS_PYTHON names a Python with duckdb, the same expressions on DuckDB with
// one thread: nanoseconds per row and their ratio.
//
// The two take turns on each expression, so that what else the machine does falls on
// both, and the fastest pass over the data counts. Ours is the CPU time of the process,
// DuckDB's the time of its projection. Like DuckDB's
// vectors, our results are in memory that the next batch reuses: that is how a filter
// or an expression around this one consumes them (kernels.Transient).
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

type options struct {
	rows, reps, size  int
	only, script, out string
}

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 1_000_000, "rows of the data")
	flag.IntVar(&o.reps, "reps", 15, "rounds, of which the fastest counts")
	flag.IntVar(&o.size, "batch", 16_384, "rows of a batch")
	flag.StringVar(&o.only, "only", "", "only expressions whose name matches this regular expression")
	flag.StringVar(&o.script, "peer", "bench/peers/kernels_duckdb.py", "the script for DuckDB")
	flag.StringVar(&o.out, "out", "", "also write the table to this Markdown file")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// timing is one expression's nanoseconds per row; peer is 0 without DuckDB.
type timing struct {
	expression
	own, peer float64
}

func run(o options) (err error) {
	match, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	data := generate(o.rows, 1)
	bs := batches(data, o.size)
	var duck *peer
	version := ""
	if python := os.Getenv("PEERS_PYTHON"); python != "" {
		if duck, err = newPeer(python, o.script, data); err != nil {
			return err
		}
		version = duck.version
		defer func() {
			if e := duck.close(); err == nil {
				err = e
			}
		}()
	}
	var all []timing
	for _, c := range expressions {
		if !match.MatchString(c.name) {
			continue
		}
		t, err := measure(c, data.Schema, bs, duck, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Printf("%-22s %9.2f ns/row", t.name, t.own)
		if duck != nil {
			fmt.Printf(" %9.2f duckdb %7.2fx", t.peer, t.peer/t.own)
		}
		fmt.Println()
		all = append(all, t)
	}
	if len(all) == 0 || duck == nil {
		return nil
	}
	least, median := summary(all)
	fmt.Printf("least %.2fx, median %.2fx\n", least, median)
	if o.out == "" {
		return nil
	}
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	report(f, all, version, o)
	return f.Close()
}

// measure lets the two engines take turns on an expression. A round of ours is as many
// passes over the data as take 4 ms, as one of DuckDB's takes much longer with its scan.
func measure(c expression, s *vector.Schema, bs []*vector.Batch, duck *peer, o options) (timing, error) {
	t := timing{expression: c}
	e, err := compile(c.spark, s)
	if err != nil {
		return t, err
	}
	for range o.reps {
		own, err := passes(e, bs, o.rows)
		if err != nil {
			return t, err
		}
		if t.own == 0 || own < t.own {
			t.own = own
		}
		if duck == nil {
			continue
		}
		other, err := duck.time(c.duckdb)
		if err != nil {
			return t, err
		}
		if t.peer == 0 || other < t.peer {
			t.peer = other
		}
	}
	return t, nil
}

// passes evaluates an expression for at least 4 ms of CPU time and gives the
// nanoseconds per row of the fastest pass over the data.
func passes(e kernels.Expr, bs []*vector.Batch, rows int) (float64, error) {
	begin, best := cpuTime(), time.Duration(math.MaxInt64)
	for {
		start := cpuTime()
		if err := evaluate(e, bs); err != nil {
			return 0, err
		}
		end := cpuTime()
		best = min(best, end-start)
		if end-begin >= 4*time.Millisecond {
			return float64(best.Nanoseconds()) / float64(rows), nil
		}
	}
}

// cpuTime is the process's user and system time, which other processes do not
// lengthen as they do the wall time.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot fail for one's own process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// summary is the least and the median ratio of DuckDB's time to ours, above 1
// where we are faster.
func summary(all []timing) (least, median float64) {
	ratios := make([]float64, len(all))
	for i, t := range all {
		ratios[i] = t.peer / t.own
	}
	slices.Sort(ratios)
	if n := len(ratios); n%2 == 0 {
		return ratios[0], (ratios[n/2-1] + ratios[n/2]) / 2
	}
	return ratios[0], ratios[len(ratios)/2]
}

// report writes the table as Markdown.
func report(w io.Writer, all []timing, version string, o options) {
	least, median := summary(all)
	fmt.Fprintf(w, "# Expressions beside DuckDB\n\nWritten by `go run ./bench/kernels -out bench/kernels/RESULTS.md`: nanoseconds per row over %d rows in batches of %d,\n", o.rows, o.size)
	fmt.Fprintf(w, "the fastest pass of %d rounds in turns with DuckDB %s on one thread; %s, %s, %s;\nload average when the run ended: %s (a busy machine costs loops on columns in cache the most).\nThe ratio is DuckDB's time over ours, above 1 where we are faster.\n\n", o.reps, version, machine(), runtime.GOOS, runtime.Version(), load())
	fmt.Fprintf(w, "Least ratio %.2f, median %.2f.\n\n", least, median)
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| expression\t| SQL\t| vstream ns\t| DuckDB ns\t| ratio\t|")
	fmt.Fprintln(tw, "| ---\t| ---\t| ---:\t| ---:\t| ---:\t|")
	for _, t := range all {
		fmt.Fprintf(tw, "| %s\t| `%s`\t| %.2f\t| %.2f\t| %.2f\t|\n", t.name, t.spark, t.own, t.peer, t.peer/t.own)
	}
	tw.Flush()
}

// load is the system's load average, where it tells it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 0 {
		return fields[0]
	}
	return "unknown"
}

// machine is the processor's name, where the system tells it.
func machine() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return fmt.Sprintf("%s, %d cores", strings.TrimSpace(value), runtime.NumCPU())
			}
		}
	}
	return runtime.GOARCH
}
