package kernels

import (
	"bytes"
	"unicode/utf8"

	"github.com/vstream/vstream/vector"
)

// side says at which end trim works.
type side uint8

const (
	sideLeft side = 1 << iota
	sideRight
	sideBoth = sideLeft | sideRight
)

func init() {
	sig := Sig{Params: []Accept{String, String}, Optional: 1, Result: vector.String}
	named := func(word string) func([]string) string {
		return func(args []string) string {
			if len(args) == 2 {
				return "TRIM(" + word + " " + args[0] + " FROM " + args[1] + ")"
			}
			name := map[string]string{"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[word]
			return callSQL(name, args)
		}
	}
	Register(
		Define(Scalar{
			Name: "trim", Signature: "trim([trimStr, ]str)", Summary: "The text without spaces, or characters of trimStr, at both ends.",
			Examples: []Example{{"trim('    SparkSQL   ')", "SparkSQL"}, {"trim(BOTH 'SL' FROM 'SSparkSQLS')", "parkSQ"}},
			SQL:      named("BOTH"),
		}, sig, evalTrim(sideBoth, true)),
		Define(Scalar{
			Name: "ltrim", Signature: "ltrim([trimStr, ]str)", Summary: "The text without spaces, or characters of trimStr, at its beginning.",
			Examples: []Example{{"ltrim('    SparkSQL')", "SparkSQL"}},
			SQL:      named("LEADING"),
		}, sig, evalTrim(sideLeft, true)),
		Define(Scalar{
			Name: "rtrim", Signature: "rtrim([trimStr, ]str)", Summary: "The text without spaces, or characters of trimStr, at its end.",
			Examples: []Example{{"rtrim('SparkSQL  ')", "SparkSQL"}},
			SQL:      named("TRAILING"),
		}, sig, evalTrim(sideRight, true)),
		Define(Scalar{
			Name: "btrim", Signature: "btrim(str[, trimStr])", Summary: "The text without spaces, or characters of trimStr, at both ends.",
			Examples: []Example{{"btrim('    SparkSQL   ')", "SparkSQL"}, {"btrim('SSparkSQLS', 'SL')", "parkSQ"}},
		}, sig, evalTrim(sideBoth, false)),
	)
}

// evalTrim is the kernel of the trim functions; setFirst tells that the
// characters to remove are the first of two arguments.
func evalTrim(where side, setFirst bool) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		valid := Validity(n, args...)
		if len(args) == 1 {
			s := textsOf(args[0])
			return stringRowsIn(ctx.Temp, vector.String, n, valid, func(dst []byte, i int) []byte {
				return append(dst, trimSpaces(s.at(i), where)...)
			}), nil
		}
		s, set := textsOf(args[0]), textsOf(args[1])
		if setFirst {
			s, set = set, s
		}
		return stringRowsIn(ctx.Temp, vector.String, n, valid, func(dst []byte, i int) []byte {
			return append(dst, trimSet(s.at(i), set.at(i), where)...)
		}), nil
	}
}

// trimSpaces removes U+0020 only.
func trimSpaces(s []byte, where side) []byte {
	if where&sideLeft != 0 {
		for len(s) > 0 && s[0] == ' ' {
			s = s[1:]
		}
	}
	if where&sideRight != 0 {
		for len(s) > 0 && s[len(s)-1] == ' ' {
			s = s[:len(s)-1]
		}
	}
	return s
}

// trimSet removes the characters that occur in set.
func trimSet(s, set []byte, where side) []byte {
	if where&sideLeft != 0 {
		for len(s) > 0 {
			w := min(charWidth(s[0]), len(s))
			if !bytes.Contains(set, s[:w]) {
				break
			}
			s = s[w:]
		}
	}
	if where&sideRight != 0 {
		for len(s) > 0 {
			_, w := utf8.DecodeLastRune(s)
			if !bytes.Contains(set, s[len(s)-w:]) {
				break
			}
			s = s[:len(s)-w]
		}
	}
	return s
}
