package json

import (
	"strconv"
	"strings"
)

// step is one step of a JSON path: a field, or an element or all of an array.
type step struct {
	name  string
	index int // -1: a field; -2: every element
}

const (
	stepField = -1
	stepAll   = -2
)

// Paths evaluates JSON paths as get_json_object does and remembers the last
// path; it is used by one goroutine at a time.
type Paths struct {
	source string
	steps  []step
	names  []members // of the objects that a step looks into
	ok     bool
	known  bool
	p      parser
	o      Options
}

// NewPaths makes an evaluator.
func NewPaths() *Paths {
	s := &Paths{o: Options{NoNonNumericNumbers: true, AllowControlChars: true}}
	s.p.o = &s.o
	return s
}

// parsePath reads $, .name, ['name'], [n] and [*].
func parsePath(s string) ([]step, bool) {
	s, ok := strings.CutPrefix(s, "$")
	if !ok {
		return nil, false
	}
	var out []step
	for s != "" {
		switch {
		case s[0] == '.':
			end := strings.IndexAny(s[1:], ".[")
			if end < 0 {
				end = len(s) - 1
			}
			if end == 0 {
				return nil, false
			}
			out = append(out, step{s[1 : end+1], stepField})
			s = s[end+1:]
		case strings.HasPrefix(s, "['"):
			end := strings.Index(s, "']")
			if end < 3 || strings.ContainsAny(s[2:end], "'?") {
				return nil, false
			}
			out = append(out, step{s[2:end], stepField})
			s = s[end+2:]
		case strings.HasPrefix(s, "[*]"):
			out = append(out, step{index: stepAll})
			s = s[3:]
		case s[0] == '[':
			end := strings.IndexByte(s, ']')
			if end < 2 {
				return nil, false
			}
			n, err := strconv.ParseUint(s[1:end], 10, 31)
			if err != nil {
				return nil, false
			}
			out = append(out, step{index: int(n)})
			s = s[end+1:]
		default:
			return nil, false
		}
	}
	return out, true
}

// style says how a match is written.
type style uint8

const (
	styleRaw     style = iota // a lone string without quotes
	styleQuoted               // as JSON
	styleFlatten              // as JSON, arrays without their brackets
)

// sink collects matches as JSON; values of an array are separated by commas.
type sink struct {
	b     []byte
	array bool
	some  bool
}

func (g *sink) separate() {
	if g.array && g.some {
		g.b = append(g.b, ',')
	}
	g.some = true
}

// AppendObject appends the value of a JSON text at a path; false if the path or
// the text is wrong, or nothing is there.
func (s *Paths) AppendObject(dst, text, path []byte) ([]byte, bool) {
	if !s.known || s.source != string(path) {
		s.source, s.known = string(path), true
		s.steps, s.ok = parsePath(s.source)
		s.names = make([]members, len(s.steps))
		for i, step := range s.steps {
			if step.index == stepField {
				s.names[i].add(step.name, 0)
			}
		}
	}
	if !s.ok {
		return dst, false
	}
	s.p.d, s.p.i = text, 0
	g := sink{b: dst}
	found, ok := s.eval(&g, styleRaw, s.steps, 0)
	return g.b, ok && found
}

// eval writes what the path finds in the value that follows; ok is false at a
// syntax error.
func (s *Paths) eval(g *sink, st style, path []step, depth int) (found, ok bool) {
	t, num := s.p.next()
	switch {
	case t == tokNone:
		return false, false
	case len(path) == 0:
		return s.copy(g, st, t, num, depth)
	case t == tokObject && path[0].index == stepField:
		return s.field(g, st, path, depth)
	case t == tokArray && path[0].index == stepAll:
		return s.all(g, st, path[1:], depth)
	case t == tokArray && path[0].index >= 0:
		if len(path) > 1 && path[1].index == stepAll {
			st = styleQuoted
		}
		i := 0
		ok = s.p.elements(depth, func() (ok bool) {
			if i++; i-1 != path[0].index {
				return s.p.skip(depth + 1)
			}
			found, ok = s.eval(g, st, path[1:], depth+1)
			return ok
		})
		return found, ok
	}
	return false, s.p.skipRest(t, depth)
}

// field writes what the path finds in the object at its brace: of a repeated field the
// first value that is not null counts.
func (s *Paths) field(g *sink, st style, path []step, depth int) (found, ok bool) {
	p, names := &s.p, &s.names[len(s.steps)-len(path)]
	if depth > maxDepth {
		return false, false
	}
	p.i++
	if p.peek() == '}' {
		p.i++
		return false, true
	}
	for at := 0; ; at++ {
		field, ok := names.find(p, at)
		switch {
		case !ok:
			return false, false
		case found || field < 0 || p.peek() == 'n':
			ok = p.skip(depth + 1)
		default:
			found, ok = s.eval(g, st, path[1:], depth+1)
		}
		if !ok {
			return found, false
		}
		if last, ok := p.end('}'); last || !ok {
			return found, ok
		}
	}
}

// copy writes a value that the whole path has led to.
func (s *Paths) copy(g *sink, st style, t token, num []byte, depth int) (found, ok bool) {
	switch {
	case t == tokString && st == styleRaw:
		v, ok := s.p.str()
		g.b = append(g.b, v...)
		return true, ok
	case t == tokArray && st == styleFlatten:
		ok = s.p.elements(depth, func() bool {
			f, ok := s.eval(g, st, nil, depth+1)
			found = found || f
			return ok
		})
		return found, ok
	}
	g.separate()
	g.b, ok = s.p.reprint(g.b, t, num, depth)
	return true, ok
}

// all writes what the rest of a path finds in each element of an array. As in
// Hive a lone match loses its brackets, unless an array is around already.
func (s *Paths) all(g *sink, st style, rest []step, depth int) (found, ok bool) {
	inner := sink{array: true}
	next, bare := styleQuoted, st != styleQuoted
	switch {
	case len(rest) > 0 && rest[0].index == stepAll:
		rest, next, bare = rest[1:], styleFlatten, false
	case st == styleFlatten:
		next = styleFlatten
	}
	count := 0
	ok = s.p.elements(depth, func() bool {
		f, ok := s.eval(&inner, next, rest, depth+1)
		if f {
			count++
		}
		return ok
	})
	if bare && count == 0 {
		return false, ok
	}
	g.separate()
	if bare && count == 1 {
		g.b = append(g.b, inner.b...)
	} else {
		g.b = append(append(append(g.b, '['), inner.b...), ']')
	}
	return count > 0, ok
}

// lenient is a scanner for the functions that look at JSON text without a schema.
func lenient(text []byte) *parser {
	p := &parser{}
	p.o = &Options{NoNonNumericNumbers: true, AllowControlChars: true}
	p.d = text
	return p
}

// ArrayLength counts the elements of a JSON array; false for any other text.
func ArrayLength(text []byte) (int, bool) {
	p := lenient(text)
	if p.peek() != '[' {
		return 0, false
	}
	n := 0
	ok := p.elements(0, func() bool {
		n++
		return p.skip(1)
	})
	return n, ok
}

// ObjectKeys lists the keys of a JSON object in their order; false for any other text.
func ObjectKeys(text []byte) ([][]byte, bool) {
	p := lenient(text)
	if p.peek() != '{' {
		return nil, false
	}
	keys := [][]byte{}
	ok := p.members(0, func(name []byte) bool {
		keys = append(keys, append([]byte{}, name...))
		return p.skip(1)
	})
	return keys, ok
}

// Fields reads the fields of a JSON object as json_tuple does: strings without
// quotes, other values as JSON, nil for a null or missing field. The first of
// repeated fields counts. It returns false, with all values nil, if the text is
// no JSON object.
func Fields(text []byte, names [][]byte, out [][]byte) bool {
	clear(out)
	p := lenient(text)
	if p.peek() != '{' {
		return false
	}
	ok := p.members(0, func(name []byte) bool {
		at := -1
		for i, n := range names {
			if out[i] == nil && string(n) == string(name) {
				at = i
				break
			}
		}
		t, num := p.next()
		if at < 0 || t == tokNull || t == tokNone {
			return t != tokNone && p.skipRest(t, 1)
		}
		var v []byte
		ok := true
		if t == tokString {
			var s []byte
			s, ok = p.str()
			v = append([]byte{}, s...)
		} else {
			v, ok = p.reprint([]byte{}, t, num, 1)
		}
		for i := at; i < len(names); i++ {
			if string(names[i]) == string(names[at]) {
				out[i] = v
			}
		}
		return ok
	})
	if !ok {
		clear(out)
	}
	return ok
}
