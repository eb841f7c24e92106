package javatime

// layout prints a pattern of literals and of numbers of a fixed width: into the bytes of
// its literals it puts the digits at their places. It takes years of four digits.
type layout struct {
	text   []byte // zeros where digits go
	digits []pair
}

// pair is two neighbouring digits of a moment.
type pair struct {
	at int
	// field is that of the op; 'c' are the first two digits of the year and 'y' the others, and
	// '0', '1', '2' and '4' those digits of the microsecond and the ones behind them.
	field byte
}

// newLayout is nil for patterns that have other parts.
func newLayout(ops []op) *layout {
	l := &layout{}
	for i := range ops {
		o := &ops[i]
		at := len(l.text)
		switch {
		case o.kind == opLiteral:
			l.text = append(l.text, o.lit...)
			continue
		case o.kind == opNumber && (o.field == 'y' || o.field == 'u') && o.min == 4:
			l.digits = append(l.digits, pair{at, 'c'}, pair{at + 2, 'y'})
			l.text = append(l.text, "0000"...)
			continue
		case o.kind == opReduced && (o.field == 'y' || o.field == 'u'):
			l.digits = append(l.digits, pair{at, 'y'})
		case o.kind == opNumber && o.min == 2 && isTwoDigits(o.field):
			l.digits = append(l.digits, pair{at, o.field})
		case o.kind == opFraction && o.max == 3:
			l.digits = append(l.digits, pair{at, '0'}, pair{at + 1, '1'})
			l.text = append(l.text, '0')
		case o.kind == opFraction && o.max == 6:
			l.digits = append(l.digits, pair{at, '0'}, pair{at + 2, '2'}, pair{at + 4, '4'})
			l.text = append(l.text, "0000"...)
		default:
			return nil
		}
		l.text = append(l.text, "00"...)
	}
	return l
}

// isTwoDigits tells whether the numbers of a field are below 100.
func isTwoDigits(field byte) bool {
	switch field {
	case 'M', 'd', 'H', 'k', 'K', 'h', 'm', 's':
		return true
	}
	return false
}

func (l *layout) append(b []byte, m *moment) []byte {
	start := len(b)
	b = append(b, l.text...)
	out := b[start:]
	for _, d := range l.digits {
		var v int
		switch d.field {
		case 'c':
			v = m.year / 100
		case 'y':
			v = m.year % 100
		case '1':
			v = m.micro / 1000 % 100
		case '0':
			v = m.micro / 10_000
		case '2':
			v = m.micro / 100 % 100
		case '4':
			v = m.micro % 100
		default:
			v = m.number(d.field)
		}
		v &= 127 // below 100 in any case, which the compiler does not know
		out[d.at], out[d.at+1] = byte('0'+v/10), byte('0'+v%10)
	}
	return b
}
