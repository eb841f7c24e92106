package kernels

import (
	"bytes"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	sig := Sig{Params: []Accept{String, String, String}, Optional: 1, Result: vector.Bool}
	Register(
		DefineOn(Scalar{
			Name: "like", Signature: "str LIKE pattern [ESCAPE escape]", Summary: "Whether the text matches a pattern in which _ stands for a character and % for any text.",
			Examples: []Example{{"'Spark' LIKE '_park'", "true"}},
			SQL: func(args []string) string {
				s := args[0] + " LIKE " + args[1]
				if len(args) == 3 {
					s += " ESCAPE '" + args[2] + "'"
				}
				return s
			},
		}, sig, pickLike(false)).oneEscape(),
		DefineOn(Scalar{
			Name: "ilike", Signature: "str ILIKE pattern [ESCAPE escape]", Summary: "LIKE without regard to case.",
			Examples: []Example{{"'Spark' ILIKE '_PARK'", "true"}},
			SQL: func(args []string) string {
				escape := ""
				if len(args) == 3 && args[2] != "/" { // which Spark leaves out here
					escape = " ESCAPE '" + args[2] + "'"
				}
				return "ilike(" + args[0] + ", " + args[1] + ")" + escape
			},
		}, sig, pickLike(true)).oneEscape(),
	)
	for _, name := range []string{"rlike", "regexp", "regexp_like"} {
		upper := strings.ToUpper(name)
		Register(defineRegex(Scalar{
			Name: name, Signature: name + "(str, regexp)", Summary: "Whether a Java pattern matches anywhere in the text.",
			Examples: []Example{{name + `('Spark SQL', r'S\w+ S')`, "true"}},
			SQL:      func(args []string) string { return callSQL(upper, args) },
		}, Sig{Params: []Accept{String, String}, Result: vector.Bool}, evalRLike))
	}
}

// oneEscape refuses an escape that is no constant of one character.
func (f Scalar) oneEscape() Scalar {
	bind := f.Bind
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if len(args) == 3 {
			e := args[2]
			if e.Const == nil || !isString(e.Type) || e.Const.IsNull(0) || utf16Len(textsOf(*e.Const).at(0)) != 1 {
				return nil, condition.New("INVALID_ESCAPE_CHAR", "sqlExpr", quoteSQL(e.SQL))
			}
		}
		return bind(conf, args)
	}
	return f
}

func evalRLike(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
	s, p := textsOf(args[0]), textsOf(args[1])
	valid, bits := Validity(n, args...), vector.NewBitmap(n)
	for i := range n {
		if !valid.Get(i) {
			continue
		}
		re, err := c.get(p.at(i), "rlike")
		if err != nil {
			return vector.Vec{}, err
		}
		ok, err := re.Match(s.at(i))
		if err != nil {
			return vector.Vec{}, err
		}
		if ok {
			bits.Set(i)
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, nil
}

// likePattern is a compiled LIKE pattern: pieces of text between the %.
type likePattern struct {
	pattern string // as given
	source  string // in lower case for ILIKE
	escape  rune
	pieces  []likePiece
	first   bool // the text begins with the first piece: no % in front
	last    bool // the text ends with the last piece
}

// likePiece is a run of characters of which some may be anything.
type likePiece struct {
	lit []byte // no wildcard: the text
	any []bool // with wildcards: for each of chars, whether it is one
	chr []rune
}

func compileLike(pattern []byte, escape rune) (*likePattern, error) {
	p := &likePattern{source: string(pattern), escape: escape, first: true, last: true}
	cur := likePiece{}
	wild, open := false, false
	flush := func() {
		if !wild {
			cur.lit, cur.any, cur.chr = []byte(string(cur.chr)), nil, nil
		}
		p.pieces = append(p.pieces, cur)
		cur, wild, open = likePiece{}, false, false
	}
	add := func(r rune, any bool) {
		cur.chr, cur.any = append(cur.chr, r), append(cur.any, any)
		wild, open, p.last = wild || any, true, true
	}
	runes := []rune(p.source)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == escape:
			if i++; i == len(runes) {
				return nil, condition.New("INVALID_FORMAT.ESC_AT_THE_END", "format", "'"+p.source+"'")
			}
			if c := runes[i]; c != '_' && c != '%' && c != escape {
				return nil, condition.New("INVALID_FORMAT.ESC_IN_THE_MIDDLE", "format", "'"+p.source+"'", "char", "'"+string(c)+"'")
			}
			add(runes[i], false)
		case r == '_':
			add(0, true)
		case r == '%':
			if open {
				flush()
			} else if len(p.pieces) == 0 {
				p.first = false
			}
			p.last = false
		default:
			add(r, false)
		}
	}
	if open || len(p.pieces) == 0 && p.first {
		flush()
	}
	return p, nil
}

// at tells how many bytes the piece takes at the beginning of s, -1 if it does not match.
func (p *likePiece) at(s []byte) int {
	if p.any == nil {
		if bytes.HasPrefix(s, p.lit) {
			return len(p.lit)
		}
		return -1
	}
	n := 0
	for i, r := range p.chr {
		if n == len(s) {
			return -1
		}
		c, w := utf8.DecodeRune(s[n:])
		if !p.any[i] && c != r {
			return -1
		}
		n += w
	}
	return n
}

// find is the first place where the piece matches, with its size; -1 if there is none.
func (p *likePiece) find(s []byte) (at, size int) {
	if p.any == nil {
		return bytes.Index(s, p.lit), len(p.lit)
	}
	for i := 0; i <= len(s); {
		if n := p.at(s[i:]); n >= 0 {
			return i, n
		}
		if i == len(s) {
			break
		}
		_, w := utf8.DecodeRune(s[i:])
		i += w
	}
	return -1, 0
}

// atEnd tells whether s ends with the piece.
func (p *likePiece) atEnd(s []byte) bool {
	if p.any == nil {
		return bytes.HasSuffix(s, p.lit)
	}
	i := len(s)
	for range p.chr {
		if i == 0 {
			return false
		}
		_, w := utf8.DecodeLastRune(s[:i])
		i -= w
	}
	return p.at(s[i:]) == len(s)-i
}

func (p *likePattern) match(s []byte) bool {
	pieces := p.pieces
	if p.first && len(pieces) > 0 {
		n := pieces[0].at(s)
		if n < 0 || len(pieces) == 1 && p.last && n != len(s) {
			return false
		}
		s, pieces = s[n:], pieces[1:]
	}
	if len(pieces) == 0 {
		return true
	}
	last := len(pieces)
	if p.last {
		last--
	}
	for i := range last {
		at, n := pieces[i].find(s)
		if at < 0 {
			return false
		}
		s = s[at+n:]
	}
	return !p.last || pieces[last].atEnd(s)
}

// pickLike is the kernel of LIKE, and of ILIKE, which compares lower case.
func pickLike(fold bool) func(*Conf, []Arg) Eval {
	return func(*Conf, []Arg) Eval {
		var cache atomic.Pointer[likePattern]
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, p := textsOf(args[0]), textsOf(args[1])
			escape := func(int) rune { return '\\' }
			if len(args) == 3 {
				e := textsOf(args[2])
				escape = func(i int) rune { r, _ := utf8.DecodeRune(e.at(i)); return r }
			}
			valid, bits := Validity(n, args...), vector.NewBitmap(n)
			if args[1].Const && (len(args) < 3 || args[2].Const) && n > 0 {
				err := likeConstant(s, p.at(0), escape(0), fold, valid, bits, n)
				return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, err
			}
			var low []byte
			c := cache.Load()
			for i := range n {
				if !valid.Get(i) {
					continue
				}
				v, pattern, esc := s.at(i), p.at(i), escape(i)
				if fold {
					low = appendLower(low[:0], v)
					v = low
				}
				if c == nil || c.escape != esc || c.pattern != string(pattern) {
					source := pattern
					if fold {
						source = appendLower(nil, pattern)
					}
					var err error
					if c, err = compileLike(source, esc); err != nil {
						return vector.Vec{}, err
					}
					c.pattern = string(pattern)
					cache.Store(c)
				}
				if c.match(v) {
					bits.Set(i)
				}
			}
			return vector.Vec{Arr: vector.NewBool(bits, n, valid)}, nil
		}
	}
}

// likeConstant sets the bits of the rows that match a constant pattern.
func likeConstant(s texts, pattern []byte, escape rune, fold bool, valid, bits vector.Bitmap, n int) error {
	if fold {
		pattern = appendLower(nil, pattern)
	}
	c, err := compileLike(pattern, escape)
	if err != nil {
		return err
	}
	searched := false
	if len(c.pieces) == 1 && len(c.pieces[0].lit) > 0 && !c.last && s.mask != 0 {
		switch lit := c.pieces[0].lit; {
		case c.first && !fold:
			beginning(s, lit, valid, bits, n)
			return nil
		case !c.first && (!fold || isASCII(lit)):
			newFinder(lit).containing(s, valid, bits, n, fold)
			if !fold {
				return nil
			}
			searched = true
		}
	}
	var low []byte
	for i := range n {
		if !valid.Get(i) {
			continue
		}
		v := s.at(i)
		// Other characters than those of ASCII may have a letter of ASCII as their lower case.
		if searched && (bits.Get(i) || isASCII(v)) {
			continue
		}
		if fold {
			low = appendLower(low[:0], v)
			v = low
		}
		if c.match(v) {
			bits.Set(i)
		}
	}
	return nil
}
