package condition

import (
	_ "embed" // the catalogues
	"encoding/json"
	"strings"
	"sync"
)

// The catalogues are JSON objects with one condition a line, so that a lookup
// decodes one line and a process that never fails decodes none.
var (
	//go:embed conditions-spark.json
	sparkCatalogue string
	//go:embed conditions-vstream.json
	vstreamCatalogue string
)

type template struct {
	sqlState string
	message  string
}

// found caches the templates in use: name to template.
var found sync.Map

func lookup(name string) (template, bool) {
	if t, ok := found.Load(name); ok {
		return t.(template), true
	}
	t, ok := search(vstreamCatalogue, name)
	if !ok {
		t, ok = search(sparkCatalogue, name)
	}
	if ok {
		found.Store(name, t)
	}
	return t, ok
}

// search finds the line `"name":{…}` in a catalogue.
func search(text, name string) (template, bool) {
	start := "\n\"" + name + "\":"
	i := strings.Index(text, start)
	if i < 0 {
		return template{}, false
	}
	line := text[i+len(start):]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	var e struct{ SQLState, Message string }
	if json.Unmarshal([]byte(strings.TrimSuffix(line, ",")), &e) != nil {
		return template{}, false
	}
	return template{e.SQLState, e.Message}, true
}

// render puts the parameters into the message: `<name>` becomes its value. A
// placeholder without a parameter stays, and values are not searched for placeholders.
func (t template) render(params map[string]string) string {
	rest := t.message
	if !strings.Contains(rest, "<") {
		return rest
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			break
		}
		end := open + 1
		for end < len(rest) && isParamByte(rest[end]) {
			end++
		}
		value, ok := "", false
		if end < len(rest) && rest[end] == '>' {
			value, ok = params[rest[open+1:end]]
		}
		if ok {
			b.WriteString(rest[:open])
			b.WriteString(value)
			end++
		} else {
			b.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	b.WriteString(rest)
	return b.String()
}

func isParamByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
