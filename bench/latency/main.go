// Command latency measures micro-batches of a hundred rows of a windowed aggregation, one after another:
// first with the checkpoint in memory, which shows the engine's own time, then on disk, where it also
// shows how much of a batch is the durable writes: the time from the first byte of a file until file and directory are synced.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	"github.com/vstream/vstream/bench/stat"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/local"
	_ "github.com/vstream/vstream/objstore/mem"
	_ "github.com/vstream/vstream/statestore/rocksdb"
	"github.com/vstream/vstream/stream"
)

const query = "SELECT window(ts, '10 seconds') AS w, k, count(*) AS n, sum(v) AS s FROM e GROUP BY 1, 2"

func main() {
	rows := flag.Int64("rows", 100, "rows of a micro-batch")
	batches := flag.Int64("batches", 2000, "micro-batches")
	provider := flag.String("provider", "memory", "state store provider")
	dir := flag.String("dir", "", "where the checkpoint is made; empty: in the system's place for temporary files")
	flag.Parse()
	if err := run(*rows, *batches, *provider, *dir); err != nil {
		fmt.Fprintln(os.Stderr, condition.Render(err))
		os.Exit(1)
	}
}

func run(rows, batches int64, provider, dir string) (err error) {
	dir, err = os.MkdirTemp(dir, "vstream-latency-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	writes := &timedStore{}
	objstore.RegisterScheme("timed", func(context.Context, *url.URL) (objstore.Store, error) {
		s, err := local.Open(filepath.Join(dir, "checkpoint"))
		writes.Store = s
		return writes, err
	})
	fmt.Printf("%-34s%10s%10s%10s%10s\n", fmt.Sprintf("ms per micro-batch of %d rows", rows), "p50", "p90", "p99", "mean")
	own, err := measure(rows, batches, provider, "mem://latency", &timedStore{})
	if err != nil {
		return err
	}
	print("checkpoint in memory", own)
	all, err := measure(rows, batches, provider, "timed://disk", writes)
	if err != nil {
		return err
	}
	print("checkpoint on disk", all)
	print("of it in durable writes", writes.batches)
	fmt.Printf("%d files a batch; the whole is %.2f times the writes at the median, %.2f in the mean\n",
		writes.files.Load()/int64(len(all)), stat.Quantile(all, 0.5)/stat.Quantile(writes.batches, 0.5), stat.Mean(all)/stat.Mean(writes.batches))
	return nil
}

// measure gives the times of the batches in ms, without the first ones. What writes adds up, it keeps by batch.
func measure(rows, batches int64, provider, checkpoint string, writes *timedStore) ([]float64, error) {
	s, err := vstream.New(vstream.WithConf("spark.sql.streaming.stateStore.providerClass", provider))
	if err != nil {
		return nil, err
	}
	f := &feed.Feed{PerSecond: rows, Batches: batches, Keys: 1000}
	if err := f.View(s, "e", 10); err != nil {
		return nil, err
	}
	t, err := s.SQL(query)
	if err != nil {
		return nil, err
	}
	l := &clock{writes: writes}
	q, err := t.Write().Mode("update").Format("noop").Checkpoint(checkpoint).Trigger(vstream.AvailableNow()).Listen(l).Start(context.Background())
	if err != nil {
		return nil, err
	}
	err = q.Wait(context.Background())
	return l.took, err
}

// clock times batches from one progress event to the next.
type clock struct {
	last   time.Time
	warm   int
	took   []float64
	writes *timedStore
}

func (c *clock) Started(_, _, _ string) {}

func (c *clock) Progress(*stream.Progress) {
	const first = 20 // which open files and make directories
	now := time.Now()
	took := now.Sub(c.last)
	c.last = now
	written := time.Duration(c.writes.spent.Swap(0))
	if c.warm++; c.warm <= first {
		c.writes.files.Store(0)
		return
	}
	c.took = append(c.took, ms(took))
	c.writes.batches = append(c.writes.batches, ms(written))
}

func (c *clock) Idle(_, _ string, _ time.Time)   {}
func (c *clock) Terminated(_, _ string, _ error) {}

// timedStore adds up the time that its writes take.
type timedStore struct {
	*local.Store
	spent, files atomic.Int64
	batches      []float64 // ms of each batch
}

func (s *timedStore) CreateExclusive(ctx context.Context, name string, data []byte) error {
	defer s.add(time.Now())
	return s.Store.CreateExclusive(ctx, name, data)
}

func (s *timedStore) Put(ctx context.Context, name string, data []byte) error {
	defer s.add(time.Now())
	return s.Store.Put(ctx, name, data)
}

func (s *timedStore) add(began time.Time) {
	s.spent.Add(int64(time.Since(began)))
	s.files.Add(1)
}

func print(what string, took []float64) {
	fmt.Printf("%-34s%10.2f%10.2f%10.2f%10.2f\n", what, stat.Quantile(took, 0.5), stat.Quantile(took, 0.9), stat.Quantile(took, 0.99), stat.Mean(took))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
