package json

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"unsafe"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/internal/decimal"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// view is b as a string without a copy, for functions that do not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// fromScalar converts a number, boolean or special token; false if the type does
// not take it.
func (p *parser) fromScalar(c *column, t token, s []byte) bool {
	switch c.typ.Kind {
	case vector.KindBool:
		if t != tokTrue && t != tokFalse {
			return false
		}
		c.appendBit(t == tokTrue)
		return true
	case vector.KindFloat, vector.KindDouble:
		return p.appendFloat(c, t, s)
	case vector.KindDecimal:
		return (t == tokInt || t == tokFloat) && appendDecimal(c, s)
	}
	if t != tokInt {
		return false
	}
	v := p.int
	if len(s) > 18 {
		var ok bool
		if v, ok = parseInt(s); !ok {
			return false
		}
	}
	switch c.typ.Kind {
	case vector.KindLong:
		c.i64 = append(c.i64, v)
	case vector.KindInt:
		if v != int64(int32(v)) {
			return false
		}
		c.i32 = append(c.i32, int32(v))
	case vector.KindShort:
		if v != int64(int16(v)) {
			return false
		}
		c.i16 = append(c.i16, int16(v))
	case vector.KindByte:
		if v < -128 || v > 255 { // as Jackson: unsigned bytes are taken too
			return false
		}
		c.i8 = append(c.i8, int8(v))
	case vector.KindTimestamp: // seconds; overflow wraps as in Spark
		c.i64 = append(c.i64, v*text.MicrosPerSecond)
	default:
		return false
	}
	c.n++
	return true
}

func parseInt(s []byte) (int64, bool) {
	v, err := strconv.ParseInt(view(s), 10, 64)
	return v, err == nil
}

func (p *parser) appendFloat(c *column, t token, s []byte) bool {
	var v float64
	switch t {
	case tokSpecial:
		v, _ = special(s)
	case tokInt, tokFloat:
		bits := 64
		if c.typ.Kind == vector.KindFloat {
			bits = 32
		}
		if bits == 64 && p.int != 0 && p.places >= 0 && len(s) <= 18 { // a zero may be -0.0
			if x, ok := text.Scaled(uint64(max(p.int, -p.int)), p.places); ok {
				v = math.Copysign(x, float64(p.int))
				break
			}
		}
		v, _ = strconv.ParseFloat(view(s), bits) // out of range gives an infinity, as in Java
	default:
		return false
	}
	if c.typ.Kind == vector.KindFloat {
		c.f32 = append(c.f32, float32(v))
	} else {
		c.f64 = append(c.f64, v)
	}
	c.n++
	return true
}

func special(s []byte) (float64, bool) {
	switch string(s) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "+Infinity", "+INF":
		return math.Inf(1), true
	case "-Infinity", "-INF":
		return math.Inf(-1), true
	}
	return 0, false
}

func appendDecimal(c *column, s []byte) bool {
	if len(s) == 0 || s[0] <= ' ' || s[len(s)-1] <= ' ' {
		return false
	}
	v, outcome := decimal.Parse(s, c.typ.Precision, c.typ.Scale)
	if outcome != decimal.OK {
		return false
	}
	c.dec = append(c.dec, v)
	c.n++
	return true
}

// fromString converts a string to a type other than STRING.
func (p *parser) fromString(c *column, s []byte) bool {
	if c.typ.Kind == vector.KindBinary {
		start := len(c.data)
		d, err := base64.StdEncoding.AppendDecode(c.data, s)
		if err != nil {
			c.data = c.data[:start]
			return false
		}
		c.data = d
		c.off = append(c.off, int32(len(d)))
		c.n++
		return true
	}
	if len(s) == 0 {
		return false
	}
	switch c.typ.Kind {
	case vector.KindTimestamp, vector.KindTimestampNTZ:
		v, ok := p.timestamp(c.typ.Kind, s)
		if !ok {
			return false
		}
		c.i64 = append(c.i64, v)
	case vector.KindDate:
		v, ok := p.date(s)
		if !ok {
			return false
		}
		c.i32 = append(c.i32, v)
	case vector.KindDecimal:
		if bytes.IndexByte(s, ',') >= 0 {
			t := make([]byte, 0, len(s))
			for _, b := range s {
				if b != ',' {
					t = append(t, b)
				}
			}
			s = t
		}
		return appendDecimal(c, s)
	case vector.KindFloat, vector.KindDouble:
		if _, ok := special(s); !ok || p.o.NoNonNumericNumbers {
			return false
		}
		return p.appendFloat(c, tokSpecial, s)
	default:
		return false
	}
	c.n++
	return true
}

func (p *parser) timestamp(k vector.Kind, s []byte) (int64, bool) {
	if k == vector.KindTimestampNTZ {
		if p.o.TimestampNTZFormat != nil {
			return p.o.TimestampNTZFormat.ParseNTZ(s, false)
		}
		return text.ParseTimestampNTZ(s, false)
	}
	if f := p.o.TimestampFormat; f != nil {
		v, ok := f.ParseTimestamp(s, p.o.Zone)
		if ok || !p.o.ParsingFallback {
			return v, ok
		}
	}
	return text.ParseTimestamp(cleanLegacy(s), p.o.Zone)
}

func (p *parser) date(s []byte) (int32, bool) {
	if f := p.o.DateFormat; f != nil {
		v, ok := f.ParseDate(s)
		if ok || !p.o.ParsingFallback {
			return v, ok
		}
	}
	if v, ok := text.ParseDate(cleanLegacy(s)); ok {
		return v, true
	}
	v, err := strconv.ParseInt(view(s), 10, 32) // days since 1970-01-01
	return int32(v), err == nil
}

// cleanLegacy removes a "GMT" before the offset, as old writers put it.
func cleanLegacy(s []byte) []byte {
	if bytes.IndexByte(s, 'G') < 0 {
		return s
	}
	for i := 0; i+3 <= len(s); i++ {
		if string(s[i:i+3]) == "GMT" {
			return append(append([]byte{}, s[:i]...), s[i+3:]...)
		}
	}
	return s
}

// reprint prints the value whose class next has told without white space, with
// numbers as Java prints them.
func (p *parser) reprint(b []byte, t token, s []byte, depth int) ([]byte, bool) {
	switch t {
	case tokNone:
		return b, false
	case tokNull, tokTrue, tokFalse:
		return append(b, s...), true
	case tokInt:
		if string(s) == "-0" || len(s) > 1 && (s[0] == '0' || s[0] == '-' && s[1] == '0') {
			v, _ := new(big.Int).SetString(string(s), 10)
			return v.Append(b, 10), true
		}
		return append(b, s...), true
	case tokFloat:
		v, _ := strconv.ParseFloat(view(s), 64)
		return render.AppendJSONDouble(b, v), true
	case tokSpecial:
		v, _ := special(s)
		return render.AppendJSONDouble(b, v), true
	case tokString:
		v, ok := p.str()
		return text.AppendJSONString(b, v), ok
	case tokObject:
		first := true
		b = append(b, '{')
		ok := p.members(depth, func(name []byte) (ok bool) {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(text.AppendJSONString(b, name), ':')
			t, s := p.next()
			b, ok = p.reprint(b, t, s, depth+1)
			return ok
		})
		return append(b, '}'), ok
	}
	first := true
	b = append(b, '[')
	ok := p.elements(depth, func() (ok bool) {
		if !first {
			b = append(b, ',')
		}
		first = false
		t, s := p.next()
		b, ok = p.reprint(b, t, s, depth+1)
		return ok
	})
	return append(b, ']'), ok
}
