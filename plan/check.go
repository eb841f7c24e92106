package plan

import (
	"slices"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
)

// Check refuses what cannot run on a stream in an output mode, following Spark's
// UnsupportedOperationChecker. spark.sql.streaming.unsupportedOperationCheck = false
// turns the operation checks off; what then still cannot run fails when it starts to run.
func Check(n Node, mode string, conf *kernels.Conf) error {
	if !n.Streaming() {
		return condition.New("WRITE_STREAM_NOT_ALLOWED").WithHint("the query reads no streaming source; static tables alone make no stream")
	}
	if strings.EqualFold(conf.Conf["spark.sql.streaming.unsupportedOperationCheck"], "false") {
		return nil
	}
	c := &checker{mode: mode, global: !strings.EqualFold(conf.Conf["spark.sql.streaming.statefulOperator.checkCorrectness.enabled"], "false")}
	var err error
	walkNodes(n, func(n Node) {
		if err == nil && c.global {
			err = c.lateRows(n)
		}
	})
	if err != nil {
		return err
	}
	if err := c.outputMode(n); err != nil {
		return err
	}
	walkNodes(n, func(n Node) {
		if err == nil {
			err = c.node(n)
		}
	})
	return err
}

type checker struct {
	mode   string
	global bool
}

// walkNodes visits inputs before the nodes above them.
func walkNodes(n Node, f func(Node)) {
	for _, k := range n.Inputs() {
		walkNodes(k, f)
	}
	f(n)
}

// legacy is a refusal for which Spark has no named condition, only a text; hint says what to do instead.
func legacy(message, hint string) error {
	return condition.New("_LEGACY_ERROR_TEMP_3102", "msg", message).WithHint("%s", hint)
}

// keysOf are the grouping keys of a streaming aggregation; DISTINCT is one.
func keysOf(n Node) ([]*Attr, bool) {
	switch n := n.(type) {
	case *Aggregate:
		return n.Keys, n.Streaming()
	case *Distinct:
		return n.Input.Output(), n.Streaming()
	}
	return nil, false
}

// stateful tells whether late rows would be lost in a node. A deduplication by keys
// without an event time counts as stateless here, as in Spark.
func stateful(n Node) bool {
	if !n.Streaming() {
		return false
	}
	switch n := n.(type) {
	case *Aggregate, *Distinct, *Process:
		return true
	case *Deduplicate:
		return n.WithinWatermark || slices.ContainsFunc(n.Keys, func(k *Attr) bool { return k.Delay != nil })
	case *Join:
		return n.Left.Streaming() && n.Right.Streaming()
	}
	return false
}

// emitsLate tells whether a stateful operator may emit rows older than the
// watermark, which another one above it would drop.
func (c *checker) emitsLate(n Node) bool {
	switch n := n.(type) {
	case *Aggregate, *Distinct:
		return n.Streaming() && c.mode != "append"
	}
	return false
}

func (c *checker) lateRows(n Node) error {
	if !stateful(n) {
		return nil
	}
	late := false
	for _, k := range n.Inputs() {
		walkNodes(k, func(b Node) { late = late || c.emitsLate(b) })
	}
	if !late {
		return nil
	}
	return legacy("Detected pattern of possible 'correctness' issue due to global watermark. The query contains stateful operation which can emit rows older than the current watermark plus allowed late record delay, which are \"late rows\" in downstream stateful operations and these rows can be discarded.", "use output mode append, in which the first operator emits final rows only")
}

func (c *checker) outputMode(n Node) error {
	aggregated := false
	var err error
	walkNodes(n, func(n Node) {
		keys, ok := keysOf(n)
		if !ok {
			return
		}
		aggregated = true
		if c.mode == "update" && err == nil {
			err = noSession(keys)
		}
		if c.mode != "append" || err != nil {
			return
		}
		for _, k := range keys {
			if k.Delay != nil {
				return
			}
		}
		err = condition.New("STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION", "outputMode", "append", "operation", "streaming aggregations without watermark").
			WithHint("group by a window of, or by, a column with a watermark, or use output mode update")
	})
	if err == nil && c.mode == "complete" && !aggregated {
		err = condition.New("STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION", "outputMode", "complete", "operation", "no streaming aggregations").
			WithHint("complete mode writes the whole result of an aggregation each time; use append here")
	}
	return err
}

// noSession refuses session windows in update mode: a session that grows would leave
// its former self in the output.
func noSession(keys []*Attr) error {
	for _, k := range keys {
		if k.Session {
			return condition.New("STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION", "outputMode", "update", "operation", "session window streaming aggregations").
				WithHint("use output mode append, which emits a session when the watermark has passed its end")
		}
	}
	return nil
}

func (c *checker) node(n Node) error {
	if err := c.expressions(n); err != nil {
		return err
	}
	switch n := n.(type) {
	case *Aggregate:
		for _, al := range n.Aggs {
			if call, ok := al.Child.(*AggCall); ok && call.Distinct && n.Streaming() {
				return legacy("Distinct aggregations are not supported on streaming DataFrames/Datasets. Consider using approx_count_distinct() instead.", "or deduplicate first and count then")
			}
		}
	case *Deduplicate:
		return c.deduplicate(n)
	case *Join:
		return c.join(n)
	case *SetOp:
		if n.Op == "INTERSECT" && n.Streaming() {
			return legacy("Intersect of streaming DataFrames/Datasets is not supported", "use a LEFT SEMI JOIN, or EXISTS")
		}
		if n.Op == "EXCEPT" && n.Right.Streaming() {
			return legacy("Except on a streaming DataFrame/Dataset on the right is not supported", "a row of the stream that comes later would take one away that is out already; the stream must be on the left")
		}
		if n.Op == "EXCEPT" && n.All && n.Streaming() {
			return condition.New("VSTREAM_UNSUPPORTED", "feature", "EXCEPT ALL of a stream with a table").
				WithHint("every micro-batch would take the table's rows away once more; use EXCEPT, or NOT EXISTS")
		}
	case *Union:
		streaming := 0
		for _, p := range n.Parts {
			if p.Streaming() {
				streaming++
			}
		}
		if streaming > 0 && streaming < len(n.Parts) {
			return legacy("Union between streaming and batch DataFrames/Datasets is not supported", "read the table as a stream too, or join it")
		}
	case *Sort:
		if n.Streaming() && !(c.mode == "complete" && aggregatedBelow(n)) {
			return legacy("Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated DataFrame/Dataset in Complete output mode", "a stream has no last row; sort what reads the output, or an aggregation in output mode complete")
		}
	case *Limit:
		if !n.Streaming() {
			return nil
		}
		if n.Offset > 0 {
			return legacy("Offset is not supported on streaming DataFrames/Datasets", "filter by a column instead")
		}
		if c.mode == "update" {
			return legacy("Limits are not supported on streaming DataFrames/Datasets in Update output mode", "use output mode append, or complete over an aggregation")
		}
	case *Sample:
		if n.Streaming() {
			return legacy("Sampling is not supported on streaming DataFrames/Datasets", "filter by a hash of a key, such as pmod(xxhash64(id), 100) < 10")
		}
	case *WindowFn:
		if n.Streaming() {
			return nonTimeWindow(n)
		}
	}
	return nil
}

// deduplicate refuses an expiry by a watermark that is not there.
func (c *checker) deduplicate(n *Deduplicate) error {
	if !n.WithinWatermark || !n.Streaming() {
		return nil
	}
	for _, a := range n.Input.Output() {
		if a.Delay != nil {
			return nil
		}
	}
	return legacy("dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark", "set a watermark on the event time before it")
}

func aggregatedBelow(n Node) bool {
	found := false
	walkNodes(n, func(b Node) {
		if _, ok := keysOf(b); ok {
			found = true
		}
	})
	return found
}

func nonTimeWindow(n *WindowFn) error {
	al := n.Calls[0]
	call := al.Child.(*WindowCall)
	return condition.New("NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
		"windowFunc", strings.ToUpper(call.Fn.SQL()), "columnName", "`"+al.Name+"`", "windowSpec", call.SQL())
}

// expressions refuses functions that have no meaning over an unbounded table.
func (c *checker) expressions(n Node) error {
	if !n.Streaming() {
		return nil
	}
	var exprs []Expr
	switch n := n.(type) {
	case *Project:
		exprs = n.Exprs
	case *Filter:
		exprs = []Expr{n.Cond}
	case *Aggregate:
		for _, a := range n.Aggs {
			exprs = append(exprs, a)
		}
	}
	var err error
	for _, e := range exprs {
		Walk(e, func(x Expr) bool {
			if call, ok := x.(*Call); ok && call.Fn.Name == "monotonically_increasing_id" && err == nil {
				err = legacy("Expression(s): monotonically_increasing_id() is not supported with streaming DataFrames/Datasets", "use uuid(), or a number from the source")
			}
			return err == nil
		})
	}
	return err
}
