package json

import (
	"strings"
	"unicode/utf8"
)

// member is a field name as it stands in a record and the field of the struct that has
// it, -1 for none.
type member struct {
	text  string // with its quotes and the colon: "id":; empty if not known yet
	field int
}

const (
	maxMembers  = 256 // names that a struct remembers beside its own
	maxSequence = 64  // members of a record whose order it remembers
)

// members finds the field of each name of an object. The order of names in the former
// record predicts that of the next one, whose names are then only compared.
type members struct {
	known    map[string]*member
	sequence []*member
	others   int
}

// add makes a field known; of fields of one name the first counts.
func (m *members) add(name string, field int) {
	if m.known == nil {
		m.known = map[string]*member{}
	}
	if m.known[name] == nil {
		e := &member{field: field}
		m.known[name] = e
		if plain := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) < 0; plain && utf8.ValidString(name) {
			e.text = `"` + name + `":`
			m.sequence = append(m.sequence, e)
		}
	}
}

// find is the field of member number at of the object that the parser reads; the
// parser is behind the colon afterwards.
func (m *members) find(p *parser, at int) (field int, ok bool) {
	if at < len(m.sequence) {
		if e := m.sequence[at]; len(p.d)-p.i >= len(e.text) && string(p.d[p.i:p.i+len(e.text)]) == e.text {
			p.i += len(e.text)
			return e.field, true
		}
	}
	p.space()
	start := p.i
	name, ok := p.name()
	if !ok || p.peek() != ':' {
		return -1, false
	}
	p.i++
	e := m.known[string(name)]
	if e == nil {
		if m.others == maxMembers {
			return -1, true
		}
		m.others++
		e = &member{field: -1}
		if m.known == nil { // a struct of which no field is read
			m.known = map[string]*member{}
		}
		m.known[string(name)] = e
	}
	text := p.d[start:p.i] // the same bytes are the same name again
	if e.text == "" {
		e.text = string(text)
	}
	if e.text == string(text) {
		switch {
		case at < len(m.sequence):
			m.sequence[at] = e
		case at == len(m.sequence) && at < maxSequence:
			m.sequence = append(m.sequence, e)
		}
	}
	return e.field, true
}

// fields calls f at the value of each member of the object at its brace, with the field
// that the name stands for.
func (p *parser) fields(depth int, m *members, f func(field int) bool) bool {
	if depth > maxDepth {
		return false
	}
	p.i++
	if p.peek() == '}' {
		p.i++
		return true
	}
	for at := 0; ; at++ {
		field, ok := m.find(p, at)
		if !ok || !f(field) {
			return false
		}
		switch p.peek() {
		case ',':
			p.i++
		case '}':
			p.i++
			return true
		default:
			return false
		}
	}
}
