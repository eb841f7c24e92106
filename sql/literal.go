package sql

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/vstream/vstream/condition"
)

// unescape resolves the escapes of a string literal as Spark's unescapeSQLString
// does: unknown escapes lose the backslash, \% and \_ keep it for LIKE. quote is
// the delimiter, which stands for itself when doubled.
func unescape(s string, quote byte) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, quote) < 0 {
		return s
	}
	var b strings.Builder
	var high rune // a high surrogate that waits for its low one
	flush := func() {
		if high != 0 {
			b.WriteByte('?') // Java encodes a lone surrogate so
			high = 0
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			flush()
			b.WriteByte(c)
			i++
			if c == quote {
				i++
			}
			continue
		}
		i += 2
		switch c = s[i-1]; {
		case c == 'u' && allHex(s, i, 4):
			n, _ := strconv.ParseUint(s[i:i+4], 16, 32)
			i += 4
			r := rune(n)
			switch {
			case high != 0 && r >= 0xDC00 && r < 0xE000:
				b.WriteRune(utf16.DecodeRune(high, r))
				high = 0
			case r >= 0xD800 && r < 0xDC00:
				flush()
				high = r
			case r >= 0xDC00 && r < 0xE000:
				flush()
				b.WriteByte('?')
			default:
				flush()
				b.WriteRune(r)
			}
		case c == 'U' && allHex(s, i, 8):
			flush()
			n, _ := strconv.ParseUint(s[i:i+8], 16, 32)
			i += 8
			if n > 0x10FFFF || n >= 0xD800 && n < 0xE000 {
				b.WriteByte('?')
			} else {
				b.WriteRune(rune(n))
			}
		case (c == '0' || c == '1') && i+2 <= len(s) && isOctal(s[i]) && isOctal(s[i+1]):
			flush()
			b.WriteRune(rune(c-'0')<<6 | rune(s[i]-'0')<<3 | rune(s[i+1]-'0'))
			i += 2
		default:
			flush()
			b.WriteString(escaped(c))
		}
	}
	flush()
	return b.String()
}

func escaped(c byte) string {
	switch c {
	case '0':
		return "\x00"
	case 'b':
		return "\b"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case 'Z':
		return "\x1a"
	case '%':
		return `\%`
	case '_':
		return `\_`
	}
	return string([]byte{c})
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func allHex(s string, i, n int) bool {
	if i+n > len(s) {
		return false
	}
	for _, c := range []byte(s[i : i+n]) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// stringLit takes one or more adjacent string literals.
func (p *parser) stringLit() *Literal {
	t := p.cur()
	if t.kind != tokString {
		p.fail()
	}
	var b strings.Builder
	for p.cur().kind == tokString {
		b.WriteString(p.advance().text)
	}
	return &Literal{Span: p.from(t.Start), Kind: "string", Text: b.String()}
}

// number takes a numeric literal, with the minus before it if there is one, and
// checks the range of the kinds with a fixed type.
func (p *parser) number() *Literal {
	start := p.cur().Start
	sign := ""
	if p.op("-") {
		sign = "-"
	}
	t := p.advance()
	l := &Literal{Span: p.from(start), Kind: t.num, Text: sign + t.text}
	switch t.num {
	case "tinyint":
		p.checkRange(l, "tinyint", "-128", "127")
	case "smallint":
		p.checkRange(l, "smallint", "-32768", "32767")
	case "bigint":
		p.checkRange(l, "bigint", "-9223372036854775808", "9223372036854775807")
	case "float":
		p.checkRange(l, "float", "-3.4028234663852886E+38", "3.4028234663852886E+38")
	case "double", "doubleSuffix":
		p.checkRange(l, "double", "-1.7976931348623157E+308", "1.7976931348623157E+308")
	case "integer", "decimal", "bigdecimal":
		p.checkPrecision(l)
	}
	return l
}

// checkRange refuses a value outside lo..hi, the range of typ.
func (p *parser) checkRange(l *Literal, typ, lo, hi string) {
	ok := true
	switch typ {
	case "float", "double":
		v, err := strconv.ParseFloat(l.Text, 64)
		ok = err == nil && (typ == "double" || math.Abs(v) <= math.MaxFloat32)
	default:
		v, _ := new(big.Int).SetString(l.Text, 10)
		low, _ := new(big.Int).SetString(lo, 10)
		high, _ := new(big.Int).SetString(hi, 10)
		ok = v.Cmp(low) >= 0 && v.Cmp(high) <= 0
	}
	if !ok {
		p.report(l.Span, condition.New("INVALID_NUMERIC_LITERAL_RANGE", "rawStrippedQualifier", l.Text,
			"minValue", lo, "maxValue", hi, "typeName", typ))
	}
}

// maxPrecision is the largest precision of a DECIMAL.
const maxPrecision = 38

// checkPrecision refuses decimals that have more digits than DECIMAL can hold.
func (p *parser) checkPrecision(l *Literal) {
	mantissa, exponent := l.Text, 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		n, err := strconv.Atoi(mantissa[i+1:])
		if err != nil || n > 1000 || n < -1000 {
			n = 1000
		}
		mantissa, exponent = mantissa[:i], n
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := len(strings.TrimLeft(whole+fraction, "0"))
	scale := len(fraction) - exponent
	if digits == 0 {
		digits = 1
	}
	precision := max(digits, scale, digits-scale)
	if precision > maxPrecision {
		p.report(l.Span, condition.New("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
			"precision", precision, "maxPrecision", maxPrecision))
	}
}

// literalTypes are the names before a typed literal's string.
var literalTypes = map[string]string{
	"DATE": "date", "TIMESTAMP": "timestamp", "TIMESTAMP_NTZ": "timestamp_ntz",
	"TIMESTAMP_LTZ": "timestamp_ltz", "TIME": "time", "X": "x", "INTERVAL": "interval",
}

// typedLiteral takes DATE '…' and the like; the value of all but X'…' is the
// analyser's to read.
func (p *parser) typedLiteral() Expr {
	name, value := p.advance(), p.advance()
	span := p.from(name.Start)
	kind, ok := literalTypes[name.up]
	if !ok || name.kind == tokQuoted {
		p.report(span, condition.New("UNSUPPORTED_TYPED_LITERAL",
			"unsupportedType", `"`+strings.ToUpper(name.text)+`"`,
			"supportedTypes", `"DATE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP", "INTERVAL", "X", "TIME"`))
	}
	switch kind {
	case "interval":
		return &Interval{Span: span, Text: value.text}
	case "x":
		digits := value.text
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		if _, err := hex.DecodeString(digits); err != nil {
			p.report(span, condition.New("INVALID_TYPED_LITERAL", "valueType", `"X"`, "value", "'"+value.text+"'"))
		}
	}
	return &Literal{Span: span, Kind: kind, Text: value.text}
}

// intervalUnits maps every unit of an interval literal to its singular.
var intervalUnits = func() map[string]string {
	m := map[string]string{}
	for _, u := range []string{"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"} {
		m[u], m[u+"S"] = u, u
	}
	return m
}()

// intervalValueAt tells whether tokens k… are a value of an interval, and how many.
func (p *parser) intervalValueAt(k int) int {
	n := 0
	if t := p.at(k); t.kind == tokOp && (t.text == "-" || t.text == "+") {
		n = 1
	}
	t := p.at(k + n)
	switch {
	case t.kind == tokNumber && (t.num == "integer" || t.num == "decimal"):
		return n + 1
	case t.kind == tokString:
		for p.at(k+n).kind == tokString {
			n++
		}
		return n
	}
	return 0
}

// interval takes INTERVAL value unit…; nil if INTERVAL is a plain name here.
func (p *parser) interval() Expr {
	n := p.intervalValueAt(1)
	if n == 0 {
		return nil
	}
	if _, ok := intervalUnits[p.at(1+n).up]; !ok {
		if p.at(1).kind == tokString {
			return p.typedLiteral()
		}
		if p.at(1).kind == tokNumber {
			p.i += 1 + n
			p.fail()
		}
		return nil
	}
	start := p.advance().Start
	iv := &Interval{}
	for {
		n := p.intervalValueAt(0)
		if n == 0 {
			break
		}
		unit, ok := intervalUnits[p.at(n).up]
		if !ok {
			break
		}
		from := p.cur().Start
		u := IntervalUnit{Unit: unit, Neg: p.op("-")}
		if !u.Neg {
			p.op("+")
		}
		if p.cur().kind == tokString {
			u.Value = p.stringLit()
		} else {
			u.Value = p.number()
		}
		plural := p.advance().up != unit
		u.Span = p.from(from)
		iv.Units = append(iv.Units, u)
		if iv.To != "" {
			p.report(p.from(start), condition.New("_LEGACY_ERROR_TEMP_0024"))
		}
		if !plural && p.is("TO") && fromToUnits[p.at(1).up] {
			p.i += 1
			iv.To = p.advance().up
			p.checkFromTo(iv, p.from(from))
		}
	}
	iv.Span = p.from(start)
	p.checkMix(iv)
	return iv
}

var fromToUnits = map[string]bool{"YEAR": true, "MONTH": true, "DAY": true, "HOUR": true, "MINUTE": true, "SECOND": true}

// fromTo lists the ranges that a from-to interval may have.
var fromTo = map[string]bool{
	"YEAR MONTH": true, "DAY HOUR": true, "DAY MINUTE": true, "DAY SECOND": true,
	"HOUR MINUTE": true, "HOUR SECOND": true, "MINUTE SECOND": true,
}

func (p *parser) checkFromTo(iv *Interval, span Span) {
	if len(iv.Units) > 1 {
		p.report(span, condition.New("_LEGACY_ERROR_TEMP_0024"))
	}
	u := iv.Units[0]
	v := u.Value.(*Literal)
	if v.Kind != "string" {
		p.report(span, condition.New("_LEGACY_ERROR_TEMP_0027"))
	}
	if !fromTo[u.Unit+" "+iv.To] {
		p.report(span, condition.New("INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
			"input", v.Text, "from", strings.ToLower(u.Unit), "to", strings.ToLower(iv.To)))
	}
}

// checkMix refuses years or months together with days or smaller units.
func (p *parser) checkMix(iv *Interval) {
	yearMonth, dayTime := false, false
	for _, u := range iv.Units {
		if u.Unit == "YEAR" || u.Unit == "MONTH" {
			yearMonth = true
		} else {
			dayTime = true
		}
	}
	if yearMonth && dayTime {
		p.report(iv.Span, condition.New("_LEGACY_ERROR_TEMP_0029", "literal", Text(iv, p.src)))
	}
}
