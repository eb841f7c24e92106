package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
)

// explainFunctions lists all functions, or shows those that are named.
func explainFunctions(w io.Writer, names []string) error {
	all := vstream.Functions()
	if len(names) == 0 {
		for _, f := range all {
			fmt.Fprintf(w, "%-40s %s\n", f.Signature, f.Summary)
		}
		return nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(f vstream.Function) bool {
			return strings.EqualFold(f.Name, name) || slices.ContainsFunc(f.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
		})
		if i < 0 {
			return wrong(unknownFunction(name, all))
		}
		explainFunction(w, all[i])
	}
	return nil
}

func explainFunction(w io.Writer, f vstream.Function) {
	fmt.Fprintf(w, "%s (%s)\n  %s\n", f.Signature, f.Kind, f.Summary)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(w, "  Also: %s\n", strings.Join(f.Aliases, ", "))
	}
	for _, e := range f.Examples {
		fmt.Fprintf(w, "  > %s\n    %s\n", e.SQL, strings.ReplaceAll(e.Want, "\n", "\n    "))
	}
}

func unknownFunction(name string, all []vstream.Function) error {
	err := condition.New("UNRESOLVED_ROUTINE", "routineName", "`"+name+"`", "searchPath", "[`system`.`builtin`]")
	var names []string
	for _, f := range all {
		names = append(append(names, f.Name), f.Aliases...)
	}
	if near := condition.Nearest(name, names); near != "" {
		err.WithHint("did you mean %s?", near)
	}
	return err
}
