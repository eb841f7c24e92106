package job

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/condition"
)

// Locate makes the position of an error one in the job file. A position in a piece
// of the file's SQL is translated; any other error gets at, the place of what was being
// made of the file.
func (j *Job) Locate(err error, at Place) error {
	if err == nil {
		return nil
	}
	e := *condition.As(err)
	if e.Pos != nil && e.Pos.File == j.File && j.File != "" {
		return &e // located before
	}
	for _, t := range j.texts() {
		p := within(t, e.Pos)
		if p == nil {
			continue
		}
		e.Pos = j.translate(t, p)
		if e.Pos == nil {
			p.File = fmt.Sprintf("%s:%d, in the text", j.File, t.At.Line)
			if t.At == nowhere {
				p.File = "--set"
			}
			e.Pos = p
		}
		return &e
	}
	e.Pos = position(j.File, j.src, at)
	return &e
}

// within is a position relative to t; nil if it lies in another text. An item of
// select is analysed as a query of its own.
func within(t Text, p *condition.Pos) *condition.Pos {
	if p == nil || t.Value == "" {
		return nil
	}
	prefix, ok := strings.CutSuffix(p.Text, t.Value)
	if !ok || prefix != "" && prefix != "SELECT " || p.Offset < len(prefix) {
		return nil
	}
	return condition.At(t.Value, p.Offset-len(prefix), p.End-len(prefix))
}

// texts are all pieces of SQL of the job.
func (j *Job) texts() []Text {
	var out []Text
	for _, s := range j.Sources {
		out = append(out, s.Schema)
	}
	for _, v := range j.Views {
		out = append(out, v.SQL, v.Filter)
		out = append(out, v.Select...)
	}
	for _, q := range j.Queries {
		out = append(out, q.SQL)
	}
	return out
}

// translate is a position in a text as one in the file; nil if the file does not have
// the text character by character, as with folded blocks, escapes and variables.
func (j *Job) translate(t Text, p *condition.Pos) *condition.Pos {
	if t.At == nowhere {
		return nil
	}
	at := Place{Line: t.At.Line + p.Line - 1, Column: t.At.Column + p.Column - 1}
	if p.Line > 1 {
		at.Column = t.Indent + p.Column
	}
	out := position(j.File, j.src, at)
	span := p.Text[p.Offset:min(max(p.End, p.Offset), len(p.Text))]
	span, _, _ = strings.Cut(span, "\n")
	if !strings.HasPrefix(j.src[out.Offset:], span) {
		return nil
	}
	out.End = out.Offset + max(len(span), 1)
	return out
}

// nowhere is the place of what is not in the file, but was set on the command line.
var nowhere = Place{}

// position is a place as an offset into the text; nil for nowhere.
func position(file, text string, at Place) *condition.Pos {
	if at == nowhere {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	offset := 0
	for i := 0; i < at.Line-1 && i < len(lines); i++ {
		offset += len(lines[i])
	}
	if at.Line-1 < len(lines) {
		line := []rune(strings.TrimSuffix(lines[max(at.Line-1, 0)], "\n"))
		offset += len(string(line[:min(max(at.Column-1, 0), len(line))]))
	}
	end := offset
	for end < len(text) && !strings.ContainsRune(" \n:,{}[]", rune(text[end])) {
		end++
	}
	p := condition.At(text, offset, max(end, offset+1))
	p.File = file
	return p
}
