package runner

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"
)

// Updated is the text of the list after a run: without the entries that nothing
// bears out any more, and with a line for each failure that it lacks. Comments,
// globs and reasons stay.
func (k *Known) Updated(results []Result) []byte {
	type standing struct{ ran, failed bool }
	entries := make([]standing, len(k.entries))
	var added []string
	for _, r := range results {
		covered := false
		for i, e := range k.entries {
			if ok, _ := path.Match(e.pattern, r.Name); ok {
				covered = true
				entries[i].ran = true
				entries[i].failed = entries[i].failed || r.Status == Failed
			}
		}
		if r.Status == Failed && !covered {
			added = append(added, fmt.Sprintf("%s  %s", r.Name, reason(r)))
		}
	}
	stale := map[int]bool{}
	for i, e := range k.entries {
		stale[e.line] = entries[i].ran && !entries[i].failed
	}
	var b bytes.Buffer
	for i, line := range k.lines {
		if !stale[i+1] {
			b.WriteString(line + "\n")
		}
	}
	sort.Strings(added)
	for _, line := range added {
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

var stepPrefix = regexp.MustCompile(`^step \d+( query \w+)?( batch \d+)?: `)

// maxReason is how much of a difference is kept as a reason, in characters.
const maxReason = 100

// reason is the first difference on one line.
func reason(r Result) string {
	if len(r.Details) == 0 {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(stepPrefix.ReplaceAllString(r.Details[0], "")), " "))
	if len(text) > maxReason {
		text = append(text[:maxReason-1], '…')
	}
	return strings.ReplaceAll(string(text), "#", "")
}
