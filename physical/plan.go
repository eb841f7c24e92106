// Package physical turns an analysed, optimised plan into the graph of
// operators that runs a micro-batch.
package physical

import (
	"slices"

	"github.com/vstream/vstream/exec"
	"github.com/vstream/vstream/join"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// Plan is what the micro-batch loop runs: the same for each batch.
type Plan struct {
	Graph     *exec.Graph
	Scans     []*Scan // by scan number
	Output    *vector.Schema
	Operators []*Operator // stateful operators, by id: top of the plan first
	// Refused ends the query at its second batch: what Spark notices only when it
	// plans on from a batch before.
	Refused error
	// Statics are the tables with which streams are joined, filled before each micro-batch.
	Statics  []*Static
	Warnings []Warning
	// Delays are the watermark delays in milliseconds, by Watermark node.
	Delays []int64
}

// Scan reads one relation of the plan, or makes constant rows.
type Scan struct {
	Relation *plan.Relation // nil: Rows makes the rows
	// Rows are the constant rows of VALUES or of a SELECT without FROM; nil: Relation has them.
	Rows    func(ctx *kernels.Ctx) (*vector.Batch, error)
	Columns []int // indexes into the source's schema, then its hidden columns
	// Again tells that another scan counts the same rows as input already.
	Again bool
	// Tables are the joins with tables that all rows of the scan go through, without an
	// exchange before. A scan is not read while one of them lets no row through.
	Tables []*join.StaticConfig
	// NewFilter compiles the predicate that was pushed into the scan; nil: none.
	NewFilter func() (kernels.Expr, error)
	// Checks are the parts of that predicate and of Needed: a row counts as input if it passes
	// them, but a reader of records does not check what a record has no value for.
	Checks []Check
	// Needed are times, among Columns, without which a row does not count as input. An
	// operator of the graph drops such rows.
	Needed []int
}

// Barred tells, once the tables are filled, that none of the scan's rows could matter.
func (s *Scan) Barred() bool {
	return slices.ContainsFunc(s.Tables, (*join.StaticConfig).Barred)
}

// Check is a condition on some of a scan's columns.
type Check struct {
	Columns int64 // bit i: the condition reads column i
	New     func() (kernels.Expr, error)
}

// Table takes the rows of a Static in place of those that it had.
type Table interface {
	Fill(rows []*vector.Batch) error
}

// Static is a table that a micro-batch reads before it begins.
type Static struct {
	Plan  *Plan // computes the rows; all its scans are static
	Table Table
	// Version is what the table was filled from, "" if it was not; for the owner's use.
	Version string
	// Varies tells that the rows may differ though the tables are unchanged, because an
	// expression depends on the time or on chance.
	Varies bool
}

// Operator is a stateful operator, as the checkpoint and progress events know it.
type Operator struct {
	ID         int
	Name       string // Spark's short name: stateStoreSave, dedupe, symmetricHashJoin …
	Partitions int
	// Inputs are the stateful operators directly below.
	Inputs []int
	// Evicts tells that the watermark closes rows of the state.
	Evicts bool
	// Grows tells that the state has a row per key of the data.
	Grows bool
	// FollowsWatermark tells that a batch without data runs when the watermark has
	// moved. As in Spark, that is so for aggregations in append and update mode whether
	// or not they evict.
	FollowsWatermark bool
	// OutputWatermark is the watermark of the rows that the operator emits, for that of
	// its input, in milliseconds; nil: the same.
	OutputWatermark func(inputMs int64) int64
	// Notes describe the operator to people: what it keeps and for how long.
	Notes map[string]string
	// Spec describes what the state means, for the comparison on restart: keys,
	// aggregates with their arguments' types.
	Spec map[string]string
}

// Config is what compilation depends on besides the plan.
type Config struct {
	Mode       string // "append", "update", "complete"
	Partitions int    // of stateful operators with keys
	Conf       *kernels.Conf
	Batch      bool // a static query, computed once and whole
	Late       bool // the query has a sink for the rows that its operators drop
}
