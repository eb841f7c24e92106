package vstream_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/merge"
	_ "github.com/vstream/vstream/statestore/rocksdb"
	"github.com/vstream/vstream/vector"
)

// flightJob is a query over the view flights.
type flightJob struct {
	query, mode string
	format      string   // of the file sink; "": one file per batch, by foreachBatch
	columns     string   // of the file sink, as DDL
	once        []string // columns of which each combination is taken once within the watermark
	late        string   // delay of the watermark if not 6 hours; the rows that are late then go to a late sink
	async       bool     // asynchronous state checkpointing
	budget      string   // of the memory of the state, where there is a tier for what is over it
}

// withAsync behind the name of a job is the same job with asynchronous state checkpointing.
const withAsync = "+async"

func jobOf(name string) flightJob {
	name, async := strings.CutSuffix(name, withAsync)
	j := flightJobs[name]
	j.async = async
	return j
}

const (
	hourly = `SELECT window(departed_at, '1 hour') AS hour, origin, count(*) AS flights, avg(dep_delay) AS mean_delay, max(dep_delay) AS max_delay
		FROM flights GROUP BY window(departed_at, '1 hour'), origin`
	hourlyColumns = "hour STRUCT<start: TIMESTAMP, end: TIMESTAMP>, origin STRING, flights BIGINT, mean_delay DOUBLE, max_delay INT"
	flat          = "SELECT hour.start AS start, origin, flights, mean_delay, max_delay FROM (" + hourly + ")"
	flatColumns   = "start TIMESTAMP, origin STRING, flights BIGINT, mean_delay DOUBLE, max_delay INT"
)

var flightJobs = map[string]flightJob{
	"parquet": {query: hourly, mode: "append", format: "parquet", columns: hourlyColumns},
	"json":    {query: hourly, mode: "append", format: "json", columns: hourlyColumns},
	"csv":     {query: flat, mode: "append", format: "csv", columns: flatColumns, budget: "16KB"},
	"many": {query: "SELECT tailnum, flight, count(*) AS n, sum(dep_delay) AS delay, max(departed_at) AS last FROM flights GROUP BY tailnum, flight",
		mode: "update", budget: "64KB"},
	"all":      {query: "SELECT carrier, tailnum, count(*) AS n, max(dest) AS last FROM flights GROUP BY carrier, tailnum", mode: "complete", budget: "16KB"},
	"update":   {query: flat, mode: "update"},
	"complete": {query: "SELECT origin, dest, count(*) AS n, avg(dep_delay) AS mean, stddev(arr_delay) AS dev FROM flights GROUP BY origin, dest", mode: "complete"},
	"once": {query: "SELECT carrier, tailnum, origin FROM flights", mode: "append", format: "json",
		columns: "carrier STRING, tailnum STRING, origin STRING", once: []string{"carrier", "tailnum"}},
	"join": {query: `SELECT a.tailnum AS tailnum, a.departed_at AS first, b.departed_at AS then FROM flights a JOIN flights b
		ON a.tailnum = b.tailnum AND b.departed_at BETWEEN a.departed_at + INTERVAL 1 HOUR AND a.departed_at + INTERVAL 12 HOURS`,
		mode: "append", format: "json", columns: "tailnum STRING, first TIMESTAMP, then TIMESTAMP"},
	"outer": {query: `SELECT a.tailnum AS tailnum, a.departed_at AS first, b.departed_at AS then FROM (SELECT * FROM flights WHERE origin = 'JFK') a
		FULL OUTER JOIN (SELECT * FROM flights WHERE origin = 'LGA') b
		ON a.tailnum = b.tailnum AND b.departed_at BETWEEN a.departed_at AND a.departed_at + INTERVAL 12 HOURS`,
		mode: "append", format: "json", columns: "tailnum STRING, first TIMESTAMP, then TIMESTAMP"},
	"session": {query: "SELECT s.start AS start, s.end AS end, tailnum, n FROM (SELECT session_window(departed_at, '4 hours') AS s, tailnum, count(*) AS n FROM flights GROUP BY 1, 2)",
		mode: "append", format: "json", columns: "start TIMESTAMP, end TIMESTAMP, tailnum STRING, n BIGINT"},
	"late": {query: "SELECT w, count(*) AS n, sum(flights) AS flights FROM (SELECT window(departed_at, '20 minutes') AS w, carrier, count(*) AS flights FROM flights GROUP BY 1, 2) GROUP BY w",
		mode: "append", format: "json", columns: "w STRUCT<start: TIMESTAMP, end: TIMESTAMP>, n BIGINT, flights BIGINT", late: "10 minutes"},
	"limit":    {query: "SELECT carrier, tailnum, flight FROM flights WHERE origin = 'JFK' LIMIT 400", mode: "append"},
	"distinct": {query: "SELECT DISTINCT tailnum, origin FROM flights", mode: "update"},
}

// batchFiles writes the rows of each batch to a file of the batch's number, whole or not
// at all: a batch that comes again replaces its file.
func batchFiles(dir string) foreach.Func {
	return func(_ context.Context, id int64, _ *vector.Schema, rows []*vector.Batch) error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		temp := filepath.Join(dir, "temp")
		if err := os.WriteFile(temp, []byte(strings.Join(lines(rows), "\n")), 0o644); err != nil {
			return err
		}
		return os.Rename(temp, filepath.Join(dir, fmt.Sprintf("batch-%03d", id)))
	}
}

// readBatchFiles are the rows of all batches, each behind its batch's number, sorted.
func readBatchFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "batch-*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range strings.Split(string(text), "\n") {
			out = append(out, filepath.Base(f)+": "+row)
		}
	}
	sort.Strings(out)
	return out
}

// readState are the rows of all state tables of a checkpoint at the version that was
// committed last, sorted.
func readState(t *testing.T, location string) []string {
	t.Helper()
	store, err := objstore.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return stateRows(t, store)
}

func stateRows(t *testing.T, store objstore.Store) []string {
	t.Helper()
	ctx := context.Background()
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(condition.Render(err))
		}
	}
	dir, err := checkpoint.OpenReadOnly(ctx, store)
	fail(err)
	batch, commit, ok, err := dir.Commits().Latest(ctx)
	fail(err)
	if !ok {
		t.Fatal("nothing is committed")
	}
	ops, err := dir.Operators(ctx)
	fail(err)
	driver, _ := statestore.Lookup("memory")
	state, err := driver.Open(ctx, dir.State(), nil)
	fail(err)
	defer state.Close()
	registry := statestore.NewRegistry(dir.State(), nil)
	var out []string
	for _, op := range ops {
		for n, s := range op.Stores {
			schema, ok, err := registry.Read(ctx, int(op.Operator.ID), s.Name)
			fail(err)
			if !ok {
				t.Fatalf("store %s has no schema", s.Name)
			}
			for p := range commit.StateIDs[op.Operator.ID] {
				id := statestore.ID{Operator: int(op.Operator.ID), Partition: p, Name: s.Name}
				fail(state.Register(ctx, id, schema))
				rows := merge.New(schema)
				v := statestore.Version{N: batch + 1, Attempt: commit.StateIDs[op.Operator.ID][p][n]}
				fail(state.Load(ctx, id, v, func(c *statestore.Changes) error {
					rows.Apply(c)
					return nil
				}))
				for _, b := range rows.Blocks() {
					out = append(out, blockRows(fmt.Sprint(id), schema, b)...)
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

// blockRows prints the rows of a block of state, the bytes of each value in hexadecimal.
func blockRows(table string, s statestore.Schema, b statestore.Block) []string {
	columns := append(append([]statestore.Column(nil), s.Keys...), s.Values...)
	out := make([]string, b.Rows)
	for i := range out {
		row := table
		for c, d := range b.Cols {
			value := "null"
			switch w := columns[c].Width; {
			case d.Valid != nil && d.Valid[i/8]>>(i%8)&1 == 0:
			case w > 0:
				value = hex.EncodeToString(d.Data[i*w : (i+1)*w])
			default:
				value = hex.EncodeToString(d.Data[d.Off[i]:d.Off[i+1]])
			}
			row += " " + columns[c].Name + "=" + value
		}
		out[i] = row
	}
	return out
}
