package kernels

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/vstream/vstream/vector"
)

// randomText strings up to most pieces together.
func randomText(r *rand.Rand, pieces []string, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// textColumn is a column of texts.
func textColumn(values []string) texts {
	t := texts{off: []int32{0}, mask: -1}
	for _, v := range values {
		t.data = append(t.data, v...)
		t.off = append(t.off, int32(len(t.data)))
	}
	return t
}

// TestSearchColumns compares the searches through columns with those through one text.
func TestSearchColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	pieces := []string{"a", "b", "ab", "aab", "ä", "€", "_x", "abcdefghij"}
	for range 3000 {
		values := make([]string, r.IntN(30))
		for i := range values {
			values[i] = randomText(r, pieces, 8)
		}
		n := len(values)
		column, lit := textColumn(values), []byte(randomText(r, pieces, 3))
		valid := vector.NewValid(n)
		if n > 0 && r.IntN(2) == 0 {
			valid.Clear(r.IntN(n))
		}
		begin, contain := vector.NewBitmap(n), vector.NewBitmap(n)
		beginning(column, lit, valid, begin, n)
		f := newFinder(lit)
		if len(lit) > 0 {
			f.containing(column, valid, contain, n, false)
		}
		for i, v := range values {
			if got, want := begin.Get(i), valid.Get(i) && strings.HasPrefix(v, string(lit)); got != want {
				t.Fatalf("%q begins with %q: %t", v, lit, got)
			}
			if len(lit) > 0 && contain.Get(i) != (valid.Get(i) && strings.Contains(v, string(lit))) {
				t.Fatalf("row %d of %q contains %q: %t", i, values, lit, contain.Get(i))
			}
			if got, want := f.index([]byte(v)), strings.Index(v, string(lit)); got != want {
				t.Fatalf("%q is at %d of %q, want %d", lit, got, v, want)
			}
		}
	}
}

// TestILikeColumn compares ILIKE of a constant with the search through lower case.
func TestILikeColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	pieces := []string{"a", "B", "K", "Ab", "İ", "ä", "Ä", "_", "kilo", "abcdefghij"}
	for range 3000 {
		values := make([]string, 1+r.IntN(30))
		for i := range values {
			values[i] = randomText(r, pieces, 8)
		}
		n := len(values)
		lit := strings.ReplaceAll(randomText(r, pieces, 3), "_", "")
		got := vector.NewBitmap(n)
		if err := likeConstant(textColumn(values), []byte("%"+lit+"%"), '\\', true, nil, got, n); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if want := bytes.Contains(appendLower(nil, []byte(v)), appendLower(nil, []byte(lit))); got.Get(i) != want {
				t.Fatalf("row %d of %q contains %q in any case: %t", i, values, lit, got.Get(i))
			}
		}
	}
}

// TestCharCounts counts the characters of correct and damaged texts.
func TestCharCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	good := []string{"a", "ä", "€", "𝄞", "abcdefgh", ""}
	bad := append([]string{"\x80", "\xc0", "\xc1\x81", "\xe2\x82", "\xf8\x88\x80\x80", "\xf0\x9d"}, good...)
	whole := 0
	for k := range 20_000 {
		pieces := good
		if k%2 == 0 {
			pieces = bad
		}
		values := make([]string, 1+r.IntN(9))
		for i := range values {
			values[i] = randomText(r, pieces, 7)
		}
		column := textColumn(values)
		from := r.IntN(len(values))
		column.off = column.off[from:]
		got := make([]int32, len(values)-from)
		if charCounts(got, column) {
			whole++
			for i, v := range values[from:] {
				if want := charCount([]byte(v)); int(got[i]) != want {
					t.Fatalf("%q has %d characters, want %d", v, got[i], want)
				}
			}
		} else if k%2 == 1 && slices.IndexFunc(values, func(v string) bool { return len(v) > 64 }) < 0 {
			t.Fatalf("%q were refused", values)
		}
	}
	if whole < 10_000 {
		t.Errorf("only %d columns were of whole characters", whole)
	}
}

// TestCase compares with the library where the two agree.
func TestCase(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	pieces := []string{"a", "Z", "@[`{", "ä", "÷Ýþ", "Ängström", "ÿ", "ж", "漢", "hello WORLD again", "ǆ", "K"}
	for range 20_000 {
		s := randomText(r, pieces, 6)
		if got, want := string(appendUpper([]byte("x"), []byte(s))), "x"+strings.Map(unicode.ToUpper, s); got != want {
			t.Fatalf("upper case of %q is %q, want %q", s, got, want)
		}
		if got, want := string(appendLower([]byte("x"), []byte(s))), "x"+strings.Map(unicode.ToLower, s); got != want {
			t.Fatalf("lower case of %q is %q, want %q", s, got, want)
		}
	}
}

// TestPlainRegex compares plain patterns with the engine.
func TestPlainRegex(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	parts := []string{"a", "b", "ab", "é", "[a-c]", "[^a]", "[0-9]", "\\d", "(b)", "([^&]*)", "(a[0-9]+)", "[ab]", "x?", "[^é]", "(?i:q)", ".", "(?s:.)"}
	repeats := []string{"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "+?"}
	pieces := []string{"a", "b", "ab", "é", "0", "42", "&", "x", "\xff", "q", "\n"}
	plain := 0
	for range 20_000 {
		pattern := randomText(r, []string{"a", "ab", "b=", "é"}, 2)
		for range r.IntN(4) {
			pattern += parts[r.IntN(len(parts))] + repeats[r.IntN(len(repeats))]
		}
		p := newPlainRegex(pattern)
		if p == nil {
			continue
		}
		plain++
		re := regexp.MustCompile(pattern)
		for range 20 {
			s := []byte(randomText(r, pieces, 12))
			if got, want := p.find(nil, s), re.FindSubmatchIndex(s); !slices.Equal(got, want) {
				t.Fatalf("%q matches %q at %v, want %v", pattern, s, got, want)
			}
		}
	}
	if plain < 3000 {
		t.Errorf("only %d patterns were plain", plain)
	}
	for pattern, want := range map[string]bool{
		"channel_id=[0-9]+": true, "channel_id=([^&]*)": true, `id=(\d+)-(\d+)`: true, "a[ab]*c": false, "a(b|cd)": false, "^a": false, "[0-9]+": false,
	} {
		if got := newPlainRegex(pattern) != nil; got != want {
			t.Errorf("%q is plain: %t", pattern, got)
		}
	}
}
