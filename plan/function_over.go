package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// windowFunctions are the functions that only mean something with OVER, with
// their least and greatest number of arguments and their result; nil: the type of
// the first argument.
var windowFunctions = map[string]struct {
	least, most int
	result      *vector.Type
}{
	"row_number": {0, 0, vector.Int}, "rank": {0, -1, vector.Int}, "dense_rank": {0, -1, vector.Int},
	"percent_rank": {0, -1, vector.Double}, "cume_dist": {0, 0, vector.Double}, "ntile": {0, 1, vector.Int},
	"lag": {0, 3, nil}, "lead": {0, 3, nil}, "nth_value": {2, 2, nil},
}

func isWindowFunction(name string) bool {
	_, ok := windowFunctions[name]
	return ok
}

// withoutOver is the error for a window function without OVER.
func (a *Analyser) withoutOver(name string, c *sql.Call, sc *Scope) error {
	f, err := a.windowFunction(name, c, sc)
	if err != nil {
		return err
	}
	return a.errorAt(c.Span, "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "funcName", quoteSQL(f))
}

// windowFunction binds row_number(), lag(x, n, default) and the like as a Call
// that has a type but no kernel: only the WindowFn operator computes it.
func (a *Analyser) windowFunction(name string, c *sql.Call, sc *Scope) (Expr, error) {
	def := windowFunctions[name]
	if err := a.arity(name, len(c.Args), def.least, def.most, c.Span); err != nil {
		return nil, err
	}
	args, err := a.exprs(c.Args, sc)
	if err != nil {
		return nil, err
	}
	if (name == "lag" || name == "lead") && len(args) > 1 && !Foldable(args[1]) {
		return nil, a.offsetNotConstant(name, args, c.Span)
	}
	if err := a.checkWindowArgs(name, args, c.Span); err != nil {
		return nil, err
	}
	switch {
	case name == "ntile" && len(args) == 0:
		args = append(args, IntLiteral(1))
	case name == "lag" || name == "lead":
		if len(args) == 0 {
			args = append(args, NullLiteral(vector.Null))
		}
		if len(args) == 1 {
			args = append(args, IntLiteral(1))
		}
		if len(args) == 2 {
			args = append(args, NullLiteral(vector.Null))
		}
	}
	impl := &kernels.Impl{Args: make([]*vector.Type, len(args)), Result: def.result, Nullable: def.result == nil, Volatile: true}
	if strings.HasSuffix(name, "rank") { // whose arguments say nothing that ORDER BY does not
		args = nil
	}
	text := name + "(" + joinSQL(args) + ")"
	if strings.HasSuffix(name, "rank") {
		text = strings.ToUpper(text)
	}
	if def.result == nil {
		impl.Result = args[0].Type()
	}
	switch name {
	case "lag", "lead":
		impl.Args[1], impl.Args[2] = vector.Int, impl.Result
		if d := args[2].Type(); d.Kind != vector.KindNull && !kernels.CanCast(d, impl.Result, kernels.ModeOf(a.Conf.ANSI)) {
			return nil, a.place(kernels.UnexpectedInput(text, 2, kernels.OneOf(kernels.Exactly(impl.Result), kernels.Exactly(vector.Null)),
				kernels.Arg{Type: d, SQL: args[2].SQL()}), c.Span)
		}
	case "nth_value":
		impl.Args[1] = vector.Int
	}
	cast, err := a.castArgs(args, impl.Args, c.Span)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: &kernels.Scalar{Name: name}, Name: name, Args: cast, Impl: impl, Text: text, Span: c.Span, src: a.Text}, nil
}

// checkWindowArgs refuses counts and distances that are no constants of their type.
func (a *Analyser) checkWindowArgs(name string, args []Expr, at sql.Span) error {
	text := name + "(" + joinSQL(args) + ")"
	notConstant := func(i int, what string) error {
		return a.errorAt(at, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "inputName", "`"+what+"`", "inputType", quoteType(args[i].Type()),
			"inputExpr", quoteSQL(args[i]), "sqlExpr", `"`+text+`"`)
	}
	switch {
	case name == "nth_value" && !Foldable(args[1]):
		return notConstant(1, "offset")
	case name == "ntile" && len(args) == 1:
		if !Foldable(args[0]) {
			return notConstant(0, "buckets")
		}
		if args[0].Type().Kind != vector.KindInt {
			return a.place(kernels.UnexpectedInput(text, 0, kernels.Int, kernels.Arg{Type: args[0].Type(), SQL: args[0].SQL()}), at)
		}
	case (name == "lag" || name == "lead") && len(args) > 1:
		if v := a.constant(args[1]); args[1].Type().Kind != vector.KindInt || v == nil || v.IsNull(0) {
			// Spark has rows at a distance of INT only, and cannot negate a text.
			if name == "lag" && args[1].Type().Kind == vector.KindString {
				return a.errorAt(at, "FAILED_FUNCTION_CALL", "funcName", "`lag`")
			}
			return a.errorAt(at, "_LEGACY_ERROR_TEMP_1035", "prettyName", name)
		}
	}
	return nil
}

func (a *Analyser) offsetNotConstant(name string, args []Expr, span sql.Span) error {
	offset := args[1].SQL()
	if name == "lag" {
		offset = "(- " + offset + ")"
	}
	text := name + "(" + joinSQL(args) + ")"
	if len(args) == 2 {
		text = name + "(" + joinSQL(args) + ", NULL)"
	}
	return a.errorAt(span, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "inputName", "`offset`", "inputType", quoteType(args[1].Type()),
		"inputExpr", `"`+offset+`"`, "sqlExpr", `"`+text+`"`)
}

// over binds f(…) OVER (…).
func (a *Analyser) over(name string, c *sql.Call, sc *Scope) (Expr, error) {
	inner := *c
	inner.Over = nil
	if syntax := aggregateSyntax(c); isWindowFunction(name) && syntax != "" && c.IgnoreNulls == "" {
		return nil, a.errorAt(c.Span, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", "prettyName", quoteParts([]string{name}), "syntax", syntax)
	}
	f, err := a.overFunction(name, &inner, sc)
	if err != nil {
		return nil, err
	}
	spec, err := a.windowSpec(c.Over, sc)
	if err != nil {
		return nil, err
	}
	out := &WindowCall{Fn: f, IgnoreNulls: isWindowFunction(name) && c.IgnoreNulls == "IGNORE", Span: c.Span}
	if out.PartitionBy, err = a.exprs(spec.PartitionBy, sc); err != nil {
		return nil, err
	}
	if out.OrderBy, err = a.sortKeys(spec.OrderBy, sc); err != nil {
		return nil, err
	}
	if spec.Frame != nil {
		out.Frame = &Frame{Rows: spec.Frame.Unit == "ROWS"}
		if out.Frame.Lo, err = a.frameBound(spec.Frame.Lo, sc); err != nil {
			return nil, err
		}
		if out.Frame.Hi, err = a.frameBound(spec.Frame.Hi, sc); err != nil {
			return nil, err
		}
	}
	if f := out.Frame; f != nil && !f.Rows && len(out.OrderBy) == 1 {
		for _, b := range []*FrameBound{&f.Lo, &f.Hi} {
			t := out.OrderBy[0].Expr.Type()
			b.Cast = b.N != nil && t.Numeric() && !b.N.Type().Equal(t)
		}
	}
	text := f.SQL()
	if out.IgnoreNulls && name == "nth_value" { // lag and lead print without
		text += " ignore nulls"
	}
	if err := a.checkFrame(name, out, c.Over.Span); err != nil {
		return nil, err
	}
	if err := a.checkOrder(out); err != nil {
		return nil, err
	}
	out.Text = text + " OVER (" + overText(out, name) + ")"
	if err := a.rangeBounds(out); err != nil {
		return nil, err
	}
	if isWindowFunction(name) && len(out.OrderBy) == 0 {
		return nil, a.errorAt(c.Span, "WINDOW_FUNCTION_FRAME_NOT_ORDERED", "wf_name", name, "wf_expr", f.SQL())
	}
	if g, ok := f.(*AggCall); ok && g.Distinct {
		return nil, a.errorAt(c.Span, "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "windowExpr", quoteSQL(out))
	}
	return out, nil
}

// checkOrder refuses to divide or order rows by what has no order.
func (a *Analyser) checkOrder(w *WindowCall) error {
	for _, k := range w.OrderBy {
		if !kernels.Orderable(k.Expr.Type()) {
			return a.unorderable(k, w.Span)
		}
	}
	for _, e := range w.PartitionBy {
		if !kernels.Orderable(e.Type()) {
			return a.errorAt(w.Span, "EXPRESSION_TYPE_IS_NOT_ORDERABLE", "expr", quoteSQL(e), "exprType", quoteType(e.Type()))
		}
	}
	return nil
}

// checkFrame refuses frames that a function does not take, and those whose bounds do not
// go together.
func (a *Analyser) checkFrame(name string, w *WindowCall, at sql.Span) error {
	f := w.Frame
	if f == nil {
		return nil
	}
	if name == "lag" || name == "lead" {
		return a.errorAt(at, "_LEGACY_ERROR_TEMP_1035", "prettyName", name)
	}
	if isWindowFunction(name) && name != "nth_value" {
		if f.Rows == (name == "cume_dist") || f.Lo.Kind != "UNBOUNDED PRECEDING" || f.Hi.Kind != "CURRENT ROW" {
			return a.errorAt(at, "_LEGACY_ERROR_TEMP_1036", "wf", f.text(), "required", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
		}
	}
	if f.Lo.Kind == "UNBOUNDED FOLLOWING" || f.Hi.Kind == "UNBOUNDED PRECEDING" {
		return a.errorAt(at, "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND", "sqlExpr", `"`+f.text()+`"`,
			"upper", `"`+f.Hi.text()+`"`, "lower", `"`+f.Lo.text()+`"`)
	}
	lo, hi := f.Lo.N, f.Hi.N
	for i, n := range []Expr{lo, hi} {
		if f.Rows && n != nil && n.Type().Kind != vector.KindInt {
			return a.errorAt(at, "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE", "sqlExpr", `"`+f.text()+`"`,
				"location", []string{"lower", "upper"}[i], "exprType", quoteType(n.Type()), "expectedType", `"INT"`)
		}
	}
	if lo == nil || hi == nil {
		return nil
	}
	if !f.Rows && !lo.Type().Equal(hi.Type()) && !(lo.Type().Numeric() && hi.Type().Numeric()) {
		return a.errorAt(at, "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES", "sqlExpr", `"`+f.text()+`"`,
			"lower", f.Lo.signed(), "upper", f.Hi.signed(), "lowerType", quoteType(lo.Type()), "upperType", quoteType(hi.Type()))
	}
	if l, ok := a.offset(f.Lo); ok {
		if h, ok := a.offset(f.Hi); ok && l > h {
			return a.errorAt(at, "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", "sqlExpr", `"`+f.text()+`"`, "comparison", "less than or equal")
		}
	}
	return nil
}

// offset is a bound as a number of rows after the row; false if it is of another type.
func (a *Analyser) offset(b FrameBound) (int64, bool) {
	v := a.constant(a.implicit(b.N, vector.Long, sql.Span{}))
	if !b.N.Type().Numeric() || v == nil || v.IsNull(0) {
		return 0, false
	}
	n := vector.Values[int64](v.Arr)[0]
	if b.Kind == "PRECEDING" {
		n = -n
	}
	return n, true
}

// signed prints a bound's value as Spark has it: that before the row negated.
func (b FrameBound) signed() string {
	if b.Kind == "PRECEDING" {
		return `"(- ` + b.N.SQL() + `)"`
	}
	return quoteSQL(b.N)
}

func (f *Frame) text() string {
	unit := "RANGE"
	if f.Rows {
		unit = "ROWS"
	}
	return unit + " BETWEEN " + f.Lo.text() + " AND " + f.Hi.text()
}

// rangeBounds computes the order key at the bounds of RANGE BETWEEN n PRECEDING AND …
func (a *Analyser) rangeBounds(w *WindowCall) error {
	if w.Frame == nil || w.Frame.Rows {
		return nil
	}
	for _, b := range []*FrameBound{&w.Frame.Lo, &w.Frame.Hi} {
		if b.N == nil {
			continue
		}
		switch len(w.OrderBy) {
		case 0:
			return a.errorAt(w.Span, "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", "sqlExpr", quoteSQL(w))
		case 1:
		default:
			keys := make([]string, len(w.OrderBy))
			for i, k := range w.OrderBy {
				keys[i] = k.SQL()
			}
			return a.errorAt(w.Span, "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", "sqlExpr", quoteSQL(w), "orderSpec", strings.Join(keys, ","))
		}
		key, op := w.OrderBy[0], "+"
		if (b.Kind == "PRECEDING") != key.Desc {
			op = "-"
		}
		n, t := b.N, key.Expr.Type()
		if t.Numeric() && n.Type().Numeric() {
			n = a.implicit(n, t, w.Span)
		}
		value, err := a.call(op, []Expr{key.Expr, n}, w.Span)
		if err == nil && t.Numeric() && value.Type().Numeric() {
			value = a.implicit(value, t, w.Span) // a sum of decimals has more digits
		}
		if err != nil || !value.Type().Equal(t) {
			return a.errorAt(w.Span, "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE", "sqlExpr", quoteSQL(w),
				"orderSpecType", quoteType(key.Expr.Type()), "valueBoundaryType", quoteType(b.N.Type()))
		}
		b.Value = value
	}
	return nil
}

func (a *Analyser) overFunction(name string, c *sql.Call, sc *Scope) (Expr, error) {
	if isWindowFunction(name) {
		if c.IgnoreNulls == "IGNORE" && windowFunctions[name].result != nil {
			return nil, a.errorAt(c.Span, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
				"prettyName", quoteParts([]string{name}), "syntax", "IGNORE NULLS")
		}
		return a.windowFunction(name, c, sc)
	}
	if f, ok := agg.Lookup(name); ok {
		return a.aggregate(f, name, c, sc)
	}
	e, err := a.functionCall(c, sc)
	if err != nil {
		return nil, err
	}
	if g := nestedGenerator(e); g != nil {
		return nil, a.errorAt(c.Span, "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "expression", quoteSQL(e))
	}
	return nil, a.errorAt(c.Span, "UNSUPPORTED_EXPR_FOR_WINDOW", "sqlExpr", quoteSQL(e))
}

// windowSpec is the definition that OVER gives or names.
func (a *Analyser) windowSpec(w *sql.WindowSpec, sc *Scope) (*sql.WindowSpec, error) {
	if w.Ref.Name == "" {
		return w, nil
	}
	for _, d := range sc.Windows {
		if !a.same(d.Name.Name, w.Ref.Name) {
			continue
		}
		if d.Spec.Ref.Name == "" {
			return d.Spec, nil
		}
		rest := *sc // w2 AS w1: among the others, so that names do not go in circles
		rest.Windows = slices.DeleteFunc(slices.Clone(sc.Windows), func(x *sql.NamedWindow) bool { return x == d })
		return a.windowSpec(d.Spec, &rest)
	}
	return nil, a.errorAt(w.Span, "MISSING_WINDOW_SPECIFICATION", "windowName", w.Ref.Name, "docroot", docRoot)
}

func (a *Analyser) frameBound(b sql.FrameBound, sc *Scope) (FrameBound, error) {
	out := FrameBound{Kind: b.Kind}
	if b.N == nil {
		return out, nil
	}
	n, err := a.Expr(b.N, sc)
	if err != nil {
		return out, err
	}
	if !Foldable(n) {
		return out, a.errorAt(b.N.Pos(), "INVALID_SQL_SYNTAX.INVALID_WINDOW_FRAME_BOUND")
	}
	out.N = n
	return out, nil
}

// overText prints what stands in the parentheses of OVER, the default frame included.
func overText(w *WindowCall, name string) string {
	var parts []string
	if len(w.PartitionBy) > 0 {
		parts = append(parts, "PARTITION BY "+joinSQL(w.PartitionBy))
	}
	if len(w.OrderBy) > 0 {
		keys := make([]string, len(w.OrderBy))
		for i, k := range w.OrderBy {
			keys[i] = k.SQL()
		}
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	switch {
	case w.Frame != nil:
		parts = append(parts, w.Frame.text())
	case name == "lag" || name == "lead":
		offset := w.Fn.Children()[1].SQL()
		if v, err := evaluate(&kernels.Ctx{}, w.Fn.Children()[1]); name == "lag" && err == nil {
			offset = strconv.Itoa(-int(vector.Values[int32](v.Arr)[0]))
		}
		parts = append(parts, "ROWS BETWEEN "+offset+" FOLLOWING AND "+offset+" FOLLOWING")
	case isWindowFunction(name) && name != "nth_value" && name != "cume_dist":
		parts = append(parts, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	case len(w.OrderBy) > 0:
		parts = append(parts, "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	default:
		parts = append(parts, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
	}
	return strings.Join(parts, " ")
}

func (b FrameBound) text() string {
	switch {
	case b.N == nil:
		return b.Kind
	case b.Cast && b.Kind == "PRECEDING": // Spark then does not see the number that it negates
		return "(- " + b.N.SQL() + ") FOLLOWING"
	}
	return b.N.SQL() + " " + b.Kind
}
