package plan

import (
	"slices"
	"strings"
)

// canonicalKey is a Fingerprint in which the order of operands does not count where the
// operator does not care: 1 + x and x + 1, x > 1 and 1 < x have the same one. Spark finds
// grouping expressions by it.
func canonicalKey(e Expr) string {
	w := keyWriter{canonical: true}
	w.write(e)
	return w.String()
}

// chained are the functions that give the same for any order of any number of operands.
var chained = map[string]bool{"+": true, "*": true, "&": true, "|": true, "^": true, "and": true, "or": true, "greatest": true, "least": true}

// mirrored are the comparisons that ask the same of exchanged operands.
var mirrored = map[string]string{"=": "=", "<=>": "<=>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// opposite are the comparisons that NOT makes of others.
var opposite = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// writeCanonical writes a call whose operands have no order; false if they have one.
func (w *keyWriter) writeCanonical(c *Call) bool {
	name, args := c.Name, c.Args
	if inner, ok := args0(c).(*Call); ok && name == "not" && opposite[inner.Name] != "" {
		name, args = opposite[inner.Name], inner.Args
	}
	switch other := mirrored[name]; {
	case c.Impl.Volatile:
		return false
	case chained[name]:
		keys := w.operands(name, c, nil)
		slices.Sort(keys)
		w.WriteString(name + "(" + strings.Join(keys, ",") + ")")
	case name == "in":
		keys := w.keys(args[1:])
		slices.Sort(keys)
		w.WriteString("in(" + w.key(args[0]) + ":" + strings.Join(keys, ",") + ")")
	case other != "":
		a, b := w.key(args[0]), w.key(args[1])
		if a > b {
			name, a, b = other, b, a
		}
		w.WriteString(name + "(" + a + "," + b + ")")
	default:
		return false
	}
	return true
}

func args0(c *Call) Expr {
	if len(c.Args) == 0 {
		return nil
	}
	return c.Args[0]
}

// operands are the keys of what a chain of calls of one function combines.
func (w *keyWriter) operands(name string, e Expr, out []string) []string {
	c, ok := e.(*Call)
	if !ok || c.Name != name {
		return append(out, w.key(e))
	}
	for _, x := range c.Args {
		out = w.operands(name, x, out)
	}
	return out
}

func (w *keyWriter) key(e Expr) string {
	k := keyWriter{canonical: true, params: w.params}
	k.write(e)
	return k.String()
}

func (w *keyWriter) keys(es []Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = w.key(e)
	}
	return out
}
