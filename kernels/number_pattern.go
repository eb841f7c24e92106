package kernels

import (
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/decimal"
)

// numberPattern is a compiled pattern of to_number and to_char, such as
// S$9,990.99: an optional sign, a currency sign, groups of digits between
// thousands separators, a point and digits.
type numberPattern struct {
	text      string // upper case
	parts     []patternPart
	precision int
	scale     int
}

// patternPart is one token of a pattern. A run of digits and commas is one part.
type patternPart struct {
	kind   byte   // '9': digits, '.', '$', 'S', 'M' (MI), '<', '>' or 'x' for a wrong character
	digits string // of a digit part: the characters 0, 9 and ','
	wrong  rune
}

// name is the part as messages call it.
func (p patternPart) name() string {
	switch p.kind {
	case '9':
		return "digit sequence"
	case '.':
		return ". or D"
	case 'M':
		return "MI"
	case '>':
		return "PR"
	case 'x':
		return "character '" + string(p.wrong) + "''"
	}
	return string(p.kind)
}

// compileNumberPattern reads a pattern, in any case. The errors are INVALID_FORMAT.*.
func compileNumberPattern(s string) (*numberPattern, error) {
	p := &numberPattern{text: strings.ToUpper(s)}
	if s == "" {
		return nil, p.invalid("EMPTY")
	}
	for i := 0; i < len(p.text); {
		rest := p.text[i:]
		part, n := patternPart{kind: rest[0]}, 1
		switch c := rest[0]; {
		case c == '0' || c == '9' || c == ',' || c == 'G':
			n = len(rest) - len(strings.TrimLeft(rest, "09,G"))
			part = patternPart{kind: '9', digits: strings.ReplaceAll(rest[:n], "G", ",")}
		case c == '.' || c == 'D':
			part.kind = '.'
		case c == '$' || c == 'S':
		case strings.HasPrefix(rest, "MI"):
			part.kind, n = 'M', 2
		case strings.HasPrefix(rest, "PR"):
			part.kind, n = '>', 2
			p.parts = append([]patternPart{{kind: '<'}}, p.parts...)
		default:
			part.kind = 'x'
			part.wrong = []rune(rest)[0]
			n = len(string(part.wrong))
		}
		p.parts = append(p.parts, part)
		i += n
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	fraction := false
	for _, part := range p.parts {
		fraction = fraction || part.kind == '.'
		digits := len(part.digits) - strings.Count(part.digits, ",")
		p.precision += digits
		if fraction {
			p.scale += digits
		}
	}
	return p, nil
}

func (p *numberPattern) invalid(sub string, params ...any) error {
	return condition.New("INVALID_FORMAT."+sub, append([]any{"format", "'" + p.text + "'"}, params...)...)
}

// patternOrder is the order in which parts may stand.
var patternOrder = []string{"<", "MS", "$", "9", ".", "9", "$", "MS>"}

func (p *numberPattern) check() error {
	count, first := map[byte]int{}, map[byte]int{}
	for i, part := range p.parts {
		if count[part.kind]++; count[part.kind] == 1 {
			first[part.kind] = i
		}
	}
	if count['9'] == 0 {
		return p.invalid("WRONG_NUM_DIGIT")
	}
	if count['$'] > 0 && first['$'] > first['9'] {
		return p.invalid("CUR_MUST_BEFORE_DIGIT")
	}
	if count['$'] > 0 && count['.'] > 0 && first['$'] > first['.'] {
		return p.invalid("CUR_MUST_BEFORE_DEC")
	}
	for i, part := range p.parts {
		if part.kind != '9' {
			continue
		}
		afterPoint := count['.'] > 0 && i > first['.']
		switch d := part.digits; {
		case afterPoint && strings.Contains(d, ","):
			return p.invalid("THOUSANDS_SEPS_MUST_BEFORE_DEC")
		case d[0] == ',' || d[len(d)-1] == ',' || strings.Contains(d, ",,"):
			return p.invalid("CONT_THOUSANDS_SEPS")
		}
	}
	for _, part := range p.parts {
		if strings.IndexByte(".SM$>", part.kind) >= 0 && count[part.kind] > 1 {
			return p.invalid("WRONG_NUM_TOKEN", "token", part.name())
		}
	}
	at := 0
	for _, allowed := range patternOrder {
		if at < len(p.parts) && strings.IndexByte(allowed, p.parts[at].kind) >= 0 {
			at++
		}
	}
	if at < len(p.parts) {
		return p.invalid("UNEXPECTED_TOKEN", "token", p.parts[at].name())
	}
	return nil
}

// parse reads a text by the pattern as decimal(precision, scale).
func (p *numberPattern) parse(s []byte) (Dec, bool) {
	var buf [96]byte
	digits := buf[:0]
	fraction, neg := 0, false
	point := false
	i := 0
	take := func(b byte) bool {
		if i < len(s) && s[i] == b {
			i++
			return true
		}
		return false
	}
	for _, part := range p.parts {
		switch part.kind {
		case '9':
			start := len(digits)
			var ok bool
			if digits, i, ok = part.parseDigits(digits, s, i); !ok {
				return Dec{}, false
			}
			if point {
				fraction = len(digits) - start
			}
		case '.':
			point = true
			take('.')
		case '$':
			if !take('$') {
				return Dec{}, false
			}
		case 'S', 'M':
			if !(part.kind == 'S' && take('+')) && take('-') {
				neg = !neg
			}
		case '<':
			if take('<') {
				neg = true
			}
		case '>':
			if take('>') != neg {
				return Dec{}, false
			}
		}
	}
	if i < len(s) || len(digits) == 0 {
		return Dec{}, false
	}
	for ; fraction < p.scale; fraction++ {
		digits = append(digits, '0')
	}
	d, outcome := decimal.Parse(digits, decimal.MaxPrecision, 0)
	if neg {
		d = d.Negate()
	}
	return d, outcome == decimal.OK
}

// parseDigits reads digits and commas from s[i:]; blanks between them do not
// count. Each group has at most, or for one that begins with 0 exactly, the
// pattern's number of digits; of the groups the last are those that must be there.
func (part patternPart) parseDigits(digits, s []byte, i int) (out []byte, end int, ok bool) {
	groups := strings.Split(part.digits, ",")
	sizes := make([]int, 1, len(groups))
	for ; i < len(s) && (s[i] <= ' ' || s[i] == ',' || s[i]-'0' <= 9); i++ {
		switch {
		case s[i] == ',':
			if sizes = append(sizes, 0); len(sizes) > len(groups) {
				return nil, 0, false
			}
		case s[i] > ' ':
			digits = append(digits, s[i])
			sizes[len(sizes)-1]++
		}
	}
	for k, g := range groups {
		size := 0
		if at := k - (len(groups) - len(sizes)); at >= 0 {
			size = sizes[at]
		}
		if size > len(g) || g[0] == '0' && size != len(g) {
			return nil, 0, false
		}
	}
	return digits, i, true
}
