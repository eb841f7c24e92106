package plan

import "github.com/vstream/vstream/kernels"

// FunctionDoc documents a function that the analyser itself binds.
type FunctionDoc struct {
	Name, Signature, Summary string
	Examples                 []kernels.Example
}

// WindowFunctions are the functions that need OVER.
func WindowFunctions() []FunctionDoc {
	const rows = " FROM VALUES ('a', 1), ('a', 1), ('b', 2) AS t(k, v)"
	over := func(call, frame string) string { return "SELECT " + call + " OVER (ORDER BY v" + frame + ")" + rows }
	doc := func(name, args, summary, call, want string) FunctionDoc {
		return FunctionDoc{Name: name, Signature: name + args, Summary: summary, Examples: []kernels.Example{{SQL: over(call, ""), Want: want}}}
	}
	return []FunctionDoc{
		doc("row_number", "()", "The number of the row within its partition, from 1.", "row_number()", "1\n2\n3"),
		doc("rank", "()", "One more than the number of rows before the row and its peers.", "rank()", "1\n1\n3"),
		doc("dense_rank", "()", "The rank without gaps.", "dense_rank()", "1\n1\n2"),
		doc("percent_rank", "()", "The rank less 1 as a fraction of the partition's rows less 1.", "percent_rank()", "0.0\n0.0\n1.0"),
		doc("cume_dist", "()", "The fraction of the partition's rows that are before the row or its peers.", "cume_dist()", "0.6666666666666666\n0.6666666666666666\n1.0"),
		doc("ntile", "([n])", "The number, from 1, of the row's bucket when the partition is divided into n buckets of about equal size.", "ntile(2)", "1\n1\n2"),
		doc("lag", "(expr[, offset[, default]])", "The value of the row offset (1) rows before; default (NULL) if there is none.", "lag(v)", "NULL\n1\n1"),
		doc("lead", "(expr[, offset[, default]])", "The value of the row offset (1) rows after; default (NULL) if there is none.", "lead(v, 1, 0)", "1\n2\n0"),
		doc("nth_value", "(expr, n)", "The value of the n-th row of the frame, from 1; NULL if there is none.", "nth_value(k, 2)", "a\na\na"),
	}
}

// SpecialForms are calls that are more than functions of their arguments' values.
func SpecialForms() []FunctionDoc {
	const times = " FROM VALUES (TIMESTAMP '2024-01-01 00:00:07') AS t(ts)"
	const sales = " FROM VALUES ('a', 1), ('b', 2) AS t(k, v) GROUP BY ROLLUP (k) ORDER BY k"
	return []FunctionDoc{
		{"window", "window(time, width[, slide[, start]])", "The window of a time, to group by: struct<start, end>. With a slide, rows belong to several.",
			[]kernels.Example{{SQL: "SELECT window.start, count(*)" + times + " GROUP BY window(ts, '5 seconds')", Want: "2024-01-01 00:00:05 1"}}},
		{"session_window", "session_window(time, gap)", "The session of a time, to group by: it ends gap after its last row.",
			[]kernels.Example{{SQL: "SELECT session_window.end, count(*)" + times + " GROUP BY session_window(ts, '5 seconds')", Want: "2024-01-01 00:00:12 1"}}},
		{"grouping", "grouping(column)", "1 if the column is not in the grouping set of the row, else 0.",
			[]kernels.Example{{SQL: "SELECT k, grouping(k), sum(v)" + sales, Want: "NULL 1 3\na 0 1\nb 0 2"}}},
		{"grouping_id", "grouping_id([column1, …])", "The bits of grouping() of the columns, or of all grouping columns, as one number.",
			[]kernels.Example{{SQL: "SELECT k, grouping_id(), sum(v)" + sales, Want: "NULL 1 3\na 0 1\nb 0 2"}}},
		{"struct", "struct(expr1, …)", "A struct of the values, with the names of columns and aliases, otherwise col1, col2, …",
			[]kernels.Example{{SQL: "struct(1 AS a, 'x')", Want: "{1, x}"}}},
	}
}
