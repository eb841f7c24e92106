package job

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/vstream/vstream/condition"
)

// reader walks the syntax tree of one file. The first problem ends the walk by a
// panic with a *condition.Error, which Parse turns into its error.
type reader struct {
	file string
	src  string
}

// fail reports a problem at a place of the file.
func (r *reader) fail(at Place, hint, format string, args ...any) {
	panic(r.errorAt(at, hint, format, args...))
}

func place(n ast.Node) Place {
	t := n.GetToken()
	// A block's token is its introducer; its content starts below.
	return Place{Line: t.Position.Line, Column: t.Position.Column}
}

// entry is one key and value of a mapping.
type entry struct {
	key   string
	at    Place
	value ast.Node
}

// mapping are the entries of a mapping node in order; null is an empty mapping.
func (r *reader) mapping(n ast.Node, what string) []entry {
	n = unwrap(n)
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		r.fail(place(n), "", "%s must be a mapping (key: value)", what)
	}
	out := make([]entry, len(values))
	seen := map[string]bool{}
	for i, v := range values {
		out[i] = entry{key: v.Key.GetToken().Value, at: place(v.Key), value: v.Value}
		if seen[out[i].key] {
			r.fail(out[i].at, "", "%s has the key %s twice", what, out[i].key)
		}
		seen[out[i].key] = true
	}
	return out
}

// unwrap looks through anchors and tags.
func unwrap(n ast.Node) ast.Node {
	for {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
	}
}

// fields hands each entry of a mapping to the function of its key. An unknown key is
// an error with the nearest known one.
func (r *reader) fields(n ast.Node, what string, known map[string]func(e entry)) {
	for _, e := range r.mapping(n, what) {
		fn := known[e.key]
		if fn == nil {
			names := make([]string, 0, len(known))
			for k := range known {
				names = append(names, k)
			}
			slices.Sort(names)
			hint := "the keys here are: " + strings.Join(names, ", ")
			if near := condition.Nearest(e.key, names); near != "" {
				hint = "did you mean " + near + "? " + hint
			} else if _, empty := e.value.(*ast.NullNode); empty {
				hint = "within braces a comma ends a value: put text with commas into quotes"
			}
			r.fail(e.at, hint, "unknown key %s in %s", e.key, what)
		}
		fn(e)
	}
}

// scalar is the text of a scalar as written, quotes and blocks resolved, variables expanded.
func (r *reader) scalar(e entry) string { return r.expand(r.raw(e.value, e.key, e.at), e.at) }

func (r *reader) raw(n ast.Node, what string, at Place) string {
	switch v := unwrap(n).(type) {
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return v.Value.Value
	case *ast.BoolNode:
		return strconv.FormatBool(v.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return v.GetToken().Value
	case nil, *ast.NullNode:
		return ""
	}
	r.fail(at, "", "%s must be a single value", what)
	return ""
}

func (r *reader) boolean(e entry) bool {
	if v, ok := unwrap(e.value).(*ast.BoolNode); ok {
		return v.Value
	}
	switch s := r.scalar(e); strings.ToLower(s) {
	case "true":
		return true
	case "false":
		return false
	default:
		r.fail(e.at, "", "%s must be true or false, not %s", e.key, s)
	}
	return false
}

// text is a piece of SQL with its place.
func (r *reader) text(e entry) Text {
	s := r.scalar(e)
	n := unwrap(e.value)
	at := place(n)
	if at == nowhere {
		return Text{Value: s}
	}
	switch v := n.(type) {
	case *ast.LiteralNode:
		indent := blockIndent(r.src, at.Line)
		return Text{Value: s, At: Place{Line: at.Line + 1, Column: indent + 1}, Indent: indent}
	case *ast.StringNode:
		if o := v.GetToken().Origin; strings.HasPrefix(strings.TrimSpace(o), "'") || strings.HasPrefix(strings.TrimSpace(o), `"`) {
			at.Column++
		}
	}
	return Text{Value: s, At: at}
}

// blockIndent is the indentation of the block that starts below a line.
func blockIndent(text string, line int) int {
	lines := strings.Split(text, "\n")
	for _, l := range lines[min(line, len(lines)):] {
		if t := strings.TrimLeft(l, " "); t != "" {
			return len(l) - len(t)
		}
	}
	return 0
}

// list is a sequence of scalars; a single scalar is a list of one.
func (r *reader) list(e entry) []string {
	out := []string{}
	for _, n := range r.items(e) {
		out = append(out, r.expand(r.raw(n, e.key, e.at), e.at))
	}
	return out
}

func (r *reader) items(e entry) []ast.Node {
	switch v := unwrap(e.value).(type) {
	case *ast.SequenceNode:
		return v.Values
	case nil, *ast.NullNode:
		return nil
	default:
		return []ast.Node{v}
	}
}

// options are the scalars of a mapping.
func (r *reader) options(e entry) map[string]string {
	out := map[string]string{}
	for _, o := range r.mapping(e.value, e.key) {
		out[o.key] = r.scalar(o)
	}
	return out
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expand replaces ${NAME} and ${NAME:-default} by environment variables.
func (r *reader) expand(s string, at Place) string {
	if !strings.Contains(s, "${") {
		return s
	}
	return variable.ReplaceAllStringFunc(s, func(m string) string {
		g := variable.FindStringSubmatch(m)
		if v, ok := os.LookupEnv(g[1]); ok {
			return v
		}
		if g[2] == "" {
			r.fail(at, "set it, or give a default: ${"+g[1]+":-value}", "the environment variable %s is not set", g[1])
		}
		return g[3]
	})
}
