package text

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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
		if d, ok := ParseDate([]byte(s)); ok {
			got = string(AppendDate(nil, int64(d)))
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
		" 2024-2-9 ":                     "2024-02-09 00:00:00",
		"2024":                           "2024-01-01 00:00:00",
		"2024-01-01 12:34:56 PST":        "2024-01-01 20:34:56",
		"294247-01-10T04:00:54.775807Z":  "+294247-01-10 04:00:54.775807",
		"294247-01-10T04:00:54.775808Z":  "", "2024-01-01 24:00:00": "", "2024-01-01 23:59:60": "",
		"2024-01-01T": "", "abc": "", "": "", "12:34:56": "", "2024-01-01 12:34:56 Mars/Base": "", "2024-01-01 12:34:56+19:00": "",
	} {
		got := ""
		if us, ok := ParseTimestamp([]byte(s), time.UTC); ok {
			got = string(AppendTimestamp(nil, us))
		}
		if got != want {
			t.Errorf("ParseTimestamp(%q) = %q, want %q", s, got, want)
		}
	}
}

// TestPlainTimestamp reads correct and damaged texts of the usual form in eight-byte words
// and piece by piece.
func TestPlainTimestamp(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	plain := 0
	for range 200_000 {
		s := fmt.Appendf(nil, "%04d-%02d-%02d%c%02d:%02d:%02d", r.IntN(10_000), r.IntN(14), r.IntN(33), " T"[r.IntN(2)], r.IntN(25), r.IntN(61), r.IntN(61))
		if r.IntN(3) > 0 {
			s = append(s, fmt.Sprintf(".%06d", r.IntN(1_000_000))[:r.IntN(8)]...)
		}
		if r.IntN(3) == 0 {
			s = append(s, 'Z')
		}
		if r.IntN(4) == 0 {
			s[r.IntN(len(s))] = byte(r.IntN(256))
		}
		micros, zulu, ok := plainTimestamp(s)
		if !ok {
			continue
		}
		plain++
		p, split := splitTimestamp(s)
		want, valid := p.local(0)
		if !split || !valid || want != micros || zulu != (p.zone != nil) {
			t.Fatalf("%q is %d, zulu %t; want %d, zone %q", s, micros, zulu, want, p.zone)
		}
	}
	if plain < 50_000 {
		t.Errorf("only %d texts were plain", plain)
	}
}

func TestParseZone(t *testing.T) {
	for name, want := range map[string]int{
		"UTC": 0, "Z": 0, "+5:30": 19800, "-08": -28800, "+0530": 19800, "GMT+3": 10800, "UTC-01:30": -5400, "+18:00": 64800, "EST": -18000,
	} {
		z, ok := ParseZone(name)
		if !ok {
			t.Errorf("ParseZone(%q) refused", name)
			continue
		}
		if _, off := time.Unix(0, 0).In(z).Zone(); off != want {
			t.Errorf("ParseZone(%q) is %d s, want %d", name, off, want)
		}
	}
	for _, name := range []string{"", "+18:01", "Local", "utc+x", "../etc/passwd", "+1:2:3:4", "america/new_york?"} {
		if _, ok := ParseZone(name); ok {
			t.Errorf("ParseZone(%q) accepted", name)
		}
	}
}

func TestParseIntervals(t *testing.T) {
	if us, ok := ParseDayTime([]byte("INTERVAL -'1 02:03:04.5' day to second"), vector.DayTime); !ok || us != -93784500000 {
		t.Error(us, ok)
	}
	if _, ok := ParseDayTime([]byte("1 24:00:00"), vector.DayTime); ok {
		t.Error("hour 24 accepted")
	}
	if m, ok := ParseYearMonth([]byte("-1-2"), vector.YearMonth); !ok || m != -14 {
		t.Error(m, ok)
	}
	m, d, us, ok := ParseInterval([]byte("interval 1 year -2 weeks 1.5 seconds"))
	if !ok || m != 12 || d != -14 || us != 1_500_000 {
		t.Error(m, d, us, ok)
	}
	for _, s := range []string{"", "1", "1 parsec", "1.5 days", "x day", "9999999999 years"} {
		if _, _, _, ok := ParseInterval([]byte(s)); ok {
			t.Errorf("ParseInterval(%q) accepted", s)
		}
	}
}

func TestFloatText(t *testing.T) {
	for v, want := range map[float64]string{
		1: "1.0", 1e7: "1.0E7", 9999999: "9999999.0", 1e-3: "0.001", 1e-4: "1.0E-4", 1.5e300: "1.5E300", 5e-324: "4.9E-324", -0.25: "-0.25",
	} {
		if got := string(AppendDouble(nil, v)); got != want {
			t.Errorf("AppendDouble(%v) = %s, want %s", v, got, want)
		}
	}
	if got := string(AppendFloat(nil, 0.1)); got != "0.1" {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		back, ok := ParseDouble(AppendDouble(nil, v))
		if !ok || back != v && !math.IsNaN(v) {
			t.Fatalf("%v came back as %v, %v", v, back, ok)
		}
	})
}

func TestCivilRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-100_000_000, 100_000_000).Draw(t, "days")
		y, m, d := CivilFromDays(days)
		if back := DaysFromCivil(y, m, d); back != days {
			t.Fatalf("%d is %d-%d-%d, which is %d", days, y, m, d, back)
		}
		want := time.Unix(days*86400, 0).UTC()
		if int64(want.Year()) != y || int(want.Month()) != m || want.Day() != d {
			t.Fatalf("%d is %d-%d-%d, want %s", days, y, m, d, want)
		}
	})
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

// Instant and Local must agree wherever the wall clock exists once.
func TestClock(t *testing.T) {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Int64Range(-4e15, 4e15).Draw(t, "us")
		c := NewClock(loc)
		local := c.Local(us)
		if off := c.Offset(FloorDiv(us, 1_000_000)); c.InstantNear(local, off) != us {
			t.Fatalf("%d is %d, which is %d", us, local, c.InstantNear(local, off))
		}
		if d := c.Instant(local) - us; d != 0 && d != -3600_000_000 && d < -7200_000_000 {
			t.Fatalf("%d comes back %d off", us, d)
		}
	})
}

func FuzzParsers(f *testing.F) {
	for _, s := range []string{"2024-01-01 12:34:56.123 Europe/Paris", "1e400", "-1.5E-3f", "INTERVAL '1 2:3:4' DAY TO SECOND", "0x1.8p3", "１２", "T1:2", "+"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if d, ok := ParseDate(s); ok {
			if back, ok := ParseDate(AppendDate(nil, int64(d))); !ok || back != d {
				t.Errorf("date %q: %d comes back as %d", s, d, back)
			}
		}
		if us, ok := ParseTimestampNTZ(s, true); ok {
			if back, ok := ParseTimestampNTZ(AppendTimestamp(nil, us), false); !ok || back != us {
				t.Errorf("timestamp %q: %d comes back as %d", s, us, back)
			}
		}
		ParseTimestamp(s, nil)
		if v, ok := ParseLong(s, false); ok {
			if w, err := strconv.ParseInt(strings.TrimFunc(string(s), func(r rune) bool { return r <= ' ' || r == 0x7f }), 10, 64); err != nil || w != v {
				t.Errorf("long %q = %d, want %d, %v", s, v, w, err)
			}
		}
		ParseLong(s, true)
		ParseDouble(s)
		ParseFloat(s)
		ParseBool(s)
		ParseInterval(s)
		if us, ok := ParseDayTime(s, vector.DayTime); ok {
			if back, ok := ParseDayTime(AppendDayTime(nil, vector.DayTime, us), vector.DayTime); !ok || back != us {
				t.Errorf("interval %q: %d comes back as %d", s, us, back)
			}
		}
		ParseYearMonth(s, vector.YearMonth)
	})
}
