// Command growth measures how the throughput of an aggregation by key changes with the cores, the number of
// keys and the rows of a micro-batch, through the whole engine with a checkpoint on disk, and plots it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	_ "github.com/vstream/vstream/statestore/rocksdb"
)

const query = "SELECT k, count(*) AS n, sum(v) AS s, max(v) AS m FROM e GROUP BY k"

// setting is one run.
type setting struct{ cores, keys, rows, batches int64 }

// series varies one thing.
type series struct {
	title    string
	settings []setting
	x        func(setting) int64
}

func main() {
	keys := flag.Int64("keys", 5_000_000, "the most keys; more of them than memory holds need the provider rocksdb")
	events := flag.Int64("events", 5_000_000, "rows of a run, or twice the keys if these are more")
	reps := flag.Int("n", 3, "runs of each setting, of which the median counts")
	provider := flag.String("provider", "memory", "state store provider")
	dir := flag.String("dir", "", "where the checkpoints are made; empty: in the system's place for temporary files")
	out := flag.String("out", "", "also plot to this SVG file")
	flag.Parse()
	if err := run(*keys, *events, *reps, *provider, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

// plan is the three series.
func plan(keys, events int64) []series {
	all := int64(runtime.NumCPU())
	with := func(cores, keys, rows int64) setting {
		return setting{cores, keys, rows, (max(events, 2*keys) + rows - 1) / rows}
	}
	cores := series{title: "cores", x: func(s setting) int64 { return s.cores }}
	for c := int64(1); c <= max(all, 4); c *= 2 {
		cores.settings = append(cores.settings, with(c, min(keys, 1_000_000), 500_000))
	}
	byKeys := series{title: "keys", x: func(s setting) int64 { return s.keys }}
	for _, k := range []int64{10_000, 100_000, 1_000_000, 5_000_000, 50_000_000} {
		if k <= keys {
			byKeys.settings = append(byKeys.settings, with(all, k, 500_000))
		}
	}
	batch := series{title: "rows of a micro-batch", x: func(s setting) int64 { return s.rows }}
	for _, r := range []int64{1_000, 10_000, 100_000, 1_000_000} {
		s := with(all, 100_000, r)
		s.batches = min(s.batches, 1000)
		batch.settings = append(batch.settings, s)
	}
	return []series{cores, byKeys, batch}
}

func run(keys, events int64, reps int, provider, dir, out string) error {
	var panels []panel
	for _, s := range plan(keys, events) {
		p := panel{title: s.title}
		fmt.Printf("%-24s%16s\n", s.title, "events/s")
		for _, at := range s.settings {
			rates := make([]float64, reps)
			for i := range rates {
				var err error
				if rates[i], err = measure(at, provider, dir); err != nil {
					return err
				}
			}
			slices.Sort(rates)
			rate := rates[len(rates)/2]
			fmt.Printf("%-24d%16.0f\n", s.x(at), rate)
			p.points = append(p.points, point{float64(s.x(at)), rate})
		}
		panels = append(panels, p)
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, plot(panels), 0o644)
}

// measure runs one setting and gives its events per second.
func measure(at setting, provider, dir string) (rate float64, err error) {
	dir, err = os.MkdirTemp(dir, "vstream-growth-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(int(at.cores)))
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", strconv.FormatInt(at.cores, 10)), vstream.WithConf("spark.sql.streaming.stateStore.providerClass", provider))
	if err != nil {
		return 0, err
	}
	f := &feed.Feed{PerSecond: at.rows, Batches: at.batches, Keys: at.keys}
	if err := f.View(s, "e", 1); err != nil {
		return 0, err
	}
	t, err := s.SQL(query)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	q, err := t.Write().Mode("update").Format("noop").Checkpoint(filepath.Join(dir, "checkpoint")).Trigger(vstream.AvailableNow()).Start(context.Background())
	if err != nil {
		return 0, err
	}
	if err := q.Wait(context.Background()); err != nil {
		return 0, err
	}
	return float64(at.rows*at.batches) / time.Since(began).Seconds(), nil
}
