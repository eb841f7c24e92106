package agg

import "strings"

// plainSQL prints a call as Spark does: name(a, b), name(DISTINCT a, b).
func plainSQL(name string, args []string, distinct bool) string {
	d := ""
	if distinct {
		d = "DISTINCT "
	}
	return name + "(" + d + strings.Join(args, ", ") + ")"
}
