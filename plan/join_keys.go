package plan

// JoinKeys are the equalities of a join's condition, as Spark's ExtractEquiJoinKeys
// finds them: Left[i] = Right[i], each over the columns of one side.
type JoinKeys struct {
	Left, Right []Expr
	NullSafe    []bool // <=>
	// Other is the rest of the condition.
	Other []Expr
}

// EquiKeys splits the condition of a join.
func EquiKeys(n *Join) JoinKeys {
	var k JoinKeys
	if n.Cond == nil {
		return k
	}
	left, right := all(n.Left), all(n.Right)
	for _, c := range conjuncts(n.Cond) {
		l, r, ok := equality(c)
		switch {
		case !ok || len(References(l)) == 0 || len(References(r)) == 0:
		case readsOnly(l, left) && readsOnly(r, right):
			k.add(l, r, c)
			continue
		case readsOnly(l, right) && readsOnly(r, left):
			k.add(r, l, c)
			continue
		}
		k.Other = append(k.Other, c)
	}
	return k
}

// NotInKeys are the keys of a join that stands for x NOT IN (SELECT y …): an anti join on
// x = y OR (x = y) IS NULL. Nil: the join is another.
func NotInKeys(n *Join) *JoinKeys {
	or, ok := n.Cond.(*Call)
	if n.Kind != "LEFT ANTI" || !ok || or.Fn.Name != "or" {
		return nil
	}
	test, ok := or.Args[1].(*Call)
	if !ok || test.Fn.Name != "isnull" || Fingerprint(test.Args[0]) != Fingerprint(or.Args[0]) {
		return nil
	}
	equal := *n
	equal.Cond = or.Args[0]
	k := EquiKeys(&equal)
	if len(k.Left) != 1 || k.NullSafe[0] {
		return nil
	}
	return &k
}

func (k *JoinKeys) add(l, r, cond Expr) {
	k.Left, k.Right = append(k.Left, l), append(k.Right, r)
	k.NullSafe = append(k.NullSafe, cond.(*Call).Fn.Name == "<=>")
}

// equality takes a = b or a <=> b apart.
func equality(e Expr) (l, r Expr, ok bool) {
	c, ok := e.(*Call)
	if !ok || len(c.Args) != 2 {
		return nil, nil, false
	}
	switch c.Fn.Name {
	case "=", "==", "<=>":
		return c.Args[0], c.Args[1], Deterministic(e)
	}
	return nil, nil, false
}

// WatermarkKey is the number of the first key that is an event-time column, or the window
// of one, with a watermark on either side; -1 if there is none. As in Spark <=> makes no such key.
func (k *JoinKeys) WatermarkKey() int {
	for _, side := range [][]Expr{k.Left, k.Right} {
		for i, e := range side {
			if a, ok := e.(*Attr); ok && a.Delay != nil && !k.NullSafe[i] {
				return i
			}
		}
	}
	return -1
}

// EventTime is the column of a node's output that carries a watermark, nil if there is none.
func EventTime(n Node) *Attr {
	for _, a := range n.Output() {
		if a.Delay != nil {
			return a
		}
	}
	return nil
}

// Conjuncts are the parts of a condition that AND joins.
func Conjuncts(e Expr) []Expr { return conjuncts(e) }

// And is the conjunction of conditions, at least one.
func And(conds ...Expr) Expr { return conjunction(conds) }
