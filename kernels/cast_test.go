package kernels_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, ok := text.ParseZone(name)
	if !ok {
		t.Fatalf("zone %s", name)
	}
	return z
}

func TestCast(t *testing.T) {
	day := vector.DayTimeOf(vector.FieldDay, vector.FieldDay)
	for _, c := range []struct {
		from  *vector.Type
		value any
		to    *vector.Type
		want  any    // in ANSI mode
		err   string // or its condition
		try   any    // TRY_CAST, where ANSI raises
		leg   any    // with ANSI mode off, where ANSI raises
	}{
		{from: vector.String, value: " 12\t", to: vector.Int, want: int64(12)},
		{from: vector.String, value: "1.9", to: vector.Int, err: "CAST_INVALID_INPUT", leg: int64(1)},
		{from: vector.String, value: "-9223372036854775808", to: vector.Long, want: int64(math.MinInt64)},
		{from: vector.String, value: "9223372036854775808", to: vector.Long, err: "CAST_INVALID_INPUT"},
		{from: vector.String, value: "1d", to: vector.Double, want: 1.0},
		{from: vector.String, value: "-inf", to: vector.Double, want: math.Inf(-1)},
		{from: vector.String, value: "0x1A", to: vector.Double, err: "CAST_INVALID_INPUT"},
		{from: vector.String, value: "1_000", to: vector.Double, err: "CAST_INVALID_INPUT"},
		{from: vector.String, value: "yes", to: vector.Bool, want: true},
		{from: vector.String, value: "on", to: vector.Bool, err: "CAST_INVALID_INPUT"},
		{from: vector.String, value: "１２.345", to: dec(5, 2), want: "12.35"},
		{from: vector.String, value: "1e3", to: dec(10, 0), want: "1000"},
		{from: vector.String, value: "1234.5", to: dec(5, 2), err: "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{from: vector.String, value: "1e400", to: dec(5, 2), err: "NUMERIC_OUT_OF_SUPPORTED_RANGE"},
		{from: vector.Int, value: 300, to: vector.Byte, err: "CAST_OVERFLOW", leg: int64(44)},
		{from: vector.Double, value: 1e20, to: vector.Int, err: "CAST_OVERFLOW", leg: int64(math.MaxInt32)},
		{from: vector.Double, value: math.NaN(), to: vector.Int, err: "CAST_OVERFLOW", leg: int64(0)},
		{from: vector.Double, value: math.NaN(), to: dec(10, 2), want: nil},
		{from: vector.Double, value: 2.5, to: dec(1, 0), want: "3"},
		{from: vector.Double, value: 1e21, to: vector.String, want: "1.0E21"},
		{from: vector.Double, value: 5e-324, to: vector.String, want: "4.9E-324"},
		{from: vector.Int, value: 0, to: vector.Bool, want: false},
		{from: vector.Long, value: 1704067200, to: vector.Timestamp, want: "2024-01-01T00:00:00.000000Z"},
		{from: vector.Timestamp, value: -500_000, to: vector.Long, want: int64(-1)},
		{from: vector.Timestamp, value: 253402300799999999, to: dec(20, 6), want: "253402300799.999999"},
		{from: vector.Date, value: -1, to: vector.String, want: "1969-12-31"},
		{from: vector.String, value: "1", to: day, want: int64(86_400_000_000)},
		{from: vector.String, value: "1 day 2 hours", to: vector.CalendarInterval, want: "1 days 2 hours"},
		{from: vector.DayTime, value: 90_061_000_001, to: vector.String, want: "INTERVAL '1 01:01:01.000001' DAY TO SECOND"},
		{from: vector.YearMonth, value: -13, to: vector.String, want: "INTERVAL '-1-1' YEAR TO MONTH"},
		{from: vector.Binary, value: []byte{0xe3, 0x81, 'a', 0xff}, to: vector.String, want: "\uFFFDa\uFFFD"},
	} {
		name := fmt.Sprintf("CAST(%v AS %s)", c.value, c.to)
		for mode, want := range map[kernels.CastMode]any{kernels.CastANSI: c.want, kernels.CastTry: c.try, kernels.CastLegacy: c.leg} {
			if c.err == "" {
				want = c.want
			}
			got, err := castTo(t, c.from, c.value, c.to, mode, time.UTC)
			if mode == kernels.CastANSI && c.err != "" {
				if conditionOf(err) != c.err {
					t.Errorf("%s: error %v, want %s", name, err, c.err)
				}
				continue
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s in mode %d = %v, %v; want %v", name, mode, got, err, want)
			}
		}
	}
}

// A text that is no interval is refused outside of ANSI mode too.
func TestCastToIntervalFails(t *testing.T) {
	for _, mode := range []kernels.CastMode{kernels.CastANSI, kernels.CastLegacy} {
		for to, want := range map[*vector.Type]string{
			vector.DayTime:   "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE",
			vector.YearMonth: "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING",
		} {
			if _, err := castTo(t, vector.String, "1 day", to, mode, time.UTC); conditionOf(err) != want {
				t.Errorf("CAST('1 day' AS %s) in mode %d: error %v, want %s", to, mode, err, want)
			}
		}
	}
	if got, err := castTo(t, vector.String, "1 day", vector.DayTime, kernels.CastTry, time.UTC); got != nil || err != nil {
		t.Errorf("TRY_CAST = %v, %v; want null", got, err)
	}
}

func TestCastInZone(t *testing.T) {
	ny := zone(t, "America/New_York")
	for _, c := range []struct {
		from  *vector.Type
		value any
		to    *vector.Type
		want  string
	}{
		{vector.String, "2024-01-01", vector.Timestamp, "2024-01-01T05:00:00.000000Z"},
		{vector.String, "2024-03-10 02:30:00", vector.Timestamp, "2024-03-10T07:30:00.000000Z"}, // skipped: moves on
		{vector.String, "2024-11-03 01:30:00", vector.Timestamp, "2024-11-03T05:30:00.000000Z"}, // twice: the first
		{vector.String, "2024-01-01T12:34:56+05:30", vector.Timestamp, "2024-01-01T07:04:56.000000Z"},
		{vector.String, "2024-01-01 12:34:56 GMT+3", vector.Timestamp, "2024-01-01T09:34:56.000000Z"},
		{vector.String, "2024-01-01 12:34:56 PST", vector.Timestamp, "2024-01-01T20:34:56.000000Z"},
		{vector.String, "1800-01-01", vector.Timestamp, "1800-01-01T04:56:02.000000Z"}, // local mean time
		{vector.Timestamp, 1710055800000000, vector.String, "2024-03-10 03:30:00"},
		{vector.Timestamp, 0, vector.Date, "1969-12-31"},
		{vector.Date, 0, vector.Timestamp, "1970-01-01T05:00:00.000000Z"},
		{vector.Timestamp, 0, vector.TimestampNTZ, "1969-12-31T19:00:00.000000"},
		{vector.TimestampNTZ, 0, vector.Timestamp, "1970-01-01T05:00:00.000000Z"},
	} {
		got, err := castTo(t, c.from, c.value, c.to, kernels.CastANSI, ny)
		if err != nil || got != c.want {
			t.Errorf("CAST(%v AS %s) = %v, %v; want %s", c.value, c.to, got, err, c.want)
		}
	}
}

func TestCanCast(t *testing.T) {
	for _, c := range []struct {
		from, to     *vector.Type
		ansi, legacy bool
		condition    string // of CheckCast in ANSI mode
	}{
		{vector.Int, vector.Date, false, false, "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION"},
		{vector.Date, vector.Int, false, true, "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION"},
		{vector.Bool, vector.Timestamp, false, true, "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION"},
		{vector.Binary, vector.Int, false, false, "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"},
		{vector.ArrayOf(vector.Int, true), vector.ArrayOf(vector.String, true), true, true, ""},
		{vector.ArrayOf(vector.Int, true), vector.ArrayOf(vector.Int, false), true, true, ""},
		{vector.Null, vector.Int, true, true, ""},
	} {
		if got := kernels.CanCast(c.from, c.to, kernels.CastANSI); got != c.ansi {
			t.Errorf("CanCast(%s, %s, ANSI) = %v", c.from, c.to, got)
		}
		if got := kernels.CanCast(c.from, c.to, kernels.CastLegacy); got != c.legacy {
			t.Errorf("CanCast(%s, %s, legacy) = %v", c.from, c.to, got)
		}
		if got := conditionOf(kernels.CheckCast(c.from, c.to, kernels.CastANSI, "x")); got != c.condition {
			t.Errorf("CheckCast(%s, %s) = %q, want %q", c.from, c.to, got, c.condition)
		}
	}
}

// A cast of nested values must not fail for a value that a null parent hides.
func TestCastHidesNullParents(t *testing.T) {
	child := col(vector.String, "1", "x").array()
	from := vector.StructOf(vector.Field{Name: "a", Type: vector.String, Nullable: true})
	to := vector.StructOf(vector.Field{Name: "a", Type: vector.Int, Nullable: true})
	valid := vector.NewBitmap(2)
	valid.Set(0)
	ctx := &kernels.Ctx{Zone: time.UTC, ANSI: true}
	st := vector.NewStruct(from, []arrow.Array{child}, 2, valid)
	out, err := kernels.CastArray(ctx, st, from, to, kernels.CastANSI)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kernels.ValueAt(to, out, 0), kernels.ValueAt(to, out, 1)); got != "[1] <nil>" {
		t.Error(got)
	}
	list := vector.NewList(vector.ArrayOf(vector.String, true), []int32{0, 1, 2}, child, valid)
	ints := vector.ArrayOf(vector.Int, true)
	if out, err = kernels.CastArray(ctx, list, vector.ArrayOf(vector.String, true), ints, kernels.CastANSI); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kernels.ValueAt(ints, out, 0), kernels.ValueAt(ints, out, 1)); got != "[1] <nil>" {
		t.Error(got)
	}
}
