package stream

import (
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/watermark"
)

// watermarks gives each stateful operator its watermark, as Spark's
// PropagateWatermarkSimulator does: an operator above another sees what that one lets
// through, which may lie behind the query's watermark.
func (e *Execution) watermarks(m *microBatch) func(op int) watermark.Pair {
	late, evict := propagate(e.plan.Operators, m.pair.Late), propagate(e.plan.Operators, m.pair.Evict)
	return func(op int) watermark.Pair {
		if op < 0 || op >= len(late) {
			return m.pair
		}
		return watermark.Pair{Late: late[op], Evict: evict[op], Set: m.pair.Set}
	}
}

// propagate is the input watermark of each operator. Operators come before their inputs.
func propagate(ops []*physical.Operator, global int64) []int64 {
	in, out := make([]int64, len(ops)), make([]int64, len(ops))
	for i := len(ops) - 1; i >= 0; i-- {
		in[i] = global
		for _, below := range ops[i].Inputs {
			in[i] = min(in[i], out[below])
		}
		out[i] = in[i]
		if ops[i].OutputWatermark != nil {
			out[i] = ops[i].OutputWatermark(in[i])
		}
	}
	return in
}
