package sql

// maxCube bounds the columns of a CUBE inside GROUPING SETS, which stands for
// 2^columns sets.
const maxCube = 12

// expandSets writes ROLLUP and CUBE out as the grouping sets that they stand for.
func expandSets(g *GroupingSets) [][]Expr {
	var sets [][]Expr
	switch g.Kind {
	case "ROLLUP":
		for n := len(g.Sets); n >= 0; n-- {
			sets = append(sets, concat(g.Sets[:n]))
		}
	case "CUBE":
		n := len(g.Sets)
		for mask := 0; mask < 1<<n; mask++ {
			var in [][]Expr
			for i := range n {
				if mask&(1<<i) == 0 {
					in = append(in, g.Sets[i])
				}
			}
			sets = append(sets, concat(in))
		}
	default:
		sets = g.Sets
	}
	return sets
}

func concat(sets [][]Expr) []Expr {
	out := []Expr{}
	for _, s := range sets {
		out = append(out, s...)
	}
	return out
}
