package kernels

import (
	"regexp/syntax"
	"unicode/utf8"
)

// plainRegex is a pattern that begins with a text and goes on with texts and runs of
// characters of a class, where what follows a run cannot begin with a character of it:
// every run is as long as it can be, and the first match is found without looking back.
type plainRegex struct {
	begin *finder
	parts []regexPart // behind the text at the beginning
	marks int         // the size of a match's list of places
}

// regexPart is one part of a plain pattern; exactly one of its three kinds.
type regexPart struct {
	lit  []byte
	run  *[256]bool // the bytes of the characters of a class, of which there are min to max
	min  int
	max  int // -1: without bound
	mark int // the place in a match's list that is here
}

// newPlainRegex takes a pattern of Go's engine; nil if it is not plain.
func newPlainRegex(pattern string) *plainRegex {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	p := &plainRegex{marks: 2 * (re.MaxCap() + 1)}
	if !p.add(re) {
		return nil
	}
	var lit []byte
	for len(p.parts) > 0 && p.parts[0].lit != nil {
		lit, p.parts = append(lit, p.parts[0].lit...), p.parts[1:]
	}
	if len(lit) == 0 {
		return nil
	}
	p.begin = newFinder(lit)
	for i, part := range p.parts {
		if part.run != nil && !(p.ends(i) && p.bounded(i)) {
			return nil
		}
	}
	return p
}

// add appends the parts of a syntax tree; false if one is not plain.
func (p *plainRegex) add(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, s := range re.Sub {
			if !p.add(s) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		p.parts = append(p.parts, regexPart{mark: 2 * re.Cap})
		if !p.add(re.Sub[0]) {
			return false
		}
		p.parts = append(p.parts, regexPart{mark: 2*re.Cap + 1})
		return true
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return false
		}
		var lit []byte
		for _, r := range re.Rune {
			if r == utf8.RuneError { // any byte that is no UTF-8 matches it
				return false
			}
			lit = utf8.AppendRune(lit, r)
		}
		p.parts = append(p.parts, regexPart{lit: lit})
		return true
	case syntax.OpCharClass:
		return p.addRun(re, 1, 1)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		if re.Flags&syntax.NonGreedy != 0 {
			return false
		}
		switch re.Op {
		case syntax.OpStar:
			return p.addRun(re.Sub[0], 0, -1)
		case syntax.OpPlus:
			return p.addRun(re.Sub[0], 1, -1)
		case syntax.OpQuest:
			return p.addRun(re.Sub[0], 0, 1)
		}
		return p.addRun(re.Sub[0], re.Min, re.Max)
	}
	return false
}

// addRun appends a run of a class, or of one character of ASCII.
func (p *plainRegex) addRun(re *syntax.Regexp, least, most int) bool {
	ranges := re.Rune
	switch {
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Flags&syntax.FoldCase == 0:
		ranges = []rune{re.Rune[0], re.Rune[0]}
	case re.Op != syntax.OpCharClass:
		return false
	}
	part := regexPart{run: &[256]bool{}, min: least, max: most}
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		for c := lo; c <= min(hi, utf8.RuneSelf-1); c++ {
			part.run[c] = true
		}
		if hi < utf8.RuneSelf {
			continue
		}
		// All other characters or none: their bytes are those above ASCII's. They are not
		// counted.
		if lo > utf8.RuneSelf || hi < utf8.MaxRune || least > 1 || most >= 0 {
			return false
		}
		for c := utf8.RuneSelf; c < 256; c++ {
			part.run[c] = true
		}
	}
	p.parts = append(p.parts, part)
	return true
}

// ends tells whether nothing that may follow run i begins with a byte of it.
func (p *plainRegex) ends(i int) bool {
	run := p.parts[i]
	if run.min == run.max {
		return true
	}
	for _, next := range p.parts[i+1:] {
		switch {
		case next.lit != nil:
			return !run.run[next.lit[0]]
		case next.run != nil:
			for c, in := range next.run {
				if in && run.run[c] {
					return false
				}
			}
			if next.min > 0 {
				return true
			}
		}
	}
	return true
}

// bounded tells whether run i cannot go on through the text that the pattern begins with,
// or is the last part that could fail: the time of all attempts is then linear in the text.
func (p *plainRegex) bounded(i int) bool {
	for _, c := range p.begin.lit {
		if !p.parts[i].run[c] {
			return true
		}
	}
	for _, next := range p.parts[i+1:] {
		if next.lit != nil || next.run != nil && next.min > 0 {
			return false
		}
	}
	return true
}

// find appends the places of the first match to at, as regexp's FindSubmatchIndex gives
// them, and returns nil if there is none.
func (p *plainRegex) find(at []int, s []byte) []int {
	for from := 0; ; {
		k := p.begin.index(s[from:])
		if k < 0 {
			return nil
		}
		from += k
		at = at[:0]
		for range p.marks {
			at = append(at, -1)
		}
		if end := p.match(at, s, from+len(p.begin.lit)); end >= 0 {
			at[0], at[1] = from, end
			return at
		}
		from++
	}
}

// match is the end of a match whose parts begin at s[i], -1 if there is none.
func (p *plainRegex) match(at []int, s []byte, i int) int {
	for k := range p.parts {
		switch part := &p.parts[k]; {
		case part.lit != nil:
			if len(s)-i < len(part.lit) || string(s[i:i+len(part.lit)]) != string(part.lit) {
				return -1
			}
			i += len(part.lit)
		case part.run != nil:
			end := len(s)
			if part.max >= 0 {
				end = min(end, i+part.max)
			}
			start := i
			for i < end && part.run[s[i]] {
				i++
			}
			if i-start < part.min {
				return -1
			}
		default:
			at[part.mark] = i
		}
	}
	return i
}
