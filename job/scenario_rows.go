package job

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// appendJSON writes a row as the recorder does, which is Python's json.dumps.
func (r *reader) appendJSON(b []byte, n ast.Node) []byte {
	switch v := unwrap(n).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		b = append(b, '{')
		for i, e := range r.mapping(v, "row") {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(appendQuoted(b, e.key), ": "...)
			b = r.appendJSON(b, e.value)
		}
		return append(b, '}')
	case *ast.SequenceNode:
		b = append(b, '[')
		for i, e := range v.Values {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = r.appendJSON(b, e)
		}
		return append(b, ']')
	case nil, *ast.NullNode:
		return append(b, "null"...)
	case *ast.BoolNode:
		return strconv.AppendBool(b, v.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		return append(b, v.GetToken().Value...)
	case *ast.InfinityNode:
		if v.Value < 0 {
			b = append(b, '-')
		}
		return append(b, "Infinity"...)
	case *ast.NanNode:
		return append(b, "NaN"...)
	}
	return appendQuoted(b, r.raw(n, "row", place(n)))
}

// appendQuoted is a JSON string in ASCII.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	unit := func(b []byte, c rune) []byte {
		return append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
	}
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case strings.ContainsRune("\n\r\t\b\f", c):
			b = append(b, '\\', "nrtbf"[strings.IndexRune("\n\r\t\b\f", c)])
		case c >= 0x10000:
			c -= 0x10000
			b = unit(unit(b, 0xd800+c>>10), 0xdc00+c&0x3ff)
		case c < 0x20 || c >= 0x7f:
			b = unit(b, c)
		default:
			b = append(b, byte(c))
		}
	}
	return append(b, '"')
}
