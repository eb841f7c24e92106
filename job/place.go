package job

import (
	"strings"

	"github.com/vstream/vstream/condition"
)

// Locate makes the position of an error one in the job file. A position in a piece
// of the file's SQL is translated; an error without a position gets at, the place of
// what was being made of the file.
func (j *Job) Locate(err error, at Place) error {
	if err == nil {
		return nil
	}
	e := *condition.As(err)
	if e.Pos == nil {
		e.Pos = position(j.File, j.src, at)
		return &e
	}
	for _, t := range j.texts() {
		if t.Value == e.Pos.Text {
			if p := j.translate(t, e.Pos); p != nil {
				e.Pos = p
			}
			return &e
		}
	}
	return &e
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

// position is a place as an offset into the text.
func position(file, text string, at Place) *condition.Pos {
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
