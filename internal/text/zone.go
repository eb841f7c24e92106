package text

import (
	"strings"
	"sync"
	"time"
)

// shortZones is Java's ZoneId.SHORT_IDS.
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

type zoneEntry struct {
	zone *time.Location
	ok   bool
}

var zones sync.Map // string -> zoneEntry; filled by distinct names only, which are few

// ParseZone reads a time zone name as Spark's getZoneId does: "Z", an offset
// ("+05:30", "-8", "+0530"), "UTC", "GMT" or "UT" with an optional offset, one of
// Java's short names ("PST") or a region ("Europe/Paris").
func ParseZone(name string) (*time.Location, bool) {
	if e, ok := zones.Load(name); ok {
		return e.(zoneEntry).zone, e.(zoneEntry).ok
	}
	z, ok := parseZone(name)
	if ok { // bad names come from data and could be many
		zones.Store(strings.Clone(name), zoneEntry{z, ok})
	}
	return z, ok
}

func parseZone(name string) (*time.Location, bool) {
	if long, ok := shortZones[name]; ok {
		name = long
	}
	switch name {
	case "":
		return nil, false
	case "Z", "UTC", "GMT", "UT":
		return time.UTC, true
	}
	if name[0] == '+' || name[0] == '-' {
		return offsetZone(name, "")
	}
	for _, p := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest[0] == '+' || rest[0] == '-') {
			return offsetZone(rest, p)
		}
	}
	if name == "Local" || strings.ContainsAny(name, ".\\") {
		return nil, false
	}
	z, err := time.LoadLocation(name)
	return z, err == nil
}

func offsetZone(s, prefix string) (*time.Location, bool) {
	secs, ok := ParseOffset(s)
	if !ok {
		return nil, false
	}
	if secs == 0 {
		return time.UTC, true
	}
	return time.FixedZone(prefix+FormatOffset(secs), secs), true
}

// ParseOffset reads a zone offset in seconds east of UTC: +h, +hh, +h:m, +hh:mm,
// +hhmm, +hh:mm:ss, +hhmmss, at most 18 hours.
func ParseOffset(s string) (secs int, ok bool) {
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	var parts [3]int
	n := 0
	body := s[1:]
	if strings.Contains(body, ":") {
		for part := range strings.SplitSeq(body, ":") {
			if n == 3 || len(part) == 0 || len(part) > 2 || n == 2 && len(part) != 2 {
				return 0, false
			}
			if parts[n], ok = digits(part); !ok {
				return 0, false
			}
			n++
		}
	} else {
		if len(body) == 1 {
			body = "0" + body
		}
		if len(body)%2 != 0 || len(body) > 6 {
			return 0, false
		}
		for ; n < len(body)/2; n++ {
			if parts[n], ok = digits(body[2*n : 2*n+2]); !ok {
				return 0, false
			}
		}
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

// FormatOffset prints an offset as "+05:30" or, with seconds, "+05:30:15".
func FormatOffset(secs int) string {
	b := []byte{'+'}
	if secs < 0 {
		b[0] = '-'
		secs = -secs
	}
	b = append(appendPadded(b, secs/3600, 2), ':')
	b = appendPadded(b, secs/60%60, 2)
	if secs%60 != 0 {
		b = appendPadded(append(b, ':'), secs%60, 2)
	}
	return string(b)
}

func digits(s string) (int, bool) {
	v := 0
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int(d)
	}
	return v, true
}

func appendPadded(b []byte, v, width int) []byte {
	var tmp [20]byte
	i := len(tmp)
	for v > 0 || width > 0 {
		i--
		tmp[i] = byte('0' + v%10)
		v /= 10
		width--
	}
	return append(b, tmp[i:]...)
}
