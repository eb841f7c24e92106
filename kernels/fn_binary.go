package kernels

import (
	"strings"
	"unicode"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		toBinary("to_binary", false, "The bytes of a text in a format: hex (the default), utf-8 or base64.", Example{"to_binary('abc', 'utf-8')", "[61 62 63]"}),
		toBinary("try_to_binary", true, "to_binary, but null for a text or format that is wrong.", Example{"try_to_binary('a!', 'base64')", "NULL"}),
	)
}

func toBinary(name string, try bool, summary string, ex Example) Scalar {
	f := Scalar{Name: name, Signature: name + "(str[, fmt])", Summary: summary, Examples: []Example{ex}}
	sig := Sig{Params: []Accept{String, String}, Optional: 1, Result: vector.Binary, Nullable: try}
	f.MinArgs, f.MaxArgs = sig.Arity()
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		sql := callSQL(name, sqlOf(args))
		format := "hex"
		if len(args) == 2 {
			switch a := args[1]; {
			case a.Const == nil:
				return nil, condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql),
					"inputName", "`fmt`", "inputType", `"STRING"`, "inputExpr", quoteSQL(a.SQL))
			case !a.Const.IsNull(0):
				if v := constAs(conf, a, vector.String); v != nil {
					format = strings.ToLower(string(textsOf(*v).at(0)))
				}
			}
		}
		decode := binaryFormats[format]
		if decode == nil && !try {
			return nil, condition.New("DATATYPE_MISMATCH.INVALID_ARG_VALUE", "sqlExpr", quoteSQL(sql), "inputName", "fmt",
				"requireType", `case-insensitive "STRING"`, "validValues", "'hex', 'utf-8', 'utf8', or 'base64'", "inputValue", "'"+format+"'")
		}
		return sig.bind(conf, func(args []Arg) string { return callSQL(name, sqlOf(args)) }, args, func(*Conf, []Arg) Eval {
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				if decode == nil {
					return vector.ConstNull(vector.Binary), nil
				}
				s := textsOf(args[0])
				return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
					d, ok := decode(dst, s.at(i))
					if !ok && !try {
						return nil, false, condition.New("CONVERSION_INVALID_INPUT", "str", "'"+string(s.at(i))+"'",
							"fmt", "'"+strings.ToUpper(format)+"'", "targetType", `"BINARY"`, "suggestion", "`try_to_binary`")
					}
					return d, ok, nil
				})
			}
		})
	}
	return f
}

// binaryFormats are the decoders of to_binary; each appends to dst.
var binaryFormats = map[string]func(dst, s []byte) ([]byte, bool){
	"hex":    appendUnhex,
	"utf-8":  func(dst, s []byte) ([]byte, bool) { return append(dst, s...), true },
	"utf8":   func(dst, s []byte) ([]byte, bool) { return append(dst, s...), true },
	"base64": strictBase64,
}

// strictBase64 reads Base64 with white space between its characters and with or
// without padding; other characters are refused.
func strictBase64(dst, s []byte) ([]byte, bool) {
	chars, pads := 0, 0
	for _, c := range s {
		switch {
		case c == '=':
			pads++
		case unicode.IsSpace(rune(c)) && c < 0x80:
		case pads > 0 || !base64Char(c):
			return dst, false
		default:
			chars++
		}
	}
	if pads > 2 || pads > 0 && (chars+pads)%4 != 0 || chars%4 == 1 {
		return dst, false
	}
	return decodeBase64(dst, s)
}
