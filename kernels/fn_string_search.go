package kernels

import (
	"bytes"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	str2 := []Accept{String, String}
	pair := func(f func(s, t []byte) bool) Eval {
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, t := textsOf(args[0]), textsOf(args[1])
			return boolRows(n, Validity(n, args...), func(i int) bool { return f(s.at(i), t.at(i)) }), nil
		}
	}
	number := func(f func(s, t []byte) int) Eval {
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, t := textsOf(args[0]), textsOf(args[1])
			return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 { return int32(f(s.at(i), t.at(i))) }), nil
		}
	}
	either := Sig{Params: []Accept{StringOrBinary, StringOrBinary}, Same: []int{0, 1}, Result: vector.Bool}
	Register(
		Define(Scalar{
			Name: "contains", Signature: "contains(left, right)", Summary: "Whether right occurs in left.",
			Examples: []Example{{"contains('Spark SQL', 'Spark')", "true"}},
		}, either, pair(bytes.Contains)),
		Define(Scalar{
			Name: "startswith", Signature: "startswith(left, right)", Summary: "Whether left begins with right.",
			Examples: []Example{{"startswith('Spark SQL', 'Spark')", "true"}},
		}, either, pair(bytes.HasPrefix)),
		Define(Scalar{
			Name: "endswith", Signature: "endswith(left, right)", Summary: "Whether left ends with right.",
			Examples: []Example{{"endswith('Spark SQL', 'SQL')", "true"}},
		}, either, pair(bytes.HasSuffix)),
		Define(Scalar{
			Name: "instr", Signature: "instr(str, substr[, position[, occurrence]])",
			Summary:  "The position of an occurrence (default the first) of substr from a position (default 1) on, from 1; 0 if there is none. A negative position counts from the end and searches backwards.",
			Examples: []Example{{"instr('SparkSQL', 'SQL')", "6"}, {"instr('abcabc', 'b', -1)", "5"}},
			SQL: func(args []string) string {
				if len(args) == 3 {
					args = append(args[:3:3], "1")
				}
				return callSQL("instr", args)
			},
		}, Sig{Params: []Accept{String, String, Int, Int}, Optional: 2, Result: vector.Int}, evalInstr),
		Define(Scalar{
			Name: "locate", Signature: "locate(substr, str[, pos])",
			Summary:  "The position of the first occurrence of substr from position pos on, from 1; 0 if there is none.",
			Examples: []Example{{"locate('bar', 'foobarbar')", "4"}, {"locate('bar', 'foobarbar', 5)", "7"}},
			SQL:      withDefaults("locate", 2, "1"),
		}, locateSig, evalLocate),
		Define(Scalar{
			Name: "position", Signature: "position(substr, str[, pos])", Summary: "The same as locate.",
			Examples: []Example{{"position('bar', 'foobarbar')", "4"}},
			SQL:      withDefaults("position", 2, "1"),
		}, locateSig, evalLocate),
		Define(Scalar{
			Name: "replace", Signature: "replace(str, search[, replace])", Summary: "The text with each occurrence of search replaced, by nothing without the third argument.",
			Examples: []Example{{"replace('ABCabc', 'abc', 'DEF')", "ABCDEF"}},
			SQL:      withDefaults("replace", 2, ""),
		}, Sig{Params: []Accept{String, String, String}, Optional: 1, Result: vector.String}, evalReplace),
		Define(Scalar{
			Name: "translate", Signature: "translate(input, from, to)", Summary: "The text with each character of from replaced by the one of to at the same place, or removed if there is none.",
			Examples: []Example{{"translate('AaBbCc', 'abc', '123')", "A1B2C3"}},
		}, Sig{Params: []Accept{String, String, String}, Result: vector.String}, evalTranslate),
		Define(Scalar{
			Name: "substring_index", Signature: "substring_index(str, delim, count)",
			Summary:  "The text before count occurrences of delim, counted from the end if count is negative: then the text behind.",
			Examples: []Example{{"substring_index('www.apache.org', '.', 2)", "www.apache"}, {"substring_index('www.apache.org', '.', -1)", "org"}},
		}, Sig{Params: []Accept{String, String, Int}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s, d, c := textsOf(args[0]), textsOf(args[1]), fixedOf[int32](args[2])
			return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
				return append(dst, substringIndex(s.at(i), d.at(i), int(c.at(i)))...)
			}), nil
		}),
		Define(Scalar{
			Name: "split_part", Signature: "split_part(str, delimiter, partNum)",
			Summary:  "Part partNum of the text split at the delimiter, from the end if negative; empty beyond the ends.",
			Examples: []Example{{"split_part('11.12.13', '.', 3)", "13"}},
		}, Sig{Params: []Accept{String, String, Int}, Result: vector.String}, evalSplitPart),
		Define(Scalar{
			Name: "find_in_set", Signature: "find_in_set(str, list)", Summary: "The position of the text in a list separated by commas, from 1; 0 if it is not there or has a comma.",
			Examples: []Example{{"find_in_set('ab', 'abc,b,ab,c,def')", "3"}},
		}, Sig{Params: str2, Result: vector.Int}, number(findInSet)),
		Define(Scalar{
			Name: "levenshtein", Signature: "levenshtein(str1, str2[, threshold])",
			Summary:  "The least number of single-character edits between two texts; -1 if it is above the threshold.",
			Examples: []Example{{"levenshtein('kitten', 'sitting')", "3"}, {"levenshtein('kitten', 'sitting', 2)", "-1"}},
		}, Sig{Params: []Accept{String, String, Int}, Optional: 1, Result: vector.Int}, evalLevenshtein),
		Define(Scalar{
			Name: "soundex", Signature: "soundex(str)", Summary: "The Soundex code of the text.",
			Examples: []Example{{"soundex('Miller')", "M460"}},
		}, Sig{Params: []Accept{String}, NoCast: true, Result: vector.String}, stringsOf1(vector.String, appendSoundex)),
	)
}

// locate is the position of t in s in characters, from 1, at or behind start; 0
// if there is none or start is not positive.
func locate(t, s []byte, start int) int {
	if start < 1 {
		return 0
	}
	if start == 1 {
		k := bytes.Index(s, t)
		if k < 0 {
			return 0
		}
		return charCount(s[:k]) + 1
	}
	if len(t) == 0 {
		return 1 // as Spark does, wherever the search starts
	}
	lo := charOffset(s, start-1)
	k := bytes.Index(s[lo:], t)
	if k < 0 {
		return 0
	}
	return start + charCount(s[lo:lo+k])
}

// evalInstr searches like locate, or for a later occurrence or backwards from
// the end; occurrences may overlap.
func evalInstr(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, t := textsOf(args[0]), textsOf(args[1])
	one := func(int) int32 { return 1 }
	position, occurrence := one, one
	if len(args) > 2 {
		position = fixedOf[int32](args[2]).at
	}
	if len(args) > 3 {
		occurrence = fixedOf[int32](args[3]).at
	}
	return fixedRowsOr(vector.Int, n, args, func(i int) (int32, bool, error) {
		k := occurrence(i)
		if k <= 0 {
			return 0, false, condition.New("INVALID_PARAMETER_VALUE.OCCURRENCE",
				"functionName", "`instr`", "parameter", "`occurrence`", "actual", k)
		}
		return int32(instr(s.at(i), t.at(i), int(position(i)), int(k))), true, nil
	})
}

// instr is the position, from 1, of occurrence k of t in s from a position on.
func instr(s, t []byte, position, k int) int {
	switch {
	case len(t) == 0:
		return 1 // as Spark does, wherever the search starts
	case position == 0:
		return 0
	case position > 0:
		at := 0
		for ; k > 0 && position > 0; k-- {
			if at = locate(t, s, position); at == 0 {
				return 0
			}
			position = at + 1
		}
		return at
	}
	chars := charCount(s)
	if chars+position < 0 {
		return 0
	}
	for at := charOffset(s, chars+position); at >= 0; at-- { // UTF-8 matches only where a character begins
		if bytes.HasPrefix(s[at:], t) {
			if k--; k == 0 {
				return charCount(s[:at]) + 1
			}
		}
	}
	return 0
}

var locateSig = Sig{Params: []Accept{String, String, Int}, Optional: 1, Result: vector.Int, TakesNulls: true, Nullable: true}

func evalLocate(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	for _, a := range args[:2] {
		if a.Const && a.IsNull(0) {
			return vector.ConstNull(vector.Int), nil
		}
	}
	t, s := textsOf(args[0]), textsOf(args[1])
	valid := Validity(n, args[:2]...)
	if len(args) == 2 {
		return fixedRows(vector.Int, n, valid, func(i int) int32 { return int32(locate(t.at(i), s.at(i), 1)) }), nil
	}
	pos := fixedOf[int32](args[2])
	return fixedRows(vector.Int, n, valid, func(i int) int32 {
		if args[2].IsNull(i) {
			return 0 // as Hive does
		}
		return int32(locate(t.at(i), s.at(i), int(pos.at(i))))
	}), nil
}

func evalReplace(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, search := textsOf(args[0]), textsOf(args[1])
	with := func(int) []byte { return nil }
	if len(args) == 3 {
		with = textsOf(args[2]).at
	}
	return stringRowsIn(ctx.Temp, vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
		v, t, w := s.at(i), search.at(i), with(i)
		if len(t) == 0 {
			return append(dst, v...)
		}
		for {
			k := bytes.Index(v, t)
			if k < 0 {
				return append(dst, v...)
			}
			dst = append(append(dst, v[:k]...), w...)
			v = v[k+len(t):]
		}
	}), nil
}

// translation maps characters to their replacement, -1 to nothing.
type translation struct {
	from, to []byte
	ascii    [utf8.RuneSelf]rune
	other    map[rune]rune
}

func newTranslation(from, to []byte) *translation {
	t := &translation{from: from, to: to, other: map[rune]rune{}}
	for i := range t.ascii {
		t.ascii[i] = rune(i)
	}
	seen := map[rune]bool{}
	for _, r := range string(from) {
		by := rune(-1)
		if len(to) > 0 {
			var w int
			by, w = utf8.DecodeRune(to)
			to = to[w:]
		}
		if by == 0 {
			by = -1 // NUL stands for no character
		}
		if seen[r] {
			continue
		}
		seen[r] = true
		if r < utf8.RuneSelf {
			t.ascii[r] = by
		} else {
			t.other[r] = by
		}
	}
	return t
}

func (t *translation) append(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if r := t.ascii[c]; r >= 0 {
				dst = utf8.AppendRune(dst, r)
			}
			i++
			continue
		}
		r, w := utf8.DecodeRune(s[i:])
		if by, ok := t.other[r]; !ok {
			dst = append(dst, s[i:i+w]...)
		} else if by >= 0 {
			dst = utf8.AppendRune(dst, by)
		}
		i += w
	}
	return dst
}

func evalTranslate(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, from, to := textsOf(args[0]), textsOf(args[1]), textsOf(args[2])
	var t *translation
	return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
		f, w := from.at(i), to.at(i)
		if t == nil || !bytes.Equal(t.from, f) || !bytes.Equal(t.to, w) {
			t = newTranslation(f, w)
		}
		return t.append(dst, s.at(i))
	}), nil
}

func substringIndex(s, delim []byte, count int) []byte {
	if len(delim) == 0 || count == 0 {
		return nil
	}
	if count > 0 {
		at := 0
		for ; count > 0; count-- {
			k := bytes.Index(s[at:], delim)
			if k < 0 {
				return s
			}
			if at += k; count > 1 {
				at++ // occurrences may overlap
			}
		}
		return s[:at]
	}
	end := len(s)
	at := -1
	for ; count < 0; count++ {
		k := bytes.LastIndex(s[:end], delim)
		if k < 0 {
			return s
		}
		at = k
		end = k + len(delim) - 1
	}
	return s[at+len(delim):]
}

func evalSplitPart(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, d, c := textsOf(args[0]), textsOf(args[1]), fixedOf[int32](args[2])
	return stringRowsOrIn(ctx.Temp, vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		k := int(c.at(i))
		if k == 0 {
			return nil, false, condition.New("INVALID_INDEX_OF_ZERO")
		}
		return append(dst, splitPart(s.at(i), d.at(i), k)...), true, nil
	})
}

// splitPart is part k (from 1, from the end if negative) of s split at delim.
func splitPart(s, delim []byte, k int) []byte {
	if len(delim) == 0 {
		if k == 1 || k == -1 {
			return s
		}
		return nil
	}
	if k < 0 {
		k += bytes.Count(s, delim) + 2
		if k < 1 {
			return nil
		}
	}
	for {
		at := bytes.Index(s, delim)
		switch {
		case k == 1 && at < 0:
			return s
		case k == 1:
			return s[:at]
		case at < 0:
			return nil
		}
		s = s[at+len(delim):]
		k--
	}
}

func findInSet(s, list []byte) int {
	if bytes.IndexByte(s, ',') >= 0 {
		return 0
	}
	for i := 1; ; i++ {
		item, rest, more := bytes.Cut(list, []byte{','})
		if bytes.Equal(item, s) {
			return i
		}
		if !more {
			return 0
		}
		list = rest
	}
}

func evalLevenshtein(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, t := textsOf(args[0]), textsOf(args[1])
	limit := func(int) int32 { return -1 }
	if len(args) == 3 {
		limit = fixedOf[int32](args[2]).at
	}
	return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 {
		d := levenshtein([]rune(string(s.at(i))), []rune(string(t.at(i))))
		if len(args) == 3 && d > limit(i) {
			return -1
		}
		return d
	}), nil
}

func levenshtein(a, b []rune) int32 {
	row := make([]int32, len(b)+1)
	for j := range row {
		row[j] = int32(j)
	}
	for i, x := range a {
		diag := row[0]
		row[0] = int32(i + 1)
		for j, y := range b {
			cost := diag
			if x != y {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}

// soundexCodes are the digits of A..Z: 7 is skipped without a break (H, W), 0 breaks.
const soundexCodes = "01230127022455012623017202"

func appendSoundex(dst, s []byte) []byte {
	if len(s) == 0 {
		return dst
	}
	upper := func(c byte) byte {
		if c-'a' < 26 {
			return c - 'a' + 'A'
		}
		return c
	}
	first := upper(s[0])
	if first-'A' >= 26 {
		return append(dst, s...)
	}
	code := [4]byte{first, '0', '0', '0'}
	n, last := 1, soundexCodes[first-'A']
	for _, c := range s[1:] {
		if c = upper(c); c-'A' >= 26 {
			last = '0'
			continue
		}
		d := soundexCodes[c-'A']
		if d == '7' {
			continue
		}
		if d != '0' && d != last {
			code[n] = d
			if n++; n == 4 {
				break
			}
		}
		last = d
	}
	return append(dst, code[:]...)
}
