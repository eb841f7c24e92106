package kernels

import (
	"encoding/base64"
	"encoding/hex"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	str, bin := []Accept{String}, []Accept{Binary}
	Register(
		Define(Scalar{
			Name: "base64", Signature: "base64(bin)", Summary: "The bytes in Base64, in lines of 76 characters.", Examples: []Example{{"base64('Spark SQL')", "U3BhcmsgU1FM"}},
		}, Sig{Params: bin, Result: vector.String}, stringsOf1(vector.String, appendBase64)),
		Define(Scalar{
			Name: "unbase64", Signature: "unbase64(str)", Summary: "The bytes of a Base64 text.", Examples: []Example{{"unbase64('U3BhcmsgU1FM')", "[53 70 61 72 6B 20 53 51 4C]"}},
		}, Sig{Params: str, Result: vector.Binary}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				d, ok := decodeBase64(dst, s.at(i))
				if !ok {
					return nil, false, condition.New("CONVERSION_INVALID_INPUT", "str", quoteString(string(s.at(i))), "fmt", "'BASE64'",
						"targetType", `"BINARY"`, "suggestion", "`try_to_binary`")
				}
				return d, true, nil
			})
		}),
		DefineOn(Scalar{
			Name: "hex", Signature: "hex(expr)", Summary: "A BIGINT, or the bytes of a text, in hexadecimal.", Examples: []Example{{"hex(17)", "11"}, {"hex('Spark SQL')", "537061726B2053514C"}},
		}, Sig{Params: []Accept{OneOf(Long, Binary, String)}, Result: vector.String}, func(_ *Conf, args []Arg) Eval {
			if args[0].Type.Kind != vector.KindLong {
				return stringsOf1(vector.String, appendHex)
			}
			return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				v := fixedOf[uint64](args[0])
				return stringRows(vector.String, n, Validity(n, args...), func(dst []byte, i int) []byte {
					return append(dst, strings.ToUpper(strconv.FormatUint(v.at(i), 16))...)
				}), nil
			}
		}),
		Define(Scalar{
			Name: "unhex", Signature: "unhex(expr)", Summary: "The bytes of a hexadecimal text; null if it is none.", Examples: []Example{{"decode(unhex('537061726B2053514C'), 'UTF-8')", "Spark SQL"}},
		}, Sig{Params: str, Result: vector.Binary, Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				d, ok := appendUnhex(dst, s.at(i))
				return d, ok, nil
			})
		}),
		DefineOn(Scalar{
			Name: "conv", Signature: "conv(num, fromBase, toBase)", Summary: "A number written in one base in another; a negative toBase gives a signed number.",
			Examples: []Example{{"conv('100', 2, 10)", "4"}, {"conv(-10, 16, -10)", "-16"}},
		}, Sig{Params: []Accept{String, Int, Int}, Result: vector.String, Nullable: true}, pickConv),
		Define(Scalar{
			Name: "encode", Signature: "encode(str, charset)", Summary: "The text in a character set.", Examples: []Example{{"encode('abc', 'utf-8')", "[61 62 63]"}},
		}, Sig{Params: []Accept{String, String}, Result: vector.Binary}, evalEncode),
		decodeFunction(Define(Scalar{
			Name: "decode", Signature: "decode(bin, charset) or decode(expr, search, result[, search, result]…[, default])",
			Summary:  "The text of bytes in a character set; with more arguments the result of the first search that equals expr, nulls being equal.",
			Examples: []Example{{"decode(encode('abc', 'utf-8'), 'utf-8')", "abc"}, {"decode(2, 1, 'Southlake', 2, 'San Francisco', 'Non domestic')", "San Francisco"}},
		}, Sig{Params: []Accept{Binary, String}, Result: vector.String}, evalDecode)),
		Define(Scalar{
			Name: "is_valid_utf8", Signature: "is_valid_utf8(str)", Summary: "Whether the text is valid UTF-8.", Examples: []Example{{"is_valid_utf8('Spark')", "true"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.Bool}, boolsOf1(utf8.Valid)),
		Define(Scalar{
			Name: "make_valid_utf8", Signature: "make_valid_utf8(str)", Summary: "The text with U+FFFD for what is no UTF-8.", Examples: []Example{{"make_valid_utf8('Spark')", "Spark"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.String}, stringsOf1(vector.String, text.AppendUTF8)),
		Define(Scalar{
			Name: "validate_utf8", Signature: "validate_utf8(str)", Summary: "The text, or an error if it is no UTF-8.", Examples: []Example{{"validate_utf8('Spark')", "Spark"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.String}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				if v := s.at(i); !utf8.Valid(v) {
					return nil, false, condition.New("INVALID_UTF8_STRING", "str", `\x`+strings.ToUpper(hex.EncodeToString(v)))
				}
				return append(dst, s.at(i)...), true, nil
			})
		}),
		Define(Scalar{
			Name: "try_validate_utf8", Signature: "try_validate_utf8(str)", Summary: "The text, or null if it is no UTF-8.", Examples: []Example{{"try_validate_utf8('Spark')", "Spark"}},
		}, Sig{Params: []Accept{StringOrBinary}, Result: vector.String, Nullable: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			s := textsOf(args[0])
			return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
				return append(dst, s.at(i)...), utf8.Valid(s.at(i)), nil
			})
		}),
	)
}

func appendBase64(dst, s []byte) []byte {
	const line = 57 // bytes in a line of 76 characters
	for len(s) > line {
		dst = append(base64.StdEncoding.AppendEncode(dst, s[:line]), "\r\n"...)
		s = s[line:]
	}
	return base64.StdEncoding.AppendEncode(dst, s)
}

// decodeBase64 skips characters outside the alphabet, as MIME does.
func decodeBase64(dst, s []byte) ([]byte, bool) {
	clean := make([]byte, 0, len(s))
	for _, c := range s {
		if base64Char(c) {
			clean = append(clean, c)
		}
	}
	d, err := base64.RawStdEncoding.AppendDecode(dst, clean)
	return d, err == nil
}

// base64Char tells whether c stands for six bits.
func base64Char(c byte) bool {
	return c == '+' || c == '/' || c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// appendUnhex reads hexadecimal digits; of an odd number the first is a byte.
func appendUnhex(dst, s []byte) ([]byte, bool) {
	if len(s)%2 == 1 {
		s = append([]byte{'0'}, s...)
	}
	d, err := hex.AppendDecode(dst, s)
	return d, err == nil
}

func appendHex(dst, s []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range s {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst
}

func pickConv(conf *Conf, _ []Arg) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, from, to := textsOf(args[0]), fixedOf[int32](args[1]), fixedOf[int32](args[2])
		return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
			text, ok, over := convert36(string(s.at(i)), int(from.at(i)), int(to.at(i)))
			if over && conf.ANSI {
				return nil, false, errOverflow("Overflow in function conv()", "")
			}
			return append(dst, text...), ok, nil
		})
	}
}

// convert36 rewrites a number from one base in another. Characters from the first
// that is no digit on are ignored; what exceeds 64 bits is the largest number.
func convert36(s string, from, to int) (out string, ok, over bool) {
	abs := func(v int) int { return max(v, -v) }
	if from < 2 || from > 36 || abs(to) < 2 || abs(to) > 36 {
		return "", false, false
	}
	s = strings.Trim(s, " ")
	if s == "" {
		return "", false, false
	}
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	var v uint64
digits:
	for i := range len(s) {
		d := 99
		switch c := s[i]; {
		case c-'0' <= 9:
			d = int(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			d = int(c|0x20-'a') + 10
		}
		if d >= from {
			break digits
		}
		hi, lo := bits.Mul64(v, uint64(from))
		sum, carry := bits.Add64(lo, uint64(d), 0)
		if hi != 0 || carry != 0 {
			v, over = ^uint64(0), true
			break digits
		}
		v = sum
	}
	if neg && to > 0 {
		if int64(v) < 0 {
			v = ^uint64(0)
		} else {
			v = -v
		}
	}
	if to < 0 && int64(v) < 0 {
		v, neg = -v, true
	}
	out = strings.ToUpper(strconv.FormatUint(v, abs(to)))
	if neg && to < 0 {
		out = "-" + out
	}
	return out, true, over
}

const charsets = "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8"

func badCharset(function string, name []byte) error {
	return condition.New("INVALID_PARAMETER_VALUE.CHARSET", "functionName", "`"+function+"`", "parameter", "`charset`", "charset", string(name), "charsets", charsets)
}

func badCoding(function string, name []byte) error {
	return condition.New("MALFORMED_CHARACTER_CODING", "function", "`"+function+"`", "charset", string(name))
}

func evalEncode(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, c := textsOf(args[0]), textsOf(args[1])
	return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		dst, err := appendEncoded(dst, s.at(i), c.at(i))
		return dst, err == nil, err
	})
}

func appendEncoded(dst, s, charset []byte) ([]byte, error) {
	name := strings.ToUpper(string(charset))
	limit := rune(0x7f)
	switch name {
	case "UTF-8":
		return append(dst, s...), nil
	case "ISO-8859-1":
		limit = 0xff
		fallthrough
	case "US-ASCII":
		for _, r := range string(s) {
			if r > limit {
				return nil, badCoding("encode", charset)
			}
			dst = append(dst, byte(r))
		}
		return dst, nil
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		little := name == "UTF-16LE"
		if name == "UTF-16" && len(s) > 0 {
			dst = append(dst, 0xfe, 0xff)
		}
		for _, u := range utf16.Encode([]rune(string(s))) {
			if little {
				dst = append(dst, byte(u), byte(u>>8))
			} else {
				dst = append(dst, byte(u>>8), byte(u))
			}
		}
		return dst, nil
	case "UTF-32":
		for _, r := range string(s) {
			dst = append(dst, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
		}
		return dst, nil
	}
	return nil, badCharset("encode", charset)
}

func evalDecode(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	s, c := textsOf(args[0]), textsOf(args[1])
	return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		dst, err := appendDecoded(dst, s.at(i), c.at(i))
		return dst, err == nil, err
	})
}

func appendDecoded(dst, s, charset []byte) ([]byte, error) {
	name := strings.ToUpper(string(charset))
	switch name {
	case "UTF-8":
		if !utf8.Valid(s) {
			return nil, badCoding("decode", charset)
		}
		return append(dst, s...), nil
	case "ISO-8859-1", "US-ASCII":
		for _, b := range s {
			if b > 0x7f && name == "US-ASCII" {
				return nil, badCoding("decode", charset)
			}
			dst = utf8.AppendRune(dst, rune(b))
		}
		return dst, nil
	case "UTF-16", "UTF-16BE", "UTF-16LE":
		little := name == "UTF-16LE"
		if name == "UTF-16" && len(s) > 1 && (s[0] == 0xff && s[1] == 0xfe || s[0] == 0xfe && s[1] == 0xff) {
			little = s[0] == 0xff
			s = s[2:]
		}
		if len(s)%2 != 0 {
			return nil, badCoding("decode", charset)
		}
		units := make([]uint16, len(s)/2)
		for i := range units {
			units[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
			if little {
				units[i] = units[i]<<8 | units[i]>>8
			}
		}
		for _, r := range utf16.Decode(units) {
			if r == utf8.RuneError {
				return nil, badCoding("decode", charset)
			}
			dst = utf8.AppendRune(dst, r)
		}
		return dst, nil
	case "UTF-32":
		if len(s)%4 != 0 {
			return nil, badCoding("decode", charset)
		}
		for ; len(s) > 0; s = s[4:] {
			dst = utf8.AppendRune(dst, rune(s[0])<<24|rune(s[1])<<16|rune(s[2])<<8|rune(s[3]))
		}
		return dst, nil
	}
	return nil, badCharset("decode", charset)
}
