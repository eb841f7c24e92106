package kernels

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func init() {
	words := vector.ArrayOf(vector.String, false)
	result := vector.ArrayOf(words, false)
	Register(Define(Scalar{
		Name: "sentences", Signature: "sentences(str[, lang[, country]])", Summary: "The words of each sentence of a text.",
		Examples: []Example{{"sentences('Hi there! Good morning.')", "[[Hi, there], [Good, morning]]"}},
		SQL:      withDefaults("sentences", 1, "", ""),
	}, Sig{Params: []Accept{String, String, String}, Optional: 2, Result: result, TakesNulls: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		// A null language means the default, as every language does here.
		s, valid := textsOf(args[0]), Validity(n, args[0])
		list, off := newTextLists(n), make([]int32, n+1)
		for i := range n {
			off[i+1] = off[i]
			if !valid.Get(i) {
				continue
			}
			rest := s.at(i)
			for len(rest) > 0 {
				end := sentenceEnd(rest)
				eachWord(rest[:end], list.add)
				list.endRow()
				off[i+1]++
				rest = rest[end:]
			}
		}
		inner := list.finish(words, nil)
		var out arrow.Array = vector.NewList(result, off, inner, valid)
		return vector.Vec{Arr: out}, nil
	}))
}

// sentenceEnd is the length of the first sentence with the blanks behind it: a
// sentence ends with ! or ?, or with a point if a blank and no lower case letter
// follow.
func sentenceEnd(s []byte) int {
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRune(s[i:])
		i += w
		if !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		sure := r != '.'
		for i < len(s) && strings.IndexByte(".!?\"')]}", s[i]) >= 0 {
			sure = sure || s[i] == '!' || s[i] == '?'
			i++
		}
		blanks := i
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
			i++
		}
		next, _ := utf8.DecodeRune(s[i:])
		if sure || i > blanks && !unicode.IsLower(next) {
			return i
		}
	}
	return len(s)
}

// eachWord finds the words: letters, digits and underscores, with an apostrophe,
// point or hyphen between letters and a point or comma between digits.
func eachWord(s []byte, word func([]byte)) {
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRune(s[i:])
		if !wordRune(r) {
			next, _ := utf8.DecodeRune(s[i+w:])
			i += w
			if (unicode.Is(unicode.Sc, r) || r == '#') && unicode.IsDigit(next) {
				i += wordLen(s[i:]) // $5 is no word
			}
			continue
		}
		n := wordLen(s[i:])
		if r != '_' {
			word(s[i : i+n])
		}
		i += n
	}
}

// wordLen is the length of the word that s begins with.
func wordLen(s []byte) int {
	i := 0
	var r rune
	for i < len(s) {
		last := r
		var w int
		if r, w = utf8.DecodeRune(s[i:]); wordRune(r) {
			if i > 0 && scriptBreak(last, r) {
				break
			}
			i += w
			continue
		}
		if unicode.IsDigit(last) && (r == '%' || r == '‰') {
			return i + w
		}
		next, _ := utf8.DecodeRune(s[i+w:])
		letters := unicode.IsLetter(last) && unicode.IsLetter(next) && strings.ContainsRune("'’.-\"", r)
		digits := unicode.IsDigit(last) && unicode.IsDigit(next) && strings.ContainsRune("'.,\"", r)
		if !letters && !digits {
			break
		}
		i += w
	}
	return i
}

// scriptBreak tells whether a word ends between two letters because the script changes.
func scriptBreak(a, b rune) bool {
	if !unicode.IsLetter(a) || !unicode.IsLetter(b) {
		return false
	}
	return unicode.Is(unicode.Han, a) != unicode.Is(unicode.Han, b)
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}
