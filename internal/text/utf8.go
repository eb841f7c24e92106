package text

import "unicode/utf8"

// AppendUTF8 appends bytes as text; as in Java each longest start of a character
// that is cut off, and each other byte that is not UTF-8, becomes U+FFFD.
func AppendUTF8(dst, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r != utf8.RuneError || size > 1 {
			dst = append(dst, s[:size]...)
			s = s[size:]
			continue
		}
		dst = append(dst, "\uFFFD"...)
		s = s[cutOff(s):]
	}
	return dst
}

// cutOff is the length of the incomplete or wrong character at the start of s.
func cutOff(s []byte) int {
	for size := min(3, len(s)); size > 1; size-- {
		if !utf8.FullRune(s[:size]) {
			return size
		}
	}
	return 1
}
