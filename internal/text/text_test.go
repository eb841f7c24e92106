package text

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCivilRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.IntRange(-5_000_000, 5_000_000).Draw(rt, "days")
		y, m, day := Civil(d)
		if Days(y, m, day) != d || !ValidDate(y, m, day) {
			rt.Fatalf("%d: %d-%d-%d", d, y, m, day)
		}
		if g := time.Unix(int64(d)*86400, 0).UTC(); g.Year() != y || int(g.Month()) != m || g.Day() != day {
			rt.Fatalf("%d: %d-%d-%d, want %v", d, y, m, day, g)
		}
	})
}

func TestParseTimestamp(t *testing.T) {
	for s, want := range map[string]string{
		"2024-01-01 12:34:56+05:30": "2024-01-01 07:04:56", " 2024-2-9 ": "2024-02-09 00:00:00", "2024": "2024-01-01 00:00:00",
		"2024-01-01T12:34:56.123456789Z": "2024-01-01 12:34:56.123456", "2024-02-30": "", "2024-01-01 24:00:00": "", "abc": "", "": "",
		"2024-01-01 12:34:56 PST": "2024-01-01 20:34:56",
	} {
		v, ok := ParseTimestamp([]byte(s), time.UTC)
		got := ""
		if ok {
			got = string(AppendTimestamp(nil, v))
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestInstantMicrosInGapAndOverlap(t *testing.T) {
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{"2024-03-10 02:30:00": "2024-03-10 07:30:00", "2024-11-03 01:30:00": "2024-11-03 05:30:00"} {
		v, _ := ParseTimestamp([]byte(s), ny)
		if got := string(AppendTimestamp(nil, v)); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

func TestDecimals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := new(big.Int).Mul(big.NewInt(rapid.Int64().Draw(rt, "a")), big.NewInt(rapid.Int64().Draw(rt, "b")))
		if got := Big(Decimal128(v)); got.Cmp(v) != 0 {
			rt.Fatalf("got %s, want %s", got, v)
		}
	})
	for s, want := range map[string]string{"1.235": "1.24", "-1.235": "-1.24", "1e2": "100.00", ".5": "0.50"} {
		v, scale, ok := ParseBig([]byte(s))
		if got := string(AppendDecimal(nil, Rescale(v, scale, 2), 2)); !ok || got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

func TestAppendDouble(t *testing.T) {
	for v, want := range map[float64]string{1: "1.0", 1e7: "1.0E7", 1e-4: "1.0E-4", 123.456: "123.456", 5e-324: "4.9E-324"} {
		if got := string(AppendDouble(nil, v)); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}
