package main

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// perSecond is how many rows have their event time in one second, and how many come in a
// micro-batch after the first: state that is kept for n seconds has n*perSecond rows.
const perSecond = 1000

var schema = vector.NewSchema(
	vector.Field{Name: "k", Type: vector.Long}, vector.Field{Name: "ts", Type: vector.Timestamp}, vector.Field{Name: "v", Type: vector.Long},
)

// feed is a source of rows in the order of their event times, each with a key of its own.
// Its first batch has the rows of load seconds, each of batches more those of one second.
type feed struct{ load, batches int64 }

// offset is the second before which everything is read.
func offset(second int64) source.Offset { return source.Offset(fmt.Sprintf(`{"second":%d}`, second)) }

func second(o source.Offset) (n int64) {
	fmt.Sscanf(string(o), `{"second":%d}`, &n)
	return n
}

func (f *feed) Schema() *vector.Schema { return schema }

func (f *feed) Latest(_ context.Context, start source.Offset, _ bool) (source.Offset, error) {
	switch at := second(start); {
	case at == 0:
		return offset(f.load), nil
	case at < f.load+f.batches:
		return offset(at + 1), nil
	}
	return start, nil
}

func (f *feed) Plan(_ context.Context, start, end source.Offset, p source.Pushdown) ([]source.Split, error) {
	const most = 64 // seconds of a split
	var out []source.Split
	for at := second(start); at < second(end); at += most {
		out = append(out, split{at, min(at+most, second(end)), p.Columns})
	}
	return out, nil
}

func (f *feed) Commit(context.Context, source.Offset) error { return nil }
func (f *feed) Close() error                                { return nil }
func (f *feed) Describe() string                            { return "feed" }

type split struct {
	from, to int64
	columns  []int
}

func (s split) Size() int64      { return (s.to - s.from) * perSecond * 24 }
func (s split) Describe() string { return fmt.Sprintf("seconds %d to %d", s.from, s.to) }

func (s split) Read(_ context.Context, out func(*vector.Batch) error) error {
	n := int((s.to - s.from) * perSecond)
	k, ts := make([]int64, n), make([]int64, n)
	for i := range k {
		row := s.from*perSecond + int64(i)
		k[i], ts[i] = row*0x5851F42D4C957F2D, row*(1_000_000/perSecond) // an odd factor keeps keys apart
	}
	all := []arrow.Array{vector.NewFixed(vector.Long, k, nil), vector.NewFixed(vector.Timestamp, ts, nil), vector.NewFixed(vector.Long, k, nil)}
	cols := make([]arrow.Array, len(s.columns))
	for i, c := range s.columns {
		cols[i] = all[c]
	}
	return out(vector.NewBatch(schema.Project(s.columns), cols, n))
}
