package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/source/memory"
	"github.com/vstream/vstream/vector"
)

// inbox makes a directory with a file "in/1.json" of a few orders.
func inbox() (dir string, done func()) {
	dir, err := os.MkdirTemp("", "vstream-example-")
	if err != nil {
		log.Fatal(err)
	}
	write(dir, "in/1.json",
		`{"item": "tea", "price": 4, "at": "2026-03-01T09:00:12Z"}`,
		`{"item": "cake", "price": 6, "at": "2026-03-01T09:03:40Z"}`,
		`{"item": "tea", "price": 5, "at": "2026-03-01T09:14:05Z"}`)
	return dir, func() { os.RemoveAll(dir) }
}

func write(dir, name string, lines ...string) {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	var text []byte
	for _, l := range lines {
		text = append(append(text, l...), '\n')
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

// show is a foreachBatch function that prints the rows of a batch.
func show(_ context.Context, id int64, schema *vector.Schema, rows []*vector.Batch) error {
	fmt.Printf("batch %d\n%s", id, table.Show(schema, rows, table.Default))
	return nil
}

// orders are the JSON files of a directory as a streaming table.
func orders(s *vstream.Session) *vstream.Table {
	t, err := s.Read("json").Option("path", "in").Schema("item STRING, price INT, at TIMESTAMP").Load()
	if err != nil {
		log.Fatal(err)
	}
	return t
}

// A first job: files in, rows out. A function gets the rows of each micro-batch.
func Example() {
	dir, done := inbox()
	defer done()
	ctx := context.Background()
	s, err := vstream.New(vstream.WithDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	t, err := s.Read("json").Option("path", "in").Schema("item STRING, price INT, at TIMESTAMP").Load()
	if err != nil {
		log.Fatal(err)
	}
	if err := t.View("orders"); err != nil {
		log.Fatal(err)
	}
	dear, err := s.SQL("SELECT item, price FROM orders WHERE price > 4")
	if err != nil {
		log.Fatal(err)
	}
	q, err := dear.Write().ForeachBatch(func(_ context.Context, id int64, schema *vector.Schema, rows []*vector.Batch) error {
		fmt.Printf("batch %d of %s\n%s", id, schema, table.Show(schema, rows, table.Default))
		return nil
	}).Trigger(vstream.AvailableNow()).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// batch 0 of struct<item:string,price:int>
	// +----+-----+
	// |item|price|
	// +----+-----+
	// |cake|    6|
	// | tea|    5|
	// +----+-----+
}

// A watermark says how long to wait for late rows; append mode gives each window once,
// when the watermark is past its end. The checkpoint lets the second run go on where the
// first one ended.
func ExampleTable_WithWatermark() {
	dir, done := inbox()
	defer done()
	ctx := context.Background()
	run := func() {
		s, err := vstream.New(vstream.WithDir(dir))
		if err != nil {
			log.Fatal(err)
		}
		t, err := orders(s).WithWatermark("at", "5 minutes")
		if err != nil {
			log.Fatal(err)
		}
		if err := t.View("orders"); err != nil {
			log.Fatal(err)
		}
		sales, err := s.SQL(`SELECT date_format(window.start, 'HH:mm') AS start, n, total FROM
			(SELECT window(at, '10 minutes') AS window, count(*) AS n, sum(price) AS total FROM orders GROUP BY 1)`)
		if err != nil {
			log.Fatal(err)
		}
		q, err := sales.Write().Checkpoint("checkpoint").Trigger(vstream.AvailableNow()).ForeachBatch(show).Start(ctx)
		if err != nil {
			log.Fatal(err)
		}
		if err := q.Wait(ctx); err != nil {
			log.Fatal(err)
		}
	}
	write(dir, "in/2.json", `{"item": "tea", "price": 4, "at": "2026-03-01T09:16:00Z"}`)
	run()
	write(dir, "in/3.json",
		`{"item": "tea", "price": 9, "at": "2026-03-01T09:02:00Z"}`, // too late: its window has been given
		`{"item": "tea", "price": 4, "at": "2026-03-01T09:31:00Z"}`)
	run()
	// Output:
	// batch 0
	// +-----+---+-----+
	// |start|  n|total|
	// +-----+---+-----+
	// +-----+---+-----+
	// batch 1
	// +-----+---+-----+
	// |start|  n|total|
	// +-----+---+-----+
	// |09:00|  2|   10|
	// +-----+---+-----+
	// batch 2
	// +-----+---+-----+
	// |start|  n|total|
	// +-----+---+-----+
	// +-----+---+-----+
	// batch 3
	// +-----+---+-----+
	// |start|  n|total|
	// +-----+---+-----+
	// |09:10|  2|    9|
	// +-----+---+-----+
}

// The rate-micro-batch source makes the same rows in every run.
func ExampleSession_Read() {
	ctx := context.Background()
	s, err := vstream.New()
	if err != nil {
		log.Fatal(err)
	}
	t, err := s.Read("rate-micro-batch").Option("rowsPerBatch", "3").Option("numPartitions", "1").Load()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Schema())
	q, err := t.Write().Trigger(vstream.Once()).ForeachBatch(show).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// struct<timestamp:timestamp,value:bigint>
	// batch 0
	// +-------------------+-----+
	// |          timestamp|value|
	// +-------------------+-----+
	// |1970-01-01 00:00:00|    0|
	// |1970-01-01 00:00:00|    1|
	// |1970-01-01 00:00:00|    2|
	// +-------------------+-----+
}

// A program feeds a query from memory and waits until what it added is processed.
func ExampleQuery_ProcessAllAvailable() {
	ctx := context.Background()
	s, err := vstream.New()
	if err != nil {
		log.Fatal(err)
	}
	schema, err := vstream.ParseSchema("user STRING, clicks INT")
	if err != nil {
		log.Fatal(err)
	}
	clicks := memory.New(schema)
	add := func(rows ...string) {
		b, err := vstream.ParseRows(schema, rows...)
		if err != nil {
			log.Fatal(err)
		}
		clicks.Add(b)
	}
	t, err := s.Stream(clicks)
	if err != nil {
		log.Fatal(err)
	}
	if err := t.View("clicks"); err != nil {
		log.Fatal(err)
	}
	totals, err := s.SQL("SELECT user, sum(clicks) AS clicks FROM clicks GROUP BY user ORDER BY user")
	if err != nil {
		log.Fatal(err)
	}
	q, err := totals.Write().Mode("complete").ForeachBatch(show).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, rows := range [][]string{
		{`{"user": "ann", "clicks": 2}`, `{"user": "bob", "clicks": 1}`},
		{`{"user": "ann", "clicks": 5}`},
	} {
		add(rows...)
		if err := q.ProcessAllAvailable(ctx); err != nil {
			log.Fatal(err)
		}
	}
	if err := q.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// batch 0
	// +----+------+
	// |user|clicks|
	// +----+------+
	// | ann|     2|
	// | bob|     1|
	// +----+------+
	// batch 1
	// +----+------+
	// |user|clicks|
	// +----+------+
	// | ann|     7|
	// | bob|     1|
	// +----+------+
}

// Several queries run side by side in one session; AwaitAny tells which one has ended,
// and Stop stops the others after the micro-batches that are running.
func ExampleSession_AwaitAny() {
	dir, done := inbox()
	defer done()
	ctx := context.Background()
	s, err := vstream.New(vstream.WithDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	if err := orders(s).View("orders"); err != nil {
		log.Fatal(err)
	}
	for name, text := range map[string]string{
		"items":  "SELECT item FROM orders",
		"parsed": "SELECT CAST(item AS INT) AS item FROM orders", // fails: tea is no number
	} {
		t, err := s.SQL(text)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := t.Write().Name(name).Format("noop").Start(ctx); err != nil {
			log.Fatal(err)
		}
	}
	ended, err := s.AwaitAny(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Name(), "ended:", errors.Is(ended.Err(), condition.Name("CAST_INVALID_INPUT")))
	for _, q := range s.Queries() {
		fmt.Println(q.Name(), "is active")
	}
	if err := s.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(s.Queries()), "queries are active")
	// Output:
	// parsed ended: true
	// items is active
	// 0 queries are active
}

// Errors carry Spark's condition names; Render shows them with the place in the SQL.
func ExampleSession_SQL_errors() {
	s, err := vstream.New()
	if err != nil {
		log.Fatal(err)
	}
	schema, err := vstream.ParseSchema("item STRING, price INT")
	if err != nil {
		log.Fatal(err)
	}
	t, err := s.Rows(schema)
	if err != nil {
		log.Fatal(err)
	}
	if err := t.View("orders"); err != nil {
		log.Fatal(err)
	}
	_, err = s.SQL("SELECT prise FROM orders")
	switch {
	case errors.Is(err, condition.Name("UNRESOLVED_COLUMN")): // with or without its subclass
		fmt.Print(condition.Render(err))
	case err != nil:
		log.Fatal(err)
	}
	// Output:
	// error[UNRESOLVED_COLUMN.WITH_SUGGESTION]: A column, variable, or function parameter with name `prise` cannot be resolved. Did you mean one of the following? [`price`, `item`].
	//   --> line:1:8
	//     |
	//   1 | SELECT prise FROM orders
	//     |        ^^^^^
	//   SQLSTATE 42703
}

// progress prints what a query reports.
type progress struct{}

func (progress) Started(_, _, name string) { fmt.Println(name, "started") }

func (progress) Progress(p *vstream.Progress) {
	fmt.Printf("batch %d: %d rows in, %d rows out\n", p.BatchID, p.NumInputRows, p.Sink.NumOutputRows)
}

func (progress) Idle(_, _ string, _ time.Time) {}

func (progress) Terminated(_, _ string, err error) { fmt.Println("ended:", err) }

// A listener hears of a query's start, its micro-batches and its end.
func ExampleWriter_Listen() {
	dir, done := inbox()
	defer done()
	ctx := context.Background()
	s, err := vstream.New(vstream.WithDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	q, err := orders(s).Write().Name("copy").Format("parquet").Option("path", "out").Checkpoint("checkpoint").
		Trigger(vstream.AvailableNow()).Listen(progress{}).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("last batch:", q.LastProgress().BatchID)
	// Output:
	// copy started
	// batch 0: 3 rows in, 3 rows out
	// ended: <nil>
	// last batch: 0
}

// The console sink prints each micro-batch.
func ExampleWriter_Format_console() {
	dir, done := inbox()
	defer done()
	ctx := context.Background()
	s, err := vstream.New(vstream.WithDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	t, err := orders(s).Select("upper(item) AS item", "at")
	if err != nil {
		log.Fatal(err)
	}
	q, err := t.Write().Format("console").Option("truncate", "false").Trigger(vstream.Once()).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// -------------------------------------------
	// Batch: 0
	// -------------------------------------------
	// +----+-------------------+
	// |item|at                 |
	// +----+-------------------+
	// |TEA |2026-03-01 09:00:12|
	// |CAKE|2026-03-01 09:03:40|
	// |TEA |2026-03-01 09:14:05|
	// +----+-------------------+
}

// A static table is read whole: by Collect, or for each micro-batch of a stream that it
// is joined with.
func ExampleSession_ReadStatic() {
	dir, done := inbox()
	defer done()
	write(dir, "items.csv", "item,kind", "tea,drink", "cake,food")
	ctx := context.Background()
	s, err := vstream.New(vstream.WithDir(dir))
	if err != nil {
		log.Fatal(err)
	}
	items, err := s.ReadStatic("csv").Option("path", "items.csv").Option("header", "true").Schema("item STRING, kind STRING").Load()
	if err != nil {
		log.Fatal(err)
	}
	if err := items.View("items"); err != nil {
		log.Fatal(err)
	}
	if err := orders(s).View("orders"); err != nil {
		log.Fatal(err)
	}

	sorted, err := s.SQL("SELECT kind, item FROM items ORDER BY kind DESC")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := sorted.Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(table.Show(sorted.Schema(), rows, table.Default))

	joined, err := s.SQL("SELECT kind, price FROM orders JOIN items USING (item)")
	if err != nil {
		log.Fatal(err)
	}
	q, err := joined.Write().Trigger(vstream.AvailableNow()).ForeachBatch(show).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// +-----+----+
	// | kind|item|
	// +-----+----+
	// | food|cake|
	// |drink| tea|
	// +-----+----+
	// batch 0
	// +-----+-----+
	// | kind|price|
	// +-----+-----+
	// |drink|    4|
	// | food|    6|
	// |drink|    5|
	// +-----+-----+
}
