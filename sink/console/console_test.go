package console_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/console"
	"github.com/vstream/vstream/vector"
)

func TestBatches(t *testing.T) {
	var out bytes.Buffer
	s, err := console.New(&out, sink.Context{TimeZone: "Europe/Berlin"}, sink.Options{"NUMROWS": "2", "truncate": "false"})
	if err != nil {
		t.Fatal(err)
	}
	schema := vector.NewSchema(vector.Field{Name: "v", Type: vector.Long}, vector.Field{Name: "at", Type: vector.Timestamp})
	ctx := context.Background()
	for id, values := range [][]int64{{1, 2, 3}, {}} {
		w, _, err := s.Begin(ctx, sink.BatchInfo{BatchID: int64(id), Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		p, err := w.Partition(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		cols := []arrow.Array{vector.NewFixed(vector.Long, values, nil), vector.NewFixed(vector.Timestamp, values, nil)}
		if err := p.Write(vector.NewBatch(schema, cols, len(values))); err != nil {
			t.Fatal(err)
		}
		m, err := p.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(ctx, []sink.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	want := `-------------------------------------------
Batch: 0
-------------------------------------------
+---+--------------------------+
|v  |at                        |
+---+--------------------------+
|1  |1970-01-01 01:00:00.000001|
|2  |1970-01-01 01:00:00.000002|
+---+--------------------------+
only showing top 2 rows
-------------------------------------------
Batch: 1
-------------------------------------------
+---+---+
|v  |at |
+---+---+
+---+---+

`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []sink.Options{{"numRows": "many"}, {"truncate": "-1"}} {
		if _, err := console.New(&bytes.Buffer{}, sink.Context{}, o); !errors.Is(err, condition.Name("VSTREAM_INVALID_OPTION")) {
			t.Errorf("%v: %v", o, err)
		}
	}
}
