// Command largestate measures how the time of a micro-batch of 1,000 new rows depends on
// the size of the state: an interval join, a windowed aggregation and a deduplication within
// the watermark run through the whole engine, with a checkpoint on disk. In each batch as many
// rows leave the state as come in.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/bench/stat"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/stream"
)

// perSecond is how many rows have their event time in one second, and how many come in a
// micro-batch after the first: state that is kept for n seconds has n*perSecond rows.
const perSecond = 1000

// kind is one query; kept is how many seconds of rows its state has for a delay of one second.
type kind struct {
	name string
	kept int64
	once bool
	sql  string
}

var kinds = []kind{
	{"interval join", 2, false, "SELECT a.k, a.ts, b.v FROM e a JOIN f b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS"},
	{"window", 1, false, "SELECT window(ts, '10 seconds') AS w, k, count(*) AS n, sum(v) AS s FROM e GROUP BY 1, 2"},
	{"dedup within watermark", 2, true, "SELECT * FROM once"},
}

func main() {
	small := flag.Int64("small", 50_000, "rows of state to compare with")
	large := flag.Int64("large", 5_000_000, "rows of state")
	batches := flag.Int64("batches", 2000, "micro-batches that are timed")
	provider := flag.String("provider", "memory", "state store provider")
	dir := flag.String("dir", "", "where the checkpoints are made; empty: in the system's place for temporary files")
	only := flag.String("only", "", "queries to run: those whose name has this text")
	flag.Parse()
	fmt.Printf("%-24s%14s%14s%14s%14s%9s\n", "time of a batch in ms", "state", "median", "mean", "slowest", "ratio")
	for _, k := range kinds {
		if !strings.Contains(k.name, *only) {
			continue
		}
		var base float64
		for _, rows := range []int64{*small, *large} {
			t, state, err := measure(k, rows, *batches, *provider, *dir)
			if err != nil {
				fmt.Fprintln(os.Stderr, condition.Render(err))
				os.Exit(1)
			}
			median, mean := stat.Quantile(t, 0.5), stat.Mean(t)
			if rows == *small {
				base = median
			}
			fmt.Printf("%-24s%14d%14.2f%14.2f%14.2f%9.2f\n", k.name, state, median, mean, t[len(t)-1], median/base)
		}
	}
}

// measure gives the times of the batches in ms, sorted, and the rows of state at the end.
func measure(k kind, rows, batches int64, provider, dir string) ([]float64, int64, error) {
	dir, err := os.MkdirTemp(dir, "vstream-largestate-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", "2"), vstream.WithConf("spark.sql.streaming.stateStore.providerClass", provider))
	if err != nil {
		return nil, 0, err
	}
	seconds := rows / perSecond
	for _, name := range []string{"e", "f"} {
		f := &feed.Feed{PerSecond: perSecond, Load: seconds, Batches: batches}
		if err := f.View(s, name, seconds/k.kept); err != nil {
			return nil, 0, err
		}
	}
	if k.once {
		if err := once(s); err != nil {
			return nil, 0, err
		}
	}
	t, err := s.SQL(k.sql)
	if err != nil {
		return nil, 0, err
	}
	l := &clock{}
	q, err := t.Write().Name(k.name).Checkpoint(filepath.Join(dir, "checkpoint")).Trigger(vstream.AvailableNow()).Listen(l).Start(context.Background())
	if err != nil {
		return nil, 0, err
	}
	if err := q.Wait(context.Background()); err != nil {
		return nil, 0, err
	}
	// Left out: the batch that loads and the first ones after it, which open what was loaded.
	took := l.took[min(len(l.took)-1, 5):]
	slices.Sort(took)
	return took, l.state, nil
}

func once(s *vstream.Session) error {
	t, err := s.Table("e")
	if err != nil {
		return err
	}
	if t, err = t.DropDuplicatesWithinWatermark("k"); err != nil {
		return err
	}
	return t.View("once")
}

// clock times batches from one progress event to the next.
type clock struct {
	last  time.Time
	took  []float64
	state int64
}

func (c *clock) Started(_, _, _ string) { c.last = time.Now() }

func (c *clock) Progress(p *stream.Progress) {
	now := time.Now()
	c.took = append(c.took, float64(now.Sub(c.last).Microseconds())/1000)
	c.last = now
	c.state = 0
	for _, o := range p.StateOperators {
		c.state += o.NumRowsTotal
	}
}

func (c *clock) Idle(_, _ string, _ time.Time)   {}
func (c *clock) Terminated(_, _ string, _ error) {}
