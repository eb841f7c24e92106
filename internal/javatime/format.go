package javatime

import (
	"strconv"
	"time"

	"github.com/vstream/vstream/internal/text"
)

var (
	months   = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	weekdays = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	quarters = [...]string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}
	eras     = [...]string{"Before Christ", "Anno Domini"}
	erasAbbr = [...]string{"BC", "AD"}
	halves   = [...]string{"AM", "PM"}
)

// moment is a time taken apart for formatting.
type moment struct {
	days             int
	year, month, day int
	hour, min, sec   int
	micro            int
	micros           int64 // the instant
	zone             *time.Location
}

// Append prints the instant in a zone.
func (p *Pattern) Append(b []byte, micros int64, zone *time.Location) []byte {
	local := text.LocalMicros(micros, zone)
	days := text.FloorDiv(local, text.MicrosPerDay)
	us := int(local - days*text.MicrosPerDay)
	m := moment{
		days: int(days), hour: us / 3_600_000_000, min: us / 60_000_000 % 60, sec: us / 1_000_000 % 60,
		micro: us % 1_000_000, micros: micros, zone: zone,
	}
	year, month, day := text.CivilFromDays(days)
	m.year, m.month, m.day = int(year), month, day
	if p.layout != nil && year >= 1000 && year < 10_000 {
		return p.layout.append(b, &m)
	}
	return m.ops(b, p.ops)
}

func (m *moment) ops(b []byte, ops []op) []byte {
	for i := range ops {
		switch o := &ops[i]; o.kind {
		case opLiteral:
			if len(o.lit) == 1 {
				b = append(b, o.lit[0])
				continue
			}
			b = append(b, o.lit...)
		case opNumber:
			b = appendNumber(b, o, m.number(o.field))
		case opReduced:
			b = appendPadded(b, mod(m.number(o.field), 100), 2)
		case opFraction:
			var tmp [9]byte
			d := appendPadded(tmp[:0], m.micro*1000, 9)
			b = append(b, d[:o.max]...)
		case opText:
			b = append(b, m.text(o)...)
		case opOffset:
			b = appendOffset(b, o, m.offset())
		case opLocalOffset:
			b = appendLocalOffset(b, o.count == 4, m.offset())
		case opZoneID:
			b = append(b, m.zone.String()...)
		case opZoneName:
			b = append(b, m.zoneName(o.count == 4)...)
		case opOptional:
			b = m.ops(b, o.sub)
		}
	}
	return b
}

func mod(a, b int) int {
	if a %= b; a < 0 {
		a = -a
	}
	return a
}

func (m *moment) number(field byte) int {
	switch field {
	case 'u':
		return m.year
	case 'y':
		if m.year < 1 {
			return 1 - m.year
		}
		return m.year
	case 'M':
		return m.month
	case 'd':
		return m.day
	case 'D':
		return m.days - int(text.DaysFromCivil(int64(m.year), 1, 1)) + 1
	case 'F':
		return (m.day-1)%7 + 1
	case 'Q':
		return (m.month + 2) / 3
	case 'H':
		return m.hour
	case 'k':
		return (m.hour+23)%24 + 1
	case 'K':
		return m.hour % 12
	case 'h':
		return (m.hour+11)%12 + 1
	case 'm':
		return m.min
	}
	return m.sec
}

func (m *moment) text(o *op) string {
	switch o.field {
	case 'M':
		if o.count == 3 {
			return months[m.month-1][:3]
		}
		return months[m.month-1]
	case 'E':
		w := weekdays[text.FloorMod(int64(m.days)+3, 7)]
		if o.count < 4 {
			return w[:3]
		}
		return w
	case 'a':
		return halves[m.hour/12]
	case 'Q':
		if o.count == 3 {
			return "Q" + strconv.Itoa((m.month+2)/3)
		}
		return quarters[(m.month-1)/3]
	}
	era := 1
	if m.year < 1 {
		era = 0
	}
	if o.count < 4 {
		return erasAbbr[era]
	}
	return eras[era]
}

func (m *moment) offset() int {
	_, off := time.Unix(text.FloorDiv(m.micros, text.MicrosPerSecond), 0).In(m.zone).Zone()
	return off
}

func (m *moment) zoneName(full bool) string {
	name, _ := time.Unix(text.FloorDiv(m.micros, text.MicrosPerSecond), 0).In(m.zone).Zone()
	switch {
	case full && name == "UTC":
		return "Coordinated Universal Time"
	case name == "LMT": // before standard time: Java names the zone's standard time
		name, _ = time.Unix(0, 0).In(m.zone).Zone()
	}
	return name
}

func appendNumber(b []byte, o *op, v int) []byte {
	switch { // the widths of most patterns
	case o.min == 2 && v >= 0 && v < 100:
		return append(b, byte('0'+uint8(v)/10), byte('0'+uint8(v)%10))
	case o.min == 4 && v >= 1000 && v < 10_000:
		high, low := uint8(uint16(v)/100), uint8(uint16(v)%100)
		return append(b, '0'+high/10, '0'+high%10, '0'+low/10, '0'+low%10)
	}
	if v < 0 {
		b = append(b, '-')
		v = -v
	} else if o.sign == exceedsPad && exceeds(v, o.min) {
		b = append(b, '+')
	}
	return appendPadded(b, v, o.min)
}

func exceeds(v, width int) bool {
	for ; width > 0; width-- {
		v /= 10
	}
	return v > 0
}

func appendPadded(b []byte, v, width int) []byte {
	var tmp [24]byte
	i := len(tmp)
	for v > 0 || width > 0 {
		i--
		tmp[i] = byte('0' + v%10)
		v /= 10
		width--
	}
	return append(b, tmp[i:]...)
}

// appendOffset prints an offset as the letters X, x and Z with a count of 1..5 say.
func appendOffset(b []byte, o *op, off int) []byte {
	if off == 0 && (o.field == 'X' || o.field == 'Z' && o.count == 5) {
		return append(b, 'Z')
	}
	count := o.count
	if o.field == 'Z' && count < 4 {
		count = 2 // +0000
	}
	sign := byte('+')
	if off < 0 {
		sign = '-'
		off = -off
	}
	b = appendPadded(append(b, sign), off/3600, 2)
	minute, second := off/60%60, off%60
	colon := count == 3 || count == 5
	if count > 1 || minute != 0 {
		if colon {
			b = append(b, ':')
		}
		b = appendPadded(b, minute, 2)
	}
	if count > 3 && second != 0 {
		if colon {
			b = append(b, ':')
		}
		b = appendPadded(b, second, 2)
	}
	return b
}

// appendLocalOffset prints GMT, GMT+8 or, in full, GMT+08:00.
func appendLocalOffset(b []byte, full bool, off int) []byte {
	b = append(b, "GMT"...)
	if off == 0 {
		return b
	}
	if off < 0 {
		b = append(b, '-')
		off = -off
	} else {
		b = append(b, '+')
	}
	width := 1
	if full {
		width = 2
	}
	b = appendPadded(b, off/3600, width)
	if full || off%3600 != 0 {
		b = appendPadded(append(b, ':'), off/60%60, 2)
	}
	if off%60 != 0 {
		b = appendPadded(append(b, ':'), off%60, 2)
	}
	return b
}
