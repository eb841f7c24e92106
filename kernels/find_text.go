package kernels

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/vstream/vstream/vector"
)

// finder looks for a text by that byte of it which is rarest in most texts: bytes.IndexByte
// takes many bytes at a time.
type finder struct {
	lit  []byte
	rare int // the byte's place in lit
}

// byFrequency are bytes from the most frequent on in prose, numbers, addresses and JSON.
const byFrequency = " etaoinsrhldcum\"fpgwyb.,0123456789/:-vk=&_xjqz"

func newFinder(lit []byte) *finder {
	f := &finder{lit: lit}
	rank := func(c byte) int {
		switch at := strings.IndexByte(byFrequency, c); {
		case at >= 0:
			return at
		case c >= 0xc0: // begins every character of many languages
			return 0
		case c >= utf8.RuneSelf:
			return len(byFrequency) / 2
		}
		return len(byFrequency)
	}
	for i, c := range lit {
		if rank(c) > rank(lit[f.rare]) {
			f.rare = i
		}
	}
	return f
}

// index is the first place of the text in s, -1 if there is none.
func (f *finder) index(s []byte) int {
	if len(f.lit) == 0 {
		return 0
	}
	for at := 0; at+len(f.lit) <= len(s); at++ {
		k := bytes.IndexByte(s[at+f.rare:], f.lit[f.rare])
		if k < 0 {
			return -1
		}
		if at += k; at+len(f.lit) <= len(s) && string(s[at:at+len(f.lit)]) == string(f.lit) {
			return at
		}
	}
	return -1
}

// containing sets the bits of the valid rows that contain the text: one search through
// the bytes of all rows. With fold the text is ASCII in lower case, and the case of ASCII
// letters does not count.
func (f *finder) containing(t texts, valid, out vector.Bitmap, n int, fold bool) {
	size, data := len(f.lit), t.data[:t.off[n]]
	lower := f.lit[f.rare]
	upper := lower
	if fold && lower-'a' < 26 {
		upper -= 'a' - 'A'
	}
	// The next places of the rare byte in its two cases are known until they are passed.
	next := func(known, from int, c byte) int {
		if known >= from {
			return known
		}
		if k := bytes.IndexByte(data[from:], c); k >= 0 {
			return from + k
		}
		return len(data)
	}
	lowerAt, upperAt := -1, -1
	for at, i := int(t.off[0]), 0; i < n && at+size <= len(data); {
		lowerAt = next(lowerAt, at+f.rare, lower)
		found := lowerAt
		if upper != lower {
			upperAt = next(upperAt, at+f.rare, upper)
			found = min(found, upperAt)
		}
		if at = found - f.rare; at+size > len(data) {
			return
		}
		if s := data[at : at+size]; string(s) != string(f.lit) && !(fold && equalFold(s, f.lit)) {
			at++
			continue
		}
		for int(t.off[i+1]) <= at {
			i++
		}
		if end := int(t.off[i+1]); at+size <= end {
			if valid.Get(i) {
				out.Set(i)
			}
			at = end
			i++
		} else { // the next row is part of it
			at++
		}
	}
}

// equalFold tells whether s is lit, of the same length and in lower case, but for the case
// of letters of ASCII.
func equalFold(s, lit []byte) bool {
	for i, c := range lit {
		b := s[i]
		if b-'A' < 26 {
			b += 'a' - 'A'
		}
		if b != c {
			return false
		}
	}
	return true
}

// isASCII tells whether all bytes are below 0x80.
func isASCII(s []byte) bool {
	all := uint64(0)
	for ; len(s) >= 8; s = s[8:] {
		all |= word(s, 0)
	}
	return (all|tailWord(s))&highBits == 0
}

// beginning sets the bits of the valid rows that begin with a text.
func beginning(t texts, lit []byte, valid, out vector.Bitmap, n int) {
	size := len(lit)
	if size > 16 || size == 0 {
		for i := range n {
			out[i>>3] |= bit(valid.Get(i) && bytes.HasPrefix(t.at(i), lit)) << (i & 7)
		}
		return
	}
	// The first and the last eight bytes of the text, or all of it and what is behind.
	head, tail, mask, shift := uint64(0), uint64(0), ^uint64(0), max(size-8, 0)
	if size < 8 {
		mask = 1<<(8*size) - 1
	}
	var block [16]byte
	copy(block[:], lit)
	head, tail = word(block[:], 0)&mask, word(block[:], shift)&mask
	for i := range n {
		lo, hi := int(t.off[i]), int(t.off[i+1])
		same := false
		if lo+16 <= len(t.data) {
			same = ((word(t.data, lo)^head)|(word(t.data, lo+shift)^tail))&mask == 0 && hi-lo >= size
		} else {
			same = bytes.HasPrefix(t.data[lo:hi], lit)
		}
		out[i>>3] |= bit(same) << (i & 7)
	}
	if valid != nil {
		andBits(out, out, valid)
	}
}
