// Package plan builds, analyses and optimises logical plans: names, types,
// implicit casts, output-mode and watermark rules. It opens nothing and runs nothing.
package plan

import (
	"sync/atomic"

	"github.com/vstream/vstream/agg"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// Expr is a bound expression: resolved names, known type. Expressions are
// immutable; rewriting makes new ones.
type Expr interface {
	Type() *vector.Type
	Nullable() bool
	// Children are the direct subexpressions, in order.
	Children() []Expr
	// WithChildren is a copy with other children (as many as Children returned).
	WithChildren(kids []Expr) Expr
	// SQL is the expression as Spark prints it in generated column names.
	SQL() string
}

// ID identifies an output column of a node across the plan, as Spark's ExprId.
type ID int64

var lastID atomic.Int64

// NewID makes a fresh column identity.
func NewID() ID { return ID(lastID.Add(1)) }

// Attr is a reference to a column that some node below produces, and the
// description of an output column. Two Attrs with one ID are the same column.
type Attr struct {
	ID        ID
	Name      string
	Typ       *vector.Type
	Null      bool
	Qualifier []string // relation alias or name parts by which it may be qualified
	// Delay marks an event-time column (Spark's metadata spark.watermarkDelayMs); it passes
	// through aliases and to the window made of the column.
	Delay *Delay
	// Window marks a struct<start,end> made by window() or session_window().
	Window bool
	// WindowText is the window's definition, for the comparison on restart.
	WindowText string
	// Session marks the window of session_window().
	Session bool
	// Hidden columns are found by name but not by * (_metadata).
	Hidden bool
	// Merged marks a Hidden column that USING made one with another: the star of its
	// relation has it.
	Merged bool
	// Param marks a parameter of a lambda, Lateral a reference to an earlier item of
	// the SELECT list; they print otherwise than columns.
	Param, Lateral bool
	// Span is where a reference to the column is written; zero for one that is not.
	Span sql.Span
}

// Delay is the watermark on a column.
type Delay struct {
	Ms   int64
	Node int // number of the Watermark node that set it
}

// Literal is a constant of any type: a one-row column.
type Literal struct {
	Typ   *vector.Type
	Value vector.Vec // Const
	Text  string     // as Spark prints it: 1, 'x' without quotes in names, 1.5, NULL
	Span  sql.Span
}

// Alias names an expression; a fresh ID makes it an output column.
type Alias struct {
	ID     ID
	Name   string
	Child  Expr
	Attr   *Attr // the column it produces (name, type, event-time marks)
	Hidden bool
}

// Cast converts to a type. Implicit casts were added by the analyser and do not print.
type Cast struct {
	Child    Expr
	To       *vector.Type
	Mode     kernels.CastMode
	Implicit bool
	Span     sql.Span
	src      string // the statement, for the position of errors at run time
}

// Call is a scalar function or operator bound to its argument types (Args are cast already).
type Call struct {
	Fn   *kernels.Scalar
	Name string // as called, for printing
	Args []Expr
	Impl *kernels.Impl
	Text string // as Spark prints it, fixed when it was bound
	Span sql.Span
	src  string // the statement, for the position of errors at run time
	// NeedsTime marks the null test that a window puts on its time.
	NeedsTime bool
}

// AggCall is an aggregate function; it is only allowed inside Aggregate and WindowFn nodes.
type AggCall struct {
	Fn       *agg.Function
	Name     string
	Args     []Expr
	Impl     *agg.Impl
	Distinct bool
	Filter   Expr // nil: none; last in Children
	OrderBy  []*SortKey
	Text     string
	Span     sql.Span
}

// Lambda is an argument of a higher-order function.
type Lambda struct {
	Params []*Attr // fresh columns for the parameters
	Body   Expr
}

// GeneratorCall is explode() and the like; the analyser moves it into a Generate node.
type GeneratorCall struct {
	Fn   *kernels.Generator
	Name string
	Args []Expr
	Impl *kernels.GeneratorImpl
	Text string
	Span sql.Span
}

// TimeWindow is window(time, width[, slide[, start]]) before it is expanded into a
// Project (tumbling) or Expand (sliding) below the node that uses it. Session: session_window(time, Gap).
type TimeWindow struct {
	Time                     Expr
	WidthMicros, SlideMicros int64
	StartMicros              int64
	Session                  bool
	Gap                      Expr // session: an interval, constant or by row
	Text                     string
	Span                     sql.Span
}

// Subquery is a scalar, IN or EXISTS subquery.
type Subquery struct {
	Kind  string // "scalar", "in", "exists"
	X     []Expr // in: the left side
	Not   bool
	Plan  Node
	Outer []*Attr // columns of the outer query that it uses
	Typ   *vector.Type
	Text  string
	Span  sql.Span
	src   string // the statement, for the position of errors
}

// WindowCall is f(…) OVER (…).
type WindowCall struct {
	Fn          Expr // *AggCall or *Call
	PartitionBy []Expr
	OrderBy     []*SortKey
	Frame       *Frame // nil: Spark's default
	IgnoreNulls bool   // of lag, lead and nth_value
	Text        string
	Span        sql.Span
}

// Frame is the rows around a row that a window function sees.
type Frame struct {
	Rows   bool // ROWS; else RANGE
	Lo, Hi FrameBound
}

// FrameBound is a bound of a Frame: Kind as in sql.FrameBound, N a constant for
// PRECEDING and FOLLOWING. Value is the order key at the bound, for RANGE with an N.
type FrameBound struct {
	Kind  string
	N     Expr
	Value Expr
	Cast  bool // N is cast to the type of the order
}

// SortKey is one sort expression.
type SortKey struct {
	Expr      Expr
	Desc      bool
	NullsLast bool
}

// FieldAccess is s.f on a struct or on an array of structs, which gives the
// array of the fields.
type FieldAccess struct {
	Child   Expr
	Ordinal int
	Name    string // as written
	OfArray bool
	Span    sql.Span
}

// MultiAlias names the columns of a generator in a SELECT list; without names
// they have the generator's own.
type MultiAlias struct {
	Names []string
	Child *GeneratorCall
	Span  sql.Span
}

// GroupingCall is grouping(column) (TINYINT), or with ID grouping_id(columns)
// (BIGINT), which stand for bits of the grouping set of the row.
type GroupingCall struct {
	Args []Expr
	ID   bool
	Text string
	Span sql.Span
}
