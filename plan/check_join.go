package plan

// sparkKinds are Spark's names of the kinds of joins.
var sparkKinds = map[string]string{
	"INNER": "Inner", "CROSS": "Cross", "LEFT OUTER": "LeftOuter", "RIGHT OUTER": "RightOuter",
	"FULL OUTER": "FullOuter", "LEFT SEMI": "LeftSemi", "LEFT ANTI": "LeftAnti",
}

// join refuses the kinds of joins that cannot be computed incrementally.
func (c *checker) join(n *Join) error {
	left, right := n.Left.Streaming(), n.Right.Streaming()
	kind := sparkKinds[n.Kind]
	switch {
	case !left && !right:
		return nil
	case left && right:
		return c.streamJoin(n, kind)
	}
	switch n.Kind {
	case "FULL OUTER":
		if left {
			return legacy("FullOuter joins with streaming DataFrames/Datasets on the left and a static DataFrame/Dataset on the right is not supported", "use LEFT OUTER: which rows of the table have no match is known only when the stream ends")
		}
		return legacy("FullOuter joins with streaming DataFrames/Datasets on the right and a static DataFrame/Dataset on the left is not supported", "use RIGHT OUTER: which rows of the table have no match is known only when the stream ends")
	case "LEFT ANTI":
		if right {
			return legacy("LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported", "use LEFT OUTER with a time range and keep the rows whose right side is null")
		}
	case "LEFT OUTER", "LEFT SEMI":
		if right {
			return legacy(kind+" join with a streaming DataFrame/Dataset on the right and a static DataFrame/Dataset on the left is not supported", "which rows of the table have a match is known only when the stream ends; put the stream on the left")
		}
	case "RIGHT OUTER":
		if left {
			return legacy("RightOuter join with a streaming DataFrame/Dataset on the left and a static DataFrame/DataSet on the right not supported", "which rows of the table have no match is known only when the stream ends; use LEFT OUTER or INNER")
		}
	}
	return nil
}

// streamJoin checks a join of two streams. Rows without a match can only come out of
// an outer join, and the state of a semi join can only end, when the watermark proves something.
func (c *checker) streamJoin(n *Join, kind string) error {
	early := n.Kind == "INNER" || n.Kind == "CROSS" || n.Kind == "LEFT SEMI" // a result row is final at once
	if c.mode != "append" && (!early || c.mode != "update") {
		modes := "only in Append output mode"
		if early {
			modes = "only in Append and Update output modes"
		}
		return legacy(kind+" join between two streaming DataFrames/Datasets is not supported in "+title(c.mode)+" output mode, "+modes, "use output mode append")
	}
	ok := true
	keys := EquiKeys(n)
	switch n.Kind {
	case "LEFT ANTI":
		return legacy("LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported", "use LEFT OUTER with a time range and keep the rows whose right side is null")
	case "LEFT OUTER", "LEFT SEMI":
		ok = JoinStateBound(n, true) != nil
	case "RIGHT OUTER":
		ok = JoinStateBound(n, false) != nil
	case "FULL OUTER":
		ok = JoinStateBound(n, true) != nil || JoinStateBound(n, false) != nil
	}
	if ok || keys.WatermarkKey() >= 0 {
		return nil
	}
	return legacy("Stream-stream "+kind+" join between two streaming DataFrame/Datasets is not supported without a watermark in the join keys, "+
		"or a watermark on the nullable side and an appropriate range condition", "set watermarks on both sides and add a condition such as r.ts BETWEEN l.ts AND l.ts + INTERVAL 5 MINUTES")
}

func title(mode string) string {
	return map[string]string{"append": "Append", "update": "Update", "complete": "Complete"}[mode]
}
