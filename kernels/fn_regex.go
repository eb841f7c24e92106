package kernels

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/vstream/vstream/condition"
)

// Regex is a regular expression in Java's syntax. Most run on the standard
// library's engine, whose time is linear in the text; look-around, back
// references, possessive and atomic groups need a backtracking engine, whose
// time for one text is bounded.
type Regex struct {
	plain  *plainRegex // what fast does, for patterns that need no engine
	fast   *regexp.Regexp
	slow   *regexp2.Regexp // the only engine, or the one for texts that end in a line break
	dollar bool            // the pattern has a $, which Java lets match before a final line break
	groups int
}

// matchTimeout bounds a match on the backtracking engine.
const matchTimeout = 10 * time.Second

// CompileRegex compiles a Java pattern.
func CompileRegex(pattern string) (*Regex, error) {
	r := &Regex{}
	tr := translator{src: pattern}
	src, simple := tr.run()
	if tr.brace {
		return nil, errors.New("illegal repetition")
	}
	if simple {
		fast, err := regexp.Compile(src)
		if err != nil {
			return nil, err
		}
		r.fast, r.groups, r.dollar = fast, fast.NumSubexp(), tr.dollar
		if !r.dollar {
			r.plain = newPlainRegex(src)
			return r, nil
		}
	}
	slow, err := regexp2.Compile(tr.dotNet(), regexp2.None, regexp2.OptionMaintainCaptureOrder())
	if err != nil {
		if r.fast != nil {
			return r, nil
		}
		return nil, err
	}
	slow.MatchTimeout = matchTimeout
	r.slow = slow
	r.groups = len(slow.GetGroupNumbers()) - 1
	return r, nil
}

// Groups is the number of capturing groups.
func (r *Regex) Groups() int { return r.groups }

// engine picks the backtracking engine where the answers could differ.
func (r *Regex) backtracks(s []byte) bool {
	if r.fast == nil {
		return true
	}
	return r.dollar && r.slow != nil && len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r' || s[len(s)-1] >= 0x80)
}

// Match tells whether the pattern matches anywhere in s.
func (r *Regex) Match(s []byte) (bool, error) {
	if r.plain != nil {
		var at [8]int
		return r.plain.find(at[:0], s) != nil, nil
	}
	if !r.backtracks(s) {
		return r.fast.Match(s), nil
	}
	ok, err := r.slow.MatchString(string(s))
	return ok, timedOut(err)
}

// Find returns the first match: pairs of byte indexes, the whole match first, -1 for a
// group that took no part; nil if there is none. It may use the memory of dst.
func (r *Regex) Find(dst []int, s []byte) ([]int, error) {
	if r.plain != nil {
		return r.plain.find(dst, s), nil
	}
	if !r.backtracks(s) {
		return r.fast.FindSubmatchIndex(s), nil
	}
	text := string(s)
	m, err := r.slow.FindStringMatch(text)
	if err != nil || m == nil {
		return nil, timedOut(err)
	}
	return byteIndexes(text, m), nil
}

// All returns all matches, left to right, as Find gives them.
func (r *Regex) All(s []byte) ([][]int, error) {
	if !r.backtracks(s) {
		return javaEmptyMatches(r.fast.FindAllSubmatchIndex(s, -1), s, r.fast), nil
	}
	text := string(s)
	var out [][]int
	m, err := r.slow.FindStringMatch(text)
	for err == nil && m != nil {
		out = append(out, byteIndexes(text, m))
		m, err = r.slow.FindNextMatch(m)
	}
	return out, timedOut(err)
}

// javaEmptyMatches adds the empty match directly behind a match that Java's find
// reports and Go's leaves out.
func javaEmptyMatches(ms [][]int, s []byte, re *regexp.Regexp) [][]int {
	if len(ms) == 0 || !re.Match(nil) {
		return ms
	}
	var out [][]int
	for i, m := range ms {
		out = append(out, m)
		next := len(s) + 1
		if i+1 < len(ms) {
			next = ms[i+1][0]
		}
		if m[1] > m[0] && m[1] < next {
			if e := emptyAt(re, s, m[1]); e != nil {
				out = append(out, e)
			}
		}
	}
	return out
}

// emptyAt is the empty match at a place where nothing longer matches.
func emptyAt(re *regexp.Regexp, s []byte, at int) []int {
	m := re.FindSubmatchIndex(s[at:])
	if m == nil || m[0] != 0 || m[1] != 0 {
		return nil
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += at
		}
	}
	return m
}

func byteIndexes(text string, m *regexp2.Match) []int {
	groups := m.Groups()
	out := make([]int, 0, 2*len(groups))
	for _, g := range groups {
		if len(g.Captures) == 0 {
			out = append(out, -1, -1)
			continue
		}
		lo := runeOffset(text, g.RuneIndex)
		out = append(out, lo, lo+runeOffset(text[lo:], g.RuneLength))
	}
	return out
}

func runeOffset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return i
}

func timedOut(err error) error {
	if err == nil {
		return nil
	}
	return condition.New("INTERNAL_ERROR", "message", "A regular expression took longer than "+matchTimeout.String()+" on one text").
		WithHint("Avoid nested repetition in patterns with look-around or back references.").WithCause(err)
}

// regexCache keeps the last pattern compiled: for a constant pattern that is all.
type regexCache struct{ last atomic.Pointer[regexEntry] }

type regexEntry struct {
	pattern string
	re      *Regex
}

// get compiles a pattern for a function, whose name goes into the error.
func (c *regexCache) get(pattern []byte, function string) (*Regex, error) {
	if e := c.last.Load(); e != nil && e.pattern == string(pattern) {
		return e.re, nil
	}
	re, err := CompileRegex(string(pattern))
	if err != nil {
		return nil, condition.New("INVALID_PARAMETER_VALUE.PATTERN",
			"parameter", "`regexp`", "functionName", "`"+function+"`", "value", "'"+string(pattern)+"'").WithCause(err)
	}
	c.last.Store(&regexEntry{string(pattern), re})
	return re, nil
}

// literal is the text that a pattern stands for if it has no operators.
func literalPattern(p []byte) ([]byte, bool) {
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\':
			i++
			if i == len(p) || p[i]|0x20 >= 'a' && p[i]|0x20 <= 'z' || p[i]-'0' <= 9 || p[i] >= utf8.RuneSelf {
				return nil, false
			}
			c = p[i]
		case strings.IndexByte(".[](){}*+?^$|", c) >= 0:
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

// replacement is a Java replacement text taken apart: literals and group numbers.
type replacement struct {
	lits   []string // lits[i] precedes groups[i]
	groups []int
}

// illegalReplacement says why a replacement text has no meaning.
type illegalReplacement struct{ why string }

func (e *illegalReplacement) Error() string { return e.why }

// parseReplacement reads $n, ${name} and backslash escapes.
func parseReplacement(s string, r *Regex) (replacement, error) {
	var out replacement
	var lit strings.Builder
	illegal := func(msg string) error {
		return &illegalReplacement{msg}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if i++; i == len(s) {
				return out, illegal("character to be escaped is missing")
			}
			lit.WriteByte(s[i])
		case c == '$':
			g := -1
			if i+1 < len(s) && s[i+1] == '{' {
				end := strings.IndexByte(s[i:], '}')
				if end < 0 {
					return out, illegal("named capturing group is missing trailing '}'")
				}
				if r.fast != nil {
					g = r.fast.SubexpIndex(s[i+2 : i+end])
				} else {
					g = r.slow.GroupNumberFromName(s[i+2 : i+end])
				}
				i += end
			} else {
				j := i + 1
				for j < len(s) && s[j]-'0' <= 9 {
					v, _ := strconv.Atoi(s[i+1 : j+1])
					if j > i+1 && v > r.groups {
						break
					}
					g = v
					j++
				}
				i = j - 1
			}
			if g < 0 || g > r.groups {
				return out, illegal("no such group")
			}
			out.lits = append(out.lits, lit.String())
			out.groups = append(out.groups, g)
			lit.Reset()
		default:
			lit.WriteByte(c)
		}
	}
	out.lits = append(out.lits, lit.String())
	return out, nil
}

// append adds the replacement of match m of s.
func (p *replacement) append(dst, s []byte, m []int) []byte {
	for i, g := range p.groups {
		dst = append(dst, p.lits[i]...)
		if m[2*g] >= 0 {
			dst = append(dst, s[m[2*g]:m[2*g+1]]...)
		}
	}
	return append(dst, p.lits[len(p.lits)-1]...)
}
