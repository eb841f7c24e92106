package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
)

// takesNames are the functions whose arguments may be named.
var takesNames = map[string]bool{
	"mask": true, "explode": true, "explode_outer": true, "inline": true, "inline_outer": true, "posexplode": true, "posexplode_outer": true, "count_min_sketch": true,
	"randstr": true, "uniform": true,
}

// countsArguments are those of them that report a missing argument as WRONG_NUM_ARGS.
var countsArguments = map[string]bool{"randstr": true, "uniform": true}

// defaultArguments are the values of optional parameters before a named one.
var defaultArguments = map[string]map[string]sql.Expr{
	"mask": {
		"upperChar": &sql.Literal{Kind: "string", Text: "X"}, "lowerChar": &sql.Literal{Kind: "string", Text: "x"},
		"digitChar": &sql.Literal{Kind: "string", Text: "n"},
	},
}

// positional puts named arguments where a function's signature has the names.
func (a *Analyser) positional(c *sql.Call, name, signature string) ([]sql.Expr, error) {
	first := -1
	for i, e := range c.Args {
		if _, ok := e.(*sql.Named); ok {
			first = i
			break
		}
	}
	if first < 0 {
		required, _, _ := strings.Cut(signature, "[")
		if params := parameterNames(required); takesNames[name] && !countsArguments[name] && len(c.Args) < len(params) {
			return nil, a.errorAt(c.Span, "REQUIRED_PARAMETER_NOT_FOUND", "routineName", quoteParts([]string{name}),
				"parameterName", quoteParts([]string{params[len(c.Args)]}), "index", "0")
		}
		return c.Args, nil
	}
	routine := quoteParts([]string{name})
	if !takesNames[name] {
		return nil, a.errorAt(c.Span, "NAMED_PARAMETERS_NOT_SUPPORTED", "functionName", routine)
	}
	params := parameterNames(signature)
	out := append(make([]sql.Expr, 0, len(params)), c.Args[:first]...)
	slots := make([]sql.Expr, len(params))
	last := first
	for _, e := range c.Args[first:] {
		n, ok := e.(*sql.Named)
		if !ok {
			return nil, a.errorAt(c.Span, "UNEXPECTED_POSITIONAL_ARGUMENT", "routineName", routine,
				"parameterName", quoteParts([]string{c.Args[first].(*sql.Named).Name.Name}))
		}
		i := indexFold(params, n.Name.Name)
		switch {
		case i < 0:
			return nil, a.unknownParameter(routine, n, params)
		case i < first:
			return nil, a.errorAt(c.Span, "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED",
				"routineName", routine, "parameterName", quoteParts([]string{params[i]}))
		case slots[i] != nil:
			return nil, a.errorAt(c.Span, "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
				"routineName", routine, "parameterName", quoteParts([]string{params[i]}))
		}
		slots[i] = n.Value
		last = max(last, i+1)
	}
	for i := first; i < last; i++ {
		if slots[i] == nil {
			slots[i] = defaultArguments[name][params[i]]
		}
		if slots[i] == nil {
			return nil, a.errorAt(c.Span, "REQUIRED_PARAMETER_NOT_FOUND", "routineName", routine,
				"parameterName", quoteParts([]string{params[i]}), "index", strconv.Itoa(i))
		}
		out = append(out, slots[i])
	}
	return out, nil
}

func (a *Analyser) unknownParameter(routine string, n *sql.Named, params []string) error {
	candidates := make([][]string, len(params))
	for i, p := range params {
		candidates[i] = []string{p}
	}
	closest := suggest(n.Name.Name, 1, candidates)
	return condition.New("UNRECOGNIZED_PARAMETER_NAME", "routineName", routine, "argumentName", quoteParts([]string{n.Name.Name}),
		"proposal", strings.Join(closest[:min(len(closest), 3)], " ")).WithPos(a.at(n.Span))
}

// parameterNames reads the names of a signature: "substring(str, pos[, len])".
func parameterNames(signature string) []string {
	_, list, _ := strings.Cut(signature, "(")
	list = strings.NewReplacer("[", "", "]", "", ")", "", " ", "").Replace(list)
	return strings.Split(list, ",")
}

func indexFold(names []string, name string) int {
	for i, n := range names {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}
