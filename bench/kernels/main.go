// Command kernels times common expressions over a million rows and, where
// PEERS_PYTHON names a Python with duckdb, the same expressions on DuckDB with
// one thread: nanoseconds of CPU time per row and their ratio.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the data")
	reps := flag.Int("reps", 3, "repetitions, of which the fastest counts")
	size := flag.Int("batch", 16_384, "rows of a batch")
	only := flag.String("only", "", "only expressions whose name matches this regular expression")
	peer := flag.String("peer", "bench/peers/kernels_duckdb.py", "the script for DuckDB")
	flag.Parse()
	if err := run(*rows, *reps, *size, *only, *peer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(rows, reps, size int, only, peer string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(expressions), func(e expression) bool { return !match.MatchString(e.name) })
	data := generate(rows, 1)
	bs := batches(data, size)
	own := make([]float64, len(chosen))
	for i, c := range chosen {
		e, err := compile(c.spark, data.Schema)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		best := time.Duration(1 << 62)
		for range reps {
			start := cpuTime()
			if err := evaluate(e, bs); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			best = min(best, cpuTime()-start)
		}
		own[i] = float64(best.Nanoseconds()) / float64(rows)
	}
	var other []float64
	if python := os.Getenv("PEERS_PYTHON"); python != "" {
		file, err := parquetFile(data)
		if err != nil {
			return err
		}
		if other, err = runPeer(python, peer, chosen, file, rows, reps); err != nil {
			return err
		}
	}
	report(chosen, own, other)
	return nil
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

// runPeer gives the script the file and the expressions and reads nanoseconds per row.
func runPeer(python, script string, chosen []expression, file []byte, rows, reps int) ([]float64, error) {
	dir, err := os.MkdirTemp("", "kernels")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data.parquet")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		return nil, err
	}
	texts := make([]string, len(chosen))
	for i, c := range chosen {
		texts[i] = c.duckdb
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(python, script, path, fmt.Sprint(rows), fmt.Sprint(reps), string(list))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var ns []float64
	return ns, json.Unmarshal(out, &ns)
}

// report prints a row per expression; the ratio is DuckDB's time over ours, above
// 1 where we are faster.
func report(chosen []expression, own, other []float64) {
	var ratios []float64
	for i, c := range chosen {
		fmt.Printf("%-22s %9.2f ns/row", c.name, own[i])
		if other != nil {
			r := other[i] / own[i]
			ratios = append(ratios, r)
			fmt.Printf(" %9.2f duckdb %7.2fx", other[i], r)
		}
		fmt.Println()
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		fmt.Printf("least %.2fx, median %.2fx\n", ratios[0], ratios[len(ratios)/2])
	}
}
