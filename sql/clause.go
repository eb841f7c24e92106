package sql

// strictWords are no table aliases without AS or backticks, and not with AS either:
// Spark's strictNonReserved.
var strictWords = map[string]bool{
	"ANTI": true, "CROSS": true, "EXCEPT": true, "FULL": true, "INNER": true, "INTERSECT": true, "JOIN": true,
	"LATERAL": true, "LEFT": true, "NATURAL": true, "ON": true, "RIGHT": true, "SEMI": true, "MINUS": true,
	"UNION": true, "USING": true,
}

// clauseLookahead bounds how far clauseAt follows words that could each be a name
// or start a clause.
const clauseLookahead = 4

// clauseAt tells whether token k is a word that starts the next clause of a query
// here, rather than being a name: what follows it has to fit.
func (p *parser) clauseAt(k int) bool { return p.clauseWithin(k, clauseLookahead) }

func (p *parser) clauseWithin(k, more int) bool {
	t := p.at(k)
	if t.kind != tokIdent || more == 0 {
		return false
	}
	// operand: an expression follows, and no clause in its place
	operand := func() bool { return p.startsExpr(k+1) && !p.opAt(k+1, "*") && !p.clauseWithin(k+1, more-1) }
	switch t.up {
	case "FROM":
		return (p.isIdent(k+1) || p.opAt(k+1, "(")) && !p.clauseWithin(k+1, more-1)
	case "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET":
		return operand()
	case "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE":
		return p.isAt(k+1, "BY")
	case "WINDOW":
		return p.isIdent(k+1) && p.isAt(k+2, "AS")
	case "LATERAL":
		return p.isAt(k+1, "VIEW")
	case "UNION", "EXCEPT", "INTERSECT", "MINUS":
		// Before FROM the word is an alias, as the alternatives of Spark's grammar have it.
		return p.isAnyAt(k+1, "SELECT", "VALUES", "TABLE", "ALL", "DISTINCT") || p.opAt(k+1, "(")
	case "SELECT":
		return p.fromFirst && (p.startsExpr(k+1) && !p.clauseWithin(k+1, more-1) || p.opAt(k+1, "/*+"))
	case "PIVOT":
		return p.opAt(k+1, "(")
	case "UNPIVOT":
		return p.opAt(k+1, "(") || p.isAnyAt(k+1, "INCLUDE", "EXCLUDE")
	case "WITH":
		return p.isAnyAt(k+1, "ROLLUP", "CUBE")
	case "GROUPING":
		return p.isAt(k+1, "SETS") && p.opAt(k+2, "(")
	}
	return false
}

// relationClauseAt is clauseAt for what may also follow a relation in FROM.
func (p *parser) relationClauseAt(k int) bool {
	t := p.at(k)
	if t.kind != tokIdent {
		return false
	}
	switch t.up {
	case "WATERMARK":
		return p.startsExpr(k+1) && !strictWords[p.at(k+1).up] && !p.clauseAt(k+1)
	case "TABLESAMPLE":
		return p.opAt(k+1, "(") || p.isAnyAt(k+1, "BERNOULLI", "SYSTEM") && p.opAt(k+2, "(")
	case "WITH":
		return p.opAt(k+1, "(")
	case "ASOF":
		return p.isAt(k+1, "JOIN")
	case "VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME":
		return p.isAt(k+1, "AS") && p.isAt(k+2, "OF")
	case "FOR":
		return p.relationClauseAt(k + 1)
	case "IDENTIFIED":
		return p.isAt(k+1, "BY")
	case "APPROX", "EXACT":
		return p.isAt(k+1, "NEAREST")
	case "MATCH_CONDITION":
		return p.opAt(k+1, "(")
	case "LIMIT", "OFFSET", "WHERE", "HAVING", "QUALIFY":
		// FROM t WHERE (a) names t and its columns, as in Spark, if nothing goes on
		if p.identListAt(k+1, false) {
			after := p.match[min(p.i+k+1, len(p.toks)-1)] - p.i + 1
			return !p.endsRelation(after)
		}
	}
	return p.clauseAt(k)
}

// endsRelation tells whether a relation may end before token k.
func (p *parser) endsRelation(k int) bool {
	t := p.at(k)
	switch t.kind {
	case tokEOF:
		return true
	case tokOp:
		return t.text == ")" || t.text == "," || t.text == ";" || t.text == "|>"
	}
	return strictWords[t.up] || p.relationClauseAt(k)
}

// tableAlias takes [AS] name [(a, b)], if there is one.
func (p *parser) tableAlias() (alias Ident, columns []Ident) {
	k := 0
	if p.is("AS") {
		k = 1
		if strictWords[p.at(1).up] {
			p.i++
			p.fail()
		}
	}
	if !p.isTableAlias(k) {
		if k == 0 || !p.isTableAlias(0) {
			if k == 1 && p.isIdent(1) {
				p.i++
				p.fail()
			}
			return Ident{}, nil
		}
		k = 0
	}
	p.i += k
	alias = p.simpleIdent()
	if p.isOp("(") {
		columns = parens(p, p.ident)
	}
	return alias, columns
}

func (p *parser) isTableAlias(k int) bool {
	t := p.at(k)
	return t.kind == tokQuoted || t.kind == tokIdent && !strictWords[t.up] && !p.relationClauseAt(k)
}
