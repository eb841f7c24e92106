package kernels

import (
	"github.com/vstream/vstream/vector"
)

func init() {
	str := []Accept{String}
	Register(
		Define(Scalar{
			Name: "quote", Signature: "quote(str)", Summary: "The text between single quotes, with a backslash in front of each single quote.",
			Examples: []Example{{`quote("Don't")`, `'Don\'t'`}},
		}, Sig{Params: str, Result: vector.String}, stringsOf1(vector.String, appendQuote)),
		Define(Scalar{
			Name: "luhn_check", Signature: "luhn_check(str)", Summary: "Whether a text of digits has a right check digit by Luhn's algorithm.",
			Examples: []Example{{"luhn_check('8112189876')", "true"}, {"luhn_check('79927398714')", "false"}},
		}, Sig{Params: str, Result: vector.Bool}, boolsOf1(luhn)),
		Define(Scalar{
			Name: "collation", Signature: "collation(expr)", Summary: "The name of the collation of a text, which is always UTF8_BINARY.",
			Examples: []Example{{"collation('a')", "SYSTEM.BUILTIN.UTF8_BINARY"}},
		}, Sig{Params: str, Result: vector.String, TakesNulls: true}, func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return NewConst(vector.String, "SYSTEM.BUILTIN.UTF8_BINARY").Value, nil
		}),
		Define(Scalar{
			Name: "version", Signature: "version()", Summary: "The version of Spark whose semantics the functions have, and the name of this engine.",
			Examples: []Example{{"version()", "4.3.0 vstream"}},
		}, Sig{Result: vector.String}, func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return NewConst(vector.String, "4.3.0 vstream").Value, nil
		}),
	)
}

func appendQuote(dst, s []byte) []byte {
	dst = append(dst, '\'')
	for _, c := range s {
		if c == '\'' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

// luhn checks digits from the right, doubling every second one.
func luhn(s []byte) bool {
	sum := 0
	for i := range s {
		d := int(s[len(s)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return len(s) > 0 && sum%10 == 0
}
