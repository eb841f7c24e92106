package kernels

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Characters are counted as Spark's UTF8String does: by the lead bytes alone, so
// that text that is not UTF-8 still has a length.

// charWidth is the number of bytes that a lead byte announces.
func charWidth(lead byte) int {
	switch {
	case lead < 0x80:
		return 1
	case lead >= 0xf0 && lead < 0xf8:
		return 4
	case lead >= 0xe0 && lead < 0xf0:
		return 3
	case lead >= 0xc2 && lead < 0xe0:
		return 2
	}
	return 1
}

// The lowest and the highest bit of each byte of a word.
const lowBits, highBits = 0x0101010101010101, 0x8080808080808080

// tailWord are up to seven bytes as a word, the first of them lowest. It reads a whole
// word where there are bytes behind.
func tailWord(s []byte) (w uint64) {
	if cap(s) >= 8 {
		return word(s[:8], 0) & (1<<(8*len(s)) - 1)
	}
	for i, b := range s {
		w |= uint64(b) << (8 * i)
	}
	return w
}

// charCount is the number of characters.
func charCount(s []byte) int {
	// In valid UTF-8 every byte but those of the form 10xxxxxx begins a character.
	rest, more, all := s, 0, uint64(0)
	for ; len(rest) >= 8; rest = rest[8:] {
		w := word(rest, 0)
		more += bits.OnesCount64(w >> 7 &^ (w >> 6) & lowBits)
		all |= w
	}
	w := tailWord(rest)
	more += bits.OnesCount64(w >> 7 &^ (w >> 6) & lowBits)
	if (all|w)&highBits == 0 || utf8.Valid(s) {
		return len(s) - more
	}
	n := 0
	for i := 0; i < len(s); n++ {
		i += charWidth(s[i])
	}
	return n
}

// charOffset is the byte index of character n, at most len(s).
func charOffset(s []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += charWidth(s[i])
	}
	return min(i, len(s))
}

// substring is Spark's substringSQL: pos counts from 1, from the end if negative;
// 0 counts as 1.
func substring(s []byte, pos, length int) []byte {
	if length <= 0 || len(s) == 0 {
		return nil
	}
	start := 0
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = charCount(s) + pos
	}
	end := start + length // int is wide enough for two INTs
	start = max(start, 0)
	if end <= start {
		return nil
	}
	from := charOffset(s, start)
	return s[from : from+charOffset(s[from:], end-start)]
}

// specialUpper are the characters whose upper case is longer than one character
// (Unicode's SpecialCasing, without the conditions).
var specialUpper = func() map[rune]string {
	m := map[rune]string{
		'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
		'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
		'ﬓ': "ՄՆ", 'ﬔ': "ՄԵ", 'ﬕ': "ՄԻ", 'ﬖ': "ՎՆ", 'ﬗ': "ՄԽ",
		0x1f50: "Υ̓", 0x1f52: "Υ̓̀", 0x1f54: "Υ̓́", 0x1f56: "Υ̓͂",
		0x1fb6: "Α͂", 0x1fc6: "Η͂", 0x1fd2: "Ϊ̀", 0x1fd3: "Ϊ́", 0x1fd6: "Ι͂", 0x1fd7: "Ϊ͂",
		0x1fe2: "Ϋ̀", 0x1fe3: "Ϋ́", 0x1fe4: "Ρ̓", 0x1fe6: "Υ͂", 0x1fe7: "Ϋ͂", 0x1ff6: "Ω͂",
		0x1fb2: "ᾺΙ", 0x1fb3: "ΑΙ", 0x1fb4: "ΆΙ", 0x1fb7: "Α͂Ι", 0x1fbc: "ΑΙ",
		0x1fc2: "ῊΙ", 0x1fc3: "ΗΙ", 0x1fc4: "ΉΙ", 0x1fc7: "Η͂Ι", 0x1fcc: "ΗΙ",
		0x1ff2: "ῺΙ", 0x1ff3: "ΩΙ", 0x1ff4: "ΏΙ", 0x1ff7: "Ω͂Ι", 0x1ffc: "ΩΙ",
	}
	for _, base := range []rune{0x1f80, 0x1f90, 0x1fa0} { // with an iota below
		plain := map[rune]rune{0x1f80: 0x1f08, 0x1f90: 0x1f28, 0x1fa0: 0x1f68}[base]
		for i := range rune(16) {
			m[base+i] = string(plain+i%8) + "Ι"
		}
	}
	return m
}()

// appendUpper appends s in upper case as Java's String.toUpperCase(ROOT).
func appendUpper(dst, s []byte) []byte {
	for i := 0; ; {
		n := len(dst)
		dst = slices.Grow(dst, len(s)-i+8)
		free := dst[n:cap(dst)]
		k := 0
		for ; i+8 <= len(s); i, k = i+8, k+8 {
			w := word(s, i)
			if w&highBits != 0 {
				break
			}
			putWord(free, k, upperWord(w))
		}
		for i < len(s) {
			w, ascii := asciiWord(s[i:])
			putWord(free, k, upperWord(w))
			i, k = i+ascii, k+ascii
			if ascii == 8 || i == len(s) {
				continue
			}
			// The letters of two bytes that begin with 0xc3 are a quarter of this function's
			// work on Western texts.
			if s[i] != 0xc3 || i+1 == len(s) || s[i+1] < 0xa0 || s[i+1] > 0xbe {
				break
			}
			free[k], free[k+1] = 0xc3, s[i+1]
			if s[i+1] != 0xb7 { // the sign for division
				free[k+1] -= 0x20
			}
			i, k = i+2, k+2
		}
		dst = dst[:n+k]
		if i == len(s) {
			return dst
		}
		r, w := utf8.DecodeRune(s[i:])
		i += w
		if long, ok := specialUpper[r]; ok {
			dst = append(dst, long...)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToUpper(r))
		}
	}
}

// upperWord is eight bytes of ASCII in upper case.
func upperWord(w uint64) uint64 {
	lower := (w + 0x1f*lowBits) &^ (w + 0x05*lowBits) & highBits // from 'a' to below '{'
	return w &^ (lower >> 2)
}

// lowerWord is eight bytes of ASCII in lower case.
func lowerWord(w uint64) uint64 {
	upper := (w + 0x3f*lowBits) &^ (w + 0x25*lowBits) & highBits // from 'A' to below '['
	return w | upper>>2
}

// asciiWord is the next eight bytes of s, zeros where it ends, of which the first ascii
// ones are ASCII; the others are made so.
func asciiWord(s []byte) (w uint64, ascii int) {
	if len(s) >= 8 {
		w, ascii = word(s, 0), 8
	} else {
		w, ascii = tailWord(s), len(s)
	}
	if high := w & highBits; high != 0 {
		ascii = bits.TrailingZeros64(high) >> 3
		w &^= highBits
	}
	return w, ascii
}

// appendLower appends s in lower case as Java's String.toLowerCase(ROOT): a
// final sigma is ς, a dotted capital I keeps its dot.
func appendLower(dst, s []byte) []byte {
	for i := 0; ; {
		n := len(dst)
		dst = slices.Grow(dst, len(s)-i+8)
		free := dst[n:cap(dst)]
		k := 0
		for ; i+8 <= len(s); i, k = i+8, k+8 {
			w := word(s, i)
			if w&highBits != 0 {
				break
			}
			putWord(free, k, lowerWord(w))
		}
		w, ascii := asciiWord(s[i:])
		putWord(free, k, lowerWord(w))
		i, k = i+ascii, k+ascii
		dst = dst[:n+k]
		if i == len(s) {
			return dst
		}
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r == 'Σ' && finalSigma(s, i, i+size):
			dst = append(dst, "ς"...)
		case r == 'İ':
			dst = append(dst, "i̇"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += size
	}
}

// finalSigma tells whether the sigma at s[start:end] ends a word.
func finalSigma(s []byte, start, end int) bool {
	before := false
	for i := start; i > 0; {
		r, w := utf8.DecodeLastRune(s[:i])
		i -= w
		if !caseIgnorable(r) {
			before = cased(r)
			break
		}
	}
	if !before {
		return false
	}
	for i := end; i < len(s); {
		r, w := utf8.DecodeRune(s[i:])
		i += w
		if !caseIgnorable(r) {
			return !cased(r)
		}
	}
	return true
}

func cased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '^', '`', 0xa8, 0xad, 0xaf, 0xb4, 0xb7, 0xb8, 0x2018, 0x2019, 0x2024, 0x2027:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// appendInitcap appends s in lower case with the first letter of each word, as
// spaces separate them, in title case.
func appendInitcap(dst, s []byte) []byte {
	low := appendLower(nil, s)
	for len(s) > 0 {
		end, lowEnd := wordEnd(s), wordEnd(low)
		if s[0] != ' ' {
			r, w := utf8.DecodeRune(s)
			dst = appendTitle(dst, r)
			dst = append(dst, low[len(appendLower(nil, s[:w])):lowEnd]...)
		} else {
			dst = append(dst, ' ')
		}
		s, low = s[end:], low[lowEnd:]
	}
	return dst
}

// wordEnd is the length of the word, or of the space, that s begins with.
func wordEnd(s []byte) int {
	if i := bytes.IndexByte(s, ' '); i > 0 {
		return i
	} else if i == 0 {
		return 1
	}
	return len(s)
}

// appendTitle adds a character in title case: ß is Ss.
func appendTitle(dst []byte, r rune) []byte {
	if t := unicode.ToTitle(r); t != r {
		return utf8.AppendRune(dst, t)
	}
	long, ok := specialUpper[r]
	if !ok {
		return utf8.AppendRune(dst, r)
	}
	_, w := utf8.DecodeRuneInString(long)
	return appendLower(append(dst, long[:w]...), []byte(long[w:]))
}
