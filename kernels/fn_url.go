package kernels

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	url := Sig{Params: []Accept{String, String, String}, Optional: 1, NoCast: true, Result: vector.String, Nullable: true}
	Register(
		DefineOn(Scalar{
			Name: "parse_url", Signature: "parse_url(url, part[, key])", Summary: "A part of a URL: HOST, PATH, QUERY (or one of its keys), REF, PROTOCOL, FILE, AUTHORITY or USERINFO; null if it has none.",
			Examples: []Example{{"parse_url('http://spark.apache.org/path?query=1', 'QUERY', 'query')", "1"}},
		}, url, func(conf *Conf, _ []Arg) Eval { return evalParseURL(conf.ANSI) }),
		DefineOn(Scalar{
			Name: "try_parse_url", Signature: "try_parse_url(url, part[, key])", Summary: "parse_url, but null for a text that is no URL.",
			Examples: []Example{{"try_parse_url('inva lid://spark.apache.org', 'HOST')", "NULL"}},
		}, url, func(*Conf, []Arg) Eval { return evalParseURL(false) }),
		Define(Scalar{
			Name: "url_encode", Signature: "url_encode(str)", Summary: "The text as application/x-www-form-urlencoded.", Examples: []Example{{"url_encode('a b&c')", "a+b%26c"}},
		}, Sig{Params: []Accept{String}, Result: vector.String}, stringsOf1(vector.String, appendURLEncoded)),
		Define(Scalar{
			Name: "url_decode", Signature: "url_decode(str)", Summary: "The text of application/x-www-form-urlencoded.", Examples: []Example{{"url_decode('a+b%26c')", "a b&c"}},
		}, Sig{Params: []Accept{String}, Result: vector.String}, evalURLDecode(true)),
		Define(Scalar{
			Name: "try_url_decode", Signature: "try_url_decode(str)", Summary: "url_decode, but null for a wrong text.", Examples: []Example{{"try_url_decode('%zz')", "NULL"}},
		}, Sig{Params: []Accept{String}, Result: vector.String, Nullable: true}, evalURLDecode(false)),
	)
}

// uri is RFC 2396's split of a URI, as java.net.URI makes it.
var uri = regexp.MustCompile(`^(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$`)

// uriParts are the parts of a URI; nil is missing.
type uriParts struct {
	scheme, authority, userInfo, host, path, query, ref []byte
	opaque                                              bool
}

// parseURI takes a URI apart; false for characters that no URI may have.
func parseURI(s []byte) (p uriParts, ok bool) {
	for _, c := range s {
		if c <= ' ' || c == 0x7f || bytes.IndexByte([]byte("\"<>\\^`{|}"), c) >= 0 {
			return p, false
		}
	}
	m := uri.FindSubmatchIndex(s)
	if m == nil {
		return p, false
	}
	part := func(k int) []byte {
		if m[2*k] < 0 {
			return nil
		}
		return s[m[2*k]:m[2*k+1]:m[2*k+1]]
	}
	p.scheme, p.authority, p.path, p.query, p.ref = part(1), part(2), part(3), part(4), part(5)
	if p.path == nil {
		p.path = []byte{}
	}
	if p.scheme != nil && p.authority == nil && (len(p.path) == 0 || p.path[0] != '/') {
		p.opaque = true
		if len(p.path) == 0 {
			return p, false
		}
	}
	if len(p.authority) == 0 {
		p.authority = nil
		return p, true
	}
	host := p.authority
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		p.userInfo, host = host[:at], host[at+1:]
	}
	if at := bytes.LastIndexByte(host, ':'); at >= 0 && bytes.IndexByte(host[at:], ']') < 0 {
		for _, c := range host[at+1:] {
			if c-'0' > 9 {
				return p, true // a registry-based authority has no host
			}
		}
		host = host[:at]
	}
	if validHost(host) {
		p.host = host
	} else {
		p.userInfo = nil
	}
	return p, true
}

// validHost tells whether java.net.URI takes a text for a server's name.
func validHost(h []byte) bool {
	if len(h) == 0 {
		return false
	}
	if h[0] == '[' {
		return h[len(h)-1] == ']'
	}
	for _, c := range h {
		if c != '-' && c != '.' && c-'0' > 9 && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

func (p *uriParts) get(part string) []byte {
	switch part {
	case "HOST":
		return p.host
	case "PATH":
		if p.opaque {
			return nil
		}
		return p.path
	case "QUERY":
		return p.query
	case "REF":
		return p.ref
	case "PROTOCOL":
		return p.scheme
	case "FILE":
		if p.opaque || p.query == nil {
			return p.get("PATH")
		}
		return append(append(append([]byte{}, p.path...), '?'), p.query...)
	case "AUTHORITY":
		return p.authority
	case "USERINFO":
		return p.userInfo
	}
	return nil
}

func evalParseURL(raise bool) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, part := textsOf(args[0]), textsOf(args[1])
		return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
			p, ok := parseURI(s.at(i))
			if !ok {
				if raise {
					return nil, false, condition.New("INVALID_URL", "url", string(s.at(i)), "ansiConfig", ansiConfig)
				}
				return dst, false, nil
			}
			v := p.get(string(part.at(i)))
			if len(args) == 3 {
				if string(part.at(i)) != "QUERY" {
					return dst, false, nil
				}
				v = queryValue(v, textsOf(args[2]).at(i))
			}
			return append(dst, v...), v != nil, nil
		})
	}
}

// queryValue is the value of a key of a query; nil if it is not there.
func queryValue(query, key []byte) []byte {
	for pair := range bytes.SplitSeq(query, []byte{'&'}) {
		if k, v, ok := bytes.Cut(pair, []byte{'='}); ok && bytes.Equal(k, key) {
			return v[:len(v):len(v)]
		}
	}
	return nil
}

func appendURLEncoded(dst, s []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range s {
		switch {
		case c == ' ':
			dst = append(dst, '+')
		case c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(".-*_", c) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

func evalURLDecode(raise bool) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s := textsOf(args[0])
		return stringRowsOr(vector.String, n, args, func(dst []byte, i int) ([]byte, bool, error) {
			d, ok := appendURLDecoded(dst, s.at(i))
			if !ok && raise {
				return nil, false, condition.New("CANNOT_DECODE_URL", "url", string(s.at(i)))
			}
			return d, ok, nil
		})
	}
}

func appendURLDecoded(dst, s []byte) ([]byte, bool) {
	start := len(dst)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			dst = append(dst, ' ')
		case '%':
			if i+2 >= len(s) {
				return dst[:start], false
			}
			hi, lo := fromHex(s[i+1]), fromHex(s[i+2])
			if hi < 0 || lo < 0 {
				return dst[:start], false
			}
			dst = append(dst, byte(hi<<4|lo))
			i += 2
		default:
			dst = append(dst, s[i])
		}
	}
	decoded := append([]byte{}, dst[start:]...)
	return text.AppendUTF8(dst[:start], decoded), true
}

func fromHex(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
