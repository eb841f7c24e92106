package variant

import "strings"

// Path is a parsed path such as $.a['b c'][0].
type Path []step

type step struct {
	name  []byte
	index int // of an array element, -1: a field
}

// ParsePath reads a path: $, then .name, ['name'], ["name"] or [index]; a
// backslash in a quoted name takes the next character as it is.
func ParsePath(s string) (Path, bool) {
	rest, ok := strings.CutPrefix(s, "$")
	if !ok {
		return nil, false
	}
	path := Path{}
	for rest != "" {
		var st step
		if st, rest, ok = parseStep(rest); !ok {
			return nil, false
		}
		path = append(path, st)
	}
	return path, true
}

func parseStep(s string) (st step, rest string, ok bool) {
	st.index = -1
	if s[0] == '.' {
		end := strings.IndexAny(s[1:], ".[")
		if end < 0 {
			end = len(s) - 1
		}
		st.name = []byte(s[1 : 1+end])
		return st, s[1+end:], end > 0
	}
	if s[0] != '[' || len(s) < 3 {
		return st, "", false
	}
	if quote := s[1]; quote == '\'' || quote == '"' {
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == '\\' && i+1 < len(s):
				i++
				st.name = append(st.name, s[i])
			case s[i] == quote:
				rest, ok = strings.CutPrefix(s[i+1:], "]")
				return st, rest, ok
			default:
				st.name = append(st.name, s[i])
			}
		}
		return st, "", false
	}
	digits, rest, ok := strings.Cut(s[1:], "]")
	if !ok || digits == "" || len(digits) > 9 {
		return st, "", false
	}
	st.index = 0
	for _, c := range []byte(digits) {
		if c-'0' > 9 {
			return st, "", false
		}
		st.index = st.index*10 + int(c-'0')
	}
	return st, rest, true
}

// Get is the value at the path; false if there is none.
func (p Path) Get(v Value) (Value, bool) {
	for _, s := range p {
		switch k := v.Kind(); {
		case s.index < 0 && k == Object:
			var ok bool
			if v, ok = v.Get(s.name); !ok {
				return Value{}, false
			}
		case s.index >= 0 && k == Array && s.index < v.Len():
			v = v.Elem(s.index)
		default:
			return Value{}, false
		}
	}
	return v, true
}
