package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// searchPath is where Spark looks for routines, as its messages print it.
const searchPath = "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]"

// functionCall binds a function call: a special form, an aggregate, a generator, a
// window function or a scalar function, in this order.
func (a *Analyser) functionCall(c *sql.Call, sc *Scope) (Expr, error) {
	parts := identNames(c.Name)
	name := strings.ToLower(parts[len(parts)-1])
	if len(parts) > 1 && !isBuiltin(parts[:len(parts)-1]) {
		return nil, a.unresolvedRoutine(parts, c.Span)
	}
	if name == "identifier" && len(parts) == 1 && len(c.Args) == 1 {
		return a.identifier(c, sc)
	}
	if c.Over != nil {
		return a.over(name, c, sc)
	}
	if f, ok := agg.Lookup(name); ok {
		return a.aggregate(f, name, c, sc)
	}
	if isWindowFunction(name) {
		return nil, a.withoutOver(name, c, sc)
	}
	if timeFunctions[name] {
		return nil, a.errorAt(c.Span, "UNSUPPORTED_TIME_TYPE")
	}
	if syntax := aggregateSyntax(c); syntax != "" {
		if _, ok := kernels.Lookup(name); ok {
			return nil, a.errorAt(c.Span, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
				"prettyName", quoteParts([]string{name}), "syntax", syntax)
		}
	}
	if special, ok := specialForms[name]; ok {
		return special(a, name, c, sc)
	}
	if g, ok := kernels.LookupGenerator(name); ok {
		return a.generator(g, name, c, sc)
	}
	if t, ok := castFunctions[name]; ok {
		return a.castFunction(t, name, c, sc)
	}
	if f, ok := kernels.Lookup(name); ok {
		return a.scalar(f, name, c, sc)
	}
	return nil, a.unresolvedRoutine(parts, c.Span)
}

func isBuiltin(qualifier []string) bool {
	q := strings.ToLower(strings.Join(qualifier, "."))
	return q == "system.builtin" || q == "builtin"
}

func (a *Analyser) unresolvedRoutine(parts []string, span sql.Span) error {
	return a.errorAt(span, "UNRESOLVED_ROUTINE", "routineName", quoteParts(parts), "searchPath", searchPath)
}

// aggregateSyntax names what only aggregates may have.
func aggregateSyntax(c *sql.Call) string {
	switch {
	case c.Distinct:
		return "DISTINCT"
	case c.WithinGroup != nil:
		return "WITHIN GROUP (ORDER BY ...)"
	case c.Filter != nil:
		return "FILTER CLAUSE"
	case c.IgnoreNulls != "":
		return c.IgnoreNulls + " NULLS"
	}
	return ""
}

// scalar binds a call of a scalar function, with lambdas and named arguments.
func (a *Analyser) scalar(f *kernels.Scalar, name string, c *sql.Call, sc *Scope) (Expr, error) {
	in, err := a.positional(c, name, f.Signature)
	if err != nil {
		return nil, err
	}
	args, err := a.arguments(f, name, in, sc)
	if err != nil {
		return nil, err
	}
	if err := a.arity(name, len(args), f.MinArgs, f.MaxArgs, c.Span); err != nil {
		return nil, err
	}
	return a.bind(f, name, args, c.Span)
}

// arity checks the number of arguments.
func (a *Analyser) arity(name string, n, least, most int, span sql.Span) error {
	if n >= least && (most < 0 || n <= most) {
		return nil
	}
	var want string
	switch {
	case most < 0:
		want = "> " + strconv.Itoa(least-1)
	case least == most:
		want = strconv.Itoa(least)
	default:
		counts := make([]string, 0, most-least+1)
		for i := least; i <= most; i++ {
			counts = append(counts, strconv.Itoa(i))
		}
		want = "[" + strings.Join(counts, ", ") + "]"
	}
	return a.wrongArgs(name, want, n, span)
}

func (a *Analyser) wrongArgs(name, want string, n int, span sql.Span) error {
	return a.errorAt(span, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "functionName", quoteParts([]string{name}),
		"expectedNum", want, "actualNum", strconv.Itoa(n), "docroot", docRoot)
}

// docRoot is the parameter that Spark's messages build links from.
const docRoot = "https://spark.apache.org/docs/latest"

// arguments binds the arguments of a scalar function. Those that are not lambdas
// come first, for their types give the types of the lambdas' parameters.
func (a *Analyser) arguments(f *kernels.Scalar, name string, in []sql.Expr, sc *Scope) ([]Expr, error) {
	if s, ok := expandedStar(in); ok {
		return a.starArguments(s, in, sc)
	}
	out := make([]Expr, len(in))
	for i, e := range in {
		if _, ok := e.(*sql.Lambda); ok {
			continue
		}
		var err error
		if out[i], err = a.Expr(withoutName(e), sc); err != nil {
			return nil, err
		}
	}
	for i, e := range in {
		l, ok := e.(*sql.Lambda)
		if f.LambdaParams == nil {
			if ok {
				return nil, a.errorAt(l.Span, "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "class", name)
			}
			continue
		}
		if len(in) < f.MinArgs || f.MaxArgs >= 0 && len(in) > f.MaxArgs {
			return out, nil // the caller reports it
		}
		var err error
		switch {
		case ok && i < f.FirstLambda:
			err = a.errorAt(l.Span, "INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION")
		case ok:
			out[i], err = a.lambda(f, l, out, i, sc)
		case i >= f.FirstLambda:
			out[i], err = a.unusedLambda(f, out, i, e.Pos())
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unusedLambda is the lambda for an expression in the place of one.
func (a *Analyser) unusedLambda(f *kernels.Scalar, args []Expr, i int, span sql.Span) (Expr, error) {
	types, err := f.LambdaParams(a.kernelArgs(args), i, -1)
	if err != nil {
		return nil, a.place(err, span)
	}
	params := make([]*Attr, len(types))
	for j, t := range types {
		params[j] = &Attr{ID: NewID(), Name: "col" + strconv.Itoa(j), Typ: t, Null: true, Param: true}
	}
	return &Lambda{Params: params, Body: args[i]}, nil
}

// lambda binds argument i, given the arguments bound so far.
func (a *Analyser) lambda(f *kernels.Scalar, l *sql.Lambda, args []Expr, i int, sc *Scope) (Expr, error) {
	names := identNames(l.Params)
	for j, n := range names {
		for _, m := range names[:j] {
			if a.same(n, m) {
				return nil, a.errorAt(l.Span, "INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES",
					"args", strings.Join(quoteEach(names), ", "), "caseSensitiveConfig", `"spark.sql.caseSensitive"`)
			}
		}
	}
	types, err := f.LambdaParams(a.kernelArgs(args), i, len(names))
	if err != nil {
		return nil, a.place(err, l.Span)
	}
	inner := *sc
	params := make([]*Attr, len(names))
	for j, n := range names {
		params[j] = &Attr{ID: NewID(), Name: n, Typ: types[j], Null: true, Param: true}
	}
	inner.Params = append(append([]*Attr{}, params...), sc.Params...)
	body, err := a.Expr(l.Body, &inner)
	if err != nil {
		return nil, err
	}
	return &Lambda{Params: params, Body: body}, nil
}

func quoteEach(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoteParts([]string{n})
	}
	return out
}

// withoutName drops a name that means nothing where it stands.
func withoutName(e sql.Expr) sql.Expr {
	if x, ok := e.(*sql.Aliased); ok {
		return x.X
	}
	return e
}

// kernelArgs describes arguments to a function's Bind; one that is not bound yet
// has no type.
func (a *Analyser) kernelArgs(args []Expr) []kernels.Arg {
	out := make([]kernels.Arg, len(args))
	for i, e := range args {
		if e == nil {
			continue
		}
		out[i] = kernels.Arg{Type: e.Type(), Nullable: e.Nullable(), Const: a.constant(e), SQL: e.SQL()}
	}
	return out
}

// bind picks the implementation for the arguments' types and casts them.
func (a *Analyser) bind(f *kernels.Scalar, name string, args []Expr, span sql.Span) (Expr, error) {
	impl, err := f.Bind(a.Conf, a.kernelArgs(args))
	if err != nil {
		return nil, a.place(refuseTime(err, args), span)
	}
	cast, err := a.castArgs(args, impl.Args, span)
	if err != nil {
		return nil, err
	}
	if printedByName[name] {
		name = f.Name
	}
	text := name + "(" + joinSQL(args) + ")"
	switch {
	case impl.SQL != nil:
		text = asCalled(impl.SQL(sqls(args)), f.Name, name)
	case f.SQL != nil:
		text = asCalled(f.SQL(sqls(args)), f.Name, name)
	}
	return &Call{Fn: f, Name: f.Name, Args: cast, Impl: impl, Text: text, Span: span, src: a.Text}, nil
}

// timeFunctions make or take values of TIME, which Spark refuses by default.
var timeFunctions = map[string]bool{
	"time_trunc": true, "time_diff": true, "make_time": true, "to_time": true, "try_to_time": true,
	"time_from_seconds": true, "time_from_millis": true, "time_from_micros": true, "time_to_seconds": true,
	"time_to_millis": true, "time_to_micros": true,
}

// printedByName are the aliases under which Spark does not print a call.
var printedByName = map[string]bool{"curdate": true, "dateadd": true, "random": true, "array_agg": true, "current_database": true}

// asCalled prints a call under the alias by which it was made.
func asCalled(text, name, alias string) string {
	if rest, ok := strings.CutPrefix(text, name+"("); ok {
		return alias + "(" + rest
	}
	return text
}

// refuseTime is the error for a function that does not take its arguments:
// that TIME is not supported, if one is a TIME.
func refuseTime(err error, args []Expr) error {
	for _, e := range args {
		if e.Type().Kind == vector.KindTime {
			return condition.New("UNSUPPORTED_TIME_TYPE")
		}
	}
	return err
}

// castArgs casts arguments to the types that an implementation takes.
func (a *Analyser) castArgs(args []Expr, types []*vector.Type, span sql.Span) ([]Expr, error) {
	out := make([]Expr, len(args))
	for i, e := range args {
		out[i] = e
		if _, lambda := e.(*Lambda); lambda || i >= len(types) || types[i] == nil || e.Type().Equal(types[i]) {
			continue
		}
		c := a.implicit(e, types[i], span).(*Cast)
		if err := kernels.CheckCast(e.Type(), c.To, c.Mode, "CAST("+e.SQL()+" AS "+c.To.SQL()+")"); err != nil {
			return nil, a.place(err, span)
		}
		out[i] = c
	}
	return out, nil
}

func sqls(args []Expr) []string {
	out := make([]string, len(args))
	for i, e := range args {
		out[i] = e.SQL()
	}
	return out
}

func joinSQL(args []Expr) string { return strings.Join(sqls(args), ", ") }

// withText is a call under another printed form.
func withText(e Expr, text string) Expr {
	switch e := e.(type) {
	case *Call:
		c := *e
		c.Text = text
		return &c
	case *Cast:
		c := *e
		c.Child = withText(e.Child, text)
		return &c
	}
	return e
}

// literalFunctions need no parentheses.
var literalFunctions = map[string]string{
	"current_date": "current_date", "current_timestamp": "current_timestamp", "current_time": "current_time", "current_path": "current_path", "current_user": "current_user", "user": "current_user", "session_user": "current_user",
}

// literalFunction reads a name as a function without parentheses; nil if it is none.
func (a *Analyser) literalFunction(n *sql.Name) (Expr, error) {
	written := strings.ToLower(n.Parts[0].Name)
	if written == "grouping__id" {
		return &GroupingCall{ID: true, Text: written, Span: n.Span}, nil
	}
	name := literalFunctions[written]
	f, ok := kernels.Lookup(name)
	if !ok {
		return nil, nil
	}
	return a.bind(f, name, nil, n.Span)
}

// castFunctions are the types whose names are functions that cast.
var castFunctions = map[string]*vector.Type{
	"boolean": vector.Bool, "tinyint": vector.Byte, "smallint": vector.Short, "int": vector.Int, "bigint": vector.Long,
	"float": vector.Float, "double": vector.Double, "decimal": vector.Decimal(10, 0), "date": vector.Date,
	"timestamp": vector.Timestamp, "binary": vector.Binary, "string": vector.String,
}

// castFunction is int(x) and the like, which print as their argument.
func (a *Analyser) castFunction(t *vector.Type, name string, c *sql.Call, sc *Scope) (Expr, error) {
	if len(c.Args) != 1 {
		return nil, a.arity(name, len(c.Args), 1, 1, c.Span)
	}
	x, err := a.Expr(c.Args[0], sc)
	if err != nil {
		return nil, err
	}
	out := &Cast{Child: x, To: t, Mode: kernels.ModeOf(a.Conf.ANSI), Implicit: true, Span: c.Span, src: a.Text}
	if err := kernels.CheckCast(x.Type(), t, out.Mode, x.SQL()); err != nil {
		return nil, a.place(err, c.Span)
	}
	return out, nil
}
