package render_test

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

func strings(t *vector.Type, values ...string) arrow.Array {
	off, data := make([]int32, len(values)+1), []byte(nil)
	for i, v := range values {
		data = append(data, v...)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(t, off, data, nil)
}

func TestColumn(t *testing.T) {
	second := vector.NewBitmap(2)
	second.Set(0)
	ints := vector.NewFixed(vector.Int, []int32{7, 0}, second) // 7, null
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	list := vector.ArrayOf(vector.Int, true)
	mapping := vector.MapOf(vector.String, vector.Int, true)
	pair := vector.StructOf(vector.Field{Name: "a", Type: vector.Int}, vector.Field{Name: "b", Type: vector.String})
	tests := []struct {
		name  string
		style render.Style
		t     *vector.Type
		a     arrow.Array
		want  string
	}{
		{"bool", render.Style{}, vector.Bool, vector.NewBool(vector.NewValid(1), 1, nil), "true"},
		{"double", render.Style{}, vector.Double, vector.NewFixed(vector.Double, []float64{1e7}, nil), "1.0E7"},
		{"decimal", render.Style{}, vector.Decimal(10, 8), vector.NewFixed(vector.Decimal(10, 8), [][16]byte{{1}}, nil), "0.00000001"},
		{"date", render.Style{}, vector.Date, vector.NewFixed(vector.Date, []int32{19782}, nil), "2024-02-29"},
		{"timestamp", render.Style{Zone: berlin}, vector.Timestamp, vector.NewFixed(vector.Timestamp, []int64{1_500_000}, nil), "1970-01-01 01:00:01.5"},
		{"timestamp_ntz", render.Style{Zone: berlin}, vector.TimestampNTZ, vector.NewFixed(vector.TimestampNTZ, []int64{1_500_000}, nil), "1970-01-01 00:00:01.5"},
		{"binary", render.Style{}, vector.Binary, strings(vector.Binary, "H\xffi"), "H\uFFFDi"},
		{"binary in show", render.Style{HexBinary: true}, vector.Binary, strings(vector.Binary, "Hi"), "[48 69]"},
		{"array", render.Style{Null: "null"}, list, vector.NewList(list, []int32{0, 2}, ints, nil), "[7, null]"},
		{"empty array", render.Style{}, list, vector.NewList(list, []int32{0, 0}, ints, nil), "[]"},
		{"map", render.Style{Null: "NULL"}, mapping, vector.NewMap(mapping, []int32{0, 2}, strings(vector.String, "x", "y"), ints, nil), "{x -> 7, y -> NULL}"},
		{"struct", render.Style{}, pair, vector.NewStruct(pair, []arrow.Array{ints, strings(vector.String, "x", "y")}, 2, nil), "{7, x}"},
		{"day-time", render.Style{}, vector.DayTime, vector.NewFixed(vector.DayTime, []int64{-93784_500_000}, nil), "INTERVAL '-1 02:03:04.5' DAY TO SECOND"},
		{"least day-time", render.Style{}, vector.DayTime, vector.NewFixed(vector.DayTime, []int64{-1 << 63}, nil), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
		{"hour", render.Style{}, vector.DayTimeOf(vector.FieldHour, vector.FieldHour), vector.NewFixed(vector.DayTimeOf(vector.FieldHour, vector.FieldHour), []int64{93784_500_000}, nil), "INTERVAL '26' HOUR"},
		{"year-month", render.Style{}, vector.YearMonth, vector.NewFixed(vector.YearMonth, []int32{-14}, nil), "INTERVAL '-1-2' YEAR TO MONTH"},
		{"time", render.Style{}, vector.Time, vector.NewFixed(vector.Time, []int64{45_296_789_000_000}, nil), "12:34:56.789"},
		{"interval", render.Style{}, vector.CalendarInterval, vector.NewFixed(vector.CalendarInterval, []arrow.MonthDayNanoInterval{{Months: 14, Days: -3, Nanoseconds: -1_500_000_000}}, nil), "1 years 2 months -3 days -1.5 seconds"},
		{"zero interval", render.Style{}, vector.CalendarInterval, vector.NewFixed(vector.CalendarInterval, []arrow.MonthDayNanoInterval{{}}, nil), "0 seconds"},
	}
	for _, tt := range tests {
		if got := string(tt.style.Column(tt.t, tt.a)(nil, 0)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
