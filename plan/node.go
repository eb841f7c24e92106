package plan

import (
	"github.com/vstream/vstream/vector"
)

// Node is a logical operator. Nodes are immutable; rewriting makes new ones.
type Node interface {
	// Output are the columns it produces, in order.
	Output() []*Attr
	Inputs() []Node
	WithInputs(in []Node) Node
	// Streaming tells whether a streaming relation is below.
	Streaming() bool
}

// Relation is a table of the catalog: a streaming source or a static table.
type Relation struct {
	Name     string
	IsStream bool
	Schema   *vector.Schema // full schema of the source
	Hidden   []vector.Field // source.HiddenColumns
	Handle   any            // what the session registered; the plan only passes it through
	Attrs    []*Attr        // visible, then hidden columns; after pruning only those that are used
	Ordinals []int          // of each of Attrs: its index in Schema, then Hidden
	// DropsFiltered: the reader takes simple filters, and rows that fail them do not
	// count as input (Spark's JSON and CSV readers).
	DropsFiltered bool
	// Filter was pushed down into the scan: rows that fail it are dropped
	// there. Nil: none. The plan keeps no other copy of it.
	Filter Expr
}

// OneRow is the relation of a SELECT without FROM: one row, no columns.
type OneRow struct{}

// Values are literal rows.
type Values struct {
	Attrs []*Attr
	Rows  [][]Expr // literals or foldable expressions
}

// Project computes columns: each expression is an *Attr or an *Alias.
type Project struct {
	Exprs []Expr
	Input Node
}

// Filter keeps rows whose condition is true.
type Filter struct {
	Cond  Expr
	Input Node
}

// Watermark sets the watermark of an event-time column. Node numbers the
// Watermark nodes of a query from 0 in the order of the plan.
type Watermark struct {
	Column *Attr
	Delay  Delay
	Attrs  []*Attr // the input's columns, the event-time one marked
	Input  Node
}

// Aggregate groups by Keys (each an *Attr of the input: expressions are computed by a Project
// below) and computes Aggs. Its output is keys then aggregates; what the SELECT makes of them stands in
// a Project above.
type Aggregate struct {
	Keys  []*Attr
	Aggs  []*Alias // of *AggCall over Attrs and expressions of the input
	Input Node
}

// Expand emits each input row once per projection (sliding windows, grouping sets).
//
// If Slide is not zero, the projections differ in the column Window only: the first
// one's is the latest window that holds the row, each other one's begins Slide
// microseconds before the one in front.
type Expand struct {
	Projections [][]Expr
	Attrs       []*Attr
	Input       Node
	Window      ID
	Slide       int64
}

// Generate appends the columns of a generator to each input row.
type Generate struct {
	Call  *GeneratorCall
	Outer bool
	Attrs []*Attr // the generator's columns
	Input Node
}

// Join combines two inputs. Kind as sql.Join.Kind. Output of semi and anti joins: the left columns.
type Join struct {
	Kind        string
	Cond        Expr // nil: none
	Left, Right Node
}

// Union is UNION ALL by position; Attrs are the output columns.
type Union struct {
	Parts []Node
	Attrs []*Attr
}

// SetOp is EXCEPT or INTERSECT (ALL or distinct).
type SetOp struct {
	Op          string
	All         bool
	Left, Right Node
}

// Deduplicate keeps the first row of each key. Keys are columns of the input.
type Deduplicate struct {
	Keys            []*Attr
	WithinWatermark bool
	Input           Node
}

// Distinct is SELECT DISTINCT before it becomes an Aggregate without functions.
type Distinct struct{ Input Node }

// Sort orders rows; Local: SORT BY (within a partition).
type Sort struct {
	Keys  []*SortKey
	Local bool
	Input Node
}

// Limit keeps the first N rows after Offset. N = -1: no limit.
type Limit struct {
	N, Offset int64
	Input     Node
}

// Repartition is DISTRIBUTE BY: a hint that changes no result.
type Repartition struct {
	Keys  []Expr
	Input Node
}

// WindowFn computes OVER functions; batch only.
type WindowFn struct {
	Calls []*Alias // of *WindowCall
	Input Node
}

// Process runs a user-defined stateful processor (transformWithState) on grouped rows.
type Process struct {
	Keys       []*Attr
	Processor  any
	OutputMode string
	TimeMode   string
	Attrs      []*Attr
	Input      Node
}

// Sample is TABLESAMPLE.
type Sample struct {
	Fraction float64
	Seed     int64
	Input    Node
}

// SubqueryAlias gives its input's columns a qualifier; it computes nothing.
type SubqueryAlias struct {
	Name  string
	Attrs []*Attr
	Input Node
}
