package json

import (
	"bytes"

	"github.com/vstream/vstream/internal/variant"
	"github.com/vstream/vstream/vector"
)

// status is the outcome of reading one value into a column.
type status uint8

const (
	stOK      status = iota // one value was appended
	stPartial               // one value was appended, but something inside it did not convert
	stBad                   // the value was read but does not convert; nothing was appended
	stSyntax                // the text is no JSON from here on; columns may be in disarray
)

// parser reads one record's text into columns.
type parser struct {
	scanner
	scratch []byte // printed numbers and re-printed JSON
	builder variant.Builder
}

// value reads the value that follows into c.
func (p *parser) value(c *column, depth int) status {
	if c.typ.Kind == vector.KindString && p.byte() == '"' {
		return p.stringValue(c, tokString, nil, depth)
	}
	t, num := p.next()
	switch {
	case t == tokNone:
		return stSyntax
	case c.typ.Kind == vector.KindVariant:
		return p.variantValue(c, t, num, depth)
	case t == tokNull:
		c.appendNull()
		return stOK
	}
	switch c.typ.Kind {
	case vector.KindString:
		return p.stringValue(c, t, num, depth)
	case vector.KindStruct:
		if t == tokObject {
			return p.object(c, depth)
		}
	case vector.KindArray:
		if t == tokArray {
			return p.array(c, depth)
		}
	case vector.KindMap:
		if t == tokObject {
			return p.mapping(c, depth)
		}
	case vector.KindNull:
		c.appendNull()
		if !p.skipRest(t, depth) {
			return stSyntax
		}
		return stOK
	default:
		if t == tokString {
			s, ok := p.str()
			if !ok {
				return stSyntax
			}
			if p.fromString(c, s) {
				return stOK
			}
			return stBad
		}
		if p.fromScalar(c, t, num) {
			return stOK
		}
	}
	if !p.skipRest(t, depth) {
		return stSyntax
	}
	return stBad
}

// variantValue reads any value, also null, as a variant.
func (p *parser) variantValue(c *column, t token, num []byte, depth int) status {
	p.builder.Reset()
	_, ok := p.variant(&p.builder, t, num, depth)
	if !ok {
		return stSyntax
	}
	c.kids[0].appendBytes(p.builder.Data())
	p.scratch = p.builder.AppendMetadata(p.scratch[:0])
	c.kids[1].appendBytes(p.scratch)
	c.n++
	return stOK
}

// stringValue reads any value as text.
func (p *parser) stringValue(c *column, t token, num []byte, depth int) status {
	switch {
	case t == tokString:
		s, ok := p.str()
		if !ok {
			return stSyntax
		}
		c.appendBytes(s)
	case p.o.ExactStrings:
		start := p.i - len(num)
		if !p.skipRest(t, depth) {
			return stSyntax
		}
		c.appendBytes(bytes.ToValidUTF8(p.d[start:p.i], []byte("\uFFFD")))
	default:
		b, ok := p.reprint(p.scratch[:0], t, num, depth)
		if !ok {
			return stSyntax
		}
		p.scratch = b
		c.appendBytes(b)
	}
	return stOK
}

// object reads an object into a struct column.
func (p *parser) object(c *column, depth int) status {
	if depth > maxDepth {
		return stSyntax
	}
	base := c.n
	st := stOK
	p.i++
	if p.peek() == '}' {
		p.i++
		for k := range c.kids {
			c.lacks(base, k)
		}
		c.appendZero()
		return stOK
	}
	for at := 0; ; at++ {
		k, ok := c.fields.find(p, at)
		if !ok {
			return stSyntax
		}
		if k < 0 {
			if !p.skip(depth + 1) {
				return stSyntax
			}
		} else {
			kid := c.kids[k]
			if kid.n > base { // of a repeated field the last value counts
				kid.truncate(base)
			}
			switch p.value(kid, depth+1) {
			case stSyntax:
				return stSyntax
			case stBad, stPartial:
				st = stPartial
				c.lacks(base, k)
			}
		}
		last, ok := p.end('}')
		if !ok {
			return stSyntax
		}
		if last {
			break
		}
	}
	for k, kid := range c.kids {
		if kid.n == base {
			kid.appendNull()
			c.lacks(base, k)
		}
	}
	c.n++
	return st
}

// array reads an array; an element that does not convert spoils all of it, but
// a struct, array or map that converts in part does not.
func (p *parser) array(c *column, depth int) status {
	st := stOK
	kid := c.kids[0]
	base := kid.n
	if depth > maxDepth {
		return stSyntax
	}
	p.i++
	if p.peek() == ']' {
		p.i++
		return c.close(base, st, true)
	}
	for {
		switch e := p.value(kid, depth+1); e {
		case stSyntax:
			return stSyntax
		case stBad, stPartial:
			st = max(st, e)
		}
		if last, ok := p.end(']'); last || !ok {
			return c.close(base, st, ok)
		}
	}
}

// close ends an array or map whose entries began at base.
func (c *column) close(base int, st status, ok bool) status {
	switch {
	case !ok:
		return stSyntax
	case st == stBad:
		c.truncateEntries(base)
		return stBad
	}
	c.off = append(c.off, int32(c.kids[0].n))
	c.n++
	return st
}

// mapping reads an object into a map column; of a repeated key the last value counts.
func (p *parser) mapping(c *column, depth int) status {
	st := stOK
	keys, vals := c.kids[0], c.kids[1]
	base := keys.n
	ok := p.members(depth, func(name []byte) bool {
		if keys.typ.Kind != vector.KindString {
			st = stBad
			return p.skip(depth + 1)
		}
		keys.appendBytes(name)
		switch p.value(vals, depth+1) {
		case stSyntax:
			return false
		case stBad:
			keys.truncate(vals.n)
			st = stBad
		case stPartial:
			st = max(st, stPartial)
		}
		return true
	})
	if ok && st != stBad {
		c.dropRepeated(base)
	}
	return c.close(base, st, ok)
}

// dropRepeated marks the entries from base on whose key comes again.
func (c *column) dropRepeated(base int) {
	keys := c.kids[0]
	n := keys.n
	key := func(i int) []byte { return keys.data[keys.off[i]:keys.off[i+1]] }
	if n-base <= 16 {
		for i := base; i < n; i++ {
			for j := i + 1; j < n; j++ {
				if bytes.Equal(key(i), key(j)) {
					c.drop = append(c.drop, int32(i))
					break
				}
			}
		}
		return
	}
	last := make(map[string]int, n-base)
	for i := base; i < n; i++ {
		if j, ok := last[string(key(i))]; ok {
			c.drop = append(c.drop, int32(j))
		}
		last[string(key(i))] = i
	}
}
