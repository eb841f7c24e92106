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
	"context"
	"io"
	"math/rand/v2"

	"github.com/vstream/vstream/bench/dataset"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

const (
	base     = 1_767_225_600_000_000 // 2026-01-01T00:00:00Z in microseconds
	step     = 100                   // microseconds between two events
	disorder = 2_000_000             // microseconds by which an event time may lag
	firstID  = 1000
	cycle    = 50 // events: 1 person, 3 auctions, 46 bids
	auctions = 3
	bids     = cycle - 1 - auctions
	chunk    = 1000 * cycle // events that are generated at once
)

// Model has the tables persons, auctions and bids.
var Model = dataset.Model{Name: "nexmark/1", Cycle: cycle, Tables: []dataset.Table{
	table("persons", personSchema, personRows),
	table("auctions", auctionSchema, auctionRows),
	table("bids", bidSchema, bidRows),
}}

// table is one kind of event. rows makes those among lo..hi; first is the file's first event.
func table(name string, schema *vector.Schema, rows func(r *rand.Rand, first, lo, hi int64) *vector.Batch) dataset.Table {
	write := func(ctx context.Context, out io.Writer, r *rand.Rand, first, end int64) error {
		w, err := parquet.NewWriter(out, schema, parquet.WriteOptions{})
		if err != nil {
			return err
		}
		for lo := first; lo < end; lo += chunk {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.Write(rows(r, first, lo, min(lo+chunk, end))); err != nil {
				return err
			}
		}
		return w.Close()
	}
	return dataset.Table{Name: name, Ext: "parquet", Write: write}
}
