package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// bindSets are the grouping sets of one ROLLUP, CUBE or GROUPING SETS.
func (g *grouping) bindSets(gs *sql.GroupingSets, n Node) ([][]int, error) {
	elems := make([][]int, len(gs.Sets))
	for i, s := range gs.Sets {
		elems[i] = []int{}
		for _, e := range s {
			k, err := g.bindKey(e, n)
			if err != nil {
				return nil, err
			}
			elems[i] = append(elems[i], k)
		}
	}
	switch gs.Kind {
	case "ROLLUP":
		var sets [][]int
		for k := len(elems); k >= 0; k-- {
			sets = append(sets, concat(elems[:k]))
		}
		return sets, nil
	case "CUBE":
		var sets [][]int
		for mask := 1<<len(elems) - 1; mask >= 0; mask-- {
			var in [][]int
			for i, e := range elems {
				if mask&(1<<(len(elems)-1-i)) != 0 {
					in = append(in, e)
				}
			}
			sets = append(sets, concat(in))
		}
		return sets, nil
	}
	return elems, nil
}

func concat(parts [][]int) []int {
	out := []int{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// expandSets emits each row once per grouping set, with NULL for the keys that are
// not in the set and the set's grouping id (a bit per key, 1: not in the set).
func (g *grouping) expandSets(n Node) Node {
	in := n.Output()
	x := &Expand{Input: n, Attrs: append([]*Attr{}, in...)}
	values := g.keys
	g.keys = nil
	for _, k := range values {
		c := *k
		c.ID, c.Null = NewID(), true
		g.keys = append(g.keys, &c)
	}
	g.id = &Attr{ID: NewID(), Name: "spark_grouping_id", Typ: LongLiteral(0).Typ}
	g.keys = append(g.keys, g.id)
	repeated := repeats(g.sets)
	if repeated { // sets that are written twice are groups of their own
		g.keys = append(g.keys, &Attr{ID: NewID(), Name: "_gen_grouping_pos", Typ: vector.Long})
	}
	x.Attrs = append(x.Attrs, g.keys...)
	for n, set := range g.sets {
		member := map[int]bool{}
		for _, k := range set {
			member[k] = true
		}
		p := asExprs(in)
		id := int64(0)
		for i, k := range values {
			id <<= 1
			if member[i] {
				p = append(p, k)
			} else {
				p = append(p, NullLiteral(k.Typ))
				id |= 1
			}
		}
		p = append(p, LongLiteral(id))
		if repeated {
			p = append(p, LongLiteral(int64(n)))
		}
		x.Projections = append(x.Projections, p)
	}
	return x
}

// repeats tells whether two of the sets have the same members.
func repeats(sets [][]int) bool {
	seen := map[string]bool{}
	for _, s := range sets {
		s = slices.Compact(slices.Sorted(slices.Values(s)))
		key := fmt.Sprint(s)
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// groupingID computes grouping(k) and grouping_id(…) from the grouping id column.
func (g *grouping) groupingID(x *GroupingCall, at sql.Span) (Expr, error) {
	if g.id == nil {
		return nil, g.a.errorAt(at, "UNSUPPORTED_GROUPING_EXPRESSION")
	}
	n := len(g.exprs)
	bit := func(e Expr) (int, error) {
		k := g.keyOf[canonicalKey(e)]
		for i, c := range g.keys[:n] {
			if c == k {
				return n - 1 - i, nil
			}
		}
		return 0, g.a.errorAt(at, "GROUPING_COLUMN_MISMATCH", "grouping", e.SQL(), "groupingColumns", keyList(g.exprs))
	}
	if x.ID { // of all keys in their order, or none
		for i, e := range x.Args {
			if len(x.Args) != n || g.keyOf[canonicalKey(e)] != g.keys[i] {
				return nil, g.a.errorAt(at, "GROUPING_ID_COLUMN_MISMATCH", "groupingIdColumn", joinSQL(x.Args), "groupByColumns", keyList(g.exprs))
			}
		}
		return g.id, nil
	}
	b, err := bit(x.Args[0])
	if err != nil {
		return nil, err
	}
	shifted, err := g.a.call("shiftright", []Expr{g.id, IntLiteral(int32(b))}, at)
	if err != nil {
		return nil, err
	}
	out, err := g.a.call("&", []Expr{shifted, LongLiteral(1)}, at)
	if err != nil {
		return nil, err
	}
	return g.a.implicit(out, x.Type(), at), nil
}

func keyList(exprs []Expr) string {
	names := make([]string, len(exprs))
	for i, e := range exprs {
		names[i] = e.SQL()
	}
	return strings.Join(names, ", ")
}
