package kernels_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func TestParseDate(t *testing.T) {
	for s, want := range map[string]string{
		"2024-02-29": "2024-02-29", "2024-2-9": "2024-02-09", "2024": "2024-01-01", "2024-05": "2024-05-01",
		" 2024-01-01 junk": "2024-01-01", "2024-01-01Tjunk": "2024-01-01", "-0001-01-01": "-0001-01-01",
		"+10000-01-01": "+10000-01-01", "10000-01-01": "+10000-01-01", "0000-01-01": "0000-01-01",
		"2023-02-29": "", "2024-13-01": "", "20240101": "", "2024/01/01": "", "": "", "2024-": "", "2024 x": "", "24-01-01": "",
	} {
		got := ""
		if d, ok := kernels.ParseDate([]byte(s)); ok {
			got = string(kernels.AppendDate(nil, int64(d)))
		}
		if got != want {
			t.Errorf("ParseDate(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	for s, want := range map[string]string{
		"2024-01-01 12:34:56":            "2024-01-01 12:34:56",
		"2024-01-01T12:34:56.123456789Z": "2024-01-01 12:34:56.123456",
		"2024-01-01 1:2:3":               "2024-01-01 01:02:03",
		"2024-01-01 12:34":               "2024-01-01 12:34:00",
		"2024-01-01 12:34:56.1":          "2024-01-01 12:34:56.1",
		"2024-01-01 12:34:56-8":          "2024-01-01 20:34:56",
		"2024-01-01 12:34:56+0530":       "2024-01-01 07:04:56",
		"294247-01-10T04:00:54.775807Z":  "+294247-01-10 04:00:54.775807",
		"294247-01-10T04:00:54.775808Z":  "", "2024-01-01 24:00:00": "", "2024-01-01 23:59:60": "",
		"2024-01-01T": "", "abc": "", "": "", "12:34:56": "", "2024-01-01 12:34:56 Mars/Base": "", "2024-01-01 12:34:56+19:00": "",
	} {
		got := ""
		if us, ok := kernels.ParseTimestamp([]byte(s), time.UTC); ok {
			got = string(kernels.AppendTimestamp(nil, us))
		}
		if got != want {
			t.Errorf("ParseTimestamp(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestParseZone(t *testing.T) {
	for name, want := range map[string]int{
		"UTC": 0, "Z": 0, "+5:30": 19800, "-08": -28800, "+0530": 19800, "GMT+3": 10800, "UTC-01:30": -5400, "+18:00": 64800, "EST": -18000,
	} {
		z, ok := kernels.ParseZone(name)
		if !ok {
			t.Errorf("ParseZone(%q) refused", name)
			continue
		}
		if _, off := time.Unix(0, 0).In(z).Zone(); off != want {
			t.Errorf("ParseZone(%q) is %d s, want %d", name, off, want)
		}
	}
	for _, name := range []string{"", "+18:01", "Local", "utc+x", "../etc/passwd", "+1:2:3:4", "america/new_york?"} {
		if _, ok := kernels.ParseZone(name); ok {
			t.Errorf("ParseZone(%q) accepted", name)
		}
	}
}

func TestParseIntervals(t *testing.T) {
	if us, ok := kernels.ParseDayTime([]byte("INTERVAL -'1 02:03:04.5' day to second"), vector.DayTime); !ok || us != -93784500000 {
		t.Error(us, ok)
	}
	if _, ok := kernels.ParseDayTime([]byte("1 24:00:00"), vector.DayTime); ok {
		t.Error("hour 24 accepted")
	}
	if m, ok := kernels.ParseYearMonth([]byte("-1-2"), vector.YearMonth); !ok || m != -14 {
		t.Error(m, ok)
	}
	m, d, us, ok := kernels.ParseInterval([]byte("interval 1 year -2 weeks 1.5 seconds"))
	if !ok || m != 12 || d != -14 || us != 1_500_000 {
		t.Error(m, d, us, ok)
	}
	for _, s := range []string{"", "1", "1 parsec", "1.5 days", "x day", "9999999999 years"} {
		if _, _, _, ok := kernels.ParseInterval([]byte(s)); ok {
			t.Errorf("ParseInterval(%q) accepted", s)
		}
	}
}

func TestFloatText(t *testing.T) {
	for v, want := range map[float64]string{
		1: "1.0", 1e7: "1.0E7", 9999999: "9999999.0", 1e-3: "0.001", 1e-4: "1.0E-4", 1.5e300: "1.5E300", 5e-324: "4.9E-324", -0.25: "-0.25",
	} {
		if got := string(kernels.AppendDouble(nil, v)); got != want {
			t.Errorf("AppendDouble(%v) = %s, want %s", v, got, want)
		}
	}
	if got := string(kernels.AppendFloat(nil, 0.1)); got != "0.1" {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		back, ok := kernels.ParseDouble(kernels.AppendDouble(nil, v))
		if !ok || back != v && !math.IsNaN(v) {
			t.Fatalf("%v came back as %v, %v", v, back, ok)
		}
	})
}

func TestCivilRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-100_000_000, 100_000_000).Draw(t, "days")
		y, m, d := kernels.CivilFromDays(days)
		if back := kernels.DaysFromCivil(y, m, d); back != days {
			t.Fatalf("%d is %d-%d-%d, which is %d", days, y, m, d, back)
		}
		want := time.Unix(days*86400, 0).UTC()
		if int64(want.Year()) != y || int(want.Month()) != m || want.Day() != d {
			t.Fatalf("%d is %d-%d-%d, want %s", days, y, m, d, want)
		}
	})
}

// Instant and Local must agree wherever the wall clock exists once.
func TestClock(t *testing.T) {
	loc := zone(t, "America/New_York")
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Int64Range(-4e15, 4e15).Draw(t, "us")
		c := kernels.NewClock(loc)
		local := c.Local(us)
		if off := c.Offset(kernels.FloorDiv(us, 1_000_000)); c.InstantNear(local, off) != us {
			t.Fatalf("%d is %d, which is %d", us, local, c.InstantNear(local, off))
		}
		if d := c.Instant(local) - us; d != 0 && d != -3600_000_000 && d < -7200_000_000 {
			t.Fatalf("%d comes back %d off", us, d)
		}
	})
}

// ParseDecimal and AppendDecimal against math/big.
func TestDecimalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,40}`).Draw(t, "digits")
		fraction := rapid.StringMatching(`[0-9]{0,40}`).Draw(t, "fraction")
		exp := rapid.IntRange(-45, 45).Draw(t, "exp")
		scale := rapid.IntRange(0, 38).Draw(t, "scale")
		text := digits + "." + fraction + "e" + strconv.Itoa(exp)
		r, _ := new(big.Rat).SetString(text)
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		r.Mul(r, new(big.Rat).SetInt(unit))
		twice := new(big.Int).Lsh(r.Num(), 1)
		twice.Add(twice, r.Denom())
		want := twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1)) // floor(x + 1/2)
		d, outcome := kernels.ParseDecimal([]byte(text), 38, scale)
		fits := len(want.String()) <= 38
		if fits != (outcome == kernels.DecimalOK) {
			t.Fatalf("%s at scale %d: outcome %d, want value %s", text, scale, outcome, want)
		}
		if !fits {
			return
		}
		if got := strings.ReplaceAll(string(kernels.AppendDecimal(nil, d, scale)), ".", ""); strings.TrimLeft(got, "0") != strings.TrimLeft(want.String(), "0") {
			t.Fatalf("%s at scale %d = %s, want %s", text, scale, got, want)
		}
	})
}

func FuzzParsers(f *testing.F) {
	for _, s := range []string{"2024-01-01 12:34:56.123 Europe/Paris", "1e400", "-1.5E-3f", "INTERVAL '1 2:3:4' DAY TO SECOND", "0x1.8p3", "１２", "T1:2", "+"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if d, ok := kernels.ParseDate(s); ok {
			if back, ok := kernels.ParseDate(kernels.AppendDate(nil, int64(d))); !ok || back != d {
				t.Errorf("date %q: %d comes back as %d", s, d, back)
			}
		}
		if us, ok := kernels.ParseTimestampNTZ(s); ok {
			if back, ok := kernels.ParseTimestampNTZ(kernels.AppendTimestamp(nil, us)); !ok || back != us {
				t.Errorf("timestamp %q: %d comes back as %d", s, us, back)
			}
		}
		kernels.ParseTimestamp(s, nil)
		if v, ok := kernels.ParseLong(s, false); ok {
			if w, err := strconv.ParseInt(strings.TrimFunc(string(s), func(r rune) bool { return r <= ' ' || r == 0x7f }), 10, 64); err != nil || w != v {
				t.Errorf("long %q = %d, want %d, %v", s, v, w, err)
			}
		}
		kernels.ParseLong(s, true)
		kernels.ParseDouble(s)
		kernels.ParseFloat(s)
		kernels.ParseBool(s)
		if d, outcome := kernels.ParseDecimal(s, 38, 18); outcome == kernels.DecimalOK {
			if back, outcome := kernels.ParseDecimal(kernels.AppendDecimal(nil, d, 18), 38, 18); outcome != kernels.DecimalOK || back != d {
				t.Errorf("decimal %q does not come back", s)
			}
		}
		kernels.ParseInterval(s)
		if us, ok := kernels.ParseDayTime(s, vector.DayTime); ok {
			if back, ok := kernels.ParseDayTime(kernels.AppendDayTime(nil, vector.DayTime, us), vector.DayTime); !ok || back != us {
				t.Errorf("interval %q: %d comes back as %d", s, us, back)
			}
		}
		kernels.ParseYearMonth(s, vector.YearMonth)
	})
}
