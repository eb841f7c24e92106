package kernels

import (
	"encoding/base32"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Define(Scalar{
			Name: "to_base32", Signature: "to_base32(bin)", Summary: "The bytes in Base32.", Examples: []Example{{"to_base32('foobar')", "MZXW6YTBOI======"}},
		}, Sig{Params: []Accept{Binary}, Result: vector.String}, stringsOf1(vector.String, base32.StdEncoding.AppendEncode)),
		Define(Scalar{
			Name: "from_base32", Signature: "from_base32(str)", Summary: "The bytes that a Base32 text stands for; characters that are none are skipped.",
			Examples: []Example{{"decode(from_base32('MZXW6YTBOI======'), 'utf-8')", "foobar"}},
		}, Sig{Params: []Accept{String}, Result: vector.Binary}, stringsOf1(vector.Binary, decodeBase32)),
	)
}

// decodeBase32 reads up to the first padding. The bits behind the last whole byte
// are dropped, those of a single character are a byte.
func decodeBase32(dst, s []byte) []byte {
	word, bits, chars := uint64(0), 0, 0
	for _, c := range s {
		var v byte
		switch {
		case c >= 'A' && c <= 'Z':
			v = c - 'A'
		case c >= 'a' && c <= 'z':
			v = c - 'a'
		case c >= '2' && c <= '7':
			v = c - '2' + 26
		case c == '=':
			return finishBase32(dst, chars, byte(word&31))
		default:
			continue
		}
		chars++
		word, bits = word<<5|uint64(v), bits+5
		if bits >= 8 {
			bits -= 8
			dst = append(dst, byte(word>>bits))
		}
	}
	return finishBase32(dst, chars, byte(word&31))
}

func finishBase32(dst []byte, chars int, last byte) []byte {
	if chars%8 == 1 {
		return append(dst, last>>2)
	}
	return dst
}
