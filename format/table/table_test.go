package table_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/table"
	"github.com/vstream/vstream/vector"
)

func column(values ...string) arrow.Array {
	off, data := make([]int32, len(values)+1), []byte(nil)
	for i, v := range values {
		data = append(data, v...)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(vector.String, off, data, nil)
}

func sample() (*vector.Schema, []*vector.Batch) {
	s := vector.NewSchema(vector.Field{Name: "a", Type: vector.String}, vector.Field{Name: "日本", Type: vector.Long})
	first := vector.NewBatch(s, []arrow.Array{
		column("a long string of more than twenty characters", "日本語", "a\nb\tc"),
		vector.NewFixed(vector.Long, []int64{1, 0, 3}, vector.Bitmap{0b101}),
	}, 3)
	second := vector.NewBatch(s, []arrow.Array{column("x"), vector.NewFixed(vector.Long, []int64{4}, nil)}, 1)
	return s, []*vector.Batch{first, second}
}

func TestShow(t *testing.T) {
	tests := []struct {
		o    table.Options
		want string
	}{
		{table.Default, `
+--------------------+----+
|                   a|日本|
+--------------------+----+
|a long string of ...|   1|
|              日本語|NULL|
|             a\nb\tc|   3|
|                   x|   4|
+--------------------+----+
`},
		{table.Options{Rows: 1}, `
+--------------------------------------------+----+
|a                                           |日本|
+--------------------------------------------+----+
|a long string of more than twenty characters|1   |
+--------------------------------------------+----+
only showing top 1 row`},
		{table.Options{Rows: 3, Truncate: 2}, `
+----+----+
|   a|日本|
+----+----+
|  a |   1|
|日本|  NU|
|  a\|   3|
+----+----+
only showing top 3 rows`},
		{table.Options{Rows: 0, Truncate: 20}, `
+---+----+
|  a|日本|
+---+----+
+---+----+
only showing top 0 rows`},
	}
	s, batches := sample()
	for _, tt := range tests {
		want := strings.TrimPrefix(tt.want, "\n")
		if got := table.Show(s, batches, tt.o); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", tt.o, got, want)
		}
	}
}

func TestText(t *testing.T) {
	got := table.Text([]string{"operator", "n"}, [][]string{{"join", "12"}, {"dedup", "3"}})
	want := "+--------+---+\n|operator|n  |\n+--------+---+\n|join    |12 |\n|dedup   |3  |\n+--------+---+\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
