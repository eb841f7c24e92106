package plan

import (
	"sort"
	"strings"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// SelectItems binds the items of a SELECT list: stars are expanded, expressions
// without a name get the one that Spark generates. Each is an *Attr, an *Alias or,
// for a generator, a *MultiAlias. An item may use the name of an earlier one, for
// which it gets a copy of that expression.
func (a *Analyser) SelectItems(items []*sql.SelectItem, sc *Scope) ([]Expr, error) {
	inner := *sc
	var out []Expr
	for _, it := range items {
		if s, ok := it.Expr.(*sql.Star); ok {
			if len(it.Aliases) > 0 {
				return nil, a.errorAt(it.Span, "INVALID_USAGE_OF_STAR_OR_REGEX", "elem", "'*'", "prettyName", "expression `alias`")
			}
			cols, err := a.star(s, sc)
			if err != nil {
				return nil, err
			}
			out = append(out, cols...)
			continue
		}
		e, err := a.selectItem(it, &inner)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if al, ok := e.(*Alias); ok && len(it.Aliases) == 1 {
			inner.Aliases = append(inner.Aliases, al)
		}
	}
	return out, nil
}

func (a *Analyser) selectItem(it *sql.SelectItem, sc *Scope) (Expr, error) {
	e, err := a.Expr(it.Expr, sc)
	if err != nil {
		return nil, err
	}
	name := itemName(it.Expr, e)
	e = inline(e, sc.Aliases)
	if g, ok := e.(*GeneratorCall); ok {
		names := identNames(it.Aliases)
		if len(names) > 0 && len(names) != len(g.Impl.Columns) {
			return nil, a.errorAt(it.Span, "UDTF_ALIAS_NUMBER_MISMATCH", "aliasesSize", len(g.Impl.Columns), "aliasesNames", strings.Join(names, ","))
		}
		return &MultiAlias{Names: names, Child: g, Span: it.Span}, nil
	}
	switch len(it.Aliases) {
	case 0:
		if attr, ok := e.(*Attr); ok && attr.Name == name {
			return shown(attr), nil
		}
	case 1:
		name = it.Aliases[0].Name
	default:
		return nil, a.errorAt(it.Span, "MULTI_ALIAS_WITHOUT_GENERATOR", "expr", quoteSQL(e), "names", strings.Join(identNames(it.Aliases), ", "))
	}
	return NewAlias(e, name), nil
}

// shown is a column that was asked for by name; it is hidden no longer.
func shown(c *Attr) *Attr {
	if !c.Merged {
		return c
	}
	out := *c
	out.Hidden, out.Merged = false, false
	return &out
}

// inline puts the expressions of earlier items in place of their names.
func inline(e Expr, aliases []*Alias) Expr {
	if len(aliases) == 0 {
		return e
	}
	return Transform(e, func(x Expr) Expr {
		if c, ok := x.(*Attr); ok {
			for _, al := range aliases {
				if al.ID == c.ID {
					return al.Child
				}
			}
		}
		return x
	})
}

// itemName is the name that Spark gives an item without an alias.
func itemName(written sql.Expr, e Expr) string {
	if name := pathName(written); name != "" {
		return name
	}
	switch e := e.(type) {
	case *Attr:
		return e.Name
	case *FieldAccess:
		if isDotted(written) {
			return e.Name
		}
	case *Cast:
		// A cast of a column keeps the column's name.
		if c, ok := e.Child.(*Attr); ok {
			return c.Name
		}
	case *Call:
		if n, ok := written.(*sql.Name); ok && len(n.Parts) > 1 {
			return n.Parts[len(n.Parts)-1].Name // a map's key as in m.k
		}
	}
	return e.SQL()
}

// pathName is the last field of a path into a variant, x:a.b[0] or x:a.b::int; "" if it is
// none.
func pathName(written sql.Expr) string {
	if c, ok := written.(*sql.Cast); ok {
		return pathName(c.X)
	}
	name := ""
	if p, ok := written.(*sql.PathExtract); ok {
		for _, s := range p.Path {
			if !s.IsIndex {
				name = s.Name
			}
		}
	}
	return name
}

// isDotted tells whether an expression is a name with points, parts of which may
// stand in parentheses: (a.b).c.
func isDotted(e sql.Expr) bool {
	switch e := e.(type) {
	case *sql.Name:
		return true
	case *sql.Field:
		return isDotted(e.X)
	}
	return false
}

// star expands *, t.* or s.* to columns, without hidden ones.
func (a *Analyser) star(s *sql.Star, sc *Scope) ([]Expr, error) {
	target := identNames(s.Target)
	var cols []Expr
	for _, c := range sc.Columns {
		if len(target) > 0 && c.Merged && a.qualifies(target, c) {
			cols = append(cols, shown(c))
		}
	}
	for _, c := range sc.Columns {
		if !c.Hidden && len(target) <= len(c.Qualifier) && a.qualifies(target, c) {
			cols = append(cols, c)
		}
	}
	if len(cols) == 0 && len(target) > 0 {
		e, err := a.column(target, s.Span, sc.Columns)
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, a.starTarget(target, s, sc)
		}
		if cols, err = a.structStar(e, s); err != nil {
			return nil, err
		}
	}
	return a.except(cols, s)
}

func (a *Analyser) starTarget(target []string, s *sql.Star, sc *Scope) error {
	var names []string
	for _, c := range sc.Columns {
		if !c.Hidden {
			names = append(names, quoteParts([]string{c.Name}))
		}
	}
	sort.Strings(names)
	return a.errorAt(s.Span, "CANNOT_RESOLVE_STAR_EXPAND", "targetString", quoteParts(target), "columns", strings.Join(names, ", "))
}

// structStar are the fields of a struct column.
func (a *Analyser) structStar(e Expr, s *sql.Star) ([]Expr, error) {
	t := e.Type()
	if t.Kind != vector.KindStruct {
		return nil, a.errorAt(s.Span, "_LEGACY_ERROR_TEMP_1050", "attributes", "List("+e.SQL()+")")
	}
	out := make([]Expr, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = NewAlias(&FieldAccess{Child: e, Ordinal: i, Name: f.Name, Span: s.Span}, f.Name)
	}
	return out, nil
}

// expandedStar finds a star among arguments.
func expandedStar(args []sql.Expr) (*sql.Star, bool) {
	for _, e := range args {
		if s, ok := e.(*sql.Star); ok {
			return s, true
		}
	}
	return nil, false
}

// starArguments binds arguments with the columns of the star in its place.
func (a *Analyser) starArguments(s *sql.Star, in []sql.Expr, sc *Scope) ([]Expr, error) {
	var out []Expr
	for _, e := range in {
		if e != sql.Expr(s) {
			x, err := a.Expr(withoutName(e), sc)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
			continue
		}
		cols, err := a.star(s, sc)
		if err != nil {
			return nil, err
		}
		for _, c := range cols {
			if al, ok := c.(*Alias); ok {
				c = al.Child
			}
			out = append(out, c)
		}
	}
	return out, nil
}
