package javatime

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"yyyy-MM-dd HH:mm:ss.SSS", "2024-02-29 12:34:56.1", "2024-02-29 12:34:56.100000"},
		{"yyyyMMdd", "20240229", "2024-02-29 00:00:00.000000"},
		{"M/d/yy h:mm a", "2/9/24 1:05 pm", "2024-02-09 13:05:00.000000"},
		{"dd MMM yyyy[ HH]", "01 jan 2024", "2024-01-01 00:00:00.000000"},
		{"yyyy-MM-dd HH:mm Z", "2024-02-29 12:34 +0530", "2024-02-29 07:04:00.000000"},
		{"yyyy-DDD", "2024-060", "2024-02-29 00:00:00.000000"},
		{"yyyy-MM-dd", "2024-1-2", ""},
		{"yyyy-MM-dd", "2024-02-30", ""},
		{"HH", "24", ""},
		{"yyyy-MM-dd", "2024-01-02x", ""},
	} {
		p, err := Compile(c.pattern, true)
		if err != nil {
			t.Fatal(err)
		}
		us, ok := p.ParseTimestamp([]byte(c.text), time.UTC)
		got := ""
		if ok {
			got = time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05.000000")
		}
		if got != c.want {
			t.Errorf("%q as %q: got %q, want %q", c.text, c.pattern, got, c.want)
		}
	}
}

// What a pattern prints it reads back.
func TestRoundTrip(t *testing.T) {
	const pattern = "uuuu"
	out, err := Compile("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", false)
	if err != nil {
		t.Fatal(err)
	}
	in, err := Compile("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", true)
	if err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("+05:30", 19800)
	rapid.Check(t, func(rt *rapid.T) {
		us := rapid.Int64Range(-62135596800000000, 253402300799999999).Draw(rt, "micros")
		s := out.Append(nil, us, zone)
		if got, ok := in.ParseTimestamp(s, time.UTC); !ok || got != us {
			rt.Fatalf("%s: got %d, %v, want %d", s, got, ok, us)
		}
	})
	if _, err := Compile(pattern, true); err == nil {
		t.Error("week-based letters must be refused")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("yyyy-MM-dd[ HH:mm:ss.SSS][XXX]", "2024-02-29 12:34:56.1+01:00")
	f.Add("'it''s' G y QQQ a z VV O", "it's AD 2024")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, parsing := range []bool{true, false} {
			p, err := Compile(pattern, parsing)
			if err != nil {
				continue
			}
			p.ParseTimestamp([]byte(text), time.UTC)
			p.ParseDate([]byte(text))
			p.Why([]byte(text))
			p.Append(nil, 1709210096789012, time.UTC)
		}
	})
}
