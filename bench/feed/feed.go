// Package feed is a source of rows for benchmarks that time micro-batches: nothing is read or
// parsed, and how many rows a micro-batch has does not depend on files.
package feed

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

var schema = vector.NewSchema(
	vector.Field{Name: "k", Type: vector.Long}, vector.Field{Name: "ts", Type: vector.Timestamp}, vector.Field{Name: "v", Type: vector.Long},
)

// Feed is a source of rows (k, ts, v) in the order of their event times ts. Each row has a key k of its
// own unless Keys says how many there are; v equals k.
type Feed struct {
	// PerSecond is how many rows have their event time in one second, and how many come in a
	// micro-batch after the first: state that is kept for n seconds has n*PerSecond rows.
	PerSecond int64
	// Load is how many seconds the first micro-batch has, Batches how many of one second follow.
	Load, Batches int64
	Keys          int64
}

var opened atomic.Int64

// View names a stream of f's rows with a watermark of so many seconds.
func (f *Feed) View(s *vstream.Session, name string, delay int64) error {
	format := fmt.Sprint("feed-", opened.Add(1))
	source.Register(source.Spec{Name: format, Summary: "rows of the benchmark", Schema: schema,
		Open: func(context.Context, source.Context, source.Options, *vector.Schema) (source.Source, error) {
			return f, nil
		}})
	t, err := s.Read(format).Load()
	if err != nil {
		return err
	}
	if t, err = t.WithWatermark("ts", fmt.Sprint(delay, " seconds")); err != nil {
		return err
	}
	return t.View(name)
}

// offset is the second before which everything is read.
func offset(second int64) source.Offset { return source.Offset(fmt.Sprintf(`{"second":%d}`, second)) }

func second(o source.Offset) (n int64) {
	fmt.Sscanf(string(o), `{"second":%d}`, &n)
	return n
}

// Schema is that of every feed.
func (f *Feed) Schema() *vector.Schema { return schema }

// Latest ends the next micro-batch.
func (f *Feed) Latest(_ context.Context, start source.Offset, _ bool) (source.Offset, error) {
	switch at := second(start); {
	case at == 0:
		return offset(max(f.Load, 1)), nil
	case at < f.Load+f.Batches:
		return offset(at + 1), nil
	}
	return start, nil
}

// Plan cuts a micro-batch into splits of up to 64,000 rows.
func (f *Feed) Plan(_ context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	const most = 64_000
	var out []source.Split
	last := second(end) * f.PerSecond
	for at := second(start) * f.PerSecond; at < last; at += most {
		out = append(out, split{f, at, min(at+most, last), p.Columns})
	}
	return out, nil
}

// Commit has nothing to note.
func (f *Feed) Commit(context.Context, source.Offset) error { return nil }

// Close has nothing to close.
func (f *Feed) Close() error { return nil }

// Describe names the source.
func (f *Feed) Describe() string { return "feed" }

// split is the rows from one number to another.
type split struct {
	*Feed
	from, to int64
	columns  []int
}

func (s split) Size() int64      { return (s.to - s.from) * 24 }
func (s split) Describe() string { return fmt.Sprintf("rows %d to %d", s.from, s.to) }

func (s split) Read(_ context.Context, out func(*vector.Batch) error) error {
	n := int(s.to - s.from)
	k, ts := make([]int64, n), make([]int64, n)
	for i := range k {
		row := s.from + int64(i)
		k[i], ts[i] = row*0x5851F42D4C957F2D, row*(1_000_000/s.PerSecond) // an odd factor keeps keys apart
		if s.Keys > 0 {
			k[i] = int64(uint64(k[i]) >> 1 % uint64(s.Keys))
		}
	}
	all := []arrow.Array{vector.NewFixed(vector.Long, k, nil), vector.NewFixed(vector.Timestamp, ts, nil), vector.NewFixed(vector.Long, k, nil)}
	cols := make([]arrow.Array, len(s.columns))
	for i, c := range s.columns {
		cols[i] = all[c]
	}
	return out(vector.NewBatch(schema.Project(s.columns), cols, n))
}
