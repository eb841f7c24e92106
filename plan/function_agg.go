package plan

import (
	"strings"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// nullSkipping are the aggregates that take IGNORE NULLS, as a second argument.
var nullSkipping = map[string]bool{"first": true, "first_value": true, "last": true, "last_value": true, "any_value": true}

// aggregate binds a call of an aggregate function.
func (a *Analyser) aggregate(f *agg.Function, name string, c *sql.Call, sc *Scope) (Expr, error) {
	args, err := a.aggArguments(f, name, c, sc)
	if err != nil {
		return nil, err
	}
	keys, err := a.withinGroup(name, args, c, sc)
	if err != nil {
		return nil, err
	}
	out := &AggCall{Fn: f, Name: f.Name, Distinct: c.Distinct, OrderBy: keys, Span: c.Span}
	text := plainCall(name, args, c.Distinct)
	if f.SQL != nil {
		text = f.SQL(sqls(args), c.Distinct)
	}
	if printedByName[name] || c.IgnoreNulls != "" {
		text = asCalled(text, name, f.Name)
	} else {
		text = asCalled(text, f.Name, name)
	}
	if name == "mode" && len(args) == 2 && args[1].SQL() == "false" {
		text = "mode(" + args[0].SQL() + ")"
	} else if name == "mode" && len(args) == 2 { // an old form of WITHIN GROUP
		if text = "mode() WITHIN GROUP (ORDER BY " + args[0].SQL(); args[1].SQL() == "true" {
			text += " DESC"
		}
		text += ")"
	}
	if len(keys) > 0 {
		if name == "string_agg" { // which Spark forgets here
			text = asCalled(text, name, f.Name)
		}
		text += " WITHIN GROUP (ORDER BY " + withinKeys(name, keys) + ")"
		out.Impl, err = f.BindOrdered(a.Conf, a.kernelArgs(args), a.aggOrder(keys))
		for _, k := range keys {
			args = append(args, k.Expr)
		}
	} else {
		out.Impl, err = f.Bind(a.Conf, a.kernelArgs(args))
	}
	if err != nil {
		return nil, a.place(err, c.Span)
	}
	if out.Args, err = a.castArgs(args, out.Impl.Args, c.Span); err != nil {
		return nil, err
	}
	if c.Filter != nil {
		if out.Filter, err = a.aggFilter(c.Filter, sc); err != nil {
			return nil, err
		}
		text += " FILTER (WHERE " + out.Filter.SQL() + ")"
	}
	out.Text = text
	return out, nil
}

func plainCall(name string, args []Expr, distinct bool) string {
	if distinct {
		return name + "(DISTINCT " + joinSQL(args) + ")"
	}
	return name + "(" + joinSQL(args) + ")"
}

// aggArguments binds the arguments. count(*) has none; another star stands for
// its columns.
func (a *Analyser) aggArguments(f *agg.Function, name string, c *sql.Call, sc *Scope) ([]Expr, error) {
	in, err := a.positional(c, name, f.Signature)
	if err != nil {
		return nil, err
	}
	if s, ok := expandedStar(in); ok {
		if name == "count" && len(in) == 1 && s.Except == nil && !c.Distinct {
			if s.Target == nil {
				return nil, nil
			}
			return nil, a.errorAt(s.Span, "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT", "tableName", quoteParts(identNames(s.Target)))
		}
		args, err := a.starArguments(s, in, sc)
		if err != nil {
			return nil, err
		}
		return args, a.arity(name, len(args), f.MinArgs, f.MaxArgs, c.Span)
	}
	if name == "count" && len(in) == 0 {
		return nil, a.errorAt(c.Span, "WRONG_NUM_ARGS.WITH_SUGGESTION", "functionName", quoteParts([]string{name}),
			"expectedNum", " >= 1", "actualNum", "0", "legacyNum", "0",
			"legacyConfKey", `"spark.sql.legacy.allowParameterlessCount"`, "legacyConfValue", `"true"`)
	}
	args, err := a.exprs(in, sc)
	if err != nil {
		return nil, err
	}
	for _, x := range args {
		if nestedGenerator(x) != nil {
			return nil, a.errorAt(c.Span, "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "expression", `"`+name+"("+joinSQL(args)+`)"`)
		}
	}
	if c.IgnoreNulls == "IGNORE" {
		if !nullSkipping[name] {
			return nil, a.errorAt(c.Span, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
				"prettyName", quoteParts([]string{name}), "syntax", "IGNORE NULLS")
		}
		args = append(args, BoolLiteral(true))
	}
	return args, a.arity(name, len(args), f.MinArgs, f.MaxArgs, c.Span)
}

// aggFilter binds the condition of FILTER (WHERE …).
func (a *Analyser) aggFilter(e sql.Expr, sc *Scope) (Expr, error) {
	cond, err := a.Expr(e, sc)
	if err != nil {
		return nil, err
	}
	if k := cond.Type().Kind; k != vector.KindBool && k != vector.KindNull {
		return nil, a.errorAt(e.Pos(), "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", "filterExpr", quoteSQL(cond))
	}
	if g := findAgg(cond); g != nil {
		return nil, a.errorAt(e.Pos(), "INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE", "filterExpr", quoteSQL(cond), "aggExpr", quoteSQL(g))
	}
	return a.implicit(cond, vector.Bool, e.Pos()), nil
}

// ordering says how an aggregate takes WITHIN GROUP.
type ordering struct {
	required bool
	most     int  // how many order expressions it takes; 0: any number
	argument bool // the order expression is an argument in truth
}

var orderings = map[string]ordering{
	"percentile_cont": {required: true, most: 1, argument: true},
	"percentile_disc": {required: true, most: 1, argument: true},
	"mode":            {most: 1, argument: true},
	"listagg":         {},
	"string_agg":      {},
}

// withinGroup binds WITHIN GROUP (ORDER BY …).
func (a *Analyser) withinGroup(name string, args []Expr, c *sql.Call, sc *Scope) ([]*SortKey, error) {
	o, ok := orderings[name]
	function := quoteParts([]string{name})
	switch {
	case !ok && c.WithinGroup != nil:
		return nil, a.errorAt(c.Span, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
			"prettyName", function, "syntax", "WITHIN GROUP (ORDER BY ...)")
	case o.required && c.WithinGroup == nil:
		return nil, a.errorAt(c.Span, "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING", "funcName", function)
	case o.most > 0 && len(c.WithinGroup) > o.most:
		return nil, a.errorAt(c.Span, "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS", "funcName", function,
			"expectedNum", o.most, "actualNum", len(c.WithinGroup))
	case o.argument && c.WithinGroup != nil && c.Distinct:
		return nil, a.errorAt(c.Span, "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED", "funcName", function)
	}
	keys, err := a.sortKeys(c.WithinGroup, sc)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if c.Distinct && Fingerprint(k.Expr) != Fingerprint(args[0]) {
			return nil, a.errorAt(c.Span, "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
				"funcName", function, "funcArg", quoteSQL(args[0]), "orderingExpr", quoteSQL(k.Expr))
		}
	}
	return keys, nil
}

// aggOrder is the order of WITHIN GROUP as aggregates bind it.
func (a *Analyser) aggOrder(keys []*SortKey) []agg.Order {
	out := make([]agg.Order, len(keys))
	for i, k := range keys {
		out[i] = agg.Order{Arg: a.kernelArgs([]Expr{k.Expr})[0], Desc: k.Desc, NullsLast: k.NullsLast}
	}
	return out
}

// withinKeys prints the order of WITHIN GROUP: listagg with the order of nulls,
// the others with DESC only, which mode() prints for the ascending order.
func withinKeys(name string, keys []*SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		switch {
		case !orderings[name].argument:
			parts[i] = k.SQL()
		case k.Desc != (name == "mode"):
			parts[i] = k.Expr.SQL() + " DESC"
		default:
			parts[i] = k.Expr.SQL()
		}
	}
	return strings.Join(parts, ", ")
}

// sortKeys binds sort items; nulls come first ascending and last descending
// unless said otherwise.
func (a *Analyser) sortKeys(items []*sql.SortItem, sc *Scope) ([]*SortKey, error) {
	out := make([]*SortKey, len(items))
	for i, it := range items {
		e, err := a.Expr(it.Expr, sc)
		if err != nil {
			return nil, err
		}
		last := it.Desc
		if it.Nulls != "" {
			last = it.Nulls == "LAST"
		}
		out[i] = &SortKey{Expr: e, Desc: it.Desc, NullsLast: last}
	}
	return out, nil
}
