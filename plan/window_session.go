package plan

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// sessionWindow puts the session of each row alone, from its time to the end of its gap,
// into a column "session_window" of a node over n, as Spark's SessionWindowing does. Rows
// with a null time, or a gap that is not positive, are dropped. The aggregation by the
// column merges the sessions.
func (a *Analyser) sessionWindow(n Node, w *TimeWindow) (Node, *Attr, error) {
	end, err := a.call("$session_end", []Expr{w.Time, w.Gap}, w.Span)
	if err != nil {
		return nil, nil, err
	}
	value, err := a.call("named_struct", []Expr{StringLiteral("start"), w.Time, StringLiteral("end"), end}, w.Span)
	if err != nil {
		return nil, nil, err
	}
	column := &Attr{ID: NewID(), Name: "session_window", Typ: w.Type(), Window: true, Session: true, Delay: delayOf(w.Time)}
	if n, err = a.notNull(n, w.Time, w.Span); err != nil {
		return nil, nil, err
	}
	exprs := append(asExprs(n.Output()), &Alias{ID: column.ID, Name: column.Name, Child: value, Attr: column})
	n = &Project{Exprs: exprs, Input: n}
	if a.positiveGap(w.Gap) {
		return n, column, nil
	}
	if v := a.constant(w.Gap); v != nil && v.IsNull(0) {
		// NULL, or a text that is no interval: there are no sessions.
		return &Filter{Cond: BoolLiteral(false), Input: n}, column, nil
	}
	positive, err := a.call(">", []Expr{
		&FieldAccess{Child: column, Ordinal: 1, Name: "end"}, &FieldAccess{Child: column, Ordinal: 0, Name: "start"},
	}, w.Span)
	if err != nil {
		return nil, nil, err
	}
	return &Filter{Cond: positive, Input: n}, column, nil
}

// positiveGap tells whether a gap is a constant that Spark takes for positive: the sum of
// its months, days and microseconds is.
func (a *Analyser) positiveGap(gap Expr) bool {
	v := a.constant(gap)
	if v == nil || v.IsNull(0) {
		return false
	}
	g := vector.Values[arrow.MonthDayNanoInterval](v.Arr)[0]
	return int64(g.Months)+int64(g.Days)+g.Nanoseconds/1000 > 0
}
