package vstream_test

import (
	"testing"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/sink/memory"
)

// TestStreamingSubqueries filters a stream by static tables.
func TestStreamingSubqueries(t *testing.T) {
	for name, c := range map[string]struct{ sql, want string }{
		"in":     {"SELECT k, v FROM e WHERE v IN (SELECT n FROM VALUES (1), (3) AS t(n))", "a 1\nc 3"},
		"exists": {"SELECT k, v FROM e WHERE NOT EXISTS (SELECT * FROM VALUES (1), (3) AS t(n) WHERE n = v)", "b 2"},
		"scalar": {"SELECT k, v FROM e WHERE v > (SELECT min(n) FROM VALUES (1), (3) AS t(n))", "b 2\nc 3"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.add("a 1 1", "b 2 2", "c 3 3")
			table, err := f.s.SQL(c.sql)
			if err != nil {
				t.Fatal(err)
			}
			name := t.Name()
			defer memory.Drop(name)
			q, err := table.Write().Name(name).Format("memory").Trigger(vstream.AvailableNow()).Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			out, _ := memory.Lookup(name)
			_, batches := out.Rows()
			if got := printRows(table.Schema(), batches); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
