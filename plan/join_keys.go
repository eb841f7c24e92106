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
// of one, with a watermark on either side; -1 if there is none.
func (k *JoinKeys) WatermarkKey() int {
	for _, side := range [][]Expr{k.Left, k.Right} {
		for i, e := range side {
			if a, ok := e.(*Attr); ok && a.Delay != nil {
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

// And is the conjunction of conditions, at least one.
func And(conds ...Expr) Expr { return conjunction(conds) }
