package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

var words = []string{"alpha", "beta", "gamma", "delta", "Ångström", "omega point", "  padded  ", "Zürich", "banana split", "x"}

// textColumn collects the texts of a string column.
type textColumn struct {
	off  []int32
	data []byte
}

func (c *textColumn) add(s string) {
	if c.off == nil {
		c.off = []int32{0}
	}
	c.data = append(c.data, s...)
	c.off = append(c.off, int32(len(c.data)))
}

func (c *textColumn) array() arrow.Array { return vector.NewString(vector.String, c.off, c.data, nil) }

// generate makes the data: the same rows for the same seed.
func generate(rows int, seed uint64) *vector.Batch {
	r := rand.New(rand.NewPCG(seed, seed))
	const begin = 1_700_000_000_000_000
	i, n := make([]int32, rows), make([]int32, rows)
	l, ts, d := make([]int64, rows), make([]int64, rows), make([]float64, rows)
	dt, m := make([]int32, rows), make([]decimal128.Num, rows)
	valid := vector.NewValid(rows)
	var s, num, frac, when, url, j textColumn
	for k := range rows {
		i[k], n[k] = r.Int32N(1_000_000), r.Int32N(1000)
		if k%10 == 3 {
			valid.Clear(k)
		}
		l[k], d[k] = r.Int64N(1<<40), r.Float64()*10000
		ts[k], dt[k] = begin+r.Int64N(1<<46), 15000+r.Int32N(5000)
		m[k] = decimal128.FromI64(r.Int64N(1 << 40))
		s.add(words[r.IntN(len(words))] + " " + words[r.IntN(len(words))])
		num.add(strconv.Itoa(int(i[k])))
		frac.add(strconv.FormatFloat(d[k], 'f', 4, 64))
		when.add(string(text.AppendTimestamp(nil, ts[k])))
		url.add(fmt.Sprintf("https://www.%s.com/item/%d/view.html?query=1&channel_id=%d&x=%d", words[r.IntN(4)], r.IntN(1000), r.IntN(10000), k))
		j.add(fmt.Sprintf(`{"auction":%d,"bidder":%d,"price":%d,"channel":"channel-%d","url":"https://www.nexmark.com/item.htm?query=1","dateTime":%d,"extra":"%s"}`,
			r.IntN(100000), r.IntN(100000), r.IntN(1_000_000), r.IntN(10000), ts[k]/1000, words[r.IntN(4)]))
	}
	return vector.NewBatch(vector.NewSchema(
		field("i", vector.Int, false), field("n", vector.Int, true), field("l", vector.Long, false), field("d", vector.Double, false),
		field("m", vector.Decimal(18, 2), false), field("ts", vector.TimestampNTZ, false), field("dt", vector.Date, false),
		field("s", vector.String, false), field("num", vector.String, false), field("frac", vector.String, false),
		field("time", vector.String, false), field("url", vector.String, false), field("j", vector.String, false),
	), []arrow.Array{
		vector.NewFixed(vector.Int, i, nil), vector.NewFixed(vector.Int, n, valid), vector.NewFixed(vector.Long, l, nil),
		vector.NewFixed(vector.Double, d, nil), vector.NewFixed(vector.Decimal(18, 2), m, nil),
		vector.NewFixed(vector.TimestampNTZ, ts, nil), vector.NewFixed(vector.Date, dt, nil),
		s.array(), num.array(), frac.array(), when.array(), url.array(), j.array(),
	}, rows)
}

func field(name string, t *vector.Type, nullable bool) vector.Field {
	return vector.Field{Name: name, Type: t, Nullable: nullable}
}

// batches cuts the data into batches of the engine's size.
func batches(b *vector.Batch, size int) []*vector.Batch {
	var out []*vector.Batch
	for from := 0; from < b.Len(); from += size {
		out = append(out, b.Slice(from, min(from+size, b.Len())))
	}
	return out
}

// parquetFile is the data as a Parquet file.
func parquetFile(b *vector.Batch) ([]byte, error) {
	var buf bytes.Buffer
	w, err := parquet.NewWriter(&buf, b.Schema, parquet.WriteOptions{})
	if err != nil {
		return nil, err
	}
	if err := w.Write(b); err != nil {
		return nil, err
	}
	err = w.Close() // before the bytes are taken
	return buf.Bytes(), err
}
