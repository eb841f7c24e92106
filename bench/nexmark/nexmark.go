// Package nexmark generates the data of the Nexmark benchmark, an auction site's
// persons, auctions and bids, as Parquet files, the same for the same seed.
//
// Of every 50 events the first is a person, the next three are auctions and 46 are
// bids. Event n happens at Base + n * 100 µs, less a disorder of up to two
// seconds, so a watermark delay of two seconds drops no row. As in the reference
// generator half of the bids go to the latest hot auction, three quarters come
// from the latest hot bidder, and likewise for sellers.
//
// Bids carry three more columns for work with many keys: k1m and k5m, uniform
// over one and five million, and bid_id, which is unique but for 5 % of the rows,
// which repeat the id of one of the 30,000 rows before.
package nexmark

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

const (
	base      = 1_767_225_600_000_000 // 2026-01-01T00:00:00Z in microseconds
	step      = 100                   // microseconds between two events
	disorder  = 2_000_000             // microseconds by which an event time may lag
	firstID   = 1000
	cycle     = 50 // events: 1 person, 3 auctions, 46 bids
	auctions  = 3
	bids      = cycle - 1 - auctions
	chunk     = 1000 * cycle // events that are generated at once
	metaFile  = "nexmark.json"
	modelName = "nexmark/1"
)

// Options say how much is generated. Defaults stand for zero values.
type Options struct {
	Dir     string // gets the folders persons, auctions and bids
	Events  int64  // in total; rounded up to a whole number of cycles; default 10 million
	PerFile int64  // events per file of each folder; rounded likewise; default 500,000
	Seed    uint64
	Workers int // files generated side by side; default 1
}

func (o Options) normal() Options {
	if o.Events <= 0 {
		o.Events = 10_000_000
	}
	if o.PerFile <= 0 {
		o.PerFile = 500_000
	}
	up := func(n int64) int64 { return (n + cycle - 1) / cycle * cycle }
	o.Events, o.PerFile = up(o.Events), up(o.PerFile)
	o.Workers = max(o.Workers, 1)
	return o
}

// meta is what the data depends on, kept beside it.
func (o Options) meta() []byte {
	b, err := json.Marshal(map[string]any{"model": modelName, "events": o.Events, "perFile": o.PerFile, "seed": o.Seed})
	if err != nil {
		panic(err) // numbers and strings only
	}
	return append(b, '\n')
}

// Exists tells whether the directory holds the data of these options already.
func Exists(o Options) bool {
	b, err := os.ReadFile(filepath.Join(o.Dir, metaFile))
	return err == nil && bytes.Equal(b, o.normal().meta())
}

// Generate writes the files, replacing those of the same names.
func Generate(ctx context.Context, o Options) error {
	o = o.normal()
	meta := filepath.Join(o.Dir, metaFile)
	if err := os.Remove(meta); err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, t := range tables {
		if err := os.RemoveAll(filepath.Join(o.Dir, t.name)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(o.Dir, t.name), 0o755); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for i := int64(0); i*o.PerFile < o.Events; i++ {
		for stream, t := range tables {
			g.Go(func() error { return o.file(ctx, t, uint64(stream), i) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return os.WriteFile(meta, o.meta(), 0o644)
}

// table is one kind of event.
type table struct {
	name   string
	schema *vector.Schema
	// rows makes the events of this kind among lo..hi; first is the file's first event.
	rows func(r *rand.Rand, first, lo, hi int64) *vector.Batch
}

// file writes file i of a table. Its modification time rises with i, so that a
// file source takes the files in order.
func (o Options) file(ctx context.Context, t table, stream uint64, i int64) (err error) {
	path := filepath.Join(o.Dir, t.name, fmt.Sprintf("part-%04d.parquet", i))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if at := time.UnixMicro(base).Add(time.Duration(i) * time.Second); err == nil {
			err = os.Chtimes(path, at, at)
		}
	}()
	w, err := parquet.NewWriter(f, t.schema, parquet.WriteOptions{})
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(o.Seed, stream<<32|uint64(i)))
	first, end := i*o.PerFile, min((i+1)*o.PerFile, o.Events)
	for lo := first; lo < end; lo += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.Write(t.rows(r, first, lo, min(lo+chunk, end))); err != nil {
			return err
		}
	}
	return w.Close()
}
