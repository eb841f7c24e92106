package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// span is where a token's text lies; n < 0 is a token that is null.
type span struct {
	off uint32 // in the chunk, or in the tokenizer's own bytes with sideBit set
	n   int32
}

const sideBit = 1 << 31

// tokenizer finds the fields of records as the univocity parser does, which
// Spark sets to keep a value with an unescaped quote up to the delimiter.
type tokenizer struct {
	o     *Options
	sep   byte   // first byte of the separator
	more  string // its other bytes
	multi bool   // records may span lines: line ends are found here
	buf   []byte // what is parsed
	side  []byte // Options.EmptyValue, then texts that are not in buf as they are
	spans []span // of all records since reset
	swar  uint64
}

func newTokenizer(o *Options) *tokenizer {
	t := &tokenizer{o: o, sep: o.Sep[0], more: o.Sep[1:], multi: o.MultiLine}
	t.swar = uint64(t.sep) * 0x0101010101010101
	return t
}

// reset forgets the tokens and takes the next bytes to parse.
func (t *tokenizer) reset(buf []byte) {
	t.buf, t.spans = buf, t.spans[:0]
	t.side = append(t.side[:0], t.o.EmptyValue...)
}

func (t *tokenizer) text(s span) []byte {
	if s.off&sideBit != 0 {
		off := s.off &^ sideBit
		return t.side[off : off+uint32(s.n)]
	}
	return t.buf[s.off : s.off+uint32(s.n)]
}

// isSep tells whether a separator begins at i.
func (t *tokenizer) isSep(i, end int) bool {
	return t.buf[i] == t.sep && (t.more == "" || bytes.HasPrefix(t.buf[i+1:end], []byte(t.more)))
}

// stop tells whether a separator or, across lines, a line end begins at i.
func (t *tokenizer) stop(i, end int) bool { return t.isSep(i, end) || t.multi && t.lineEnd(i) > 0 }

// lineEnd is the length of the line end at i; 0 if there is none.
func (t *tokenizer) lineEnd(i int) int {
	if t.o.LineSep != "" {
		if bytes.HasPrefix(t.buf[i:], []byte(t.o.LineSep)) {
			return len(t.o.LineSep)
		}
		return 0
	}
	switch t.buf[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(t.buf) && t.buf[i+1] == '\n' {
			return 2
		}
		return 1
	}
	return 0
}

// record appends the spans of the fields in buf[i:end] and returns how many there
// are and where the record ends; want limits the fields that are looked for (0: all).
func (t *tokenizer) record(i, end, want int) (fields, next int) {
	for {
		// The field begins at i.
		if t.o.TrimLeading {
			for i < end && t.buf[i] <= ' ' && !t.stop(i, end) {
				i++
			}
		}
		var s span
		switch {
		case i >= end || t.stop(i, end):
			s.n = -1
		case t.buf[i] == t.o.Quote && t.o.Quote != 0:
			s, i = t.quoted(i, end)
		default:
			from := i
			i = t.findStop(i, end)
			s = t.trimmed(span{uint32(from), int32(i - from)})
		}
		t.spans = append(t.spans, s)
		fields++
		if i >= end {
			return fields, end
		}
		if t.multi && !t.isSep(i, end) {
			if n := t.lineEnd(i); n > 0 {
				return fields, i + n
			}
		}
		i += 1 + len(t.more)
		if fields == want {
			return fields, i
		}
	}
}

// findStop is where the field that runs through i ends.
func (t *tokenizer) findStop(i, end int) int {
	if t.multi || t.more != "" {
		for i < end && !t.stop(i, end) {
			i++
		}
		return i
	}
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	for i+8 <= end {
		x := binary.LittleEndian.Uint64(t.buf[i:]) ^ t.swar
		if m := (x - lo) &^ x & hi; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < end && t.buf[i] != t.sep {
		i++
	}
	return i
}

// trimmed applies ignoreTrailingWhiteSpace; what becomes empty is an empty value.
func (t *tokenizer) trimmed(s span) span {
	if !t.o.TrimTrailing {
		return s
	}
	for s.n > 0 && t.text(s)[s.n-1] <= ' ' {
		s.n--
	}
	if s.n == 0 {
		return t.empty()
	}
	return s
}

func (t *tokenizer) empty() span { return span{sideBit, int32(len(t.o.EmptyValue))} }

// quoted reads the field whose opening quote is at i and returns where it ends.
func (t *tokenizer) quoted(i, end int) (span, int) {
	q := t.o.Quote
	if j := bytes.IndexByte(t.buf[i+1:end], q); j >= 0 {
		// The plain case: no escape before the quote, and the field ends behind it.
		j += i + 1
		body := t.buf[i+1 : j]
		if (j+1 >= end || t.stop(j+1, end)) && (t.o.Escape == 0 || bytes.IndexByte(body, t.o.Escape) < 0) &&
			(!t.multi || bytes.IndexByte(body, '\r') < 0) {
			if len(body) == 0 {
				return t.empty(), j + 1
			}
			return span{uint32(i + 1), int32(len(body))}, j + 1
		}
	}
	from := len(t.side)
	next, raw := t.unquote(i, end)
	s := span{uint32(from) | sideBit, int32(len(t.side) - from)}
	if raw {
		return t.trimmed(s), next
	}
	if s.n == 0 {
		return t.empty(), next
	}
	return s, next
}

// unquote appends the field's text to side. raw tells that a quote inside was not
// escaped: then the text keeps its quotes and reaches up to the next separator.
func (t *tokenizer) unquote(i, end int) (next int, raw bool) {
	q, esc, escEsc := t.o.Quote, t.o.Escape, t.o.EscapeEscape
	start := len(t.side)
	if i+1 >= end {
		t.side = append(t.side, q) // a quote and nothing else stands for itself
		return end, true
	}
	var prev byte
	for i++; i < end; i++ {
		c := t.buf[i]
		if prev == q && (c <= ' ' || t.stop(i, end)) {
			return t.behindQuote(start, i, end)
		}
		switch {
		case c != q && (c != esc || esc == 0):
			if prev == q {
				t.side = append(t.side, q)
				return t.rawRest(start, i, end), true
			}
			if prev != 0 && (prev == esc && escEsc != 0 || prev == escEsc) {
				t.side = append(t.side, prev)
			}
			if c == escEsc && escEsc != 0 {
				prev = c
				continue
			}
			j := i
			for j < end && t.buf[j] != q && (t.buf[j] != esc || esc == 0) && (t.buf[j] != escEsc || escEsc == 0) {
				j++
			}
			t.appendText(t.buf[i:j])
			i, prev = j-1, 0
		case c == esc && prev == escEsc && escEsc != 0:
			t.side, prev = append(t.side, esc), 0
		case prev == esc && esc != 0:
			if c == q {
				t.side, prev = append(t.side, q), 0
			} else {
				t.side, prev = append(t.side, prev), c
			}
		case c == q && prev == q:
			t.side = append(t.side, q)
		case prev == q:
			t.side = append(t.side, q)
			return t.rawRest(start, i, end), true
		default:
			prev = c
		}
	}
	return end, false
}

// appendText adds quoted text; in records that span lines, line ends become \n.
func (t *tokenizer) appendText(b []byte) {
	if t.multi && t.o.LineSep == "" && bytes.IndexByte(b, '\r') >= 0 {
		b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	t.side = append(t.side, b...)
}

// behindQuote goes on behind a closing quote: white space up to the separator is
// dropped; anything else means that the quote did not close the field.
func (t *tokenizer) behindQuote(start, i, end int) (next int, raw bool) {
	j := i
	for j < end && t.buf[j] <= ' ' && !t.stop(j, end) {
		j++
	}
	if j >= end || t.stop(j, end) {
		return j, false
	}
	t.side = append(t.side, t.o.Quote)
	return t.rawRest(start, i, end), true
}

// rawRest puts the opening quote in front of the text from start and adds the
// rest of the field as it is.
func (t *tokenizer) rawRest(start, i, end int) int {
	next := t.findStop(i, end)
	t.side = append(t.side, t.buf[i:next]...)
	t.side = append(t.side, 0)
	copy(t.side[start+1:], t.side[start:])
	t.side[start] = t.o.Quote
	return next
}
