package kernels

import (
	"math"
	"time"
)

// Units of time in microseconds.
const (
	microsPerSecond = int64(1_000_000)
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
	secondsPerDay   = int64(86_400)
)

// FloorDiv is the quotient rounded towards negative infinity.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// FloorMod is the remainder of FloorDiv; it has the sign of b.
func FloorMod(a, b int64) int64 { return a - FloorDiv(a, b)*b }

// DaysFromCivil is the day number (0 is 1970-01-01) of a date of the proleptic
// Gregorian calendar; month is 1..12 and day need not be valid.
func DaysFromCivil(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	mp := int64((month + 9) % 12)
	doy := (153*mp+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// CivilFromDays is the inverse of DaysFromCivil.
func CivilFromDays(days int64) (year int64, month, day int) {
	z := days + 719468
	era := FloorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	if mp >= 10 {
		month = int(mp - 9)
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// DaysInMonth is the length of a month.
func DaysInMonth(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// AddMonths adds months to a day number; a day past the end of the month becomes its last.
func AddMonths(days, months int64) int64 {
	y, m, d := CivilFromDays(days)
	t := y*12 + int64(m-1) + months
	y, m = FloorDiv(t, 12), int(FloorMod(t, 12))+1
	return DaysFromCivil(y, m, min(d, DaysInMonth(y, m)))
}

// Clock converts between instants and the wall clock of one zone. It remembers
// the last range of constant offset, so that a column whose values lie close
// together looks the zone up once. It is used by one goroutine at a time.
type Clock struct {
	loc    *time.Location
	fixed  bool
	lo, hi int64 // seconds for which off holds: lo <= s < hi
	off    int64 // seconds east of UTC
}

// NewClock is a clock of a zone; nil is UTC.
func NewClock(loc *time.Location) *Clock {
	c := &Clock{loc: loc}
	if loc == nil || loc == time.UTC {
		c.fixed = true
	}
	return c
}

// Offset is the zone's offset at an instant, in seconds east of UTC.
func (c *Clock) Offset(sec int64) int64 {
	if c.fixed || sec >= c.lo && sec < c.hi {
		return c.off
	}
	t := time.Unix(sec, 0).In(c.loc)
	_, off := t.Zone()
	start, end := t.ZoneBounds()
	c.lo, c.hi, c.off = math.MinInt64, math.MaxInt64, int64(off)
	if !start.IsZero() {
		c.lo = start.Unix()
	}
	if !end.IsZero() {
		c.hi = end.Unix()
	}
	return c.off
}

// Local is the wall clock, in microseconds, of an instant in microseconds.
func (c *Clock) Local(micros int64) int64 {
	if c.fixed {
		return micros
	}
	return micros + c.Offset(FloorDiv(micros, microsPerSecond))*microsPerSecond
}

// Instant is the instant of a wall clock as java.time resolves it: a wall clock
// that occurs twice means the earlier instant, one that is skipped moves on by
// the length of the gap.
func (c *Clock) Instant(local int64) int64 {
	if c.fixed {
		return local
	}
	sec := FloorDiv(local, microsPerSecond)
	before := c.Offset(sec - secondsPerDay)
	if s := sec - before; c.Offset(s) == before {
		return local - before*microsPerSecond
	}
	after := c.Offset(sec + secondsPerDay)
	if s := sec - after; c.Offset(s) == after {
		return local - after*microsPerSecond
	}
	return local - before*microsPerSecond
}

// InstantNear is Instant, but of the two instants of a wall clock it prefers
// the one with the given offset (ZonedDateTime keeps its offset in an overlap).
func (c *Clock) InstantNear(local, offset int64) int64 {
	if c.fixed {
		return local
	}
	if c.Offset(FloorDiv(local, microsPerSecond)-offset) == offset {
		return local - offset*microsPerSecond
	}
	return c.Instant(local)
}

// AddLocalDays moves an instant by whole days on the zone's wall clock.
func (c *Clock) AddLocalDays(micros, days int64) int64 {
	if c.fixed {
		return micros + days*microsPerDay
	}
	off := c.Offset(FloorDiv(micros, microsPerSecond))
	return c.InstantNear(micros+off*microsPerSecond+days*microsPerDay, off)
}

// AddLocalMonths moves an instant by months on the zone's wall clock.
func (c *Clock) AddLocalMonths(micros, months int64) int64 {
	off := c.Offset(FloorDiv(micros, microsPerSecond))
	local := micros + off*microsPerSecond
	day := FloorDiv(local, microsPerDay)
	return c.InstantNear(AddMonths(day, months)*microsPerDay+(local-day*microsPerDay), off)
}
