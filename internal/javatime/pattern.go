// Package javatime formats and parses dates and times by the patterns of Java's
// DateTimeFormatter, with Spark's restrictions (no week-based fields) and
// defaults, in the en-US locale.
package javatime

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

type opKind uint8

const (
	opLiteral     opKind = iota
	opNumber             // a number field
	opReduced            // the last two digits of a year, 2000..2099
	opFraction           // fraction of the second
	opText               // name of a month, weekday, era, half of the day or quarter
	opOffset             // zone offset: letters X, x, Z
	opLocalOffset        // GMT+8
	opZoneID             // VV
	opZoneName           // z
	opOptional           // section in brackets
)

type signStyle uint8

const (
	notNegative signStyle = iota
	normal
	exceedsPad
)

// op is one step of a pattern.
type op struct {
	kind     opKind
	field    byte // pattern letter; 'u' for the proleptic year, 'y' for the year of the era
	count    int  // number of letters
	min, max int  // digits
	sign     signStyle
	behind   int // digits that the adjacent fixed-width fields behind need
	lit      string
	sub      []op
}

// Pattern is a compiled pattern; it may be used by many goroutines.
type Pattern struct {
	source string
	ops    []op
	layout *layout // prints what ops do, for most patterns and years
}

// String is the pattern's source.
func (p *Pattern) String() string { return p.source }

const (
	weekBased     = "YWwuec"
	illegal       = "ABnNp"
	onlyFormat    = "EFqQ"
	legacyLetters = "GyYMLwWDdFEuaHkKhmsSzZX" // of SimpleDateFormat
)

// Compile checks and compiles a pattern, for parsing or for formatting. The
// error is Spark's: INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION
// if Spark 2 took the pattern, else INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN
// or INVALID_DATETIME_PATTERN.*.
func Compile(pattern string, parsing bool) (*Pattern, error) {
	c := compiler{src: pattern, parsing: parsing}
	err := c.check()
	if err == nil {
		c.ops, err = c.section(0)
	}
	if err != nil {
		if legacyAccepts(pattern) {
			return nil, condition.New("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
				"pattern", "'"+pattern+"'", "config", `"spark.sql.legacy.timeParserPolicy"`,
				"docroot", "https://spark.apache.org/docs/latest")
		}
		return nil, err
	}
	return &Pattern{source: pattern, ops: c.ops, layout: newLayout(c.ops)}, nil
}

// legacyAccepts tells whether Java's SimpleDateFormat takes the pattern.
func legacyAccepts(pattern string) bool {
	quoted := false
	for _, r := range pattern {
		switch {
		case r == '\'':
			quoted = !quoted
		case !quoted && letter(r) && !strings.ContainsRune(legacyLetters, r):
			return false
		}
	}
	return !quoted
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

type compiler struct {
	src     string
	parsing bool
	pos     int
	era     bool
	ops     []op
}

func (c *compiler) illegal(r rune) error {
	return condition.New("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER", "c", string(r), "pattern", c.src)
}

func (c *compiler) length() error {
	return condition.New("INVALID_DATETIME_PATTERN.LENGTH", "pattern", c.src)
}

// check refuses Spark's forbidden letters before anything else is looked at.
func (c *compiler) check() error {
	for i, part := range strings.Split(c.src, "'") {
		if i%2 != 0 {
			continue
		}
		if j := strings.IndexAny(part, weekBased); j >= 0 {
			return condition.New("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", "c", part[j:j+1])
		}
		bad := illegal
		if c.parsing {
			bad += onlyFormat
		}
		if j := strings.IndexAny(part, bad); j >= 0 {
			return c.illegal(rune(part[j]))
		}
		for _, long := range []string{"GGGGG", "MMMMM", "LLLLL", "EEEEE", "QQQQQ", "qqqqq", "yyyyyyyyyyy"} {
			if strings.Contains(part, long) {
				return c.length()
			}
		}
		c.era = c.era || strings.Contains(part, "G")
	}
	return nil
}

// section compiles up to the closing bracket of the given depth.
func (c *compiler) section(depth int) ([]op, error) {
	var ops []op
	value := -1 // the number field that adjacent ones extend
	add := func(o op) {
		fixed := o.kind == opNumber || o.kind == opReduced
		switch {
		case fixed && value >= 0 && o.min == o.max && o.sign == notNegative:
			ops[value].behind += o.max
			ops = append(ops, o)
		case fixed:
			value = len(ops)
			ops = append(ops, o)
		default:
			value = -1
			ops = append(ops, o)
		}
	}
	for c.pos < len(c.src) {
		ch := c.src[c.pos]
		switch {
		case ch == '\'':
			lit, err := c.quoted()
			if err != nil {
				return nil, err
			}
			add(op{kind: opLiteral, lit: lit})
		case ch == '[':
			c.pos++
			sub, err := c.section(depth + 1)
			if err != nil {
				return nil, err
			}
			add(op{kind: opOptional, sub: sub})
		case ch == ']':
			if depth == 0 {
				return nil, c.illegal(rune(ch))
			}
			c.pos++
			return ops, nil
		case ch == '{' || ch == '}' || ch == '#':
			return nil, c.illegal(rune(ch))
		case letter(rune(ch)):
			start := c.pos
			for c.pos < len(c.src) && c.src[c.pos] == ch {
				c.pos++
			}
			o, err := c.field(ch, c.pos-start)
			if err != nil {
				return nil, err
			}
			add(o)
		default:
			start := c.pos
			for c.pos < len(c.src) && !letter(rune(c.src[c.pos])) && !strings.ContainsRune("'[]{}#", rune(c.src[c.pos])) {
				c.pos++
			}
			add(op{kind: opLiteral, lit: c.src[start:c.pos]})
		}
	}
	return ops, nil // an open bracket ends with the pattern
}

// quoted reads a text in quotes; two quotes stand for one.
func (c *compiler) quoted() (string, error) {
	var b strings.Builder
	c.pos++
	for start := c.pos; c.pos < len(c.src); c.pos++ {
		if c.src[c.pos] != '\'' {
			b.WriteByte(c.src[c.pos])
			continue
		}
		if c.pos+1 < len(c.src) && c.src[c.pos+1] == '\'' {
			b.WriteByte('\'')
			c.pos++
			continue
		}
		if c.pos == start {
			b.WriteByte('\'')
		}
		c.pos++
		return b.String(), nil
	}
	return "", c.illegal('\'')
}

// field is the step of n letters.
func (c *compiler) field(f byte, n int) (op, error) {
	o := op{field: f, count: n}
	if f == 'L' {
		o.field = 'M'
	} else if f == 'q' {
		o.field = 'Q'
	}
	number := func(least, most int, sign signStyle) (op, error) {
		o.kind, o.min, o.max, o.sign = opNumber, least, most, sign
		return o, nil
	}
	switch f {
	case 'y':
		if !c.era {
			o.field = 'u'
		}
		switch {
		case n == 2:
			o.kind, o.min, o.max = opReduced, 2, 2
			return o, nil
		case n < 4:
			return number(n, 19, normal)
		}
		return number(n, 19, exceedsPad)
	case 'M', 'L', 'Q', 'q':
		if n > 2 {
			o.kind = opText
			return o, nil
		}
		if n == 1 {
			return number(1, 19, normal)
		}
		return number(2, 2, notNegative)
	case 'd', 'H', 'h', 'K', 'k', 'm', 's':
		switch n {
		case 1:
			return number(1, 19, normal)
		case 2:
			return number(2, 2, notNegative)
		}
		return o, c.length()
	case 'D':
		switch n {
		case 1:
			return number(1, 19, normal)
		case 2, 3:
			return number(n, 3, notNegative)
		}
		return o, c.length()
	case 'F':
		if n > 1 {
			return o, c.length()
		}
		return number(1, 19, normal)
	case 'G', 'E', 'a':
		if f == 'a' && n > 1 {
			return o, c.length()
		}
		o.kind = opText
		return o, nil
	case 'S':
		if n > 9 {
			return o, condition.New("INVALID_DATETIME_PATTERN.SECONDS_FRACTION", "pattern", c.src)
		}
		o.kind, o.min, o.max = opFraction, n, n
		if c.parsing {
			o.min = 1
		}
		return o, nil
	case 'X', 'x', 'Z':
		if n > 5 {
			return o, c.length()
		}
		o.kind = opOffset
		if f == 'Z' && n == 4 {
			o.kind = opLocalOffset
		}
		return o, nil
	case 'O':
		if n != 1 && n != 4 {
			return o, c.length()
		}
		o.kind = opLocalOffset
		return o, nil
	case 'V':
		if n != 2 {
			return o, c.length()
		}
		o.kind = opZoneID
		return o, nil
	case 'z', 'v':
		if n > 4 {
			return o, c.length()
		}
		o.kind = opZoneName
		return o, nil
	}
	return o, c.illegal(rune(f))
}
