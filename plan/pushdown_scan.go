package plan

import (
	"slices"

	"github.com/vstream/vstream/vector"
)

// pushIntoScan lets readers of text formats drop rows by simple predicates; such
// rows do not count as input rows, as in Spark (spark.sql.json.filterPushdown.enabled, …csv…).
func pushIntoScan(conds []Expr, n *Relation) Node {
	if i := slices.IndexFunc(conds, neverTrue); i >= 0 {
		c := *n
		c.Filter = conds[i]
		return &c
	}
	if !n.DropsFiltered {
		return filterOver(conds, n)
	}
	down, up := split(conds, simplePredicate)
	if len(down) == 0 {
		return filterOver(up, n)
	}
	c := *n
	c.Filter = conjunction(withoutImplied(down))
	return filterOver(up, &c)
}

// neverTrue tells whether a condition is the constant false or null. Then nothing is
// read, whatever the reader.
func neverTrue(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && (l.Value.IsNull(0) || l.Typ.Kind == vector.KindBool && !vector.Bools(l.Value.Arr).Get(0))
}

// simplePredicate tells whether Spark translates a predicate for a data source: a
// comparison of a column with a constant, a null test, a column of booleans, and what and, or
// and not make of them.
func simplePredicate(e Expr) bool {
	if a, ok := e.(*Attr); ok {
		return !a.Param && a.Typ.Kind == vector.KindBool
	}
	c, ok := e.(*Call)
	if !ok {
		return false
	}
	switch c.Fn.Name {
	case "and", "or", "not":
		for _, k := range c.Args {
			if !simplePredicate(k) {
				return false
			}
		}
		return true
	case "isnull", "isnotnull":
		_, ok := c.Args[0].(*Attr)
		return ok
	case "=", "==", "<=>", "<", "<=", ">", ">=", "in", "startswith", "endswith", "contains", "between":
		columns := 0
		for _, k := range c.Args {
			if a, ok := comparedColumn(k); ok {
				columns++
				if !a.Typ.Atomic() {
					return false
				}
			} else if q, ok := k.(*Subquery); !Foldable(k) && (!ok || q.Kind != "scalar" || len(q.Outer) > 0) {
				return false
			}
		}
		return columns == 1
	}
	return false
}

// comparedColumn is the column of an operand, which may be cast from a number to a wider
// one: Spark casts the constant instead (UnwrapCastInBinaryComparison).
func comparedColumn(e Expr) (*Attr, bool) {
	if c, ok := e.(*Cast); ok && c.To.Numeric() && c.Child.Type().Numeric() {
		e = c.Child
	}
	a, ok := e.(*Attr)
	return a, ok && !a.Param
}
