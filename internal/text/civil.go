// Package text holds the text forms of Spark's values: numbers, dates, timestamps,
// time zones and intervals as casts, JSON, CSV and the functions read and print
// them, with the calendar and the clock that they need.
package text

// Units of time in microseconds.
const (
	MicrosPerSecond = int64(1_000_000)
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour
	SecondsPerDay   = int64(86_400)
)

// FloorDiv is the quotient rounded towards negative infinity.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if r := a - q*b; r != 0 && r^b < 0 {
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
	if days < -fastDays || days > fastDays {
		z := days + 719468
		era := FloorDiv(z, daysPerEra)
		year, month, day = CivilFromDays(days - era*daysPerEra)
		return year + era*400, month, day
	}
	// With years that begin in March, and centuries and years of four-day units,
	// divisions by constants become multiplications of 32 or 64 bits (Neri and
	// Schneider, Euclidean affine functions).
	n := 4*uint32(days+719468+eraShift*daysPerEra) + 3
	century, ofCentury := n/daysPerEra, n%daysPerEra/4
	p := 2939745 * uint64(4*ofCentury+3)
	yearOf, dayOf := uint32(p>>32), uint32(p)/2939745/4
	m := 2141*dayOf + 197913
	year = int64(100*century+yearOf) - 400*eraShift
	month, day = int(m>>16), int(m&0xffff)/2141+1
	if dayOf >= 306 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// YearOfDay is the year of CivilFromDays, without a branch.
func YearOfDay(day int32) int32 {
	const eras = 16_000 // makes every day positive
	n := 4*uint64(int64(day)+719468+eras*daysPerEra) + 3
	century := n / daysPerEra
	p := 2939745 * ((n - century*daysPerEra) | 3)
	// The year begins in March; its 306th day is in the next one.
	next := (uint64(uint32(p)) + 1<<32 - 306*4*2939745) >> 32
	return int32(100*century+p>>32+next) - 400*eras
}

const (
	daysPerEra = 146097  // of 400 years
	eraShift   = 2500    // makes the days of the fast computation positive
	fastDays   = 1 << 28 // it is exact for so many days before and after 1970
)

// IsLeap tells whether a year has 366 days.
func IsLeap(year int64) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

// ValidDate tells whether the fields name a date.
func ValidDate(year int64, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, month)
}

// DaysInMonth is the length of a month.
func DaysInMonth(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if IsLeap(year) {
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
