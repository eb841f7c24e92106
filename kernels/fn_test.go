package kernels_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func texts(values ...any) operand { return operand{vector.String, values, "s"} }

func number(v int64) operand { return lit(vector.Int, v, "n") }

// TestStringFunctions evaluates functions on columns of several rows, with a null.
func TestStringFunctions(t *testing.T) {
	for _, c := range []struct {
		name string
		args []operand
		want []any
	}{
		{"upper", []operand{texts("straße", nil, "ΐx")}, []any{"STRASSE", nil, "Ϊ́X"}},
		{"lower", []operand{texts("ΑΣ", "ΣΑ", "İ")}, []any{"ας", "σα", "i̇"}},
		{"initcap", []operand{texts("hELLO o'neil", "ǆu")}, []any{"Hello O'neil", "ǅu"}},
		{"substring", []operand{texts("日本語", "ab", nil), number(-2), number(1)}, []any{"本", "a", nil}},
		{"lpad", []operand{texts("hi", "日本語"), number(5), texts("ab")}, []any{"abahi", "ab日本語"}},
		{"overlay", []operand{texts("Spark SQL", ""), texts("_"), number(6)}, []any{"Spark_SQL", "_"}},
		{"translate", []operand{texts("aébc", nil), texts("aéc"), texts("1日")}, []any{"1日b", nil}},
		{"replace", []operand{texts("aaa", "b"), texts("aa"), texts("b")}, []any{"ba", "b"}},
		{"split_part", []operand{texts("a/b/c", "x", nil), texts("/"), number(-1)}, []any{"c", "x", nil}},
		{"substring_index", []operand{texts("www.apache.org", "a"), texts("."), number(-2)}, []any{"apache.org", "a"}},
		{"split", []operand{texts("a1b22", "", nil), texts("[0-9]+")}, []any{[]any{"a", "b", ""}, []any{""}, nil}},
		{"regexp_replace", []operand{texts("ab cd", "x"), texts(`(\w)(\w)`), texts("$2$1")}, []any{"ba dc", "x"}},
		{"regexp_extract", []operand{texts("foo-42\n", "none"), texts(`(\d+)$`), number(1)}, []any{"42", ""}},
		{"rlike", []operand{texts("ab", "cb"), texts(`(?<=a)b`)}, []any{true, false}},
		{"rlike", []operand{texts("aa", "ab"), texts(`(.)\1`)}, []any{true, false}},
		{"like", []operand{texts("a%c", "abc", "日c"), texts(`_\%c`)}, []any{true, false, false}},
		{"like", []operand{texts("abcabc", "ab", ""), texts("a%b%c")}, []any{true, false, false}},
		{"ilike", []operand{texts("STRASSE", "straße"), texts("STRAS%")}, []any{true, false}},
		{"parse_url", []operand{texts("http://u:p@h.x:81/p?a=1&b=2#r", "nourl"), texts("HOST")}, []any{"h.x", nil}},
		{"url_decode", []operand{texts("a+b%26c", "%C3%A9")}, []any{"a b&c", "é"}},
		{"base64", []operand{texts(strings.Repeat("a", 60), "")}, []any{strings.Repeat("YWFh", 19) + "\r\nYWFh", ""}},
		{"format_string", []operand{texts("%2$s|%1$05d|%%", "%1$x"), number(42), texts("é")}, []any{"é|00042|%", "2a"}},
		{"get_json_object", []operand{texts(`{"a":[{"b":1},{"b":2}]}`, `{"a":{}}`, "bad"), texts("$.a[*].b")}, []any{"[1,2]", nil, nil}},
		{"soundex", []operand{texts("Miller", "Ashcraft", "日")}, []any{"M460", "A261", "日"}},
		{"levenshtein", []operand{texts("kitten", ""), texts("sitting")}, []any{int64(3), int64(7)}},
	} {
		_, got, err := call(ansi, c.name, c.args...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(c.args[0].values) == 1 {
			got = got[:1]
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestFunctionErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []operand
		want string
	}{
		{"split_part", []operand{texts("a"), texts("."), number(0)}, "INVALID_INDEX_OF_ZERO"},
		{"rlike", []operand{texts("a"), texts("*")}, "INVALID_PARAMETER_VALUE.PATTERN"},
		{"like", []operand{texts("a"), texts(`a\`)}, "INVALID_FORMAT.ESC_AT_THE_END"},
		{"regexp_extract", []operand{texts("a"), texts("a"), number(3)}, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX"},
		{"to_date", []operand{texts("x"), texts("yyyy")}, "CANNOT_PARSE_TIMESTAMP"},
		{"date_format", []operand{lit(vector.Timestamp, int64(0), "ts"), texts("u")}, "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"},
		{"date_format", []operand{lit(vector.Timestamp, int64(0), "ts"), texts("A")}, "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"},
		{"from_utc_timestamp", []operand{lit(vector.Timestamp, int64(0), "ts"), texts("bogus")}, "INVALID_TIMEZONE"},
		{"make_date", []operand{number(2023), number(2), number(29)}, "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION"},
		{"next_day", []operand{lit(vector.Date, int64(0), "d"), texts("xx")}, "ILLEGAL_DAY_OF_WEEK"},
		{"map", []operand{number(1), texts("a"), number(1), texts("b")}, "DUPLICATED_MAP_KEY"},
		{"upper", []operand{lit(vector.ArrayOf(vector.Int, true), nil, "a")}, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"},
	} {
		_, _, err := call(ansi, c.name, c.args...)
		if got := conditionOf(err); got != c.want {
			t.Errorf("%s: got %q, want %s", c.name, got, c.want)
		}
	}
}

// TestHashes checks values recorded from Spark, with the tail rule of its Murmur3.
func TestHashes(t *testing.T) {
	for _, c := range []struct {
		name string
		arg  operand
		want int64
	}{
		{"hash", lit(vector.Bool, true, ""), -559580957},
		{"hash", lit(vector.Double, math.Copysign(0, -1), ""), -1670924195},
		{"hash", lit(vector.Null, nil, ""), 42},
		{"xxhash64", lit(vector.Int, int64(0), ""), 3614696996920510707},
		{"crc32", texts("Spark"), 1557323817},
	} {
		_, got, err := call(ansi, c.name, c.arg)
		if err != nil || got[0] != c.want {
			t.Errorf("%s(%v): got %v, %v, want %d", c.name, c.arg.values, got, err, c.want)
		}
	}
}

// TestSignatures: every function is documented with a runnable example.
func TestSignatures(t *testing.T) {
	for name, g := range kernels.Generators() {
		if g.Signature == "" || g.Summary == "" || len(g.Examples) == 0 {
			t.Errorf("generator %s lacks documentation", name)
		}
	}
}

// likeModel is LIKE by its definition, on characters.
func likeModel(s, p []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		return likeModel(s, p[1:]) || len(s) > 0 && likeModel(s[1:], p)
	case len(s) == 0:
		return false
	}
	return (p[0] == '_' || p[0] == s[0]) && likeModel(s[1:], p[1:])
}

func TestLikeAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("abé")), 0, 8, -1).Draw(rt, "s")
		p := rapid.StringOfN(rapid.SampledFrom([]rune("abé%_")), 0, 6, -1).Draw(rt, "p")
		_, got, err := call(ansi, "like", texts(s, s), texts(p))
		if err != nil {
			rt.Fatal(err)
		}
		if want := likeModel([]rune(s), []rune(p)); got[0] != want {
			rt.Fatalf("%q LIKE %q: got %v, want %v", s, p, got[0], want)
		}
	})
}

// FuzzRegex checks that no pattern panics and that both ways to match agree.
func FuzzRegex(f *testing.F) {
	for _, p := range []string{`(a|b)*c`, `[a&&[^b]]`, `\p{IsHan}+$`, `(?i)x++`, `(?<n>.)\k<n>`, `\Q.*\E`, `[^\s\D]`} {
		f.Add(p, "abc\n")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		re, err := kernels.CompileRegex(pattern)
		if err != nil {
			return
		}
		ok, err := re.Match([]byte(s))
		if err != nil {
			return
		}
		all, err := re.All([]byte(s))
		if err != nil {
			return
		}
		if ok != (len(all) > 0) {
			t.Errorf("%q on %q: match %v, %d matches", pattern, s, ok, len(all))
		}
		for _, m := range all {
			if m[0] < 0 || m[1] < m[0] || m[1] > len(s) {
				t.Errorf("%q on %q: bad span %v", pattern, s, m)
			}
		}
	})
}
