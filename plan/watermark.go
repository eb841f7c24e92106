package plan

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// millisPerMonth: Spark counts 31 days for a month of a watermark delay.
const millisPerMonth = 31 * 24 * 60 * 60 * 1000

// watermarkNumbers numbers the Watermark nodes of a query. A view that is read in several
// places has its watermarks once, as in Spark: their event times count together.
type watermarkNumbers struct {
	next   int
	ofView map[*View][]int
	given  []int
	again  []int // what is given next, of a view that is built again
}

func (a *Analyser) numbers() *watermarkNumbers {
	if a.watermarks == nil {
		a.watermarks = &watermarkNumbers{}
	}
	return a.watermarks
}

// NextWatermark numbers a Watermark node.
func (a *Analyser) NextWatermark() int {
	w := a.numbers()
	n := w.next
	if len(w.again) > 0 {
		n, w.again = w.again[0], w.again[1:]
	} else {
		w.next++
	}
	w.given = append(w.given, n)
	return n
}

// buildView makes the nodes of a view, which are others in each place.
func (a *Analyser) buildView(v *View) (Node, error) {
	w := a.numbers()
	if len(w.again) > 0 {
		return v.Build(a) // within a view that is built again
	}
	numbers, known := w.ofView[v]
	if known {
		w.again = numbers
		return v.Build(a)
	}
	first := len(w.given)
	n, err := v.Build(a)
	if w.ofView == nil {
		w.ofView = map[*View][]int{}
	}
	w.ofView[v] = w.given[first:len(w.given):len(w.given)]
	return n, err
}

// watermarkClause is WATERMARK expr [AS name] DELAY OF interval. An expression that is
// not a column needs a name and becomes a further column.
func (a *Analyser) watermarkClause(n Node, w *sql.Watermark) (Node, error) {
	e, err := a.Expr(w.Expr, &Scope{Columns: n.Output()})
	if err != nil {
		return nil, err
	}
	delay, err := a.delay(w.Delay)
	if err != nil {
		return nil, err
	}
	column, plain := e.(*Attr)
	if !plain || w.Alias.Name != "" {
		if w.Alias.Name == "" {
			return nil, a.errorAt(w.Expr.Pos(), "REQUIRES_EXPLICIT_NAME_IN_WATERMARK_CLAUSE", "sqlExpr", sql.Text(w.Expr, a.Text))
		}
		al := NewAlias(e, w.Alias.Name)
		n = &Project{Exprs: append(asExprs(n.Output()), al), Input: n}
		column = al.Attr
	}
	out, err := a.watermark(n, column, delay)
	return out, a.place(err, w.Expr.Pos())
}

// delay is the constant interval of a watermark in milliseconds.
func (a *Analyser) delay(e sql.Expr) (int64, error) {
	x, err := a.Expr(e, &Scope{})
	if err != nil {
		return 0, err
	}
	l, ok := x.(*Literal)
	if !ok {
		return 0, a.errorAt(e.Pos(), "PARSE_SYNTAX_ERROR", "error", sql.Text(e, a.Text), "hint", "")
	}
	switch l.Typ.Kind {
	case vector.KindDayTimeInterval:
		return vector.Values[int64](l.Value.Arr)[0] / 1000, nil
	case vector.KindYearMonthInterval:
		return int64(vector.Values[int32](l.Value.Arr)[0]) * millisPerMonth, nil
	}
	return 0, a.errorAt(e.Pos(), "PARSE_SYNTAX_ERROR", "error", sql.Text(e, a.Text), "hint", "")
}

// WithWatermark sets the watermark of a column by name, delayMs behind its highest
// value, as Dataset.withWatermark does.
func (a *Analyser) WithWatermark(n Node, column string, delayMs int64) (Node, error) {
	e, err := a.nameIn(column, n.Output())
	if err != nil {
		return nil, err
	}
	c, ok := e.(*Attr)
	if !ok {
		return nil, condition.New("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", "eventName", "`"+column+"`", "eventType", quoteType(e.Type()))
	}
	return a.watermark(n, c, delayMs)
}

// nameIn resolves a column name that stands outside a statement.
func (a *Analyser) nameIn(name string, cols []*Attr) (Expr, error) {
	x, err := sql.ParseExpression(name)
	if err != nil {
		return nil, err
	}
	return a.forText(name).Expr(x, &Scope{Columns: cols})
}

func (a *Analyser) watermark(n Node, c *Attr, delayMs int64) (Node, error) {
	if delayMs < 0 {
		return nil, condition.New("VSTREAM_INVALID_VALUE", "what", "the delay of a watermark", "value", itoa(int(delayMs))+" ms").
			WithHint("a delay says how far rows may be behind the latest event time: it is zero or positive")
	}
	if c.Typ.Kind != vector.KindTimestamp {
		return nil, condition.New("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", "eventName", "`"+c.Name+"`", "eventType", quoteType(c.Typ))
	}
	w := &Watermark{Column: c, Delay: Delay{Ms: delayMs, Node: a.NextWatermark()}, Input: n}
	for _, o := range n.Output() {
		m := *o
		// A later watermark takes the place of one on another column.
		m.Delay = nil
		if o.ID == c.ID {
			d := w.Delay
			m.Delay = &d
		}
		w.Attrs = append(w.Attrs, &m)
	}
	return w, nil
}
