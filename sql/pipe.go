package sql

import "github.com/vstream/vstream/condition"

// pipe takes the operator after |>.
func (p *parser) pipe(start int, input Body) Body {
	at := p.cur().Start
	n := &Pipe{Input: input, Op: p.cur().up}
	if p.cur().kind != tokIdent {
		p.fail()
	}
	switch n.Op {
	case "SELECT":
		n.Select = &Select{}
		p.selectClause(n.Select)
		if p.words("GROUP", "BY") {
			n.Select.GroupBy = p.groupBy()
		}
		n.Query = &Query{Windows: p.windowClause()}
		n.Select.Span = p.from(at)
	case "WHERE":
		p.i++
		n.Select = &Select{Where: p.expr()}
		n.Query = &Query{Windows: p.windowClause()}
		n.Select.Span = p.from(at)
	case "EXTEND":
		p.i++
		n.Items = list(p, func() *SelectItem { return p.selectItem("") })
	case "SET":
		p.i++
		n.Items = list(p, p.pipeAssignment)
	case "DROP":
		p.i++
		n.Columns = list(p, p.multipart)
	case "AS":
		p.i++
		n.Alias = p.ident()
	case "PIVOT":
		n.Select = &Select{Pivot: p.pivot()}
	case "UNPIVOT":
		n.Select = &Select{Unpivot: p.unpivot()}
	case "TABLESAMPLE":
		n.Sample = p.sample()
	case "AGGREGATE":
		p.i++
		n.Select = &Select{}
		if !p.words("GROUP", "BY") {
			n.Select.Items = list(p, func() *SelectItem { return p.selectItem("") })
		}
		if p.words("GROUP", "BY") {
			p.keyAliases = true
			n.Select.GroupBy = p.groupBy()
			p.keyAliases = false
		}
		n.Select.Span = p.from(at)
	case "UNION", "EXCEPT", "INTERSECT", "MINUS":
		op, _ := p.setOperator()
		p.i++
		s := &SetOp{Op: op, All: p.setQuantifier()}
		s.Right = withWindows(p.bodyPrimary())
		s.Span = p.from(at)
		n.Op, n.SetOp = op, s
	case "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "WINDOW", "LIMIT", "OFFSET":
		n.Op, n.Query = "ORGANIZE", &Query{}
		p.organization(n.Query)
		n.Query.Span = p.from(at)
		p.checkOneClause(n.Query)
	default:
		n.Op = "JOIN"
		if n.Join = p.join(at, nil); n.Join == nil {
			p.fail()
		}
	}
	n.Span = p.from(start)
	return n
}

// pipeAssignment takes column = expression.
func (p *parser) pipeAssignment() *SelectItem {
	start := p.cur().Start
	column := p.multipart()
	if len(column) > 1 {
		p.report(p.from(start), condition.New("_LEGACY_ERROR_TEMP_0035", "message",
			"SQL pipe syntax |> SET operator with multi-part assignment key (only single-part keys are allowed)"))
	}
	p.need("=")
	x := p.expr()
	return &SelectItem{Span: p.from(start), Expr: x, Aliases: column}
}

// checkOneClause refuses several clauses in one pipe operator.
func (p *parser) checkOneClause(q *Query) {
	var found []string
	for _, c := range []struct {
		name string
		has  bool
	}{
		{"ORDER BY", len(q.OrderBy) > 0}, {"CLUSTER BY", len(q.ClusterBy) > 0}, {"DISTRIBUTE BY", len(q.DistributeBy) > 0},
		{"SORT BY", len(q.SortBy) > 0}, {"LIMIT", q.Limit != nil}, {"OFFSET", q.Limit == nil && q.Offset != nil},
	} {
		if c.has {
			found = append(found, c.name)
		}
	}
	if len(found) > 1 {
		p.report(q.Span, condition.New("MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
			"clause1", found[0], "clause2", found[1]))
	}
}
