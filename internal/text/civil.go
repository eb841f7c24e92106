// Package text holds the text forms of Spark's values: dates, timestamps, time
// zones, decimals and doubles, as casts, JSON, CSV and the functions read and
// print them.
package text

import "time"

// Microsecond counts per unit.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerDay    = 86_400 * MicrosPerSecond
)

// Days is the number of days from 1970-01-01 to a date of the proleptic
// Gregorian calendar. The month may be outside 1..12 and the day outside the
// month; they carry over.
func Days(year, month, day int) int {
	m := month - 1
	year += floorDiv(m, 12)
	m = floorMod(m, 12)
	// Years start in March, so that the leap day is the last of its year.
	if m < 2 {
		year--
		m += 10
	} else {
		m -= 2
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := (153*m + 2) / 5
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy + day - 1 - 719468
}

// Civil is the date that lies the given number of days after 1970-01-01.
func Civil(days int) (year, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	year = yoe + era*400
	if mp < 10 {
		return year, mp + 3, day
	}
	return year + 1, mp - 9, day
}

// IsLeap tells whether a year has 366 days.
func IsLeap(year int) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

// DaysInMonth is the length of a month (1..12).
func DaysInMonth(year, month int) int {
	switch month {
	case 2:
		if IsLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// ValidDate tells whether the fields name a date.
func ValidDate(year, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, month)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int) int { return a - floorDiv(a, b)*b }

// FloorDiv is a/b rounded to minus infinity, b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorMod is the remainder that belongs to FloorDiv: 0 <= FloorMod < b.
func FloorMod(a, b int64) int64 { return a - FloorDiv(a, b)*b }

// offsetAt is the zone's offset from UTC in seconds at a Unix time.
func offsetAt(unix int64, zone *time.Location) int64 {
	_, off := time.Unix(unix, 0).In(zone).Zone()
	return int64(off)
}

// LocalMicros turns an instant into the zone's wall clock: microseconds since
// 1970-01-01T00:00 as the clock on the wall shows them.
func LocalMicros(micros int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return micros
	}
	return micros + offsetAt(FloorDiv(micros, MicrosPerSecond), zone)*MicrosPerSecond
}

// InstantMicros turns the zone's wall clock into an instant by Java's rules: a
// time in a gap moves forward by the gap, of an overlap the earlier instant is meant.
func InstantMicros(local int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return local
	}
	sec := FloorDiv(local, MicrosPerSecond)
	before, after := offsetAt(sec-86_400, zone), offsetAt(sec+86_400, zone)
	off := before
	if before != after && offsetAt(sec-before, zone) != before && offsetAt(sec-after, zone) == after {
		off = after
	}
	return local - off*MicrosPerSecond
}
