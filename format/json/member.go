package json

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// member is a field name as it stands in a record and the field of the struct that has
// it, -1 for none.
type member struct {
	text  string // with its quotes and the colon: "id":; empty if not known yet
	field int
	head  [2]uint64 // the first 16 bytes of text, zeros behind it
	mask  [2]uint64 // the bytes of head that are text
}

func (e *member) setText(text string) {
	e.text = text
	var head, mask [16]byte
	for i := range copy(head[:], text) {
		mask[i] = 0xff
	}
	for i := range e.head {
		e.head[i], e.mask[i] = binary.LittleEndian.Uint64(head[8*i:]), binary.LittleEndian.Uint64(mask[8*i:])
	}
}

const (
	maxMembers  = 256 // names that a struct remembers beside its own
	maxSequence = 64  // members of a record whose order it remembers
)

// members finds the field of each name of an object. The order of names in the former
// record predicts that of the next one, whose names are then only compared.
type members struct {
	known    map[string]*member
	sequence []member
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
			e.setText(`"` + name + `":`)
			m.sequence = append(m.sequence, *e)
		}
	}
}

// find is the field of member number at of the object that the parser reads; the
// parser is behind the colon afterwards.
func (m *members) find(p *parser, at int) (field int, ok bool) {
	if at > 0 && p.i < len(p.d) && p.d[p.i] == ' ' { // as some writers put it behind a comma
		p.i++
	}
	if at < len(m.sequence) {
		d, e := p.d[p.i:], &m.sequence[at]
		same := false
		if len(d) >= 16 {
			a, b := binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])
			same = (a^e.head[0])&e.mask[0]|(b^e.head[1])&e.mask[1] == 0 &&
				(len(e.text) <= 16 || len(d) >= len(e.text) && string(d[16:len(e.text)]) == e.text[16:])
		} else {
			same = len(d) >= len(e.text) && string(d[:len(e.text)]) == e.text
		}
		if same {
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
		e.setText(string(text))
	}
	if e.text == string(text) {
		switch {
		case at < len(m.sequence):
			m.sequence[at] = *e
		case at == len(m.sequence) && at < maxSequence:
			m.sequence = append(m.sequence, *e)
		}
	}
	return e.field, true
}
