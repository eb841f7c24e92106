package kernels

import (
	"bytes"
	"strings"

	"github.com/vstream/vstream/internal/decimal"
)

// format prints a decimal by the pattern. Digits that have no place turn every
// digit into #.
func (p *numberPattern) format(dst []byte, d Dec, scale int) []byte {
	whole, fraction := p.split(d, scale)
	neg := d.Sign() < 0
	b := patternText{dst, len(dst)}
	point := false
	for _, part := range p.parts {
		switch part.kind {
		case '9':
			if point {
				b.dst = append(b.dst, fraction...)
				continue
			}
			whole = b.digits(part.digits, whole)
		case '.':
			b.endWhole()
			b.dst = append(b.dst, '.')
			point = true
		case '$':
			b.dst = append(b.dst, '$')
		case 'S':
			b.dropPoint()
			if neg {
				b.sign('-')
			} else {
				b.sign('+')
			}
		case 'M':
			if neg {
				b.dropPoint()
				b.sign('-')
			} else {
				b.dst = append(b.dst, ' ')
			}
		case '<':
			if neg {
				b.dst = append(b.dst, '<')
			}
		case '>':
			b.dropPoint()
			if neg {
				b.sign('>')
			} else {
				b.dst = append(b.dst, "  "...)
			}
		}
	}
	b.dropPoint()
	if s := string(b.text()); s == "" || s == "+" || s == "-" {
		return append(b.dst[:b.start], '0')
	}
	return b.dst
}

// split gives the digits in front of the point, padded with blanks, and those
// behind it, padded with zeros, to the numbers of the pattern.
func (p *numberPattern) split(d Dec, scale int) (whole, fraction []byte) {
	whole = decimal.Append(nil, d.Abs(), scale)
	if scale > 0 {
		whole, fraction = whole[:len(whole)-scale-1], whole[len(whole)-scale:]
	}
	whole, fraction = bytes.TrimLeft(whole, "0"), bytes.TrimRight(fraction, "0")
	front := p.precision - p.scale
	if len(whole) > front || len(fraction) > p.scale {
		return bytes.Repeat([]byte{'#'}, front), bytes.Repeat([]byte{'#'}, p.scale)
	}
	whole = append(bytes.Repeat([]byte{' '}, front-len(whole)), whole...)
	return whole, append(fraction[:len(fraction):len(fraction)], strings.Repeat("0", p.scale-len(fraction))...)
}

// patternText is the text under construction, from start on. Signs move right to
// the first digit over the blanks that stand for missing digits.
type patternText struct {
	dst   []byte
	start int
}

func (b *patternText) text() []byte { return b.dst[b.start:] }

func (b *patternText) last() byte {
	if t := b.text(); len(t) > 0 {
		return t[len(t)-1]
	}
	return 0
}

// digits prints the digits of one part from the front of whole and returns the rest.
func (b *patternText) digits(part string, whole []byte) []byte {
	for group := range strings.SplitSeq(part, ",") {
		for range len(group) {
			switch c := whole[0]; {
			case c != ' ':
				b.dst = append(b.dst, c)
			case group[0] == '0':
				b.dst = append(b.dst, '0')
			default:
				b.blank()
			}
			whole = whole[1:]
		}
		part = part[len(group):]
		if part == "" {
			break
		}
		part = part[1:]
		if b.last()-'0' <= 9 {
			b.dst = append(b.dst, ',')
		} else {
			b.blank()
		}
	}
	return whole
}

// endWhole makes a blank in front of the point a zero.
func (b *patternText) endWhole() {
	if b.last() == ' ' {
		b.dst[len(b.dst)-1] = '0'
	}
}

// blank adds a blank in front of the signs that the text ends with.
func (b *patternText) blank() {
	b.dst = append(b.dst, ' ')
	for i := len(b.dst) - 1; i > b.start && strings.IndexByte("+-<", b.dst[i-1]) >= 0; i-- {
		b.dst[i-1], b.dst[i] = b.dst[i], b.dst[i-1]
	}
}

// sign adds a sign in front of the blanks that the text ends with.
func (b *patternText) sign(c byte) {
	b.dst = append(b.dst, c)
	for i := len(b.dst) - 1; i > b.start && b.dst[i-1] == ' '; i-- {
		b.dst[i-1], b.dst[i] = b.dst[i], b.dst[i-1]
	}
}

// dropPoint makes a point without digits behind it a blank.
func (b *patternText) dropPoint() {
	t := b.text()
	if i := bytes.IndexByte(t, '.'); i >= 0 && (i == len(t)-1 || t[i+1] == ' ') {
		t[i] = ' '
	}
}
