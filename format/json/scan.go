package json

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON tokens as Jackson does with Spark's features. Its methods
// return false at a syntax error; the position is then of no use any more.
type scanner struct {
	d   []byte
	i   int
	o   *Options
	buf []byte // unescaped text of the last string with escapes
	int int64  // digits of the last number without exponent as an integer, if at most 18
	// places is how many of these digits were behind the point, -1 if there was an exponent.
	places int
}

const maxDepth = 1000 // Jackson's StreamReadConstraints

func (s *scanner) space() {
	for s.i < len(s.d) {
		switch s.d[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		case '/':
			if !s.o.AllowComments || !s.comment() {
				return
			}
		default:
			return
		}
	}
}

func (s *scanner) comment() bool {
	rest := s.d[s.i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if e := bytes.IndexByte(rest, '\n'); e >= 0 {
			s.i += e
		} else {
			s.i = len(s.d)
		}
		return true
	case bytes.HasPrefix(rest, []byte("/*")):
		if e := bytes.Index(rest[2:], []byte("*/")); e >= 0 {
			s.i += e + 4
			return true
		}
	}
	return false
}

// byte is the next byte, 0 at the end.
func (s *scanner) byte() byte {
	if s.i < len(s.d) {
		return s.d[s.i]
	}
	return 0
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if c := s.byte(); c > ' ' && c != '/' {
		return c
	}
	s.space()
	return s.byte()
}

// end reads what follows a member or element, a comma or the closing byte; last tells which.
func (s *scanner) end(closing byte) (last, ok bool) {
	c := s.byte()
	if c != ',' && c != closing {
		c = s.peek()
	}
	s.i++
	return c == closing, c == ',' || c == closing
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// stringEnd is the index of the first quote, backslash or control character from
// i on, len(d) if there is none; ascii tells whether all bytes before are ASCII.
func stringEnd(d []byte, i int) (end int, ascii bool) {
	var high uint64
	for i+8 <= len(d) {
		w := binary.LittleEndian.Uint64(d[i:])
		a, b := w^(ones*'"'), w^(ones*'\\')
		m := ((a-ones)&^a | (b-ones)&^b | (w-ones*0x20)&^w) & highs
		if m != 0 {
			// Borrows may mark bytes above the first hit, never below it.
			k := bits.TrailingZeros64(m)
			high |= w & (1<<uint(k) - 1)
			return i + k>>3, high&highs == 0
		}
		high |= w
		i += 8
	}
	for ; i < len(d); i++ {
		c := d[i]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		high |= uint64(c)
	}
	return i, high&highs == 0
}

// digitsEnd is the index of the first byte from i on that is no digit. Numbers of any length
// below eight take the same path, so that the processor need not guess the length.
func digitsEnd(d []byte, i int) int {
	for i+8 <= len(d) {
		w := binary.LittleEndian.Uint64(d[i:]) ^ ones*'0'
		k := bits.TrailingZeros64((w|(w+ones*(0x7f-9)))&highs) >> 3 // carries rise, so the lowest mark is right
		if i += k; k < 8 {
			return i
		}
	}
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	return i
}

// str reads a string at its opening quote. The result lives until the next call.
func (s *scanner) str() ([]byte, bool) {
	quote := s.d[s.i]
	s.i++
	start := s.i
	if quote == '"' {
		e, ascii := stringEnd(s.d, start)
		if e < len(s.d) && s.d[e] == '"' {
			s.i = e + 1
			if t := s.d[start:e]; ascii || utf8.Valid(t) {
				return t, true
			}
			s.buf = append(s.buf[:0], bytes.ToValidUTF8(s.d[start:e], []byte("\uFFFD"))...)
			return s.buf, true
		}
	} else if s.o.NoSingleQuotes {
		return nil, false
	}
	return s.escaped(start, quote)
}

// escaped reads the string that begins at start: runs of plain text and, byte by byte,
// what is between them.
func (s *scanner) escaped(start int, quote byte) ([]byte, bool) {
	b := s.buf[:0]
	for i := start; i < len(s.d); i++ {
		if quote == '"' {
			e, _ := stringEnd(s.d, i)
			b = append(b, s.d[i:e]...)
			if i = e; i == len(s.d) {
				break
			}
		}
		c := s.d[i]
		switch {
		case c == quote:
			s.i = i + 1
			if !utf8.Valid(b) {
				b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
			}
			s.buf = b
			return b, true
		case c == '\\':
			i++
			if i == len(s.d) {
				return nil, false
			}
			var n int
			if b, n = s.escape(b, i); n == 0 {
				return nil, false
			}
			i += n - 1
		case c < 0x20 && !s.o.AllowControlChars:
			return nil, false
		default:
			b = append(b, c)
		}
	}
	return nil, false
}

// escape appends the character of the escape whose letter is at i and returns
// the number of bytes read, 0 for a wrong escape.
func (s *scanner) escape(b []byte, i int) ([]byte, int) {
	switch c := s.d[i]; c {
	case '"', '\\', '/':
		return append(b, c), 1
	case 'b':
		return append(b, '\b'), 1
	case 'f':
		return append(b, '\f'), 1
	case 'n':
		return append(b, '\n'), 1
	case 'r':
		return append(b, '\r'), 1
	case 't':
		return append(b, '\t'), 1
	case 'u':
		r, ok := hex4(s.d, i+1)
		if !ok {
			return b, 0
		}
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(b, r), 5
		}
		if i+6 < len(s.d) && s.d[i+5] == '\\' && s.d[i+6] == 'u' {
			if low, ok := hex4(s.d, i+7); ok {
				if p := utf16.DecodeRune(r, low); p != utf8.RuneError {
					return utf8.AppendRune(b, p), 11
				}
			}
		}
		return append(b, '?'), 5 // as Java encodes a lone surrogate
	default:
		if !s.o.AllowBackslashAny {
			return b, 0
		}
		return append(b, c), 1
	}
}

func hex4(d []byte, i int) (rune, bool) {
	if i+4 > len(d) {
		return 0, false
	}
	var r rune
	for _, c := range d[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// name reads a field name.
func (s *scanner) name() ([]byte, bool) {
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		return s.str()
	case s.o.AllowUnquotedFieldNames && nameByte(c):
		start := s.i
		for s.i < len(s.d) && nameByte(s.d[s.i]) {
			s.i++
		}
		return s.d[start:s.i], true
	}
	return nil, false
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c == '-' || c == '@' || c >= 0x80 || c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// token is the class of a JSON value.
type token uint8

const (
	tokNone token = iota // a syntax error
	tokObject
	tokArray
	tokString
	tokInt
	tokFloat
	tokSpecial // NaN and the infinities
	tokTrue
	tokFalse
	tokNull
)

// next looks at the value that follows. A scalar other than a string is read and
// its text returned; of an object, array or string only the class is told.
func (s *scanner) next() (token, []byte) {
	c := s.byte()
	if c <= ' ' || c == '/' {
		c = s.peek()
	}
	start := s.i
	switch {
	case c == '"', c == '\'' && !s.o.NoSingleQuotes:
		return tokString, nil
	case c == '{':
		return tokObject, nil
	case c == '[':
		return tokArray, nil
	case c-'0' <= 9, c == '-':
		t := s.number()
		return t, s.d[start:s.i]
	case c == 't' && s.word("true"):
		return tokTrue, s.d[start:s.i]
	case c == 'f' && s.word("false"):
		return tokFalse, s.d[start:s.i]
	case c == 'n' && s.word("null"):
		return tokNull, s.d[start:s.i]
	case !s.o.NoNonNumericNumbers && (c == 'N' && s.word("NaN") || c == 'I' && s.word("Infinity") ||
		c == '+' && (s.word("+INF") || s.word("+Infinity"))):
		return tokSpecial, s.d[start:s.i]
	}
	return tokNone, nil
}

func (s *scanner) word(w string) bool {
	e := s.i + len(w)
	if e > len(s.d) || string(s.d[s.i:e]) != w || e < len(s.d) && nameByte(s.d[e]) {
		return false
	}
	s.i = e
	return true
}

// number reads a number at its first byte.
func (s *scanner) number() token {
	d, i := s.d, s.i
	if d[i] == '-' {
		i++
		if i < len(d) && d[i] == 'I' && !s.o.NoNonNumericNumbers && (s.word("-INF") || s.word("-Infinity")) {
			return tokSpecial
		}
	}
	first := i
	v := int64(0)
	for i < len(d) && d[i]-'0' <= 9 {
		v = v*10 + int64(d[i]-'0')
		i++
	}
	if i == first || d[first] == '0' && i > first+1 && !s.o.AllowLeadingZeros {
		return tokNone
	}
	t := tokInt
	s.places = 0
	if i < len(d) && d[i] == '.' {
		t = tokFloat
		i++
		f := i
		for i < len(d) && d[i]-'0' <= 9 {
			v = v*10 + int64(d[i]-'0')
			i++
		}
		if s.places = i - f; s.places == 0 {
			return tokNone
		}
	}
	if first > s.i {
		v = -v
	}
	s.int = v
	if i < len(d) && d[i]|0x20 == 'e' {
		t = tokFloat
		s.places = -1
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		f := i
		for i < len(d) && d[i]-'0' <= 9 {
			i++
		}
		if i == f {
			return tokNone
		}
	}
	s.i = i
	return t
}

// skip reads over a value, checking its syntax.
func (s *scanner) skip(depth int) bool {
	switch c := s.byte(); {
	case c == '"':
		return s.skipRest(tokString, depth)
	case c-'1' < 9: // mostly a whole number
		if e := digitsEnd(s.d, s.i); e < len(s.d) && (s.d[e] == ',' || s.d[e] == '}') {
			s.i = e
			return true
		}
	}
	t, _ := s.next()
	return t != tokNone && s.skipRest(t, depth)
}

// skipRest reads over the value whose class next has told.
func (s *scanner) skipRest(t token, depth int) bool {
	switch t {
	case tokString:
		if e, _ := stringEnd(s.d, s.i+1); s.d[s.i] == '"' && e < len(s.d) && s.d[e] == '"' {
			s.i = e + 1
			return true
		}
		_, ok := s.str()
		return ok
	case tokObject:
		return s.members(depth, func([]byte) bool { return s.skip(depth + 1) })
	case tokArray:
		return s.elements(depth, func() bool { return s.skip(depth + 1) })
	}
	return true
}

// members calls f at the value of each member of the object at its brace.
func (s *scanner) members(depth int, f func(name []byte) bool) bool {
	if depth > maxDepth {
		return false
	}
	s.i++
	if s.peek() == '}' {
		s.i++
		return true
	}
	for {
		name, ok := s.name()
		if !ok || s.peek() != ':' {
			return false
		}
		s.i++
		if !f(name) {
			return false
		}
		if last, ok := s.end('}'); last || !ok {
			return ok
		}
	}
}

// elements calls f at each element of the array at its bracket.
func (s *scanner) elements(depth int, f func() bool) bool {
	if depth > maxDepth {
		return false
	}
	s.i++
	if s.peek() == ']' {
		s.i++
		return true
	}
	for {
		if !f() {
			return false
		}
		if last, ok := s.end(']'); last || !ok {
			return ok
		}
	}
}
