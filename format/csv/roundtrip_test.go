package csv_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// What the writer writes, the reader reads: strings with every character that
// has a meaning, numbers, times and nulls.
func TestRoundTrip(t *testing.T) {
	s := schemaOf(t, "a STRING, b INT, c STRING, d DOUBLE, e TIMESTAMP, f DATE")
	options := map[string]string{
		"nullValue": "<null>", "multiLine": "true", "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false",
		"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
	}
	ro, err := csv.ParseOptions(options, csv.Session{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	wo, err := csv.ParseWriteOptions(options, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	str := rapid.StringOfN(rapid.SampledFrom([]rune("ab,\"\\\n '#;ü")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "rows")
		strings := func(label string) arrow.Array {
			off, valid := []int32{0}, vector.NewBitmap(n)
			var data []byte
			for i := range n {
				if rapid.Bool().Draw(t, label+" valid") {
					valid.Set(i)
					data = append(data, str.Draw(t, label)...)
				}
				off = append(off, int32(len(data)))
			}
			return vector.NewString(vector.String, off, data, valid)
		}
		ints := make([]int32, n)
		doubles := make([]float64, n)
		times := make([]int64, n)
		days := make([]int32, n)
		for i := range n {
			ints[i] = rapid.Int32().Draw(t, "int")
			doubles[i] = rapid.Float64().Draw(t, "double")
			times[i] = rapid.Int64Range(-62135596800000000, 253402300799999999).Draw(t, "time")
			days[i] = rapid.Int32Range(-719162, 2932896).Draw(t, "day")
		}
		in := vector.NewBatch(s, []arrow.Array{
			strings("a"), vector.NewFixed(vector.Int, ints, nil), strings("c"), vector.NewFixed(vector.Double, doubles, nil),
			vector.NewFixed(vector.Timestamp, times, nil), vector.NewFixed(vector.Date, days, nil),
		}, n)
		var b bytes.Buffer
		w, err := csv.NewWriter(&b, s, wo)
		if err == nil {
			err = w.Write(in)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := csv.NewReader(s, []int{0, 1, 2, 3, 4, 5}, ro)
		if err != nil {
			t.Fatal(err)
		}
		text := b.String()
		rows := 0
		err = r.Read(&b, true, func(cols []arrow.Array, got int) error {
			rows += got
			for k, c := range cols {
				if got != n {
					t.Fatalf("%d rows of %q", got, text)
				}
				have, want := render.Style{}.Column(s.Fields[k].Type, c), render.Style{}.Column(s.Fields[k].Type, in.Col(k))
				for i := range n {
					if c.IsNull(i) != in.Col(k).IsNull(i) || string(have(nil, i)) != string(want(nil, i)) {
						t.Fatalf("%q column %d row %d: %q, want %q", text, k, i, have(nil, i), want(nil, i))
					}
				}
			}
			return nil
		})
		if err != nil || rows != n {
			t.Fatal(rows, err)
		}
	})
}
