package sql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
)

type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // a word: keywords are words too, as Spark reserves none
	tokQuoted           // `x`, without the backticks
	tokString           // with escapes resolved
	tokNumber
	tokOp
	tokBad // a character that starts no token; no rule of the parser takes it
)

// token is a lexical unit. text is the word as written, the value of a string or
// quoted identifier, the digits of a number without its suffix, or the operator.
type token struct {
	kind tokenKind
	text string
	up   string // upper-cased word
	num  string // Literal.Kind of a number
	Span
}

// operators, longest first for each first byte.
var operators = []string{
	"<=>", ">>>", "/*+", "<=", ">=", "<>", "!=", "!>", "!<", "==", "||", "|>", "<<", ">>", "->", "=>", "::", "*/",
	";", "(", ")", ",", ".", "[", "]", "!", "=", "<", ">", "+", "-", "*", "/", "%", "~", "&", "|", "^", ":", "@", "?",
}

// operatorsBy holds the operators by their first byte.
var operatorsBy = func() (by [128][]string) {
	for _, o := range operators {
		by[o[0]] = append(by[o[0]], o)
	}
	return by
}()

type lexer struct {
	src string
	pos int
}

// lex splits src into tokens; the last one is tokEOF. Only an unclosed bracketed
// comment is an error here: everything else is a token, if need be a bad one.
func lex(src string) ([]token, error) {
	l := &lexer{src: src}
	out := make([]token, 0, len(src)/4+2)
	for {
		if err := l.skip(); err != nil {
			return nil, err
		}
		if l.pos >= len(src) {
			return append(out, token{Span: Span{len(src), len(src)}}), nil
		}
		start := l.pos
		t := l.next()
		t.Span = Span{start, l.pos}
		out = append(out, t)
	}
}

// skip passes white space and comments.
func (l *lexer) skip() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch {
		case strings.HasPrefix(rest, "--"):
			l.lineComment()
		case strings.HasPrefix(rest, "/*") && !strings.HasPrefix(rest, "/*+"):
			if err := l.bracketedComment(); err != nil {
				return err
			}
		default:
			r, w := utf8.DecodeRuneInString(rest)
			if !isSpace(r) {
				return nil
			}
			l.pos += w
		}
	}
	return nil
}

// isSpace is Spark's WS rule.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xA0, 0x1680, 0x2028, 0x202F, 0x205F, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// lineComment passes a comment to the end of the line; a backslash before the
// line feed continues it.
func (l *lexer) lineComment() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
		if strings.HasPrefix(l.src[l.pos:], "\\\n") {
			l.pos++
		}
		l.pos++
	}
}

func (l *lexer) bracketedComment() error {
	start, depth := l.pos, 0
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch {
		case strings.HasPrefix(rest, "*/"):
			depth--
			l.pos += 2
			if depth == 0 {
				return nil
			}
		case strings.HasPrefix(rest, "/*") && !strings.HasPrefix(rest, "/*+"):
			depth++
			l.pos += 2
		default:
			l.pos++
		}
	}
	return condition.New("UNCLOSED_BRACKETED_COMMENT").WithPos(condition.At(l.src, start, len(l.src))).
		WithHint("close the comment with */")
}

func (l *lexer) next() token {
	c := l.src[l.pos]
	switch {
	case c == '\'' || c == '"':
		if t, ok := l.quotedString(l.pos, false); ok {
			return t
		}
		return l.bad()
	case c == '`':
		return l.quotedIdent()
	case isDigit(c) || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		return l.number()
	case (c == 'r' || c == 'R') && l.pos+1 < len(l.src) && (l.src[l.pos+1] == '\'' || l.src[l.pos+1] == '"'):
		if t, ok := l.quotedString(l.pos+1, true); ok {
			return t
		}
	}
	if end := wordEnd(l.src, l.pos); end > l.pos {
		return l.word(end)
	}
	if c < utf8.RuneSelf {
		for _, o := range operatorsBy[c] {
			if strings.HasPrefix(l.src[l.pos:], o) {
				l.pos += len(o)
				return token{kind: tokOp, text: o}
			}
		}
	}
	return l.bad()
}

func (l *lexer) bad() token {
	_, w := utf8.DecodeRuneInString(l.src[l.pos:])
	l.pos += w
	return token{kind: tokBad}
}

func (l *lexer) word(end int) token {
	s := l.src[l.pos:end]
	l.pos = end
	return token{kind: tokIdent, text: s, up: strings.ToUpper(s)}
}

// wordEnd is the end of the run of letters, digits and underscores at i.
func wordEnd(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !isDigit(c) && c != '_' && !isASCIILetter(c) {
				break
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) {
			break
		}
		i += w
	}
	return i
}

func isDigit(c byte) bool       { return c >= '0' && c <= '9' }
func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) quotedIdent() token {
	var b strings.Builder
	for i := l.pos + 1; i < len(l.src); i++ {
		if l.src[i] != '`' {
			b.WriteByte(l.src[i])
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		l.pos = i + 1
		return token{kind: tokQuoted, text: b.String()}
	}
	return l.bad()
}

// quotedString reads a string whose quote is at i; false if it is not closed. A
// doubled quote inside stands for one quote, except in raw strings.
func (l *lexer) quotedString(i int, raw bool) (token, bool) {
	q := l.src[i]
	start := i + 1
	for i = start; i < len(l.src); i++ {
		switch {
		case l.src[i] == '\\' && !raw:
			i++
		case l.src[i] == q && !raw && i+1 < len(l.src) && l.src[i+1] == q:
			i++
		case l.src[i] == q:
			l.pos = i + 1
			body := l.src[start:i]
			if !raw {
				body = unescape(body, q)
			}
			return token{kind: tokString, text: body}, true
		}
	}
	return token{}, false
}

// number reads a numeric literal, or a word that starts with digits: the longest
// match wins, and of two equally long ones the number.
func (l *lexer) number() token {
	s, start := l.src, l.pos
	i := start
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	digits := i
	best, kind, text := start, "", ""
	take := func(end int, k string, textEnd int) {
		if end > best {
			best, kind, text = end, k, s[start:textEnd]
		}
	}
	suffixes := func(end int, point bool) {
		for _, f := range []struct{ suffix, kind string }{{"F", "float"}, {"D", "doubleSuffix"}, {"BD", "bigdecimal"}} {
			n := end + len(f.suffix)
			if n <= len(s) && strings.EqualFold(s[end:n], f.suffix) && (!point || !wordFollows(s, n)) {
				take(n, f.kind, end)
			}
		}
	}
	if digits > start {
		take(digits, "integer", digits)
		if digits < len(s) {
			switch s[digits] | 0x20 {
			case 'l':
				take(digits+1, "bigint", digits)
			case 's':
				take(digits+1, "smallint", digits)
			case 'y':
				take(digits+1, "tinyint", digits)
			}
		}
		suffixes(digits, false)
		if e := exponentEnd(s, digits); e > digits {
			take(e, "double", e)
			suffixes(e, false)
		}
	}
	if digits < len(s) && s[digits] == '.' {
		m := digits + 1
		for m < len(s) && isDigit(s[m]) {
			m++
		}
		if !wordFollows(s, m) {
			take(m, "decimal", m)
		}
		suffixes(m, true)
		if e := exponentEnd(s, m); e > m {
			if !wordFollows(s, e) {
				take(e, "double", e)
			}
			suffixes(e, true)
		}
	}
	if best == start { // a point before a word, as in t.1a
		l.pos++
		return token{kind: tokOp, text: "."}
	}
	if w := wordEnd(s, start); w > best {
		return l.word(w)
	}
	l.pos = best
	return token{kind: tokNumber, num: kind, text: text}
}

// exponentEnd is the end of an exponent at i, or i.
func exponentEnd(s string, i int) int {
	if i >= len(s) || s[i]|0x20 != 'e' {
		return i
	}
	j := i + 1
	if j < len(s) && (s[j] == '+' || s[j] == '-') {
		j++
	}
	k := j
	for k < len(s) && isDigit(s[k]) {
		k++
	}
	if k == j {
		return i
	}
	return k
}

func wordFollows(s string, i int) bool {
	return i < len(s) && (isDigit(s[i]) || isASCIILetter(s[i]) || s[i] == '_')
}
