package plan

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/sql"
	"github.com/vstream/vstream/vector"
)

// Recursive is a WITH RECURSIVE query: the rows of Anchor, and those that Step makes of the
// rows found last, until it makes none. Batch only.
type Recursive struct {
	Name         string
	Attrs        []*Attr
	Anchor, Step Node
	// Levels bounds how often Step runs. Enough is how many rows are wanted; -1: all.
	Levels int
	Enough int64
}

// RecursiveRef are the rows found last, in the Step of a Recursive.
type RecursiveRef struct {
	Of    *Recursive
	Attrs []*Attr
}

// Output are the columns.
func (n *Recursive) Output() []*Attr { return n.Attrs }

// Inputs are the anchor and the step.
func (n *Recursive) Inputs() []Node { return []Node{n.Anchor, n.Step} }

// WithInputs takes the anchor and the step.
func (n *Recursive) WithInputs(in []Node) Node {
	c := *n
	c.Anchor, c.Step = in[0], in[1]
	return &c
}

// Streaming is false: streams are refused.
func (n *Recursive) Streaming() bool { return false }

// Output are the columns.
func (n *RecursiveRef) Output() []*Attr { return n.Attrs }

// Inputs is empty.
func (n *RecursiveRef) Inputs() []Node { return nil }

// WithInputs is the node itself.
func (n *RecursiveRef) WithInputs([]Node) Node { return n }

// Streaming is false.
func (n *RecursiveRef) Streaming() bool { return false }

// Spark's defaults of spark.sql.cteRecursionLevelLimit and …RowLimit.
const (
	recursionLevels = 100
	recursionRows   = 1_000_000
)

// recursiveCTE analyses a query of WITH RECURSIVE.
func (a *Analyser) recursiveCTE(c *cte) (Node, error) {
	rec := &Recursive{Name: c.def.Name.Name, Levels: recursionLevels, Enough: -1}
	switch v := a.Conf.Conf["spark.sql.cteRecursionLevelLimit"]; {
	case c.def.MaxRecursion != nil:
		rec.Levels = *c.def.MaxRecursion
	case v != "":
		rec.Levels, _ = strconv.Atoi(v)
	}
	inner := &cte{def: c.def, scope: c.scope, self: rec}
	a.ctes = &cteScope{outer: c.scope, named: map[string]*cte{strings.ToLower(c.def.Name.Name): inner}}
	q := c.def.Query
	body := q.Body
	for wrapped, ok := body.(*sql.Query); ok; wrapped, ok = body.(*sql.Query) {
		body = wrapped.Body
	}
	op, ok := body.(*sql.SetOp)
	if !ok || op.Op != "UNION" || len(q.OrderBy)+len(q.SortBy)+len(q.With) > 0 || q.Limit != nil || q.Offset != nil {
		n, err := a.query(q, nil)
		if err != nil {
			return nil, err
		}
		return a.named(dropHidden(n), nil, sql.Ident{}, c.def.Columns, c.def.Span)
	}
	anchor, err := a.body(op.Left, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	if anchor, err = a.named(dropHidden(anchor), nil, sql.Ident{}, c.def.Columns, c.def.Span); err != nil {
		return nil, err
	}
	rec.Anchor = anchor
	for _, col := range anchor.Output() {
		rec.Attrs = append(rec.Attrs, &Attr{ID: NewID(), Name: col.Name, Typ: col.Typ, Null: true})
	}
	if rec.Step, err = a.body(op.Right, nil, nil, nil); err != nil {
		return nil, err
	}
	if !inner.referred {
		return a.combine(anchor, rec.Step, op)
	}
	if !op.All {
		return nil, condition.New("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE")
	}
	return rec, a.checkRecursive(rec, op)
}

func (a *Analyser) checkRecursive(rec *Recursive, op *sql.SetOp) error {
	if rec.Anchor.Streaming() || rec.Step.Streaming() {
		return a.errorAt(op.Span, "VSTREAM_UNSUPPORTED", "feature", "WITH RECURSIVE over a stream")
	}
	step := visible(rec.Step.Output())
	if len(step) != len(rec.Attrs) {
		return a.errorAt(op.Span, "NUM_COLUMNS_MISMATCH", "operator", "UNION", "firstNumColumns", len(rec.Attrs), "invalidOrdinalNum", "second", "invalidNumColumns", len(step))
	}
	types := make([]*vector.Type, len(step))
	for i, col := range rec.Attrs {
		types[i] = col.Typ
		if t := kernels.Tightest(a.Conf, col.Typ, step[i].Typ); t == nil || !t.Equal(col.Typ) {
			return condition.New("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", "left", quoteType(col.Typ), "right", quoteType(step[i].Typ))
		}
	}
	if misplaced(rec.Step) {
		return condition.New("INVALID_RECURSIVE_REFERENCE.PLACE")
	}
	rec.Step = a.widen(rec.Step, step, types, op.Span)
	return nil
}

// misplaced tells whether a plan refers to the rows found last where a node would have to
// see all rows of all levels: in aggregations, in set operations, on the side of an outer join that may be null …
func misplaced(n Node) bool {
	var forbidden []Node
	switch n := n.(type) {
	case *Aggregate, *SetOp, *Deduplicate:
		forbidden = n.Inputs()
	case *Join:
		switch n.Kind {
		case "LEFT OUTER", "LEFT SEMI", "LEFT ANTI":
			forbidden = []Node{n.Right}
		case "RIGHT OUTER":
			forbidden = []Node{n.Left}
		case "FULL OUTER":
			forbidden = n.Inputs()
		}
	}
	for _, k := range forbidden {
		found := false
		walkNodes(k, func(n Node) {
			_, ok := n.(*RecursiveRef)
			found = found || ok
		})
		if found {
			return true
		}
	}
	for _, k := range n.Inputs() {
		if misplaced(k) {
			return true
		}
	}
	return false
}

// reference is the use of the query's name in its own step.
func (c *cte) reference() (Node, error) {
	if c.self.Anchor == nil { // only the right side of a UNION may refer to itself
		return nil, condition.New("INVALID_RECURSIVE_CTE")
	}
	c.referred = true
	ref := &RecursiveRef{Of: c.self}
	for _, col := range c.self.Attrs {
		attr := *col
		attr.ID = NewID()
		ref.Attrs = append(ref.Attrs, &attr)
	}
	return ref, nil
}

// limitRecursion tells a recursion how many rows a LIMIT above it takes.
func limitRecursion(n Node) Node {
	l, ok := n.(*Limit)
	if !ok || l.N < 0 {
		return n
	}
	return l.WithInputs([]Node{enough(l.Input, l.N+l.Offset)})
}

func enough(n Node, rows int64) Node {
	switch n := n.(type) {
	case *Recursive:
		c := *n
		c.Enough = rows
		return &c
	case *Project, *SubqueryAlias:
		return n.WithInputs([]Node{enough(n.Inputs()[0], rows)})
	}
	return n
}

// recurse computes the rows of a recursion.
func (n *Recursive) recurse(run func(Node) ([]*vector.Batch, error)) (Node, error) {
	var found [][]Expr
	plan := n.Anchor
	for level := 0; ; level++ {
		if level > n.Levels {
			return nil, condition.New("RECURSION_LEVEL_LIMIT_EXCEEDED", "levelLimit", n.Levels)
		}
		batches, err := run(plan)
		if err != nil {
			return nil, err
		}
		rows := literalRows(n.Attrs, batches)
		found = append(found, rows...)
		if len(found) > recursionRows {
			return nil, condition.New("RECURSION_ROW_LIMIT_EXCEEDED", "rowLimit", recursionRows)
		}
		if len(rows) == 0 || n.Enough >= 0 && int64(len(found)) >= n.Enough {
			return rowsOf(n.Attrs, found), nil
		}
		plan = transformNodes(n.Step, func(x Node) Node {
			if r, ok := x.(*RecursiveRef); ok && sameRecursion(r.Of, n) {
				return rowsOf(r.Attrs, rows)
			}
			return x
		})
	}
}

// sameRecursion tells whether two nodes are versions of one: rewriting keeps the columns.
func sameRecursion(x, y *Recursive) bool {
	return len(x.Attrs) == len(y.Attrs) && (len(x.Attrs) == 0 || x.Attrs[0].ID == y.Attrs[0].ID)
}

// literalRows are rows as literals of the columns' types.
func literalRows(attrs []*Attr, batches []*vector.Batch) [][]Expr {
	var out [][]Expr
	for _, b := range batches {
		cols := b.Columns()
		for i := range b.Len() {
			row := make([]Expr, len(attrs))
			for k, c := range attrs {
				row[k] = constantOf(c.Typ, cols[k], i)
			}
			out = append(out, row)
		}
	}
	return out
}

// rowsOf are constant rows; there may be none.
func rowsOf(attrs []*Attr, rows [][]Expr) Node {
	if len(rows) > 0 {
		return &Values{Attrs: attrs, Rows: rows}
	}
	row := make([]Expr, len(attrs))
	for i, c := range attrs {
		row[i] = NullLiteral(c.Typ)
	}
	return &Limit{Input: &Values{Attrs: attrs, Rows: [][]Expr{row}}}
}
