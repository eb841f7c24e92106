package job

import (
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/vstream/vstream/condition"
)

// ReadWith reads a job file with some of its values replaced. A setting is
// "path=value": queries.delays.outputMode=update, conf.spark.sql.shuffle.partitions=8.
// What follows conf or options is one key. The value is YAML.
func ReadWith(path string, settings []string) (*Job, error) {
	j, err := Read(path)
	if err != nil || len(settings) == 0 {
		return j, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, condition.IO(err, "read", path)
	}
	r := &reader{file: path, src: string(data)}
	j, err = guarded(r, func() *Job {
		n := r.document(data)
		for _, s := range settings {
			n = merge(n, r.setting(s))
		}
		return r.job(n)
	})
	if err != nil { // the file alone is right
		e := *condition.As(err)
		e.Pos = nil
		return nil, condition.In(&e, "--set")
	}
	return j, nil
}

// setting makes a merge patch of "path=value".
func (r *reader) setting(s string) ast.Node {
	path, value, ok := strings.Cut(s, "=")
	if !ok || path == "" {
		r.fail(nowhere, "write path=value, for instance queries.q.outputMode=update", "the setting %s has no value", s)
	}
	keys := splitPath(path)
	var b strings.Builder
	for i, k := range keys {
		b.WriteString("{")
		if i > 0 && keys[i-1] == "trigger" {
			b.WriteString(without(k))
		}
		b.WriteString(quoted(k) + ": ")
	}
	value = flow(value)
	if rest, ok := strings.CutPrefix(value, "{"); ok && keys[len(keys)-1] == "trigger" {
		value = "{" + without(rest) + rest
	}
	b.WriteString(value + strings.Repeat("}", len(keys)))
	f, err := parser.ParseBytes([]byte(b.String()), 0)
	if err != nil || len(f.Docs) == 0 {
		r.fail(nowhere, "", "the setting %s cannot be read", s)
	}
	ast.Walk(unplaced{}, f.Docs[0].Body)
	return f.Docs[0].Body
}

// without removes the triggers that are not in a text: a query has one.
func without(trigger string) string {
	var b strings.Builder
	for _, other := range triggers {
		if !strings.Contains(trigger, other) {
			b.WriteString(quoted(other) + ": null, ")
		}
	}
	return b.String()
}

// unplaced takes the positions of nodes away, as they are none in the file.
type unplaced struct{}

// Visit is for ast.Walk.
func (u unplaced) Visit(n ast.Node) ast.Visitor {
	if t := n.GetToken(); t != nil {
		t.Position = &token.Position{}
	}
	return u
}

// flow is a YAML value as it may stand within braces: text is quoted.
func flow(value string) string {
	f, err := parser.ParseBytes([]byte(value), 0)
	if err != nil || len(f.Docs) != 1 {
		return quoted(value)
	}
	switch n := f.Docs[0].Body.(type) {
	case *ast.StringNode:
		return quoted(n.Value)
	case *ast.LiteralNode:
		return quoted(n.Value.Value)
	case nil, *ast.MappingValueNode:
		return quoted(value)
	case *ast.MappingNode:
		if !n.IsFlowStyle { // SELECT 'a: b' is text, not a mapping
			return quoted(value)
		}
	}
	return value
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// splitPath cuts a path at its dots up to conf or options.
func splitPath(path string) []string {
	keys := strings.Split(path, ".")
	if i := slices.IndexFunc(keys, func(k string) bool { return k == "conf" || k == "options" }); i >= 0 && i+1 < len(keys) {
		keys = append(keys[:i+1], strings.Join(keys[i+1:], "."))
	}
	return keys
}
