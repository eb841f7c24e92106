// Command instructions counts the machine instructions per row of a few hot paths and compares them with
// the committed counts, so that a regression shows on a machine whose clock tells nothing. It
// fails if a path takes a tenth more than it did.
//
// Valgrind counts, with one thread and without garbage collection. Each path runs twice, with one and with
// three parts of its work; the difference leaves the start of the process out.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/vstream/vstream/condition"
)

// tolerated is how much more instructions than committed are no regression.
const tolerated = 1.10

var errRegression = errors.New("more instructions than committed; if they are worth it, run again with -update")

// counts is the file of committed counts. Other versions of Go compile to other instructions.
type counts struct {
	Go   string             `json:"go"`
	CPU  string             `json:"cpu"` // architecture, and AVX2 where libraries choose by it
	Rows map[string]float64 `json:"instructionsPerRow"`
}

func main() {
	file := flag.String("counts", "bench/instructions/counts.json", "the committed counts")
	update := flag.Bool("update", false, "write the counts instead of comparing")
	only := flag.String("only", "", "paths to count: those whose name has this text")
	path := flag.String("path", "", "run one path, without counting: what is run under Valgrind")
	parts := flag.Int64("parts", 1, "parts of work of -path")
	flag.Parse()
	var err error
	if *path != "" {
		err = runPath(context.Background(), *path, *parts)
	} else {
		err = run(*file, *only, *update)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

func run(file, only string, update bool) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return fmt.Errorf("valgrind counts the instructions and is not installed: %w", err)
	}
	now := counts{runtime.Version(), processor(), map[string]float64{}}
	var committed counts
	if !update {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &committed); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if committed.Go != now.Go || committed.CPU != now.CPU {
			fmt.Printf("counts are of %s on %s, this is %s on %s: nothing to compare\n", committed.Go, committed.CPU, now.Go, now.CPU)
			return nil
		}
	}
	fmt.Printf("%-14s%20s%14s%8s\n", "path", "instructions/row", "committed", "ratio")
	worse := false
	for _, p := range paths {
		if !strings.Contains(p.name, only) {
			continue
		}
		n, err := perRow(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		now.Rows[p.name] = n
		was, ok := committed.Rows[p.name]
		switch {
		case update:
			fmt.Printf("%-14s%20.1f\n", p.name, n)
		case !ok:
			return fmt.Errorf("%s has no committed count: run with -update", p.name)
		default:
			fmt.Printf("%-14s%20.1f%14.1f%8.2f\n", p.name, n, was, n/was)
			worse = worse || n > was*tolerated
		}
	}
	if worse {
		return errRegression
	}
	if !update {
		return nil
	}
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func processor() string {
	if cpu.X86.HasAVX2 {
		return runtime.GOARCH + " with AVX2"
	}
	return runtime.GOARCH
}

// perRow counts the instructions that one row takes.
func perRow(p path) (float64, error) {
	one, err := count(p.name, 1)
	if err != nil {
		return 0, err
	}
	three, err := count(p.name, 3)
	if err != nil {
		return 0, err
	}
	return float64(three-one) / float64(2*rowsOfPart), nil
}

var collected = regexp.MustCompile(`Collected : (\d+)`)

// count runs this program on a path under Valgrind.
func count(name string, parts int64) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self, "-path", name, "-parts", strconv.FormatInt(parts, 10))
	// Valgrind stumbles over the signals with which Go interrupts goroutines.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	m := collected.FindSubmatch(out.Bytes())
	if m == nil {
		return 0, fmt.Errorf("valgrind printed no count\n%s", out.Bytes())
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}
