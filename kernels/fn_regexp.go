package kernels

import (
	"bytes"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	group := Sig{Params: []Accept{String, String, Int}, Optional: 1, Result: vector.String}
	str2 := []Accept{String, String}
	Register(
		defineRegex(Scalar{
			Name: "regexp_extract", Signature: "regexp_extract(str, regexp[, idx])",
			Summary:  "Group idx (1 without it, 0: all) of the first match of the Java pattern; empty if it does not match.",
			Examples: []Example{{`regexp_extract('100-200', r'(\d+)-(\d+)', 1)`, "100"}},
			SQL:      withDefaults("regexp_extract", 2, "1"),
		}, group, evalRegexpExtract),
		defineRegex(Scalar{
			Name: "regexp_extract_all", Signature: "regexp_extract_all(str, regexp[, idx])", Summary: "Group idx (1 without it) of all matches.",
			Examples: []Example{{`regexp_extract_all('100-200, 300-400', r'(\d+)-(\d+)', 1)`, "[100, 300]"}},
			SQL:      withDefaults("regexp_extract_all", 2, "1"),
		}, Sig{Params: group.Params, Optional: 1, Result: vector.ArrayOf(vector.String, true)}, evalRegexpExtractAll),
		defineRegex(Scalar{
			Name: "regexp_replace", Signature: "regexp_replace(str, regexp, rep[, position])",
			Summary:  "The text with all matches replaced, from a position on; $n in rep is group n.",
			Examples: []Example{{`regexp_replace('100-200', r'(\d+)', 'num')`, "num-num"}},
			SQL:      withDefaults("regexp_replace", 3, "1"),
		}, Sig{Params: []Accept{String, String, String, Int}, Optional: 1, Result: vector.String}, evalRegexpReplace),
		defineRegex(Scalar{
			Name: "regexp_count", Signature: "regexp_count(str, regexp)", Summary: "The number of matches.",
			Examples: []Example{{"regexp_count('Steven Jones and Stephen Smith', 'Ste(v|ph)en')", "2"}},
		}, Sig{Params: str2, Result: vector.Int}, func(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
			s, p := textsOf(args[0]), textsOf(args[1])
			return fixedRowsOr(vector.Int, n, args, func(i int) (int32, bool, error) {
				re, err := c.get(p.at(i), "regexp_count")
				if err != nil {
					return 0, false, err
				}
				ms, err := re.All(s.at(i))
				return int32(len(ms)), true, err
			})
		}),
		defineRegex(Scalar{
			Name: "regexp_substr", Signature: "regexp_substr(str, regexp)", Summary: "The first match; null if there is none.",
			Examples: []Example{{"regexp_substr('Steven Jones and Stephen Smith', 'Ste(v|ph)en')", "Steven"}},
		}, Sig{Params: str2, Result: vector.String, Nullable: true}, func(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
			s, p := textsOf(args[0]), textsOf(args[1])
			return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				re, err := c.get(p.at(i), "regexp_substr")
				if err != nil {
					return nil, false, err
				}
				v := s.at(i)
				m, err := re.Find(nil, v)
				if err != nil || m == nil || m[0] == m[1] {
					return dst, false, err
				}
				return append(dst, v[m[0]:m[1]]...), true, nil
			})
		}),
		defineRegex(Scalar{
			Name: "regexp_instr", Signature: "regexp_instr(str, regexp[, idx])", Summary: "The position of the first match, from 1; 0 if there is none.",
			Examples: []Example{{`regexp_instr('user@spark.apache.org', '@[^.]*')`, "5"}},
			SQL:      withDefaults("regexp_instr", 2, "0"),
		}, Sig{Params: group.Params, Optional: 1, Result: vector.Int}, func(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
			s, p := textsOf(args[0]), textsOf(args[1])
			return fixedRowsOr(vector.Int, n, args, func(i int) (int32, bool, error) {
				re, err := c.get(p.at(i), "regexp_instr")
				if err != nil {
					return 0, false, err
				}
				v := s.at(i)
				m, err := re.Find(nil, v)
				if err != nil || m == nil {
					return 0, true, err
				}
				return int32(charCount(v[:m[0]]) + 1), true, nil
			})
		}),
		defineRegex(Scalar{
			Name: "split", Signature: "split(str, regexp[, limit])",
			Summary:  "The text split at the matches of a pattern, into at most limit parts if that is positive.",
			Examples: []Example{{"split('oneAtwoBthreeC', '[ABC]')", "[one, two, three, ]"}, {"split('oneAtwoBthreeC', '[ABC]', 2)", "[one, twoBthreeC]"}},
			SQL:      withDefaults("split", 2, "-1"),
		}, Sig{Params: group.Params, Optional: 1, Result: vector.ArrayOf(vector.String, false)}, evalSplit),
	)
}

// defineRegex gives each call its own pattern cache.
func defineRegex(f Scalar, s Sig, eval func(c *regexCache, args []vector.Vec, n int) (vector.Vec, error)) Scalar {
	return DefineOn(f, s, func(*Conf, []Arg) Eval {
		c := &regexCache{}
		return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) { return eval(c, args, n) }
	})
}

// groupIndex is the argument idx, or a default.
func groupIndex(args []vector.Vec, at int, missing int32) func(int) int32 {
	if len(args) > at {
		return fixedOf[int32](args[at]).at
	}
	return func(int) int32 { return missing }
}

func checkGroup(function string, re *Regex, g int32) error {
	if g >= 0 && int(g) <= re.Groups() {
		return nil
	}
	return condition.New("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
		"parameter", "`idx`", "functionName", "`"+function+"`", "groupCount", re.Groups(), "groupIndex", g)
}

func evalRegexpExtract(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
	s, p, idx := textsOf(args[0]), textsOf(args[1]), groupIndex(args, 2, 1)
	var found [8]int
	return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		re, err := c.get(p.at(i), "regexp_extract")
		if err != nil {
			return nil, false, err
		}
		v, g := s.at(i), idx(i)
		m, err := re.Find(found[:0], v)
		if err != nil {
			return nil, false, err
		}
		if m == nil {
			return dst, true, nil
		}
		if err := checkGroup("regexp_extract", re, g); err != nil { // only a match asks for its group
			return nil, false, err
		}
		if m[2*g] < 0 {
			return dst, true, nil
		}
		return append(dst, v[m[2*g]:m[2*g+1]]...), true, nil
	})
}

// textLists builds an array<string> column row by row.
type textLists struct {
	offs  []int32
	inner []int32
	data  []byte
}

func newTextLists(n int) *textLists {
	return &textLists{offs: make([]int32, 1, n+1), inner: []int32{0}}
}

func (b *textLists) add(s []byte) {
	b.data = append(b.data, s...)
	b.inner = append(b.inner, int32(len(b.data)))
}

// endRow closes the current row.
func (b *textLists) endRow() { b.offs = append(b.offs, int32(len(b.inner)-1)) }

func (b *textLists) finish(t *vector.Type, valid vector.Bitmap) arrow.Array {
	return vector.NewList(t, b.offs, vector.NewString(vector.String, b.inner, b.data, nil), valid)
}

func evalRegexpExtractAll(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
	s, p, idx := textsOf(args[0]), textsOf(args[1]), groupIndex(args, 2, 1)
	valid := Validity(n, args...)
	out := newTextLists(n)
	for i := range n {
		if valid.Get(i) {
			re, err := c.get(p.at(i), "regexp_extract_all")
			if err != nil {
				return vector.Vec{}, err
			}
			v, g := s.at(i), idx(i)
			ms, err := re.All(v)
			if err == nil && len(ms) > 0 {
				err = checkGroup("regexp_extract_all", re, g)
			}
			if err != nil {
				return vector.Vec{}, err
			}
			for _, m := range ms {
				if m[2*g] < 0 {
					out.add(nil)
				} else {
					out.add(v[m[2*g]:m[2*g+1]])
				}
			}
		}
		out.endRow()
	}
	return vector.Vec{Arr: out.finish(vector.ArrayOf(vector.String, true), valid)}, nil
}

func evalRegexpReplace(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
	s, p, r, pos := textsOf(args[0]), textsOf(args[1]), textsOf(args[2]), groupIndex(args, 3, 1)
	var rep replacement
	var last []byte
	var lastRe *Regex
	return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		re, err := c.get(p.at(i), "regexp_replace")
		if err != nil {
			return nil, false, err
		}
		v := s.at(i)
		start := pos(i)
		if start < 1 {
			return nil, false, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", `"regexp_replace"`,
				"exprName", "position", "valueRange", "(0, 2147483647]", "currentValue", start)
		}
		from := charOffset(v, int(start)-1)
		if start > 1 && from == len(v) {
			return append(dst, v...), true, nil
		}
		dst = append(dst, v[:from]...)
		v = v[from:] // as Spark does, the matcher sees this region only
		ms, err := re.All(v)
		if err != nil {
			return nil, false, err
		}
		if with := r.at(i); len(ms) > 0 && (re != lastRe || !bytes.Equal(with, last)) {
			if rep, err = parseReplacement(string(with), re); err != nil {
				return nil, false, condition.New("INVALID_REGEXP_REPLACE", "source", string(s.at(i)), "pattern", string(p.at(i)),
					"replacement", string(with), "position", start).WithCause(err)
			}
			last, lastRe = with, re
		}
		at := 0
		for _, m := range ms {
			dst = append(dst, v[at:m[0]]...)
			dst = rep.append(dst, v, m)
			at = m[1]
		}
		return append(dst, v[at:]...), true, nil
	})
}

func evalSplit(c *regexCache, args []vector.Vec, n int) (vector.Vec, error) {
	s, p, limit := textsOf(args[0]), textsOf(args[1]), groupIndex(args, 2, -1)
	valid := Validity(n, args...)
	out := newTextLists(n)
	var pattern, lit []byte
	var isLit, known bool
	for i := range n {
		if valid.Get(i) {
			if q := p.at(i); !known || !bytes.Equal(q, pattern) {
				pattern, known = q, true
				lit, isLit = literalPattern(q)
			}
			v, most := s.at(i), int(limit(i))
			var err error
			switch {
			case len(v) == 0:
				out.add(nil)
			case len(pattern) == 0:
				splitChars(out, v, most)
			case isLit:
				splitLiteral(out, v, lit, most)
			default:
				err = splitRegex(out, c, v, pattern, most)
			}
			if err != nil {
				return vector.Vec{}, err
			}
			if most == 0 {
				out.dropTrailingEmpty()
			}
		}
		out.endRow()
	}
	return vector.Vec{Arr: out.finish(vector.ArrayOf(vector.String, false), valid)}, nil
}

// dropTrailingEmpty removes the empty texts at the end of the current row, as
// Java's split does for limit 0; a row of empty texts alone ends up empty.
func (b *textLists) dropTrailingEmpty() {
	first := int(b.offs[len(b.offs)-1])
	for k := len(b.inner) - 1; k > first && b.inner[k] == b.inner[k-1]; k-- {
		b.inner = b.inner[:k]
	}
}

func splitLiteral(out *textLists, v, lit []byte, most int) {
	if most <= 0 {
		most = math.MaxInt
	}
	for ; most > 1; most-- {
		k := bytes.Index(v, lit)
		if k < 0 {
			break
		}
		out.add(v[:k])
		v = v[k+len(lit):]
	}
	out.add(v)
}

// splitChars splits into characters.
func splitChars(out *textLists, v []byte, most int) {
	if most <= 0 {
		most = math.MaxInt
	}
	for len(v) > 0 && most > 0 {
		w := min(charWidth(v[0]), len(v))
		out.add(v[:w])
		v = v[w:]
		most--
	}
}

func splitRegex(out *textLists, c *regexCache, v, pattern []byte, most int) error {
	re, err := c.get(pattern, "split")
	if err != nil {
		return err
	}
	ms, err := re.All(v)
	if err != nil {
		return err
	}
	at, parts := 0, 1
	for _, m := range ms {
		if most > 0 && parts == most {
			break
		}
		if m[1] == 0 || m[0] == m[1] && m[0] == len(v) {
			continue // an empty match at the beginning or end splits nothing off
		}
		out.add(v[at:m[0]])
		at = m[1]
		parts++
	}
	out.add(v[at:])
	return nil
}
