package plan

import "github.com/vstream/vstream/sql"

// exceptOfTable computes a stream EXCEPT a table: the rows that the table does not have, each
// once, as Spark's ReplaceExceptWithAntiJoin does. Nulls are equal here.
func exceptOfTable(n Node) Node {
	s, ok := n.(*SetOp)
	if !ok || s.Op != "EXCEPT" || s.All || !s.Left.Streaming() {
		return n
	}
	right := s.Right.Output()
	same := make([]Expr, len(right))
	for i, c := range s.Left.Output() {
		same[i] = must(plainAnalyser().call("<=>", []Expr{c, right[i]}, sql.Span{}))
	}
	return &Distinct{Input: &Join{Kind: "LEFT ANTI", Cond: conjunction(same), Left: s.Left, Right: s.Right}}
}
