package kernels_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func TestSessionEnd(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	f, ok := kernels.Lookup("$session_end")
	if !ok {
		t.Fatal("no $session_end")
	}
	at := func(text string, zone *time.Location) int64 {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return v.UnixMicro()
	}
	day := arrow.MonthDayNanoInterval{Days: 1}
	for _, c := range []struct {
		typ  *vector.Type
		zone *time.Location
		ts   string
		gap  arrow.MonthDayNanoInterval
		want string
	}{
		{vector.Timestamp, time.UTC, "2026-01-01 00:00:00", arrow.MonthDayNanoInterval{Nanoseconds: 5e9}, "2026-01-01 00:00:05"},
		{vector.Timestamp, time.UTC, "2026-01-01 00:00:00", arrow.MonthDayNanoInterval{Nanoseconds: -5e9}, "2025-12-31 23:59:55"},
		{vector.Timestamp, time.UTC, "2026-01-31 10:00:00", arrow.MonthDayNanoInterval{Months: 1}, "2026-02-28 10:00:00"},
		{vector.Timestamp, time.UTC, "2026-01-31 10:00:00", arrow.MonthDayNanoInterval{Months: 1, Days: 1, Nanoseconds: 1e9}, "2026-03-01 10:00:01"},
		// The clocks go forward in the night: a day is 23 hours, but not on the wall.
		{vector.Timestamp, berlin, "2026-03-28 12:00:00", day, "2026-03-29 12:00:00"},
		{vector.TimestampNTZ, time.UTC, "2026-03-28 12:00:00", day, "2026-03-29 12:00:00"},
	} {
		im, err := f.Bind(&kernels.Conf{ANSI: true}, []kernels.Arg{{Type: c.typ, SQL: "ts"}, {Type: vector.CalendarInterval, SQL: "gap"}})
		if err != nil {
			t.Fatal(err)
		}
		args := []vector.Vec{
			{Arr: vector.NewFixed(c.typ, []int64{at(c.ts, c.zone)}, nil)},
			{Arr: vector.NewFixed(vector.CalendarInterval, []arrow.MonthDayNanoInterval{c.gap}, nil), Const: true},
		}
		got, err := im.Eval(&kernels.Ctx{Zone: c.zone, ANSI: true}, args, 1)
		if err != nil {
			t.Errorf("%s + %v: %v", c.ts, c.gap, err)
			continue
		}
		if v := vector.Values[int64](got.Arr)[0]; v != at(c.want, c.zone) || !im.Result.Equal(c.typ) {
			t.Errorf("%s + %v = %s of %s, want %s", c.ts, c.gap, fmt.Sprint(time.UnixMicro(v).In(c.zone)), im.Result, c.want)
		}
	}
}
