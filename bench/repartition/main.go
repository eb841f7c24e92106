// Command repartition measures how long it takes to move the state of a query to other numbers of
// partitions, and how much memory that takes: a grouping of many keys, a deduplication and a join of
// streams, from 200 partitions to 100, 7 and 400.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
)

const perSecond = 1000

var queries = []struct{ name, sql string }{
	{"grouping", "SELECT k, count(*) AS n, sum(v) AS s FROM e GROUP BY k"},
	{"deduplication", "SELECT * FROM once"},
	{"join", "SELECT a.k, a.ts, b.v FROM e a JOIN f b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS"},
}

func main() {
	keys := flag.Int64("keys", 5_000_000, "rows of state")
	batches := flag.Int64("batches", 20, "micro-batches in which they come")
	only := flag.String("only", "", "queries to run: those whose name has this text")
	dir := flag.String("dir", "", "where the checkpoints are made; empty: in the system's place for temporary files")
	move := flag.String("move", "", "internal: a checkpoint whose state this process is to move, and -to how many partitions")
	to := flag.Int("to", 0, "see -move")
	flag.Parse()
	err := error(nil)
	if *move != "" {
		err = moveState(*move, *to)
	} else {
		err = measure(*keys, *batches, *only, *dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

func measure(keys, batches int64, only, dir string) error {
	fmt.Printf("%-16s%12s%6s%6s%9s%9s%11s\n", "state", "rows", "from", "to", "wall s", "CPU s", "RSS MB")
	for _, q := range queries {
		if !strings.Contains(q.name, only) {
			continue
		}
		folder, err := os.MkdirTemp(dir, "vstream-repartition-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		checkpoint := filepath.Join(folder, "checkpoint")
		rows, err := fill(q.sql, keys, batches, checkpoint)
		if err != nil {
			return err
		}
		from := 200
		for _, to := range []int{100, 7, 400} {
			if err := report(q.name, rows, checkpoint, from, to); err != nil {
				return err
			}
			from = to
		}
	}
	return nil
}

// report moves the state in a process of its own, whose peak of memory is that of the move.
func report(name string, rows int64, checkpoint string, from, to int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, "-move", checkpoint, "-to", strconv.Itoa(to))
	c.Stderr = os.Stderr
	began := time.Now()
	peak, err := c.Output()
	if err != nil {
		return err
	}
	wall := time.Since(began)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	fmt.Printf("%-16s%12d%6d%6d%9.2f%9.2f%11s\n", name, rows, from, to, wall.Seconds(), cpu.Seconds(), peak)
	return nil
}

// moveState prints the peak of this process's memory in MB.
func moveState(checkpoint string, to int) error {
	if _, err := vstream.Repartition(context.Background(), checkpoint, to); err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	fmt.Print(kb >> 10)
	return err
}

// fill runs a query until its state has so many keys, and gives the rows of its state.
func fill(sql string, keys, batches int64, checkpoint string) (int64, error) {
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", "200"))
	if err != nil {
		return 0, err
	}
	seconds := keys / perSecond / batches
	for _, name := range []string{"e", "f"} {
		f := &feed.Feed{PerSecond: perSecond * seconds, Load: 1, Batches: batches - 1}
		if err := f.View(s, name, keys); err != nil {
			return 0, err
		}
	}
	e, err := s.Table("e")
	if err != nil {
		return 0, err
	}
	once, err := e.DropDuplicates("k")
	if err == nil {
		err = once.View("once")
	}
	if err != nil {
		return 0, err
	}
	t, err := s.SQL(sql)
	if err != nil {
		return 0, err
	}
	mode := "append"
	if strings.Contains(sql, "GROUP BY") {
		mode = "update"
	}
	q, err := t.Write().Mode(mode).Format("noop").Checkpoint(checkpoint).Trigger(vstream.AvailableNow()).Start(context.Background())
	if err == nil {
		err = q.Wait(context.Background())
	}
	if err != nil {
		return 0, err
	}
	rows := int64(0)
	for _, o := range q.LastProgress().StateOperators {
		rows += o.NumRowsTotal
	}
	return rows, nil
}
