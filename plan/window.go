package plan

import (
	"fmt"

	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// lowerWindows replaces window() in expressions by a column that a Project
// (tumbling) or Expand (sliding) below computes, as Spark's TimeWindowing does. Rows
// with a null time are dropped. All expressions may name one window only.
func (a *Analyser) lowerWindows(n Node, exprs []Expr) (Node, []Expr, error) {
	var found *TimeWindow
	key := ""
	for _, e := range exprs {
		var second *TimeWindow
		Walk(e, func(x Expr) bool {
			w, ok := x.(*TimeWindow)
			if !ok {
				return true
			}
			switch f := Fingerprint(w); {
			case found == nil:
				found, key = w, f
			case f != key:
				second = w
			}
			return false
		})
		if second != nil {
			return nil, nil, a.errorAt(second.Span, "_LEGACY_ERROR_TEMP_1039")
		}
	}
	if found == nil {
		return n, exprs, nil
	}
	lower := a.timeWindow
	if found.Session {
		lower = a.sessionWindow
	}
	n, column, err := lower(n, found)
	if err != nil {
		return nil, nil, err
	}
	out := make([]Expr, len(exprs))
	for i, e := range exprs {
		out[i] = replaceWindow(e, key, column)
	}
	return n, out, nil
}

func replaceWindow(e Expr, key string, column *Attr) Expr {
	if w, ok := e.(*TimeWindow); ok && Fingerprint(w) == key {
		return column
	}
	kids := e.Children()
	if len(kids) == 0 {
		return e
	}
	out := make([]Expr, len(kids))
	changed := false
	for i, k := range kids {
		out[i] = replaceWindow(k, key, column)
		changed = changed || out[i] != k
	}
	if !changed {
		return e
	}
	return e.WithChildren(out)
}

// timeWindow puts the window of w into a column "window" of a node over n.
func (a *Analyser) timeWindow(n Node, w *TimeWindow) (Node, *Attr, error) {
	column := &Attr{ID: NewID(), Name: "window", Typ: w.Type(), Window: true, WindowText: w.definition(), Delay: delayOf(w.Time)}
	if w.SlideMicros == w.WidthMicros {
		value, err := a.windowStruct(w, 0)
		if err != nil {
			return nil, nil, err
		}
		if n, err = a.notNull(n, w.Time, w.Span); err != nil {
			return nil, nil, err
		}
		exprs := append(asExprs(n.Output()), &Alias{ID: column.ID, Name: column.Name, Child: value, Attr: column})
		return &Project{Exprs: exprs, Input: n}, column, nil
	}
	overlap := int((w.WidthMicros + w.SlideMicros - 1) / w.SlideMicros)
	n, err := a.notNull(n, w.Time, w.Span)
	if err != nil {
		return nil, nil, err
	}
	x := &Expand{Attrs: append(append([]*Attr{}, n.Output()...), column), Input: n}
	for i := range overlap {
		value, err := a.windowStruct(w, i)
		if err != nil {
			return nil, nil, err
		}
		x.Projections = append(x.Projections, append(asExprs(n.Output()), value))
	}
	if w.WidthMicros%w.SlideMicros == 0 {
		x.Window, x.Slide = column.ID, w.SlideMicros
		return x, column, nil
	}
	// The first or last of the overlapping windows may not hold the row.
	in, err := a.inWindow(w.Time, column, w.Span)
	if err != nil {
		return nil, nil, err
	}
	return &Filter{Cond: in, Input: x}, column, nil
}

// windowStruct is struct<start, end> of the i-th window, from the latest back, that may hold the row.
func (a *Analyser) windowStruct(w *TimeWindow, i int) (Expr, error) {
	start, err := a.call("$window_start", []Expr{w.Time, LongLiteral(w.SlideMicros), LongLiteral(w.StartMicros), LongLiteral(int64(i))}, w.Span)
	if err != nil {
		return nil, err
	}
	width := fixedLiteral(vector.DayTime, w.WidthMicros, fmt.Sprintf("%d µs", w.WidthMicros))
	end, err := a.call("+", []Expr{start, width}, w.Span)
	if err != nil {
		return nil, err
	}
	return a.call("named_struct", []Expr{StringLiteral("start"), start, StringLiteral("end"), end}, w.Span)
}

// notNull drops the rows without a time, which are in no window.
func (a *Analyser) notNull(n Node, e Expr, at sql.Span) (Node, error) {
	if !e.Nullable() {
		return n, nil
	}
	cond, err := a.call("isnotnull", []Expr{e}, at)
	if err != nil {
		return nil, err
	}
	if c, ok := cond.(*Call); ok {
		c.NeedsTime = true
	}
	return &Filter{Cond: cond, Input: n}, nil
}

// NeededTimes takes the null tests of windows out of a condition: times are what they
// test, rest is what else there is, nil if nothing.
func NeededTimes(cond Expr) (times []Expr, rest Expr) {
	var others []Expr
	for _, e := range conjuncts(cond) {
		if c, ok := e.(*Call); ok && c.NeedsTime {
			times = append(times, c.Args[0])
		} else {
			others = append(others, e)
		}
	}
	if len(times) == 0 {
		return nil, cond
	}
	if len(others) > 0 {
		rest = conjunction(others)
	}
	return times, rest
}

// inWindow is time >= window.start AND time < window.end.
func (a *Analyser) inWindow(time Expr, window *Attr, at sql.Span) (Expr, error) {
	lo, err := a.call(">=", []Expr{time, &FieldAccess{Child: window, Ordinal: 0, Name: "start"}}, at)
	if err != nil {
		return nil, err
	}
	hi, err := a.call("<", []Expr{time, &FieldAccess{Child: window, Ordinal: 1, Name: "end"}}, at)
	if err != nil {
		return nil, err
	}
	return a.call("and", []Expr{lo, hi}, at)
}

// definition is what distinguishes the window from another one over the same time.
func (w *TimeWindow) definition() string {
	return fmt.Sprintf("width %d µs, slide %d µs, start %d µs", w.WidthMicros, w.SlideMicros, w.StartMicros)
}
