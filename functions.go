package vstream

import (
	"sort"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
)

// Function documents a function or operator of SQL.
type Function struct {
	Name      string
	Aliases   []string
	Kind      string // scalar, aggregate, generator, window, special or operator
	Signature string
	Summary   string
	// Examples are queries or expressions with their result: the rows as show() prints them,
	// a line each, the columns separated by a space.
	Examples []kernels.Example
}

// Functions are all functions and operators, by name.
func Functions() []Function {
	var out []Function
	for _, name := range kernels.Names() {
		f, _ := kernels.Lookup(name)
		if f.Name != name || name[0] == '$' { // an alias, or of internal use
			continue
		}
		kind := "scalar"
		if c := name[0]; c < 'a' || c > 'z' || operatorWords[name] {
			kind = "operator"
		}
		out = append(out, Function{f.Name, f.Aliases, kind, f.Signature, f.Summary, f.Examples})
	}
	for _, f := range agg.Functions() {
		out = append(out, Function{f.Name, f.Aliases, "aggregate", f.Signature, f.Summary, f.Examples})
	}
	for _, g := range kernels.Generators() {
		out = append(out, Function{g.Name, nil, "generator", g.Signature, g.Summary, g.Examples})
	}
	for _, d := range plan.WindowFunctions() {
		out = append(out, Function{d.Name, nil, "window", d.Signature, d.Summary, d.Examples})
	}
	for _, d := range plan.SpecialForms() {
		out = append(out, Function{d.Name, nil, "special", d.Signature, d.Summary, d.Examples})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// operatorWords are the operators that are written as words.
var operatorWords = map[string]bool{"and": true, "or": true, "not": true, "in": true, "between": true, "case": true}
