package condition

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// excerptWidth is how many characters of a source line an excerpt shows at most.
const excerptWidth = 120

// Render is the form of an error for people, in several lines and ending in a
// newline: the condition and its message, where it happened, the source line with a
// caret under the span, what to do next, and the cause. The errors of an
// errors.Join are rendered one after another.
//
//	error[UNRESOLVED_COLUMN.WITH_SUGGESTION]: A column … cannot be resolved. …
//	  in query delays, batch 12
//	  --> job.yaml:7:12
//	    |
//	  7 |     select carier, count(*)
//	    |            ^^^^^^
//	  hint: …
//	  cause: …
//	  SQLSTATE 42703
func Render(err error) string {
	if err == nil {
		return ""
	}
	var e *Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) > 0 {
		var b strings.Builder
		for i, one := range joined.Unwrap() {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(Render(one))
		}
		return b.String()
	}
	if !errors.As(err, &e) {
		return "error: " + indentRest(err.Error()) + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "error[%s]: %s\n", e.Name, indentRest(e.Message))
	if len(e.Where) > 0 {
		fmt.Fprintf(&b, "  in %s\n", strings.Join(e.Where, ", "))
	}
	if e.Pos != nil {
		renderPos(&b, e.Pos)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", indentRest(e.Hint))
	}
	if cause := causeText(e); cause != "" {
		fmt.Fprintf(&b, "  cause: %s\n", indentRest(cause))
	}
	if e.SQLState != "" {
		fmt.Fprintf(&b, "  SQLSTATE %s\n", e.SQLState)
	}
	return b.String()
}

// causeText is the cause's text unless the message has it already.
func causeText(e *Error) string {
	if e.Cause == nil {
		return ""
	}
	text := e.Cause.Error()
	var inner *Error
	if errors.As(e.Cause, &inner) && strings.Contains(e.Message, strings.TrimSuffix(inner.Message, ".")) {
		return ""
	}
	if strings.Contains(e.Message, text) {
		return ""
	}
	return text
}

func indentRest(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

// renderPos writes "--> file:line:col" and the excerpt. A span of several lines is
// marked to the end of its first line.
func renderPos(b *strings.Builder, p *Pos) {
	file := p.File
	if file == "" {
		file = "line"
	}
	fmt.Fprintf(b, "  --> %s:%d:%d\n", file, p.Line, p.Column)
	offset := min(max(p.Offset, 0), len(p.Text))
	if p.Text == "" {
		return
	}
	begin := strings.LastIndexByte(p.Text[:offset], '\n') + 1
	line := p.Text[begin:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	line = strings.TrimSuffix(line, "\r")
	at := min(offset-begin, len(line))
	span := min(max(p.End-begin, at), len(line))
	before, marked, after := []rune(line[:at]), []rune(line[at:span]), []rune(line[span:])

	lead, trail := "", ""
	if len(before)+len(marked)+len(after) > excerptWidth {
		if cut := len(before) - excerptWidth/2; cut > 0 {
			before, lead = before[cut:], "…"
		}
		if room := max(excerptWidth-len(before)-len(marked), 0); len(after) > room {
			after, trail = after[:room], "…"
		}
		if room := excerptWidth - len(before); len(marked) > room {
			marked, after, trail = marked[:room], nil, "…"
		}
	}
	number := fmt.Sprint(p.Line)
	gutter := strings.Repeat(" ", len(number))
	fmt.Fprintf(b, "  %s |\n", gutter)
	fmt.Fprintf(b, "  %s | %s%s%s%s%s\n", number, lead, string(before), string(marked), string(after), trail)
	fmt.Fprintf(b, "  %s | %s%s%s\n", gutter, strings.Repeat(" ", utf8.RuneCountInString(lead)),
		blanks(before), strings.Repeat("^", max(len(marked), 1)))
}

// blanks is s as white space of the same width: tabs stay tabs.
func blanks(s []rune) string {
	out := make([]rune, len(s))
	for i, r := range s {
		out[i] = ' '
		if r == '\t' {
			out[i] = '\t'
		}
	}
	return string(out)
}
