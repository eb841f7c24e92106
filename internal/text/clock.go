package text

import (
	"math"
	"time"
)

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

// Fixed tells whether the zone is UTC.
func (c *Clock) Fixed() bool { return c.fixed }

// Zone is the clock's zone, never nil.
func (c *Clock) Zone() *time.Location {
	if c.loc == nil {
		return time.UTC
	}
	return c.loc
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
	return micros + c.Offset(FloorDiv(micros, MicrosPerSecond))*MicrosPerSecond
}

// Instant is the instant of a wall clock as java.time resolves it: a wall clock
// that occurs twice means the earlier instant, one that is skipped moves on by
// the length of the gap.
func (c *Clock) Instant(local int64) int64 {
	if c.fixed {
		return local
	}
	sec := FloorDiv(local, MicrosPerSecond)
	before := c.Offset(sec - SecondsPerDay)
	if s := sec - before; c.Offset(s) == before {
		return local - before*MicrosPerSecond
	}
	after := c.Offset(sec + SecondsPerDay)
	if s := sec - after; c.Offset(s) == after {
		return local - after*MicrosPerSecond
	}
	return local - before*MicrosPerSecond
}

// InstantNear is Instant, but of the two instants of a wall clock it prefers
// the one with the given offset (ZonedDateTime keeps its offset in an overlap).
func (c *Clock) InstantNear(local, offset int64) int64 {
	if c.fixed {
		return local
	}
	if c.Offset(FloorDiv(local, MicrosPerSecond)-offset) == offset {
		return local - offset*MicrosPerSecond
	}
	return c.Instant(local)
}

// AddLocalDays moves an instant by whole days on the zone's wall clock.
func (c *Clock) AddLocalDays(micros, days int64) int64 {
	if c.fixed {
		return micros + days*MicrosPerDay
	}
	off := c.Offset(FloorDiv(micros, MicrosPerSecond))
	return c.InstantNear(micros+off*MicrosPerSecond+days*MicrosPerDay, off)
}

// AddLocalMonths moves an instant by months on the zone's wall clock.
func (c *Clock) AddLocalMonths(micros, months int64) int64 {
	off := c.Offset(FloorDiv(micros, MicrosPerSecond))
	local := micros + off*MicrosPerSecond
	day := FloorDiv(local, MicrosPerDay)
	return c.InstantNear(AddMonths(day, months)*MicrosPerDay+(local-day*MicrosPerDay), off)
}

// LocalMicros is Clock.Local for a single instant.
func LocalMicros(micros int64, zone *time.Location) int64 { return NewClock(zone).Local(micros) }

// InstantMicros is Clock.Instant for a single wall clock.
func InstantMicros(local int64, zone *time.Location) int64 { return NewClock(zone).Instant(local) }
