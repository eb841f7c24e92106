package vstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/vector"
)

// fixture is a session over one directory with a JSON source e(k, ts, v).
type fixture struct {
	t   *testing.T
	dir string
	s   *vstream.Session
	n   int
}

func newFixture(t *testing.T, opts ...vstream.Option) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(f.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := vstream.New(append([]vstream.Option{vstream.WithDir(f.dir), vstream.WithConf("spark.sql.shuffle.partitions", "2")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	f.s = s
	e, err := s.Read("json").Option("path", "in").Schema("k STRING, ts TIMESTAMP, v BIGINT").Load()
	if err != nil {
		t.Fatal(err)
	}
	if e, err = e.WithWatermark("ts", "10 seconds"); err != nil {
		t.Fatal(err)
	}
	if err := e.View("e"); err != nil {
		t.Fatal(err)
	}
	return f
}

// add writes a file of rows "k second v".
func (f *fixture) add(rows ...string) {
	f.t.Helper()
	var b strings.Builder
	for _, r := range rows {
		var k string
		var sec, v int
		fmt.Sscan(r, &k, &sec, &v)
		fmt.Fprintf(&b, "{\"k\":%q,\"ts\":\"2026-01-01T00:%02d:%02dZ\",\"v\":%d}\n", k, sec/60, sec%60, v)
	}
	f.n++
	if err := os.WriteFile(filepath.Join(f.dir, "in", fmt.Sprintf("%04d.json", f.n)), []byte(b.String()), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// run runs a query until nothing is left and gives its batches, each as sorted rows.
func (f *fixture) run(sql, mode string) []string {
	f.t.Helper()
	t, err := f.s.SQL(sql)
	if err != nil {
		f.t.Fatal(err)
	}
	var batches []string
	q, err := t.Write().Mode(mode).Checkpoint("cp").ForeachBatch(func(_ context.Context, id int64, _ *vector.Schema, rows []*vector.Batch) error {
		batches = append(batches, fmt.Sprintf("%d: %s", id, strings.Join(lines(rows), " ")))
		return nil
	}).Trigger(vstream.AvailableNow()).Start(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	if err := q.Wait(context.Background()); err != nil {
		f.t.Fatal(err)
	}
	return batches
}

// lines are the rows as text, sorted.
func lines(rows []*vector.Batch) []string {
	var out []string
	for _, b := range rows {
		for i := range b.Len() {
			var cells []string
			for c, f := range b.Schema.Fields {
				cells = append(cells, fmt.Sprint(kernels.ValueAt(f.Type, b.Col(c), i)))
			}
			out = append(out, strings.Join(cells, ","))
		}
	}
	sort.Strings(out)
	return out
}

func TestStatelessQuery(t *testing.T) {
	f := newFixture(t)
	f.add("a 1 1", "b 2 2", "c 3 3")
	got := f.run("SELECT k, v * 10 AS v FROM e WHERE v > 1", "append")
	if want := []string{"0: b,20 c,30"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q", got)
	}
}

func TestWindowedCountAcrossRestart(t *testing.T) {
	f := newFixture(t)
	query := "SELECT date_format(w.start, 'ss') AS s, k, n, v FROM (SELECT window(ts, '5 seconds') AS w, k, count(*) AS n, sum(v) AS v FROM e GROUP BY 1, 2)"
	f.add("a 1 1", "a 2 2", "b 3 3", "a 7 4")
	got := f.run(query, "append")
	f.add("a 21 5", "b 4 6")
	got = append(got, f.run(query, "append")...)
	f.add("a 1 7", "a 40 8")
	got = append(got, f.run(query, "append")...)
	want := []string{"0: ", "1: ", "2: ", "3: 00,a,2,3 00,b,2,9 05,a,1,4", "4: ", "5: 20,a,1,5"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// closing is a sink that counts how often it is closed.
type closing struct {
	sink.Sink
	closed int
}

func (c *closing) Close() error {
	c.closed++
	return nil
}

// TestStartClosesSink: a query that cannot take its checkpoint gives its sink back.
func TestStartClosesSink(t *testing.T) {
	f := newFixture(t)
	table, err := f.s.SQL("SELECT k FROM e")
	if err != nil {
		t.Fatal(err)
	}
	none := func(context.Context, int64, *vector.Schema, []*vector.Batch) error { return nil }
	first, second := &closing{Sink: foreach.New(none)}, &closing{Sink: foreach.New(none)}
	q, err := table.Write().Checkpoint("cp").To(first).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Write().Checkpoint("cp").To(second).Start(t.Context()); !errors.Is(err, condition.Name("VSTREAM_CHECKPOINT_IN_USE")) {
		t.Errorf("a second query on the checkpoint: %v", err)
	}
	if second.closed != 1 {
		t.Errorf("the sink of the query that did not start was closed %d times", second.closed)
	}
	if err := q.Stop(t.Context()); err != nil || first.closed != 1 {
		t.Errorf("%v, the sink of the query was closed %d times", err, first.closed)
	}
}
