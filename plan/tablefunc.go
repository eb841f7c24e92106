package plan

import (
	"strings"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// tableFunction analyses FROM range(…) and FROM explode(…) and the like, of constants.
func (a *Analyser) tableFunction(r *sql.TableFunction, outer *Scope) (Node, error) {
	name := strings.ToLower(nameOf(r.Call.Name))
	if name == "identifier" && len(r.Call.Args) == 1 {
		id, err := a.identifierName(r.Call, &Scope{Outer: outer})
		if err != nil {
			return nil, err
		}
		return a.table(&sql.Table{Span: r.Span, Name: id.Parts, Alias: r.Alias, Columns: r.Columns}, outer)
	}
	var n Node
	var err error
	if name == "range" {
		n, err = a.rangeRows(r.Call)
	} else if _, ok := kernels.LookupGenerator(name); ok {
		n, err = a.generatedRows(r.Call, outer)
	} else if a.isFunction(name) {
		err = a.errorAt(r.Call.Span, "NOT_A_TABLE_FUNCTION", "functionName", quoteParts(identNames(r.Call.Name)))
	} else {
		err = a.errorAt(r.Span, "UNRESOLVABLE_TABLE_VALUED_FUNCTION", "name", quoteParts(identNames(r.Call.Name)))
	}
	if err != nil {
		return nil, err
	}
	return a.named(n, nil, r.Alias, r.Columns, r.Span)
}

// isFunction tells whether there is a function of the name that makes no table.
func (a *Analyser) isFunction(name string) bool {
	_, scalar := kernels.Lookup(name)
	_, aggregate := agg.Lookup(name)
	return scalar || aggregate || isWindowFunction(name)
}

// generatedRows are the rows of a generator; its arguments may read columns of outer.
func (a *Analyser) generatedRows(c *sql.Call, outer *Scope) (Node, error) {
	e, err := a.functionCall(c, &Scope{Outer: outer})
	if err != nil {
		return nil, err
	}
	g, ok := e.(*GeneratorCall)
	if !ok {
		return nil, a.errorAt(c.Span, "UNRESOLVABLE_TABLE_VALUED_FUNCTION", "name", quoteParts(identNames(c.Name)))
	}
	return a.generate(&OneRow{}, g, nil, false), nil
}

// rangeRows is range([start, ]end[, step[, partitions]]): the numbers from start up to,
// but without, end as a column id.
func (a *Analyser) rangeRows(c *sql.Call) (Node, error) {
	if err := a.arity("range", len(c.Args), 1, 4, c.Span); err != nil {
		return nil, err
	}
	for _, e := range c.Args {
		if n, ok := e.(*sql.Named); ok { // which Spark does not evaluate here
			return nil, a.errorAt(c.Span, "NON_FOLDABLE_ARGUMENT", "funcName", "`range`", "paramName", quoteParts([]string{n.Name.Name}), "paramType", `"BIGINT"`)
		}
	}
	args, err := a.exprs(c.Args, &Scope{})
	if err != nil {
		return nil, err
	}
	bounds := []int64{0, 0, 1}
	if len(args) == 1 {
		args = []Expr{LongLiteral(0), args[0]}
	}
	for i, e := range args[:min(len(args), 3)] {
		if !Foldable(e) {
			return nil, a.errorAt(c.Span, "NON_FOLDABLE_ARGUMENT", "funcName", "`range`", "paramName", "`"+[]string{"start", "end", "step"}[i]+"`", "paramType", `"BIGINT"`)
		}
		var v vector.Vec
		if t := e.Type(); t.Numeric() || t.Kind == vector.KindString {
			if v, err = evaluate(a.ctx(), a.implicit(e, vector.Long, c.Span)); err != nil {
				return nil, a.place(err, c.Span)
			}
		}
		if v.Arr == nil || v.IsNull(0) {
			position := max(i, 2-len(c.Args)) // the only argument is the second, the end
			return nil, a.errorAt(c.Span, "UNEXPECTED_INPUT_TYPE", "functionName", "`range`", "paramIndex", kernels.Ordinal(position),
				"requiredType", `"BIGINT"`, "inputSql", quoteSQL(e), "inputType", quoteType(e.Type()))
		}
		bounds[i] = vector.Values[int64](v.Arr)[0]
	}
	start, end, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return nil, a.errorAt(c.Span, "FAILED_FUNCTION_CALL", "funcName", "`range`")
	}
	if (step > 0) != (start < end) || start == end {
		id := &Attr{ID: NewID(), Name: "id", Typ: vector.Long}
		return &Limit{Input: &Values{Attrs: []*Attr{id}, Rows: [][]Expr{{LongLiteral(0)}}}}, nil
	}
	last := end - 1
	if step < 0 {
		last = end + 1
	}
	list, err := a.call("sequence", []Expr{LongLiteral(start), LongLiteral(last), LongLiteral(step)}, c.Span)
	if err != nil {
		return nil, err
	}
	g, err := a.generatorCall("explode", list)
	if err != nil {
		return nil, err
	}
	return a.generate(&OneRow{}, g, []string{"id"}, false), nil
}
