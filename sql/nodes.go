package sql

// The nodes of this file are the rarer forms of Spark's grammar. They stand apart
// from the common nodes so that who does not know one of them refuses it, instead
// of overlooking a field.

// Aliased is an expression with a name where the name makes a field: struct(a AS x),
// (a AS x, b).
type Aliased struct {
	Span
	X     Expr
	Names []Ident
}

// Collate is x COLLATE name.
type Collate struct {
	Span
	X         Expr
	Collation []Ident
}

// PathExtract is x:a.b[0]['c'], a path into a JSON string or VARIANT.
type PathExtract struct {
	Span
	X    Expr
	Path []PathStep
}

// PathStep is a field by name, or an element by index.
type PathStep struct {
	Name    string
	Index   int
	IsIndex bool
}

// TableArg is TABLE(query) or TABLE name as an argument of a table function, with
// its partitioning.
type TableArg struct {
	Span
	Table           *Table // or
	Query           *Query
	SinglePartition bool
	PartitionBy     []Expr
	OrderBy         []*SortItem
}

// Pivoted is PIVOT or UNPIVOT of one relation among others; Select.Pivot and
// Select.Unpivot hold the one after the whole of FROM.
type Pivoted struct {
	Span
	Relation Relation
	Pivot    *Pivot
	Unpivot  *Unpivot
}

// NearestJoin is l JOIN r APPROX|EXACT NEAREST n BY DISTANCE|SIMILARITY x.
type NearestJoin struct {
	Span
	Kind        string // as in Join
	Left, Right Relation
	Exact       bool
	Limit       int    // 1 if not given
	Ranking     string // "DISTANCE", "SIMILARITY"
	By          Expr
}

// TimeTravel is t VERSION AS OF 1 or t TIMESTAMP AS OF x.
type TimeTravel struct {
	Span
	Table     *Table
	Version   string // or
	Timestamp Expr
}

// Unnest is UNNEST(a, b) [WITH ORDINALITY] in FROM.
type Unnest struct {
	Span
	Args       []Expr
	Ordinality bool
	Lateral    bool
	Alias      Ident
	Columns    []Ident
}

// Pipe is input |> operator. Select holds the operators that are clauses of a
// SELECT, without FROM: SELECT with its GROUP BY, WHERE, AGGREGATE, PIVOT and UNPIVOT.
type Pipe struct {
	Span
	Input Body
	// Op: "SELECT", "EXTEND", "SET", "DROP", "AS", "WHERE", "PIVOT", "UNPIVOT",
	// "TABLESAMPLE", "JOIN", "UNION", "EXCEPT", "INTERSECT", "ORGANIZE", "AGGREGATE".
	Op      string
	Select  *Select
	Items   []*SelectItem // EXTEND; SET, with the column as the alias
	Columns [][]Ident     // DROP
	Alias   Ident         // AS
	Sample  *Sample
	Join    Relation // a join whose left side is nil
	SetOp   *SetOp   // Left is nil
	// Query holds ORDER BY, LIMIT and the like for ORGANIZE and WINDOW for SELECT
	// and WHERE; its Body is nil.
	Query *Query
}

// Sampled is TABLESAMPLE of a relation in parentheses.
type Sampled struct {
	Span
	Relation Relation
	Sample   *Sample
}
