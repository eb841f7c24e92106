package plan

// SameRows tells whether two plans give the same rows because they do the same with the
// same source, and whether keys over their columns are the same.
func SameRows(a, b Node, keys, otherKeys []Expr) bool {
	s := &sameness{ids: map[ID]Expr{}}
	if !s.nodes(a, b) || len(keys) != len(otherKeys) {
		return false
	}
	for i, k := range keys {
		if !s.exprs(k, otherKeys[i]) {
			return false
		}
	}
	return true
}

// sameness matches the columns of the second plan with those of the first.
type sameness struct{ ids map[ID]Expr }

func (s *sameness) nodes(a, b Node) bool {
	in, other := a.Inputs(), b.Inputs()
	if len(in) != len(other) {
		return false
	}
	for i := range in {
		if !s.nodes(in[i], other[i]) {
			return false
		}
	}
	switch a := a.(type) {
	case *Relation:
		b, ok := b.(*Relation)
		if !ok || a.Handle != b.Handle || len(a.Ordinals) != len(b.Ordinals) {
			return false
		}
		for i, o := range a.Ordinals {
			if b.Ordinals[i] != o {
				return false
			}
			s.ids[b.Attrs[i].ID] = a.Attrs[i]
		}
		return s.exprs(filterOf(a), filterOf(b))
	case *Filter:
		b, ok := b.(*Filter)
		return ok && s.exprs(a.Cond, b.Cond)
	case *Watermark:
		b, ok := b.(*Watermark)
		return ok && a.Delay.Ms == b.Delay.Ms && s.exprs(a.Column, b.Column)
	case *Project:
		b, ok := b.(*Project)
		if !ok || len(a.Exprs) != len(b.Exprs) {
			return false
		}
		for i, e := range a.Exprs {
			if !s.exprs(e, b.Exprs[i]) {
				return false
			}
			s.ids[OutputOf(b.Exprs[i]).ID] = OutputOf(e)
		}
		return true
	}
	return false
}

func (s *sameness) exprs(a, b Expr) bool {
	return Deterministic(a) && Fingerprint(a) == Fingerprint(Substitute(b, s.ids))
}
