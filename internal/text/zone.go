package text

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// shortZones are java.time.ZoneId.SHORT_IDS.
var shortZones = map[string]string{
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
	"ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
	"CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
	"EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis",
	"IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
	"NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
	"PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
	"EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}

var (
	zones    sync.Map // string -> *time.Location; nil for a name that is none
	badZones atomic.Int32
)

// maxBadZones bounds how many wrong names are remembered: they come from data.
const maxBadZones = 4096

// ParseZone finds a time zone by the names that Spark takes: a region
// ("Europe/Paris"), an offset ("+5:30", "-08", "+0530"), "UTC", "GMT+3", "Z",
// or one of Java's short names. Names are case-sensitive.
func ParseZone(name string) (*time.Location, bool) {
	if z, ok := zones.Load(name); ok {
		z := z.(*time.Location)
		return z, z != nil
	}
	z, ok := resolveZone(name)
	if !ok {
		z = nil
	}
	// To look for a name that is none goes through the files of the system.
	if ok || badZones.Add(1) <= maxBadZones {
		zones.Store(strings.Clone(name), z)
	}
	return z, ok
}

func resolveZone(s string) (*time.Location, bool) {
	if to, ok := shortZones[s]; ok {
		s = to
	}
	switch s {
	case "":
		return nil, false
	case "Z", "UTC", "GMT", "UT":
		return time.UTC, true
	}
	if s[0] == '+' || s[0] == '-' {
		return offsetZone(s)
	}
	for _, p := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(s, p); ok && rest != "" && (rest[0] == '+' || rest[0] == '-') {
			return offsetZone(rest)
		}
	}
	if s == "Local" || len(s) < 2 {
		return nil, false
	}
	z, err := time.LoadLocation(s)
	return z, err == nil
}

// offsetZone is the zone of an offset behind UTC, GMT, UT or nothing.
func offsetZone(s string) (*time.Location, bool) {
	secs, ok := ParseOffset(s)
	if !ok {
		return nil, false
	}
	return OffsetZone(secs), true
}

// OffsetZone is the zone of an offset in seconds east of UTC, named as Java does: +05:30.
func OffsetZone(secs int) *time.Location {
	if secs == 0 {
		return time.UTC
	}
	return time.FixedZone(FormatOffset(secs), secs)
}

// ParseOffset reads a zone offset in seconds east of UTC, at most 18 hours: +h,
// +hh, +h:mm, +hh:m, +hh:mm, +hhmm, +hh:mm:ss, +hhmmss.
func ParseOffset(s string) (secs int, ok bool) {
	if s = padOffset(s); len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	body := s[1:]
	if len(body) == 1 {
		body = "0" + body
	}
	colons := strings.Contains(body, ":")
	var parts [3]int
	for n := 0; len(body) > 0; n++ {
		if n == len(parts) {
			return 0, false
		}
		if n > 0 && colons {
			if body[0] != ':' {
				return 0, false
			}
			body = body[1:]
		}
		if len(body) < 2 || body[0]-'0' > 9 || body[1]-'0' > 9 {
			return 0, false
		}
		parts[n] = int(body[0]-'0')*10 + int(body[1]-'0')
		body = body[2:]
	}
	secs = parts[0]*3600 + parts[1]*60 + parts[2]
	if parts[1] > 59 || parts[2] > 59 || secs > 18*3600 {
		return 0, false
	}
	if s[0] == '-' {
		secs = -secs
	}
	return secs, true
}

// padOffset writes +h:mm as +hh:mm and +hh:m as +hh:0m, once each, as Spark does.
func padOffset(s string) string {
	digit := func(i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := 0; i < len(s); i++ {
		if (s[i] == '+' || s[i] == '-') && digit(i+1) && i+2 < len(s) && s[i+2] == ':' {
			s = s[:i+1] + "0" + s[i+1:]
			break
		}
	}
	for i := 0; i < len(s); i++ {
		if (s[i] == '+' || s[i] == '-') && digit(i+1) && digit(i+2) && i+4 == len(s)-1 && s[i+3] == ':' && digit(i+4) {
			return s[:i+4] + "0" + s[i+4:]
		}
	}
	return s
}

// FormatOffset prints an offset as "+05:30" or, with seconds, "+05:30:15".
func FormatOffset(secs int) string {
	sign, v := byte('+'), int64(secs)
	if v < 0 {
		sign, v = '-', -v
	}
	b := append2(append(append2([]byte{sign}, v/3600), ':'), v/60%60)
	if v%60 != 0 {
		b = append2(append(b, ':'), v%60)
	}
	return string(b)
}
