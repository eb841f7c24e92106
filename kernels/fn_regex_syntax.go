package kernels

import (
	"regexp"
	"strings"
)

// translator rewrites a Java pattern for Go's engine, or for regexp2, which
// follows .NET.
type translator struct {
	src    string
	out    strings.Builder
	pos    int
	complx bool // uses what Go's engine lacks
	dollar bool // has a $ or \Z
	net    bool // writes for regexp2
	dotAll []bool
	brace  bool // has a { that begins no quantifier, which Java refuses
}

// times is what Java takes for a number of times.
var times = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)

// run returns the pattern for Go's engine; simple is false if that cannot run it.
func (t *translator) run() (pattern string, simple bool) {
	t.translate()
	return t.out.String(), !t.complx
}

// dotNet is the pattern for regexp2.
func (t *translator) dotNet() string {
	n := translator{src: t.src, net: true}
	n.translate()
	return n.out.String()
}

// Java's classes that are named otherwise, or not at all, elsewhere.
var javaClasses = map[string]string{
	"Lower": "a-z", "Upper": "A-Z", "ASCII": `\x00-\x7F`, "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9",
	"Punct": "!-/:-@\\[-`{-~", "Graph": "!-~", "Print": " -~", "Blank": ` \t`, "Cntrl": `\x00-\x1F\x7F`,
	"XDigit": "0-9a-fA-F", "Space": ` \t\n\x0B\f\r`,
	"javaLowerCase": `\p{Ll}`, "javaUpperCase": `\p{Lu}`, "javaWhitespace": ` \t\n\x0B\f\r\x1C-\x1F`, "javaMirrored": `()<>\[\]{}`,
	"IsAlphabetic": `\p{L}\p{Nl}`, "IsLetter": `\p{L}`, "IsDigit": `\p{Nd}`, "IsUppercase": `\p{Lu}`, "IsLowercase": `\p{Ll}`,
	"IsPunctuation": `\p{P}`, "IsWhite_Space": `\s\x0B\x85\p{Z}`, "L1": `\x00-\xFF`,
}

// javaEscapes are the classes that a backslash and a letter stand for.
var javaEscapes = map[byte]string{
	'h': ` \t\xA0\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`, 'v': `\n\x0B\f\r\x{85}\x{2028}\x{2029}`,
	's': ` \t\n\x0B\f\r`, 'd': "0-9", 'w': "a-zA-Z_0-9",
}

const notLineBreak = `[^\n\r\x{85}\x{2028}\x{2029}]`

// put writes a piece, with hexadecimal escapes in the engine's form.
func (t *translator) put(s string) {
	if t.net {
		for {
			i := strings.Index(s, `\x{`)
			if i < 0 {
				break
			}
			t.out.WriteString(s[:i])
			end := i + strings.IndexByte(s[i:], '}')
			hex := s[i+3 : end]
			if len(hex) <= 4 {
				t.out.WriteString(`\u` + strings.Repeat("0", 4-len(hex)) + hex)
			} else {
				t.out.WriteString(string(rune(parseHex(hex))))
			}
			s = s[end+1:]
		}
	}
	t.out.WriteString(s)
}

func parseHex(s string) int {
	v := 0
	for _, c := range []byte(strings.ToLower(s)) {
		d := int(c - '0')
		if c >= 'a' {
			d = int(c-'a') + 10
		}
		v = v<<4 | d&15
	}
	return v
}

func (t *translator) translate() {
	t.dotAll = []bool{false}
	for t.pos < len(t.src) {
		c := t.src[t.pos]
		switch c {
		case '\\':
			t.escape(false)
		case '[':
			t.class()
		case '(':
			t.group()
		case ')':
			if len(t.dotAll) > 1 {
				t.dotAll = t.dotAll[:len(t.dotAll)-1]
			}
			t.next()
		case '.':
			t.pos++
			if t.dotAll[len(t.dotAll)-1] {
				t.put(`(?s:.)`)
			} else {
				t.put(notLineBreak)
			}
		case '$':
			t.dollar = true
			t.next()
		case '{':
			t.brace = t.brace || t.pos == 0 || !times.MatchString(t.src[t.pos:])
			t.next()
		case '*', '+', '?', '}':
			t.next()
			if t.pos < len(t.src) && t.src[t.pos] == '+' {
				t.possessive()
			}
		default:
			t.next()
		}
	}
}

// next copies one byte.
func (t *translator) next() {
	t.out.WriteByte(t.src[t.pos])
	t.pos++
}

// possessive turns X*+ into (?>X*): of the text written so far, the last atom is
// put into an atomic group.
func (t *translator) possessive() {
	t.complx = true
	t.pos++
	s := t.out.String()
	at := lastAtom(s)
	t.out.Reset()
	t.out.WriteString(s[:at] + "(?>" + s[at:] + ")")
}

// lastAtom is where the last atom with its quantifier begins.
func lastAtom(s string) int {
	i := len(s) - 1
	if i >= 0 && s[i] == '}' {
		i = strings.LastIndexByte(s[:i], '{')
	}
	i-- // behind the atom
	if i < 0 {
		return 0
	}
	open := byte(0)
	switch s[i] {
	case ')':
		open = '('
	case ']':
		open = '['
	default:
		if i > 0 && s[i-1] == '\\' {
			return i - 1
		}
		return i
	}
	depth := 0
	for ; i >= 0; i-- {
		if i > 0 && s[i-1] == '\\' {
			continue
		}
		switch s[i] {
		case ')', ']':
			if open == '(' && s[i] == ')' || open == '[' && s[i] == ']' {
				depth++
			}
		case open:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// group copies the opening of a group and keeps track of the flag s.
func (t *translator) group() {
	top := t.dotAll[len(t.dotAll)-1]
	rest := t.src[t.pos:]
	switch {
	case strings.HasPrefix(rest, "(?<") && !strings.HasPrefix(rest, "(?<=") && !strings.HasPrefix(rest, "(?<!"):
		if t.net {
			t.out.WriteString("(?<")
		} else {
			t.out.WriteString("(?P<")
		}
		t.pos += 3
		t.dotAll = append(t.dotAll, top)
		return
	case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?<") || strings.HasPrefix(rest, "(?>"):
		t.complx = true
		t.out.WriteString("(?")
		t.pos += 2
		t.dotAll = append(t.dotAll, top)
		return
	case strings.HasPrefix(rest, "(?"):
		end := strings.IndexAny(rest, ":)")
		if end < 0 {
			end = len(rest) - 1
		}
		flags := rest[2:end]
		on, off, _ := strings.Cut(flags, "-")
		var keep strings.Builder
		for _, f := range on {
			switch f {
			case 's':
				top = true
			case 'u', 'U', 'd':
			case 'x':
				t.complx = true
				keep.WriteRune(f)
			default:
				keep.WriteRune(f)
			}
		}
		var less strings.Builder
		for _, f := range off {
			switch f {
			case 's':
				top = false
			case 'u', 'U', 'd':
			default:
				less.WriteRune(f)
			}
		}
		set := keep.String()
		if less.Len() > 0 {
			set += "-" + less.String()
		}
		t.pos += end + 1
		switch {
		case rest[end] == ':':
			t.out.WriteString("(?" + set + ":")
			t.dotAll = append(t.dotAll, top)
		default:
			t.dotAll[len(t.dotAll)-1] = top
			if set != "" {
				t.out.WriteString("(?" + set + ")")
			}
		}
		return
	}
	t.dotAll = append(t.dotAll, top)
	t.next()
}

// escape rewrites the escape at pos, inside a class or outside.
func (t *translator) escape(inClass bool) {
	if t.pos+1 == len(t.src) {
		t.next()
		return
	}
	c := t.src[t.pos+1]
	class := func(set string, not bool) {
		switch {
		case inClass && not:
			t.complx = true // only regexp2 has no such need, but both lack the form
			t.put(`\` + strings.ToUpper(string(c)))
		case inClass:
			t.put(set)
		case not:
			t.put("[^" + set + "]")
		default:
			t.put("[" + set + "]")
		}
	}
	switch {
	case c == 'p' || c == 'P':
		t.property(inClass, c == 'P')
		return
	case c == 'Q':
		end := strings.Index(t.src[t.pos+2:], `\E`)
		lit := t.src[t.pos+2:]
		t.pos = len(t.src)
		if end >= 0 {
			t.pos -= len(lit) - end - 2
			lit = lit[:end]
		}
		for _, r := range lit {
			if strings.ContainsRune(`\.+*?()|[]{}^$-&#`, r) {
				t.out.WriteByte('\\')
			}
			t.out.WriteRune(r)
		}
		return
	case c == 'D' && inClass:
		t.put(`\x00-/:-\x{10FFFF}`)
	case c == 'W' && inClass:
		t.put("\\x00-/:-@\\[-^`{-\\x{10FFFF}")
	case c == 'S' && inClass:
		t.put(`\x00-\x08\x0E-\x1F!-\x{10FFFF}`)
	case javaEscapes[c] != "":
		class(javaEscapes[c], false)
	case c|0x20 != c && javaEscapes[c|0x20] != "":
		class(javaEscapes[c|0x20], true)
	case c == 'R' && !inClass:
		t.put(`(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])`)
	case c == 'Z' && !inClass:
		t.dollar = true
		if t.net {
			t.out.WriteString(`\Z`)
		} else {
			t.out.WriteString(`\z`)
		}
	case c >= '1' && c <= '9' && !inClass, c == 'k' && !inClass, c == 'G', c == 'X':
		t.complx = true
		t.out.WriteString(t.src[t.pos : t.pos+2])
	case c == 'u' && t.pos+6 <= len(t.src):
		t.put(`\x{` + t.src[t.pos+2:t.pos+6] + `}`)
		t.pos += 6
		return
	case c == 'e':
		t.put(`\x1B`)
	case c == '<' || c == '>' || c == '/' || c == '-' && !inClass || c == '"' || c == '\'' || c == ' ' || c == '_' || c == '@' || c == '%' || c == '=' || c == ':' || c == ';' || c == ',' || c == '~' || c == '!' || c == '`':
		t.out.WriteByte(c)
	default:
		t.out.WriteString(t.src[t.pos : t.pos+2])
	}
	t.pos += 2
}

// property rewrites \p{…} and \P{…}.
func (t *translator) property(inClass, not bool) {
	rest := t.src[t.pos+2:]
	name, size := "", 1
	switch {
	case strings.HasPrefix(rest, "{") && strings.Contains(rest, "}"):
		end := strings.IndexByte(rest, '}')
		name, size = rest[1:end], end+1
	case rest != "":
		name = rest[:1]
	}
	t.pos += 2 + size
	if set, ok := javaClasses[name]; ok {
		switch {
		case inClass && !not:
			t.put(set)
			return
		case !inClass && not:
			t.put("[^" + set + "]")
			return
		case !inClass:
			t.put("[" + set + "]")
			return
		}
		t.complx = true
	}
	for _, prefix := range []string{"script=", "sc=", "general_category=", "gc=", "Is"} {
		if s, ok := strings.CutPrefix(name, prefix); ok {
			name = s
			break
		}
	}
	p := `\p{`
	if not {
		p = `\P{`
	}
	t.out.WriteString(p + name + "}")
}

// class copies a bracketed class; a union of classes is flattened, an
// intersection needs the other engine and its subtraction.
func (t *translator) class() {
	t.next()
	if t.pos < len(t.src) && t.src[t.pos] == '^' {
		t.next()
	}
	if t.pos < len(t.src) && t.src[t.pos] == ']' {
		t.out.WriteString(`\]`)
		t.pos++
	}
	depth := 1
	for t.pos < len(t.src) {
		c := t.src[t.pos]
		switch {
		case c == '\\':
			t.escape(true)
		case c == ']':
			t.pos++
			if depth--; depth == 0 {
				t.out.WriteByte(']')
				return
			}
		case c == '[':
			t.pos++
			depth++
			if t.pos < len(t.src) && t.src[t.pos] == '^' {
				t.complx = true
				t.out.WriteByte('[') // not expressible: the engine reports it
			}
		case c == '&' && strings.HasPrefix(t.src[t.pos:], "&&"):
			t.pos += 2
			t.intersection()
		default:
			t.next()
		}
	}
}

// intersection handles the common form [X&&[^Y]], X without Y, which .NET writes
// as [X-[Y]].
func (t *translator) intersection() {
	t.complx = true
	if strings.HasPrefix(t.src[t.pos:], "[^") {
		if end := strings.IndexByte(t.src[t.pos:], ']'); end > 0 {
			t.out.WriteString("-[" + t.src[t.pos+2:t.pos+end] + "]")
			t.pos += end + 1
			return
		}
	}
	t.out.WriteString("&&")
}
