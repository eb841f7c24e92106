package plan

import (
	"sort"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// maxSuggestions is how many candidates an unresolved name gets.
const maxSuggestions = 5

// same compares names under spark.sql.caseSensitive.
func (a *Analyser) same(x, y string) bool {
	if a.caseSensitive() {
		return x == y
	}
	return strings.EqualFold(x, y)
}

// name resolves a column reference. From the inside out: parameters of lambdas,
// columns, functions that need no parentheses, earlier items of the SELECT list,
// columns of the outer query.
func (a *Analyser) name(n *sql.Name, sc *Scope) (Expr, error) {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Name
	}
	for _, p := range sc.Params {
		if a.same(p.Name, parts[0]) {
			return a.fields(p, parts[1:], n.Span)
		}
	}
	if e, err := a.column(parts, n.Span, sc.Columns); e != nil || err != nil {
		return e, err
	}
	if len(parts) == 1 {
		if e, err := a.literalFunction(n); e != nil || err != nil {
			return e, err
		}
	}
	if e, err := a.lateralAlias(parts, n.Span, sc); e != nil || err != nil {
		return e, err
	}
	for outer, inner := sc.Outer, sc; outer != nil; outer, inner = outer.Outer, outer {
		e, err := a.column(parts, n.Span, outer.Columns)
		if err != nil {
			return nil, err
		}
		if e != nil {
			inner.useOuter(References(e))
			return e, nil
		}
	}
	return nil, a.unresolved(parts, n.Span, sc.Columns)
}

// identifier is IDENTIFIER(constant), the column with that name.
func (a *Analyser) identifier(c *sql.Call, sc *Scope) (Expr, error) {
	n, err := a.identifierName(c, sc)
	if err != nil {
		return nil, err
	}
	return a.name(n, sc)
}

// identifierName is the name that IDENTIFIER(constant) stands for.
func (a *Analyser) identifierName(c *sql.Call, sc *Scope) (*sql.Name, error) {
	x, err := a.Expr(c.Args[0], sc)
	if err != nil {
		return nil, err
	}
	at := c.Args[0].Pos()
	wrong := func(name string, params ...any) error {
		return a.errorAt(at, name, append([]any{"name", "IDENTIFIER", "expr", x.SQL()}, params...)...)
	}
	v := a.constant(x)
	switch {
	case !Foldable(x):
		return nil, wrong("NOT_A_CONSTANT_STRING.NOT_CONSTANT")
	case x.Type().Kind != vector.KindString:
		return nil, wrong("NOT_A_CONSTANT_STRING.WRONG_TYPE", "dataType", x.Type().String())
	case v == nil || v.IsNull(0):
		return nil, wrong("NOT_A_CONSTANT_STRING.NULL")
	}
	e, err := sql.ParseExpression(stringAt(*v))
	if err != nil {
		return nil, a.place(err, at)
	}
	n, ok := e.(*sql.Name)
	if !ok {
		return nil, a.errorAt(at, "PARSE_SYNTAX_ERROR", "error", "'"+stringAt(*v)+"'", "hint", "")
	}
	out := sql.Name{Span: at}
	for _, p := range n.Parts {
		p.Span = at
		out.Parts = append(out.Parts, p)
	}
	return &out, nil
}

// useOuter notes columns of the scope around s as used by the subquery of s.
func (s *Scope) useOuter(cols []*Attr) {
	if s.Outer == nil || s.Outer.outerRefs == nil {
		return
	}
	for _, c := range cols {
		if !hasAttr(*s.Outer.outerRefs, c) {
			*s.Outer.outerRefs = append(*s.Outer.outerRefs, c)
		}
	}
}

func hasAttr(list []*Attr, c *Attr) bool {
	for _, x := range list {
		if x.ID == c.ID {
			return true
		}
	}
	return false
}

// column resolves a name among columns; nil if nothing matches. As in Spark a
// qualified match (longest qualifier first) wins over a column with fields.
func (a *Analyser) column(parts []string, span sql.Span, cols []*Attr) (Expr, error) {
	for q := min(len(parts)-1, 3); q >= 0; q-- {
		var found []*Attr
		for _, c := range cols {
			if a.same(c.Name, parts[q]) && a.qualifies(parts[:q], c) && !hasAttr(found, c) {
				found = append(found, c)
			}
		}
		found = visibleFirst(found)
		switch {
		case len(found) == 1:
			c := *found[0]
			c.Name, c.Span = parts[q], span // Spark names the column as it was written
			return a.fields(&c, parts[q+1:], span)
		case len(found) > 1:
			return nil, a.ambiguous(parts, span, found)
		}
	}
	return nil, nil
}

// visibleFirst drops hidden columns where a visible one has the same name.
func visibleFirst(found []*Attr) []*Attr {
	var visible []*Attr
	for _, c := range found {
		if !c.Hidden {
			visible = append(visible, c)
		}
	}
	if len(visible) == 0 {
		return found
	}
	return visible
}

// qualifies tells whether the qualifier ends the column's qualifier.
func (a *Analyser) qualifies(q []string, c *Attr) bool {
	if len(q) > len(c.Qualifier) {
		return false
	}
	tail := c.Qualifier[len(c.Qualifier)-len(q):]
	for i := range q {
		if !a.same(q[i], tail[i]) {
			return false
		}
	}
	return true
}

func (a *Analyser) ambiguous(parts []string, span sql.Span, found []*Attr) error {
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = quoteParts(append(append([]string{}, c.Qualifier...), c.Name))
	}
	sort.Strings(names)
	return a.errorAt(span, "AMBIGUOUS_REFERENCE", "name", quoteParts(parts), "referenceNames", "["+strings.Join(names, ", ")+"]")
}

// fields applies the remaining parts of a name as struct fields or map keys.
func (a *Analyser) fields(e Expr, names []string, span sql.Span) (Expr, error) {
	for _, n := range names {
		var err error
		if e, err = a.extract(e, StringLiteral(n), span); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// lateralAlias resolves a name to an earlier item of the SELECT list.
func (a *Analyser) lateralAlias(parts []string, span sql.Span, sc *Scope) (Expr, error) {
	var found []*Alias
	for _, al := range sc.Aliases {
		if a.same(al.Name, parts[0]) {
			found = append(found, al)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		ref := *found[0].Attr
		ref.Name, ref.Lateral = parts[0], true
		return a.fields(&ref, parts[1:], span)
	}
	return nil, a.errorAt(span, "AMBIGUOUS_LATERAL_COLUMN_ALIAS", "name", quoteParts(parts), "n", len(found))
}

// unresolved is the error for a name that nothing matches, with the columns that
// are spelled most like it.
func (a *Analyser) unresolved(parts []string, span sql.Span, cols []*Attr) error {
	sorted := append([]*Attr(nil), cols...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
	return a.unresolvedAmong(parts, span, sorted)
}

// unresolvedAmong keeps the order of the candidates where they are equally close.
func (a *Analyser) unresolvedAmong(parts []string, span sql.Span, cols []*Attr) error {
	var candidates [][]string
	for _, c := range cols {
		if !c.Hidden {
			candidates = append(candidates, append(append([]string{}, c.Qualifier...), c.Name))
		}
	}
	if len(candidates) == 0 {
		return a.errorAt(span, "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "objectName", quoteParts(parts))
	}
	e := condition.New("UNRESOLVED_COLUMN.WITH_SUGGESTION", "objectName", quoteParts(parts),
		"proposal", strings.Join(suggest(plainParts(parts), len(parts), candidates), ", "))
	return e.WithPos(a.at(span))
}

// suggest orders quoted candidates by their distance to a name of n parts, as
// Spark's orderSuggestedIdentifiersBySimilarity does. Qualifiers that all share
// are left out.
func suggest(name string, n int, candidates [][]string) []string {
	drop := 0
	switch {
	case n == 1 && samePrefix(candidates, 1):
		drop = 1
	case n <= 2 && samePrefix(candidates, 2):
		drop = 2
	}
	out := make([]string, len(candidates))
	for i, c := range candidates {
		if drop > 0 && len(c) > drop {
			c = c[len(c)-drop:]
		}
		out[i] = quoteParts(c)
	}
	sort.SliceStable(out, func(i, j int) bool { return levenshtein(out[i], name) < levenshtein(out[j], name) })
	return out[:min(len(out), maxSuggestions)]
}

// samePrefix tells whether the candidates agree in all but their last n parts.
func samePrefix(candidates [][]string, n int) bool {
	prefix := func(c []string) string { return strings.Join(c[:max(len(c)-n, 0)], "\x00") }
	for _, c := range candidates {
		if prefix(c) != prefix(candidates[0]) {
			return false
		}
	}
	return true
}

func levenshtein(x, y string) int {
	a, b := []rune(x), []rune(y)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range b {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// quoteParts is a name as messages have it: `a`.`b`.
func quoteParts(parts []string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(out, ".")
}

// plainParts is a name with backticks only where a part needs them.
func plainParts(parts []string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = vector.QuoteIfNeeded(p)
	}
	return strings.Join(out, ".")
}

func identNames(ids []sql.Ident) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Name
	}
	return out
}
