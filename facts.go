package vstream

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/stream"
)

// facts describe the query for the comparison with its checkpoint, as far as the plan and
// the writer tell: filters, projection, watermarks, and the sink's options (those about files
// count for file sinks only).
func (w *Writer) facts(n plan.Node) []checkpoint.Fact {
	var filters, watermarks []string
	projection := ""
	var walk func(plan.Node)
	walk = func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Filter:
			filters = append(filters, n.Cond.SQL())
		case *plan.Watermark:
			watermarks = append(watermarks, fmt.Sprintf("%s %d ms", n.Column.Name, n.Delay.Ms))
		case *plan.Project:
			if projection == "" {
				exprs := make([]string, len(n.Exprs))
				for i, e := range n.Exprs {
					exprs[i] = e.SQL()
				}
				projection = strings.Join(exprs, ", ")
			}
		}
		for _, k := range n.Inputs() {
			walk(k)
		}
	}
	walk(n)
	options := stream.DescribeOptions(w.options, func(o string) bool {
		switch o {
		case "path", "topic", "table", "checkpointlocation", strings.ToLower(asyncEnabled), strings.ToLower(asyncInterval):
			return false
		}
		return true
	})
	return []checkpoint.Fact{
		{Key: "query.filters", Value: strings.Join(filters, "; ")},
		{Key: "query.projection", Value: projection},
		{Key: "query.watermarks", Value: strings.Join(watermarks, ", ")},
		{Key: "sink.format", Subject: "the sink", Value: w.format},
		{Key: "sink.partitioning", Subject: "the sink", Value: strings.Join(w.partitionBy, ", ")},
		{Key: "sink.options", Subject: "the sink", Value: options},
	}
}
