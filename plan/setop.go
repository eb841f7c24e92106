package plan

import (
	"strings"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// setOp analyses UNION, EXCEPT and INTERSECT: columns by position, widened to their
// common type, named by the left side.
func (a *Analyser) setOp(s *sql.SetOp, outer *Scope) (Node, error) {
	l, err := a.body(s.Left, nil, nil, outer)
	if err != nil {
		return nil, err
	}
	r, err := a.body(s.Right, nil, nil, outer)
	if err != nil {
		return nil, err
	}
	return a.combine(l, r, s)
}

// combine is the set operation s of two analysed sides.
func (a *Analyser) combine(l, r Node, s *sql.SetOp) (Node, error) {
	lo, ro := visible(l.Output()), visible(r.Output())
	if len(lo) != len(ro) {
		return nil, a.errorAt(s.Span, "NUM_COLUMNS_MISMATCH", "operator", s.Op, "firstNumColumns", len(lo), "invalidOrdinalNum", "second", "invalidNumColumns", len(ro))
	}
	types := make([]*vector.Type, len(lo))
	for i := range lo {
		t := kernels.CommonType(a.Conf, []*vector.Type{lo[i].Typ, ro[i].Typ})
		if t == nil {
			return nil, a.errorAt(s.Span, "INCOMPATIBLE_COLUMN_TYPE", "tableOrdinalNumber", "second", "columnOrdinalNumber", ordinalWord(i),
				"dataType2", quoteType(lo[i].Typ), "operator", s.Op, "hint", "", "dataType1", quoteType(ro[i].Typ))
		}
		types[i] = t
	}
	l, r = a.widen(l, lo, types, s.Span), a.widen(r, ro, types, s.Span)
	if s.Op != "UNION" {
		if err := a.comparable(l.Output(), s.Span); err != nil {
			return nil, err
		}
		return &SetOp{Op: s.Op, All: s.All, Left: l, Right: r}, nil
	}
	n := union(l, r)
	if s.All {
		return n, nil
	}
	return a.distinct(n, s.Span)
}

// distinct is SELECT DISTINCT of n.
func (a *Analyser) distinct(n Node, at sql.Span) (Node, error) {
	if err := a.comparable(n.Output(), at); err != nil {
		return nil, err
	}
	return &Distinct{Input: n}, nil
}

// comparable refuses columns of types whose values set operations cannot compare.
func (a *Analyser) comparable(cols []*Attr, at sql.Span) error {
	for _, c := range cols {
		for _, unfit := range []struct {
			kind vector.Kind
			name string
		}{{vector.KindMap, "MAP"}, {vector.KindVariant, "VARIANT"}} {
			if holds(c.Typ, unfit.kind) {
				return a.errorAt(at, "UNSUPPORTED_FEATURE.SET_OPERATION_ON_"+unfit.name+"_TYPE", "colName", quoteParts([]string{c.Name}), "dataType", quoteType(c.Typ))
			}
		}
	}
	return nil
}

// holds tells whether a type is, or has inside, one of a kind.
func holds(t *vector.Type, kind vector.Kind) bool {
	switch t.Kind {
	case kind:
		return true
	case vector.KindArray, vector.KindMap:
		return holds(t.Elem, kind)
	case vector.KindStruct:
		for _, f := range t.Fields {
			if holds(f.Type, kind) {
				return true
			}
		}
	}
	return false
}

// union flattens nested unions of the same columns.
func union(l, r Node) *Union {
	parts := []Node{l}
	if u, ok := l.(*Union); ok {
		parts = append([]Node{}, u.Parts...)
	}
	parts = append(parts, r)
	u := &Union{Parts: parts}
	for i, c := range parts[0].Output() {
		attr := *c
		attr.ID, attr.Qualifier = NewID(), nil
		for _, p := range parts[1:] {
			o := p.Output()[i]
			attr.Null = attr.Null || o.Null
			// The union's column is event time only where every part's is.
			if o.Delay == nil {
				continue
			}
			if attr.Delay == nil {
				attr.Delay = o.Delay
			}
		}
		u.Attrs = append(u.Attrs, &attr)
	}
	return u
}

// widen casts the columns that have another type, and drops hidden ones.
func (a *Analyser) widen(n Node, cols []*Attr, types []*vector.Type, at sql.Span) Node {
	exprs := make([]Expr, len(cols))
	changed := len(cols) != len(n.Output())
	for i, c := range cols {
		if c.Typ.Equal(types[i]) {
			exprs[i] = c
			continue
		}
		exprs[i] = NewAlias(a.implicit(c, types[i], at), c.Name)
		changed = true
	}
	if !changed {
		return n
	}
	return &Project{Exprs: exprs, Input: n}
}

func visible(attrs []*Attr) []*Attr {
	out := make([]*Attr, 0, len(attrs))
	for _, c := range attrs {
		if !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

// ordinalWord is a position in words, as Spark's messages have it.
func ordinalWord(i int) string {
	words := strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")
	if i < len(words) {
		return words[i]
	}
	return itoa(i+1) + "th"
}

// withoutStrings is the common type of columns that are not made strings, or read from
// strings, for it; nil if there is none.
func (a *Analyser) withoutStrings(types []*vector.Type) *vector.Type {
	strings, others := false, false
	for _, t := range types {
		strings = strings || t.Kind == vector.KindString
		others = others || t.Kind != vector.KindString && t.Kind != vector.KindNull
	}
	if strings && others {
		return nil
	}
	return kernels.CommonType(a.Conf, types)
}
