package vstream

import (
	"strings"

	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/stream"
	"github.com/vstream/vstream/vector"
)

// Table is a query over streaming and static tables that has not been started. It
// is immutable: each method returns another Table.
type Table struct {
	s      *Session
	build  func(a *plan.Analyser) (plan.Node, error)
	schema *vector.Schema
	input  *stream.Input // set for a bare source, until it is named
}

// table analyses a table once, so that its errors show where it is written.
func (s *Session) table(build func(a *plan.Analyser) (plan.Node, error), in *stream.Input) (*Table, error) {
	n, err := build(s.analyser())
	if err != nil {
		return nil, err
	}
	t := &Table{s: s, build: build, schema: &vector.Schema{}, input: in}
	for _, c := range n.Output() {
		if !c.Hidden {
			t.schema.Fields = append(t.schema.Fields, vector.Field{Name: c.Name, Type: c.Typ, Nullable: c.Null})
		}
	}
	return t, nil
}

// SQL makes a table of a query in Spark's dialect. Errors carry Spark's condition
// and the position in the text.
func (s *Session) SQL(query string) (*Table, error) {
	stmt, err := sql.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	return s.table(func(a *plan.Analyser) (plan.Node, error) { return a.Query(stmt) }, nil)
}

// Table is a table by the name it was given with View.
func (s *Session) Table(name string) (*Table, error) {
	return s.SQL("SELECT * FROM " + vector.QuoteIfNeeded(name))
}

// Schema are the table's columns.
func (t *Table) Schema() *vector.Schema { return t.schema }

// View names the table, so that SQL can use it; a table of the same name is replaced.
func (t *Table) View(name string) error {
	if t.input != nil {
		t.input.Relation = name
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	key := strings.ToLower(name)
	if t.s.views[key] == nil {
		t.s.names = append(t.s.names, name)
	}
	t.s.views[key] = &plan.View{Name: name, Build: t.build}
	return nil
}

// WithWatermark sets the watermark of an event-time column: rows up to delay
// ("10 minutes") behind the highest time seen are waited for.
func (t *Table) WithWatermark(column, delay string) (*Table, error) {
	ms, err := plan.ParseDelay(delay)
	if err != nil {
		return nil, err
	}
	return t.derive(func(a *plan.Analyser, n plan.Node) (plan.Node, error) { return a.WithWatermark(n, column, ms) })
}

// Where keeps the rows for which a SQL condition is true.
func (t *Table) Where(cond string) (*Table, error) {
	return t.derive(func(a *plan.Analyser, n plan.Node) (plan.Node, error) { return a.Where(n, cond) })
}

// Select computes columns, each a SQL expression with an optional alias.
func (t *Table) Select(exprs ...string) (*Table, error) {
	return t.derive(func(a *plan.Analyser, n plan.Node) (plan.Node, error) { return a.Select(n, exprs) })
}

// DropDuplicates keeps the first row of each combination of the columns; without
// columns, of whole rows.
func (t *Table) DropDuplicates(columns ...string) (*Table, error) {
	return t.derive(func(a *plan.Analyser, n plan.Node) (plan.Node, error) { return a.DropDuplicates(n, columns, false) })
}

// DropDuplicatesWithinWatermark is DropDuplicates that forgets a key when the
// watermark is past the first row's time plus the delay.
func (t *Table) DropDuplicatesWithinWatermark(columns ...string) (*Table, error) {
	return t.derive(func(a *plan.Analyser, n plan.Node) (plan.Node, error) { return a.DropDuplicates(n, columns, true) })
}

func (t *Table) derive(fn func(a *plan.Analyser, n plan.Node) (plan.Node, error)) (*Table, error) {
	return t.s.table(func(a *plan.Analyser) (plan.Node, error) {
		n, err := t.build(a)
		if err != nil {
			return nil, err
		}
		return fn(a, n)
	}, t.input)
}
