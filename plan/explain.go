package plan

import (
	"fmt"
	"strings"
)

// Explain draws a plan as a tree, a node a line, inputs indented below; streaming
// nodes are marked with ~ as in Spark.
func Explain(n Node) string {
	var b strings.Builder
	explain(&b, n, "", "")
	return b.String()
}

func explain(b *strings.Builder, n Node, first, rest string) {
	mark := ""
	if n.Streaming() {
		mark = "~"
	}
	fmt.Fprintf(b, "%s%s%s\n", first, mark, describeNode(n))
	in := n.Inputs()
	for i, k := range in {
		if i < len(in)-1 {
			explain(b, k, rest+":- ", rest+":  ")
		} else {
			explain(b, k, rest+"+- ", rest+"   ")
		}
	}
}

func describeNode(n Node) string {
	switch n := n.(type) {
	case *Relation:
		s := fmt.Sprintf("Scan %s [%s]", n.Name, columnList(n.Attrs))
		if n.Filter != nil {
			s += ", filter " + show(n.Filter)
		}
		return s
	case *OneRow:
		return "OneRow"
	case *Values:
		return fmt.Sprintf("Values [%s] %d rows", columnList(n.Attrs), len(n.Rows))
	case *Project:
		return "Project [" + exprList(n.Exprs) + "]"
	case *Filter:
		return "Filter " + show(n.Cond)
	case *Watermark:
		return fmt.Sprintf("Watermark %s, %d ms", n.Column.Name, n.Delay.Ms)
	case *Aggregate:
		aggs := make([]Expr, len(n.Aggs))
		for i, a := range n.Aggs {
			aggs[i] = a
		}
		return "Aggregate [" + columnList(n.Keys) + "], [" + exprList(aggs) + "]"
	case *Expand:
		return fmt.Sprintf("Expand %d times [%s]", len(n.Projections), columnList(n.Attrs))
	case *Generate:
		s := "Generate " + show(n.Call)
		if n.Outer {
			s += " outer"
		}
		return s + " [" + columnList(n.Attrs) + "]"
	case *Join:
		s := "Join " + n.Kind
		if n.Cond != nil {
			s += " on " + show(n.Cond)
		}
		return s
	case *Union:
		return "Union [" + columnList(n.Attrs) + "]"
	case *SetOp:
		return n.Op
	case *Deduplicate:
		s := "Deduplicate [" + columnList(n.Keys) + "]"
		if n.WithinWatermark {
			s += " within the watermark"
		}
		return s
	case *Distinct:
		return "Distinct"
	case *Sort:
		parts := make([]string, len(n.Keys))
		for i, k := range n.Keys {
			parts[i] = show(k.Expr)
			if k.Desc {
				parts[i] += " DESC"
			}
		}
		return "Sort [" + strings.Join(parts, ", ") + "]"
	case *Limit:
		return fmt.Sprintf("Limit %d offset %d", n.N, n.Offset)
	case *Repartition:
		return "Repartition [" + exprList(n.Keys) + "]"
	case *WindowFn:
		calls := make([]Expr, len(n.Calls))
		for i, c := range n.Calls {
			calls[i] = c
		}
		return "Window [" + exprList(calls) + "]"
	case *Process:
		return "TransformWithState [" + columnList(n.Keys) + "]"
	case *Sample:
		return fmt.Sprintf("Sample %g", n.Fraction)
	case *Recursive:
		return fmt.Sprintf("Recursive %s [%s], at most %d times", n.Name, columnList(n.Attrs), n.Levels)
	case *RecursiveRef:
		return "Rows found last of " + n.Of.Name
	case *SubqueryAlias:
		return "SubqueryAlias " + n.Name
	}
	return fmt.Sprintf("%T", n)
}

func columnList(cols []*Attr) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

func exprList(exprs []Expr) string {
	return strings.Join(showAll(exprs), ", ")
}
