package javatime

import (
	"strings"
	"time"
	"unsafe"

	"github.com/vstream/vstream/internal/text"
)

// Fields of a parsed text, as bits of parsed.has.
const (
	hasYear = 1 << iota
	hasYearOfEra
	hasEra
	hasMonth
	hasDay
	hasDayOfYear
	hasHalf
	hasHour
	hasHourOfHalf
	hasMin
	hasSec
	hasNano
	hasZone
)

// parsed holds the fields that a text gave.
type parsed struct {
	has                            uint16
	year, era, month, day, yearDay int
	half, hour, hourOfHalf         int
	min, sec, nano                 int
	zone                           *time.Location
}

// set stores a field; false if it was given before with another value or lies
// outside least..most.
func (r *parsed) set(bit uint16, dst *int, v, least, most int) bool {
	if v < least || v > most || r.has&bit != 0 && *dst != v {
		return false
	}
	r.has |= bit
	*dst = v
	return true
}

const maxYear = 999_999_999 // Java's Year.MAX_VALUE

func (r *parsed) number(field byte, v int) bool {
	switch field {
	case 'u':
		return r.set(hasYear, &r.year, v, -maxYear, maxYear)
	case 'y':
		return r.set(hasYearOfEra, &r.year, v, 1, maxYear)
	case 'M':
		return r.set(hasMonth, &r.month, v, 1, 12)
	case 'd':
		return r.set(hasDay, &r.day, v, 1, 31)
	case 'D':
		return r.set(hasDayOfYear, &r.yearDay, v, 1, 366)
	case 'H':
		return r.set(hasHour, &r.hour, v, 0, 23)
	case 'k':
		return v >= 1 && r.set(hasHour, &r.hour, v%24, 0, v)
	case 'K':
		return r.set(hasHourOfHalf, &r.hourOfHalf, v, 0, 11)
	case 'h':
		return v >= 1 && v <= 12 && r.set(hasHourOfHalf, &r.hourOfHalf, v%12, 0, 11)
	case 'm':
		return r.set(hasMin, &r.min, v, 0, 59)
	case 's':
		return r.set(hasSec, &r.sec, v, 0, 59)
	}
	return false
}

// Position errors: the index of the byte at which parsing failed is ^pos, as in Java.

func (r *parsed) ops(ops []op, s string, pos int) int {
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case opLiteral:
			if len(s)-pos < len(o.lit) || !strings.EqualFold(s[pos:pos+len(o.lit)], o.lit) {
				return ^pos
			}
			pos += len(o.lit)
		case opNumber, opReduced:
			pos = r.parseNumber(o, s, pos)
		case opFraction:
			pos = r.parseFraction(o, s, pos)
		case opText:
			pos = r.parseText(o, s, pos)
		case opOffset:
			pos = r.parseOffset(o, s, pos)
		case opLocalOffset:
			pos = r.parseLocalOffset(s, pos)
		case opZoneID, opZoneName:
			pos = r.parseZone(s, pos)
		case opOptional:
			saved := *r
			if end := r.ops(o.sub, s, pos); end >= 0 {
				pos = end
			} else {
				*r = saved
			}
		}
		if pos < 0 {
			return pos
		}
	}
	return pos
}

func (r *parsed) parseNumber(o *op, s string, pos int) int {
	start, neg, plus := pos, false, false
	if pos == len(s) {
		return ^pos
	}
	switch s[pos] {
	case '+':
		if o.sign != exceedsPad {
			return ^pos
		}
		plus = true
		pos++
	case '-':
		if o.sign == notNegative {
			return ^pos
		}
		neg = true
		pos++
	}
	first := pos
	if first+o.min > len(s) {
		return ^first
	}
	end := first
	for limit := min(first+o.max+o.behind, len(s)); end < limit && s[end]-'0' <= 9; {
		end++
	}
	if end < first+o.min {
		return ^first
	}
	if o.behind > 0 {
		end = first + max(o.min, end-first-o.behind)
	}
	if end-first > 18 {
		return ^first
	}
	v := 0
	for _, c := range []byte(s[first:end]) {
		v = v*10 + int(c-'0')
	}
	switch {
	case neg:
		if v == 0 {
			return ^start
		}
		v = -v
	case o.sign == exceedsPad && plus != (end-first > o.min):
		return ^start
	}
	if o.kind == opReduced {
		v += 2000
	}
	if !r.number(o.field, v) {
		return ^start
	}
	return end
}

func (r *parsed) parseFraction(o *op, s string, pos int) int {
	end, v := pos, 0
	for end < len(s) && end-pos < o.max && s[end]-'0' <= 9 {
		v = v*10 + int(s[end]-'0')
		end++
	}
	if end-pos < o.min {
		return ^pos
	}
	for i := end - pos; i < 9; i++ {
		v *= 10
	}
	if !r.set(hasNano, &r.nano, v, 0, 999_999_999) {
		return ^pos
	}
	return end
}

// longest finds the longest of the names that s begins with at pos; width > 0
// cuts the names.
func longest(names []string, width int, s string, pos int) (index, end int) {
	index, end = -1, ^pos
	for i, n := range names {
		if width > 0 {
			n = n[:width]
		}
		if len(s)-pos >= len(n) && strings.EqualFold(s[pos:pos+len(n)], n) && pos+len(n) > end {
			index, end = i, pos+len(n)
		}
	}
	return index, end
}

func (r *parsed) parseText(o *op, s string, pos int) int {
	switch o.field {
	case 'M':
		width := 3
		if o.count == 4 {
			width = 0
		}
		i, end := longest(months[:], width, s, pos)
		if end < 0 || !r.number('M', i+1) {
			return ^pos
		}
		return end
	case 'a':
		i, end := longest(halves[:], 0, s, pos)
		if end < 0 || !r.set(hasHalf, &r.half, i, 0, 1) {
			return ^pos
		}
		return end
	case 'G':
		names := erasAbbr[:]
		if o.count == 4 {
			names = eras[:]
		}
		i, end := longest(names, 0, s, pos)
		if end < 0 || !r.set(hasEra, &r.era, i, 0, 1) {
			return ^pos
		}
		return end
	}
	return ^pos
}

func (r *parsed) setZone(z *time.Location) { r.has, r.zone = r.has|hasZone, z }

// parseOffset reads the offset of the letters X, x and Z.
func (r *parsed) parseOffset(o *op, s string, pos int) int {
	if pos < len(s) && (s[pos] == 'Z' || s[pos] == 'z') && (o.field == 'X' || o.field == 'Z' && o.count == 5) {
		r.setZone(time.UTC)
		return pos + 1
	}
	count := o.count
	if o.field == 'Z' && count < 4 {
		count = 2
	}
	if pos == len(s) || s[pos] != '+' && s[pos] != '-' {
		return ^pos
	}
	end := pos + 1
	colon := count == 3 || count == 5
	take := func(withColon bool) bool {
		e := end
		if withColon {
			if e == len(s) || s[e] != ':' {
				return false
			}
			e++
		}
		if e+2 > len(s) || s[e]-'0' > 9 || s[e+1]-'0' > 9 {
			return false
		}
		end = e + 2
		return true
	}
	if !take(false) {
		return ^pos
	}
	if !take(colon) {
		if count != 1 {
			return ^pos
		}
	} else if count > 3 {
		take(colon)
	}
	secs, ok := text.ParseOffset(s[pos:end])
	if !ok {
		return ^pos
	}
	r.setZone(text.OffsetZone(secs))
	return end
}

func (r *parsed) parseLocalOffset(s string, pos int) int {
	if len(s)-pos < 3 || s[pos:pos+3] != "GMT" {
		return ^pos
	}
	end := pos + 3
	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		e := end + 1
		for e < len(s) && (s[e]-'0' <= 9 || s[e] == ':') {
			e++
		}
		secs, ok := text.ParseOffset(s[end:e])
		if !ok {
			return ^pos
		}
		r.setZone(text.OffsetZone(secs))
		return e
	}
	r.setZone(time.UTC)
	return end
}

// parseZone reads a region, an abbreviation or an offset.
func (r *parsed) parseZone(s string, pos int) int {
	end := pos
	for end < len(s) {
		c := s[end]
		if c-'0' > 9 && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.ContainsRune("/_+-:~", rune(c)) {
			break
		}
		end++
	}
	for ; end > pos; end-- {
		name := s[pos:end]
		if std, ok := abbreviations[name]; ok {
			name = std
		}
		if z, ok := text.ParseZone(name); ok {
			r.setZone(z)
			return end
		}
	}
	return ^pos
}

// abbreviations of zones that the short ids of Java do not have, or have with
// another meaning than the text parser of z.
var abbreviations = map[string]string{
	"EST": "America/New_York", "EDT": "America/New_York", "CDT": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "PDT": "America/Los_Angeles",
	"CET": "Europe/Paris", "CEST": "Europe/Paris", "BST": "Europe/London", "HST": "Pacific/Honolulu",
}

// parse reads all of s.
func (p *Pattern) parse(b []byte) (r parsed, end int) {
	s := unsafe.String(unsafe.SliceData(b), len(b))
	end = r.ops(p.ops, s, 0)
	return r, end
}

// date resolves the date fields with Spark's defaults: 1970, January, the first.
func (r *parsed) date() (days int, ok bool) {
	year := 1970
	switch {
	case r.has&hasYear != 0:
		year = r.year
	case r.has&hasYearOfEra != 0:
		year = r.year
		if r.has&hasEra != 0 && r.era == 0 {
			year = 1 - year
		}
	}
	month, day := 1, 1
	if r.has&hasMonth != 0 {
		month = r.month
	}
	if r.has&hasDay != 0 {
		day = r.day
	}
	if r.has&hasDayOfYear != 0 && r.has&(hasYear|hasYearOfEra) != 0 {
		if r.yearDay == 366 && !text.IsLeap(int64(year)) {
			return 0, false
		}
		days := text.DaysFromCivil(int64(year), 1, 1) + int64(r.yearDay) - 1
		_, m, d := text.CivilFromDays(days)
		return int(days), (r.has&hasMonth == 0 || m == month) && (r.has&hasDay == 0 || d == day)
	}
	return int(text.DaysFromCivil(int64(year), month, day)), text.ValidDate(int64(year), month, day)
}

// secs resolves the time fields to a second of the day.
func (r *parsed) secs() (int, bool) {
	hour := 0
	switch {
	case r.has&hasHour != 0:
		hour = r.hour
		if r.has&hasHalf != 0 && hour/12 != r.half || r.has&hasHourOfHalf != 0 && hour%12 != r.hourOfHalf {
			return 0, false
		}
	case r.has&hasHourOfHalf != 0:
		hour = r.hourOfHalf
		if r.has&hasHalf != 0 {
			hour += 12 * r.half
		}
	case r.has&hasHalf != 0:
		hour = 12 * r.half
	}
	return hour*3600 + r.min*60 + r.sec, true
}

// resolve gives the wall-clock microseconds of a parsed text.
func (p *Pattern) resolve(b []byte) (local int64, zone *time.Location, ok bool) {
	r, end := p.parse(b)
	if end != len(b) {
		return 0, nil, false
	}
	days, ok := r.date()
	if !ok {
		return 0, nil, false
	}
	secs, ok := r.secs()
	if !ok {
		return 0, nil, false
	}
	local, ok = text.MulAdd(int64(days), text.MicrosPerDay, int64(secs)*text.MicrosPerSecond+int64(r.nano/1000))
	return local, r.zone, ok
}

// ParseTimestamp reads an instant; a text without a zone is in zone. Missing
// fields default to 1970-01-01 00:00:00.
func (p *Pattern) ParseTimestamp(b []byte, zone *time.Location) (micros int64, ok bool) {
	local, z, ok := p.resolve(b)
	if !ok {
		return 0, false
	}
	if z == nil {
		z = zone
	}
	return text.InstantMicros(local, z), true
}

// ParseNTZ reads a wall-clock time; with a zone in the text it fails unless
// allowZone is set, which ignores it.
func (p *Pattern) ParseNTZ(b []byte, allowZone bool) (micros int64, ok bool) {
	local, z, ok := p.resolve(b)
	return local, ok && (z == nil || allowZone)
}

// ParseDate reads a date as days since 1970-01-01; a time in the text is ignored.
func (p *Pattern) ParseDate(b []byte) (days int32, ok bool) {
	r, end := p.parse(b)
	if end != len(b) {
		return 0, false
	}
	d, ok := r.date()
	return int32(d), ok && d == int(int32(d))
}

// Why explains, in Java's words, why a text does not parse.
func (p *Pattern) Why(b []byte) string {
	_, end := p.parse(b)
	what := "Text '" + string(b) + "' could not be parsed"
	switch {
	case end < 0:
		return what + " at index " + itoa(^end)
	case end < len(b):
		return what + ", unparsed text found at index " + itoa(end)
	}
	return what
}

func itoa(v int) string { return string(appendPadded(nil, v, 1)) }
