package parquet_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

// written is a file of one column of longs, in row groups of its own.
func written(t *testing.T, values []int64, def []int16, props ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	repetition := arrowparquet.Repetitions.Optional
	if def == nil {
		repetition = arrowparquet.Repetitions.Required
	}
	root, err := schema.NewGroupNode("schema", arrowparquet.Repetitions.Required, schema.FieldList{schema.NewInt64Node("v", repetition, -1)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	props = append(props, arrowparquet.WithAllocator(memory.DefaultAllocator), arrowparquet.WithBatchSize(64))
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(arrowparquet.NewWriterProperties(props...)))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.(*file.Int64ColumnChunkWriter).WriteBatch(values, def, nil); err != nil {
		t.Fatal(err)
	}
	for _, close := range []func() error{c.Close, g.Close, w.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestPages reads columns of pages of both versions, with and without nulls, of dictionaries
// with positions of all widths, of dictionaries that are given up, and without one.
func TestPages(t *testing.T) {
	for _, rows := range []int{1, 7, 1000, 40_000} {
		for _, distinct := range []int64{1, 2, 3, 300, 20_000, 1 << 40} {
			for _, nulls := range []int{-1, 0, 1, 2, 50} { // -1: a required column
				for layout, props := range map[string][]arrowparquet.WriterProperty{
					"v1":       {arrowparquet.WithDictionaryDefault(true)},
					"v2":       {arrowparquet.WithDictionaryDefault(true), arrowparquet.WithDataPageVersion(arrowparquet.DataPageV2)},
					"plain":    {arrowparquet.WithDictionaryDefault(false)},
					"given up": {arrowparquet.WithDictionaryDefault(true), arrowparquet.WithDictionaryPageSizeLimit(4000)},
				} {
					t.Run(fmt.Sprint(rows, " rows, ", distinct, " values, ", nulls, " nulls, ", layout), func(t *testing.T) {
						r := rand.New(rand.NewPCG(uint64(rows), uint64(distinct)))
						var def []int16
						if nulls >= 0 {
							def = make([]int16, rows)
						}
						var values []int64
						want := make([]*int64, rows)
						run := r.IntN(40)
						for i := range rows {
							if nulls > 0 && r.IntN(nulls) == 0 {
								continue
							}
							v := r.Int64N(distinct)
							if run--; run > 0 && len(values) > 0 { // runs of one value, too
								v = values[len(values)-1]
							} else if run < -40 {
								run = r.IntN(40)
							}
							values, want[i] = append(values, v), &v
							if def != nil {
								def[i] = 1
							}
						}
						data := written(t, values, def, append(props, arrowparquet.WithDataPageSize(3000))...)
						in := bytes.NewReader(data)
						f, err := parquet.Open(in, "f")
						if err != nil {
							t.Fatal(err)
						}
						at := 0
						err = f.Read(context.Background(), in, vector.NewSchema(field("v", vector.Long)), 0, 1, func(cols []arrow.Array, n int) error {
							got, valid := vector.Values[int64](cols[0]), vector.Validity(cols[0])
							for i := range n {
								w := want[at+i]
								if valid.Get(i) != (w != nil) || w != nil && got[i] != *w {
									t.Fatalf("row %d: %d (valid: %v)", at+i, got[i], valid.Get(i))
								}
							}
							at += n
							return nil
						})
						if err != nil || at != rows {
							t.Errorf("%d rows, %v", at, err)
						}
					})
				}
			}
		}
	}
}

// TestDamagedPages: a flipped byte gives an error or other values, never a panic.
func TestDamagedPages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values, def := make([]int64, 0, 3000), make([]int16, 3000)
	for i := range def {
		if i%7 > 0 {
			def[i], values = 1, append(values, r.Int64N(500))
		}
	}
	for _, version := range []arrowparquet.DataPageVersion{arrowparquet.DataPageV1, arrowparquet.DataPageV2} {
		data := written(t, values, def, arrowparquet.WithDictionaryDefault(true), arrowparquet.WithDataPageVersion(version), arrowparquet.WithDataPageSize(1000))
		for range 3000 {
			damaged := bytes.Clone(data)
			damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
			in := bytes.NewReader(damaged)
			f, err := parquet.Open(in, "f")
			if err != nil || f.NumRows() > 1<<20 {
				continue
			}
			_ = f.Read(context.Background(), in, vector.NewSchema(field("v", vector.Long)), 0, f.RowGroups(), func([]arrow.Array, int) error { return nil })
		}
	}
}
