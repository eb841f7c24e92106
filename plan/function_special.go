package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// specialForms are calls that are no plain functions of their arguments.
var specialForms map[string]func(a *Analyser, name string, c *sql.Call, sc *Scope) (Expr, error)

func init() {
	specialForms = map[string]func(a *Analyser, name string, c *sql.Call, sc *Scope) (Expr, error){
		"window":         (*Analyser).windowCall,
		"session_window": (*Analyser).sessionCall,
		"grouping":       (*Analyser).groupingCall,
		"grouping_id":    (*Analyser).groupingCall,
		"struct":         (*Analyser).structCall,

		"now": (*Analyser).clockCall, "current_timestamp": (*Analyser).clockCall, "localtimestamp": (*Analyser).clockCall,
	}
}

// clockCall is now() and the like with an optional precision, of which only the
// standard one is supported.
func (a *Analyser) clockCall(name string, c *sql.Call, sc *Scope) (Expr, error) {
	f, _ := kernels.Lookup(name)
	if len(c.Args) == 1 {
		if p, ok := ordinal(c.Args[0]); ok {
			kind := "TIMESTAMP_LTZ"
			if name == "localtimestamp" {
				kind = "TIMESTAMP_NTZ"
			}
			switch {
			case p < 6 || p > 9:
				return nil, a.errorAt(c.Span, "INVALID_TIMESTAMP_PRECISION", "precision", p, "type", kind)
			case p > 6:
				return nil, a.errorAt(c.Span, "VSTREAM_UNSUPPORTED", "feature", name+" with nanoseconds")
			}
			return a.bind(f, name, nil, c.Span)
		}
	}
	return a.scalar(f, name, c, sc)
}

// structCall is struct(a, b AS c).
func (a *Analyser) structCall(_ string, c *sql.Call, sc *Scope) (Expr, error) {
	return a.structOf("struct", c.Args, sc, c.Span)
}

// structOf is named_struct with the names of its elements: that of a column or
// field, the alias given, or col1, col2, … by position. name says how it prints.
func (a *Analyser) structOf(name string, elems []sql.Expr, sc *Scope, span sql.Span) (Expr, error) {
	var args []Expr
	var texts []string
	for _, e := range elems {
		values, names, err := a.structElement(e, len(args)/2, sc)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			args = append(args, StringLiteral(names[i]), v)
			text := v.SQL()
			if named := isNamed(e, v); named {
				text += " AS " + vector.QuoteIfNeeded(names[i])
			}
			texts = append(texts, text)
		}
	}
	out, err := a.call("named_struct", args, span)
	if err != nil || name != "struct" {
		return out, err
	}
	return withText(out, "struct("+strings.Join(texts, ", ")+")"), nil
}

// isNamed tells whether an element of struct() prints with its name: where it was
// given one, or is a field that a star stands for.
func isNamed(written sql.Expr, e Expr) bool {
	switch written.(type) {
	case *sql.Aliased:
		return true
	case *sql.Star:
		_, field := e.(*FieldAccess)
		return field
	}
	return false
}

// structElement binds one element, or the columns of a star, with their names.
func (a *Analyser) structElement(e sql.Expr, index int, sc *Scope) ([]Expr, []string, error) {
	if s, ok := e.(*sql.Star); ok {
		cols, err := a.star(s, sc)
		if err != nil {
			return nil, nil, err
		}
		names := make([]string, len(cols))
		for i, c := range cols {
			names[i] = OutputOf(c).Name
			if al, ok := c.(*Alias); ok {
				cols[i] = al.Child
			}
		}
		return cols, names, nil
	}
	v, err := a.Expr(withoutName(e), sc)
	if err != nil {
		return nil, nil, err
	}
	name := "col" + strconv.Itoa(index+1)
	switch x := v.(type) {
	case *Attr:
		name = x.Name
	case *FieldAccess:
		name = x.Name
	}
	if al, ok := e.(*sql.Aliased); ok {
		name = al.Names[0].Name
	}
	return []Expr{v}, []string{name}, nil
}

// groupingCall is grouping(column) or grouping_id(columns).
func (a *Analyser) groupingCall(name string, c *sql.Call, sc *Scope) (Expr, error) {
	if name == "grouping" && len(c.Args) != 1 {
		return nil, a.arity(name, len(c.Args), 1, 1, c.Span)
	}
	args, err := a.exprs(c.Args, sc)
	if err != nil {
		return nil, err
	}
	return &GroupingCall{Args: args, ID: name == "grouping_id", Text: name + "(" + joinSQL(args) + ")", Span: c.Span}, nil
}

// windowCall is window(time, width[, slide[, start]]).
func (a *Analyser) windowCall(name string, c *sql.Call, sc *Scope) (Expr, error) {
	if err := a.arity(name, len(c.Args), 2, 4, c.Span); err != nil {
		return nil, err
	}
	args, err := a.exprs(c.Args, sc)
	if err != nil {
		return nil, err
	}
	var micros [3]int64 // width, slide, start
	for i, e := range args[1:] {
		if micros[i], err = a.duration(e, c.Span); err != nil {
			return nil, err
		}
	}
	if len(args) == 2 {
		micros[1] = micros[0]
	}
	w := &TimeWindow{WidthMicros: micros[0], SlideMicros: micros[1], StartMicros: micros[2], Span: c.Span}
	w.Text = "window(" + args[0].SQL() + ", " + decimalText(micros[0]) + ", " + decimalText(micros[1]) + ", " + decimalText(micros[2]) + ")"
	if w.Time, err = a.windowTime(args[0], w.Text, c.Span); err != nil {
		return nil, err
	}
	return w, a.place(checkWindow(w), c.Span)
}

func decimalText(v int64) string { return strconv.FormatInt(v, 10) }

// checkWindow refuses windows that Spark's TimeWindow refuses.
func checkWindow(w *TimeWindow) error {
	text := `"` + w.Text + `"`
	limits := "(0, 9223372036854775807]"
	start := max(w.StartMicros, -w.StartMicros)
	switch {
	case w.WidthMicros <= 0:
		return condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", text, "exprName", "`window_duration`",
			"valueRange", limits, "currentValue", decimalText(w.WidthMicros)+"L")
	case w.SlideMicros <= 0:
		return condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", text, "exprName", "`slide_duration`",
			"valueRange", limits, "currentValue", decimalText(w.SlideMicros)+"L")
	case w.SlideMicros > w.WidthMicros:
		return condition.New("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "sqlExpr", text,
			"leftExprName", "`slide_duration`", "leftExprValue", decimalText(w.SlideMicros)+"L", "constraint", "<=",
			"rightExprName", "`window_duration`", "rightExprValue", decimalText(w.WidthMicros)+"L")
	case start >= w.SlideMicros:
		return condition.New("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "sqlExpr", text,
			"leftExprName", "`abs(start_time)`", "leftExprValue", decimalText(start)+"L", "constraint", "<",
			"rightExprName", "`slide_duration`", "rightExprValue", decimalText(w.SlideMicros)+"L")
	}
	return nil
}

// duration reads a constant of window(): a string, or microseconds.
func (a *Analyser) duration(e Expr, span sql.Span) (int64, error) {
	if s, ok := stringConst(e); ok {
		months, days, micros, ok := text.ParseInterval([]byte(s))
		switch {
		case !ok:
			return 0, a.errorAt(span, "CANNOT_PARSE_INTERVAL", "intervalString", "'"+s+"'")
		case months != 0:
			return 0, a.errorAt(span, "_LEGACY_ERROR_TEMP_3231", "interval", s)
		}
		return int64(days)*microsPerDay + micros, nil
	}
	l, ok := e.(*Literal)
	if ok && !l.Value.IsNull(0) {
		switch l.Typ.Kind {
		case vector.KindInt:
			return int64(vector.Values[int32](l.Value.Arr)[0]), nil
		case vector.KindLong:
			return vector.Values[int64](l.Value.Arr)[0], nil
		}
	}
	return 0, a.errorAt(span, "_LEGACY_ERROR_TEMP_1207")
}

// windowTime is the time of a window: a timestamp, or the time of another
// window's last moment.
func (a *Analyser) windowTime(e Expr, text string, span sql.Span) (Expr, error) {
	if attr, ok := e.(*Attr); ok && attr.Window {
		return a.call("window_time", []Expr{e}, span)
	}
	ltz, ntz := windowStruct(vector.Timestamp), windowStruct(vector.TimestampNTZ)
	want := kernels.OneOf(kernels.AnyTimestamp, kernels.Exactly(ltz), kernels.Exactly(ntz))
	t, ok := kernels.ImplicitCast(a.Conf, e.Type(), kernels.AnyTimestamp)
	if !ok {
		return nil, a.place(kernels.UnexpectedInput(text, 0, want, kernels.Arg{Type: e.Type(), SQL: e.SQL()}), span)
	}
	return a.implicit(e, t, span), nil
}

func windowStruct(t *vector.Type) *vector.Type {
	return vector.StructOf(vector.Field{Name: "start", Type: t, Nullable: true}, vector.Field{Name: "end", Type: t, Nullable: true})
}

// sessionCall is session_window(time, gap).
func (a *Analyser) sessionCall(name string, c *sql.Call, sc *Scope) (Expr, error) {
	if err := a.arity(name, len(c.Args), 2, 2, c.Span); err != nil {
		return nil, err
	}
	args, err := a.exprs(c.Args, sc)
	if err != nil {
		return nil, err
	}
	w := &TimeWindow{Session: true, Text: "sessionwindow(" + joinSQL(args) + ")", Span: c.Span}
	if w.Time, err = a.windowTime(args[0], w.Text, c.Span); err != nil {
		return nil, err
	}
	switch args[1].Type().Kind {
	case vector.KindString, vector.KindCalendarInterval, vector.KindNull:
		w.Gap = a.implicit(args[1], vector.CalendarInterval, c.Span)
	default:
		return nil, a.place(kernels.UnexpectedInput(w.Text, 1, kernels.AnyCalendar,
			kernels.Arg{Type: args[1].Type(), SQL: args[1].SQL()}), c.Span)
	}
	return w, nil
}
