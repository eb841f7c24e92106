package main

import (
	"context"
	"fmt"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/bench/feed"
	_ "github.com/vstream/vstream/drivers"
	_ "github.com/vstream/vstream/objstore/mem"
)

// rowsOfPart is how many rows a part of a path's work has: one micro-batch.
const rowsOfPart = 20_000

// path is a query over streams e and f of rows (k, ts, v), of which keys have a value each; 0: all of them.
type path struct {
	name, mode string
	keys       int64
	sql        string
}

var paths = []path{
	{"expressions", "append", 0, "SELECT k % 1000 * 3 AS a, CASE WHEN v % 7 = 0 THEN 'x' ELSE CAST(v AS STRING) END AS b, date_trunc('HOUR', ts) AS c FROM e WHERE v % 5 <> 0"},
	{"json", "append", 0, `SELECT from_json(concat('{"k":', k, ',"name":"some text","ts":"2024-03-01 10:20:30.123","ok":true}'), 'k BIGINT, name STRING, ts TIMESTAMP, ok BOOLEAN') AS j FROM e`},
	{"window", "update", 500, "SELECT window(ts, '10 seconds') AS w, k, count(*) AS n, sum(v) AS s, max(v) AS m FROM e GROUP BY 1, 2"},
	{"keys", "update", 0, "SELECT k, count(*) AS n, sum(v) AS s FROM e GROUP BY k"},
	{"sessions", "append", 500, "SELECT session_window(ts, '2 seconds') AS w, k, count(*) AS n FROM e GROUP BY 1, 2"},
	{"join", "append", 0, "SELECT a.k, a.ts, b.v FROM e a JOIN f b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 10 SECONDS"},
	{"dedup", "append", 0, "SELECT DISTINCT k, ts FROM e"},
}

// runPath runs a path through the whole engine, with a checkpoint in memory.
func runPath(ctx context.Context, name string, parts int64) error {
	for _, p := range paths {
		if p.name == name {
			return p.run(ctx, parts)
		}
	}
	return fmt.Errorf("there is no path %s", name)
}

func (p path) run(ctx context.Context, parts int64) error {
	s, err := vstream.New(vstream.WithConf("spark.sql.shuffle.partitions", "1"), vstream.WithConf("spark.sql.streaming.stateStore.providerClass", "memory"))
	if err != nil {
		return err
	}
	for _, view := range []string{"e", "f"} {
		f := &feed.Feed{PerSecond: rowsOfPart, Batches: parts, Keys: p.keys}
		if err := f.View(s, view, 5); err != nil {
			return err
		}
	}
	t, err := s.SQL(p.sql)
	if err != nil {
		return err
	}
	q, err := t.Write().Mode(p.mode).Format("noop").Checkpoint("mem://" + p.name).Trigger(vstream.AvailableNow()).Start(ctx)
	if err != nil {
		return err
	}
	return q.Wait(ctx)
}
