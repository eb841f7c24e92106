package plan

import (
	"time"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// pushJoin puts a filter of conds over a join, or below it where that is the same, and does
// the same with the parts of the join's condition that concern one side, as Spark's
// EliminateOuterJoin, PushPredicateThroughJoin and InferFiltersFromConstraints do. The last
// is visible to users: readers drop rows with a null key before they count as input.
func pushJoin(conds []Expr, n *Join) Node {
	c := *n
	c.Kind = innerKind(n, conds)
	left, right := all(n.Left), all(n.Right)
	var toLeft, toRight, on, above []Expr
	for _, e := range conds {
		l, r := readsOnly(e, left), readsOnly(e, right)
		switch {
		case !Deterministic(e):
			above = append(above, e)
		case l && c.keepsFilter(true):
			toLeft = append(toLeft, e)
		case r && c.keepsFilter(false):
			toRight = append(toRight, e)
		case c.inner():
			on = append(on, e)
		default:
			above = append(above, e)
		}
	}
	if n.Cond != nil {
		for _, e := range conjuncts(n.Cond) {
			switch {
			case !Deterministic(e) || len(References(e)) == 0:
				on = append(on, e)
			case readsOnly(e, left) && c.drops(true):
				toLeft = append(toLeft, e)
			case readsOnly(e, right) && c.drops(false):
				toRight = append(toRight, e)
			default:
				on = append(on, e)
			}
		}
	}
	known := append(append(append([]Expr{}, on...), toLeft...), toRight...)
	if c.drops(true) {
		toLeft = append(toLeft, inferred(known, n.Left.Output(), toLeft)...)
	}
	if c.drops(false) {
		toRight = append(toRight, inferred(known, n.Right.Output(), toRight)...)
	}
	c.Left, c.Right, c.Cond = pushOnto(toLeft, n.Left), pushOnto(toRight, n.Right), nil
	if len(on) > 0 {
		c.Cond = conjunction(on)
	}
	return filterOver(above, &c)
}

func pushOnto(conds []Expr, n Node) Node {
	if len(conds) == 0 {
		return pushDown(n)
	}
	return pushThrough(conds, n)
}

func (n *Join) inner() bool { return n.Kind == "INNER" || n.Kind == "CROSS" }

// keepsFilter tells whether a filter over the join may run on one side instead.
func (n *Join) keepsFilter(left bool) bool {
	switch n.Kind {
	case "LEFT OUTER", "LEFT SEMI", "LEFT ANTI":
		return left
	case "RIGHT OUTER":
		return !left
	}
	return n.inner()
}

// drops tells whether rows of a side that fail the condition leave no trace in the
// result, so that it may be checked on that side first.
func (n *Join) drops(left bool) bool {
	switch n.Kind {
	case "LEFT OUTER", "LEFT ANTI":
		return !left
	case "RIGHT OUTER":
		return left
	case "LEFT SEMI":
		return true
	}
	return n.inner()
}

// innerKind is the kind of a join under a filter that drops the rows that an outer
// join fills up with nulls.
func innerKind(n *Join, conds []Expr) string {
	left, right := rejectsNulls(conds, n.Left), rejectsNulls(conds, n.Right)
	switch {
	case n.Kind == "LEFT OUTER" && right, n.Kind == "RIGHT OUTER" && left, n.Kind == "FULL OUTER" && left && right:
		return "INNER"
	case n.Kind == "FULL OUTER" && left:
		return "LEFT OUTER"
	case n.Kind == "FULL OUTER" && right:
		return "RIGHT OUTER"
	}
	return n.Kind
}

// rejectsNulls tells whether one of the conditions fails when all columns of n are null.
func rejectsNulls(conds []Expr, n Node) bool {
	own := all(n)
	for _, e := range conds {
		if len(References(e)) == 0 || !readsOnly(e, own) || !Deterministic(e) {
			continue
		}
		nulls := Transform(e, func(x Expr) Expr {
			if a, ok := x.(*Attr); ok && !a.Param {
				return NullLiteral(a.Typ)
			}
			return x
		})
		if !Foldable(nulls) {
			continue
		}
		v, err := evaluate(&kernels.Ctx{Zone: time.UTC, ANSI: true}, nulls)
		if err == nil && (v.IsNull(0) || !vector.Bools(v.Arr).Get(0)) {
			return true
		}
	}
	return false
}

// inferred are further conditions on the columns cols that follow from what is known of joined
// rows: columns that null would make fail are not null, and what holds for a column holds for one equal to it.
func inferred(known []Expr, cols []*Attr, have []Expr) []Expr {
	there := map[string]bool{}
	for _, e := range have {
		there[Fingerprint(e)] = true
	}
	own := map[ID]bool{}
	for _, c := range cols {
		own[c.ID] = true
	}
	var out []Expr
	add := func(e Expr) {
		if f := Fingerprint(e); !there[f] && readsOnly(e, own) {
			there[f] = true
			out = append(out, e)
		}
	}
	facts := append([]Expr{}, known...)
	for _, e := range known {
		l, r, ok := equality(e)
		if !ok || e.(*Call).Fn.Name == "<=>" {
			continue
		}
		la, lok := l.(*Attr)
		ra, rok := r.(*Attr)
		if !lok || !rok {
			continue
		}
		for _, f := range known {
			if f == e || !Deterministic(f) || len(References(f)) != 1 {
				continue
			}
			for _, s := range []map[ID]Expr{{la.ID: ra}, {ra.ID: la}} {
				if g := Substitute(f, s); g != f {
					facts = append(facts, g)
					add(g)
				}
			}
		}
	}
	for _, e := range facts {
		for _, a := range nullRejected(e, nil) {
			if a.Null && own[a.ID] {
				add(notNullOf(a))
			}
		}
	}
	return out
}

// nullRejected adds the columns of e that make it null when they are null.
func nullRejected(e Expr, out []*Attr) []*Attr {
	switch x := e.(type) {
	case *Attr:
		return append(out, x)
	case *Cast:
		return nullRejected(x.Child, out)
	case *FieldAccess:
		return nullRejected(x.Child, out)
	case *Call:
		// Spark infers nothing from concat.
		if x.Impl.NullIfAny && x.Fn.Name != "concat" || x.Fn.Name == "isnotnull" {
			for _, k := range x.Args {
				out = nullRejected(k, out)
			}
		}
	}
	return out
}

func notNullOf(a *Attr) Expr {
	return must(plainAnalyser().call("isnotnull", []Expr{a}, sql.Span{}))
}

func plainAnalyser() *Analyser { return &Analyser{Conf: &kernels.Conf{ANSI: true}} }

// must is the call of an operator on operands that are known to suit it.
func must(e Expr, err error) Expr {
	if err != nil {
		panic("plan: " + err.Error())
	}
	return e
}
