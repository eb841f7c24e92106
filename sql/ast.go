// Package sql turns Spark SQL text into a syntax tree with positions. It knows
// syntax only: names and types are the plan's business.
package sql

// Span is a part of the source text: byte offsets, End exclusive.
type Span struct{ Start, End int }

// Node is any part of the tree.
type Node interface{ Pos() Span }

// Pos is the node's span.
func (s Span) Pos() Span { return s }

// Ident is an identifier as written (without backticks).
type Ident struct {
	Span
	Name   string
	Quoted bool
}

// Statement is a query with its source text.
type Statement struct {
	Text  string
	Query *Query
}

// Query is a query expression: WITH, a body and what may follow any body.
type Query struct {
	Span
	With         []*CTE
	Recursive    bool
	Body         Body
	OrderBy      []*SortItem // ORDER BY
	SortBy       []*SortItem // SORT BY
	DistributeBy []Expr
	ClusterBy    []Expr
	Windows      []*NamedWindow
	Limit        Expr // nil: none; *AllRows for LIMIT ALL
	Offset       Expr
}

// AllRows is LIMIT ALL.
type AllRows struct{ Span }

// CTE is one named query of WITH.
type CTE struct {
	Span
	Name    Ident
	Columns []Ident
	Query   *Query
	// MaxRecursion is MAX RECURSION LEVEL n; nil if not given.
	MaxRecursion *int
}

// Body is *Select, *SetOp, *Values, *TableBody or a parenthesised *Query.
type Body interface{ Node }

// SetOp is UNION, EXCEPT (also MINUS) or INTERSECT.
type SetOp struct {
	Span
	Op          string // "UNION", "EXCEPT", "INTERSECT"
	All         bool
	Left, Right Body
}

// Values is VALUES (1, 'a'), (2, 'b').
type Values struct {
	Span
	Rows [][]Expr
}

// TableBody is the query TABLE name.
type TableBody struct {
	Span
	Table *Table
}

// Select is one SELECT.
type Select struct {
	Span
	Hints        []*Hint
	Distinct     bool
	Items        []*SelectItem
	From         []Relation // comma-separated
	LateralViews []*LateralView
	Pivot        *Pivot
	Unpivot      *Unpivot
	Where        Expr
	GroupBy      *GroupBy // nil: none
	Having       Expr
	Qualify      Expr
}

// Hint is one hint of /*+ … */.
type Hint struct {
	Span
	Name string
	Args []Expr
}

// SelectItem is an expression with its alias or aliases: `x AS a`, `inline(y) AS (a, b)`.
type SelectItem struct {
	Span
	Expr    Expr
	Aliases []Ident // none, one, or several in parentheses
}

// GroupBy is a GROUP BY clause.
type GroupBy struct {
	Span
	All   bool   // GROUP BY ALL
	Exprs []Expr // expressions, and *GroupingSets for ROLLUP, CUBE and GROUPING SETS
}

// GroupingSets is ROLLUP(…), CUBE(…) or GROUPING SETS(…) inside GROUP BY. For
// ROLLUP and CUBE each set is one element.
type GroupingSets struct {
	Span
	Kind string // "ROLLUP", "CUBE", "GROUPING SETS"
	Sets [][]Expr
}

// SortItem is an ORDER BY or SORT BY item.
type SortItem struct {
	Span
	Expr  Expr
	Desc  bool
	Nulls string // "", "FIRST", "LAST"
}

// LateralView is LATERAL VIEW [OUTER] f(x) t AS a, b.
type LateralView struct {
	Span
	Outer   bool
	Call    *Call
	Alias   Ident // may be empty
	Columns []Ident
}

// Pivot is PIVOT (aggs FOR cols IN (values)).
type Pivot struct {
	Span
	Aggs    []*SelectItem
	Columns []Expr
	Values  []*SelectItem
	Alias   Ident
}

// Unpivot is UNPIVOT [INCLUDE NULLS] (value FOR name IN (cols)).
type Unpivot struct {
	Span
	IncludeNulls bool
	Value        []Ident
	Name         Ident
	Columns      []*SelectItem
	Alias        Ident
}

// Relation is *Table, *Subquery, *TableFunction, *Join, *InlineValues or *Stream... wrapped
// by *Watermark or *Sample where written.
type Relation interface{ Node }

// Table is a table by name: `a.b.t [AS] x [(c1, c2)]`. Stream: the STREAM keyword stood before it.
type Table struct {
	Span
	Name      []Ident
	Stream    bool
	Watermark *Watermark
	Sample    *Sample
	Alias     Ident
	Columns   []Ident
	Options   map[string]string // WITH (key = 'value')
}

// Watermark is WATERMARK expr [AS name] DELAY OF interval.
type Watermark struct {
	Span
	Expr  Expr
	Alias Ident
	Delay Expr
}

// Sample is TABLESAMPLE (…).
type Sample struct {
	Span
	Percent, Rows Expr
	Bucket, Of    int
	Repeatable    Expr
}

// Subquery is (query) [AS] alias in FROM. Lateral: LATERAL stood before it.
type Subquery struct {
	Span
	Query     *Query
	Lateral   bool
	Stream    bool
	Watermark *Watermark
	Sample    *Sample
	Alias     Ident
	Columns   []Ident
}

// InlineValues is VALUES … AS t(a, b) in FROM.
type InlineValues struct {
	Span
	Values  *Values
	Alias   Ident
	Columns []Ident
}

// TableFunction is range(10) or explode(x) in FROM.
type TableFunction struct {
	Span
	Call      *Call
	Lateral   bool
	Stream    bool
	Watermark *Watermark
	Alias     Ident
	Columns   []Ident
}

// ParenRelation is a parenthesised relation: (a JOIN b ON …) [AS alias].
type ParenRelation struct {
	Span
	Relation  Relation
	Watermark *Watermark
	Alias     Ident
	Columns   []Ident
}

// Join kinds are Spark's: "INNER", "CROSS", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER", "LEFT SEMI", "LEFT ANTI".
type Join struct {
	Span
	Kind        string
	Natural     bool
	Lateral     bool
	Left, Right Relation
	On          Expr
	Using       []Ident
}

// NamedWindow is WINDOW w AS (…).
type NamedWindow struct {
	Span
	Name Ident
	Spec *WindowSpec
}

// WindowSpec is OVER (…); Ref names a window of the WINDOW clause instead.
type WindowSpec struct {
	Span
	Ref         Ident
	PartitionBy []Expr
	OrderBy     []*SortItem
	Frame       *Frame
}

// Frame is ROWS or RANGE BETWEEN lo AND hi.
type Frame struct {
	Span
	Unit   string // "ROWS", "RANGE"
	Lo, Hi FrameBound
}

// FrameBound is CURRENT ROW, UNBOUNDED PRECEDING/FOLLOWING or n PRECEDING/FOLLOWING.
type FrameBound struct {
	Kind string // "CURRENT ROW", "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING", "PRECEDING", "FOLLOWING"
	N    Expr
}

// Expr is any expression below.
type Expr interface{ Node }

// Name is a column reference of one or more parts: a, t.a, db.t.a.f. The
// analyser decides which parts are qualifiers and which are struct fields.
type Name struct {
	Span
	Parts []Ident
}

// Star is *, t.* or s.*, with EXCEPT columns.
type Star struct {
	Span
	Target []Ident
	Except [][]Ident
}

// Literal kinds. Text is the literal without quotes, escapes resolved.
type Literal struct {
	Span
	// Kind: "null", "true", "false", "string", "integer" (no suffix), "decimal"
	// (a point, no exponent), "double" (exponent), and by suffix "tinyint" (Y),
	// "smallint" (S), "bigint" (L), "float" (F), "doubleSuffix" (D), "bigdecimal" (BD);
	// typed strings "date", "timestamp", "timestamp_ntz", "timestamp_ltz", "time", "x" (binary).
	Kind string
	Text string
}

// Interval is an interval literal. Units holds value-unit pairs (INTERVAL 1 DAY 2
// HOURS); a FROM..TO literal (INTERVAL '1-2' YEAR TO MONTH) has one pair and To; INTERVAL '1 day 2 hours' has
// Text only.
type Interval struct {
	Span
	Units []IntervalUnit
	To    string
	Text  string
}

// IntervalUnit is one value and its unit (upper case, singular: "DAY"). Value is a *Literal
// or any expression.
type IntervalUnit struct {
	Span
	Value Expr
	Unit  string
	Neg   bool
}

// Unary is NOT, -, +, ~ (! reads as NOT).
type Unary struct {
	Span
	Op string // "NOT", "-", "+", "~"
	X  Expr
}

// Binary operators: OR AND = == <=> <> != < <= > >= | ^ & << >> >>> + - || * / % DIV,
// as written except for case.
type Binary struct {
	Span
	Op   string
	L, R Expr
}

// Is is IS [NOT] NULL/TRUE/FALSE/UNKNOWN, or IS [NOT] DISTINCT FROM y.
type Is struct {
	Span
	X    Expr
	Not  bool
	What string // "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT FROM"
	Y    Expr
}

// In is x [NOT] IN (list) or (subquery).
type In struct {
	Span
	X     Expr
	Not   bool
	List  []Expr
	Query *Query
}

// Between is x [NOT] BETWEEN lo AND hi.
type Between struct {
	Span
	X      Expr
	Not    bool
	Lo, Hi Expr
}

// Like is LIKE, ILIKE or RLIKE (also REGEXP), with ESCAPE or a quantifier (LIKE ANY (…)).
type Like struct {
	Span
	X          Expr
	Not        bool
	Op         string // "LIKE", "ILIKE", "RLIKE"
	Pattern    Expr
	Escape     Expr
	Quantifier string // "", "ANY", "SOME", "ALL"
	Patterns   []Expr
}

// Case is CASE [x] WHEN … THEN … ELSE … END.
type Case struct {
	Span
	X     Expr
	Whens []When
	Else  Expr
}

// When is one branch of a CASE.
type When struct {
	Span
	Cond, Then Expr
}

// Cast is CAST(x AS t), TRY_CAST(x AS t) or x::t.
type Cast struct {
	Span
	X    Expr
	Type *TypeName
	Try  bool
}

// Call is a function call, with its modifiers. A *Star argument is count(*).
type Call struct {
	Span
	Name        []Ident
	Args        []Expr // may hold *Named and *Lambda
	Distinct    bool
	IgnoreNulls string // "", "IGNORE", "RESPECT"
	WithinGroup []*SortItem
	Filter      Expr
	Over        *WindowSpec
}

// Named is name => value in a call.
type Named struct {
	Span
	Name  Ident
	Value Expr
}

// Lambda is x -> e or (x, y) -> e.
type Lambda struct {
	Span
	Params []Ident
	Body   Expr
}

// Field is x.f where x is not a plain name.
type Field struct {
	Span
	X    Expr
	Name Ident
}

// Index is x[i].
type Index struct {
	Span
	X, I Expr
}

// Tuple is (a, b): a struct.
type Tuple struct {
	Span
	Elems []Expr
}

// ScalarQuery, Exists: subqueries as expressions.
type ScalarQuery struct {
	Span
	Query *Query
}

// Exists is EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

// Special forms with a syntax of their own are parsed to *Call with lower-case
// names and plain arguments: extract(f FROM x) -> extract('f', x); trim(BOTH a FROM b) ->
// trim/ltrim/rtrim(a, b) as Spark does; position(a IN b) -> locate(a, b)... substring(a FROM b FOR c)
// -> substring(a, b, c); overlay(a PLACING b FROM c FOR d); timestampadd(UNIT, …), timestampdiff,
// date_add/dateadd(UNIT, …) with the unit as a string *Literal; current_date, current_timestamp and
// the like without parentheses are plain *Name (the analyser knows them).

// TypeName is a type as written. Name is lower case: "int", "decimal", "array", "struct", "interval".
type TypeName struct {
	Span
	Name     string
	Params   []int        // decimal(10,2), char(3)
	Args     []*TypeName  // array<e>, map<k,v>
	Fields   []*TypeField // struct<…>
	From, To string       // interval day to second (lower case)
}

// TypeField is a field of a struct type, or a column of a table schema.
type TypeField struct {
	Span
	Name    Ident
	Type    *TypeName
	NotNull bool
	Comment string
}
