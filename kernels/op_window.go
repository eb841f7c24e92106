package kernels

import (
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Define(Scalar{Name: "$window_start", Signature: "$window_start(ts, slide, start, i)",
		Summary: "The start of the i-th last sliding window that may hold a time; slide and start are constant microseconds."},
		Sig{Params: []Accept{AnyTimestamp, Long, Long, Long}, Optional: 0,
			ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) { return args[0].Type, nil }},
		evalWindowStart))
}

// WindowStart is Spark's TimeWindowing formula: the start of the window that
// starts last at or before ts, moved back by i slides. All are microseconds;
// slide is positive.
func WindowStart(ts, slide, start, i int64) int64 {
	return ts - text.FloorMod(ts-start, slide) - i*slide
}

func evalWindowStart(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	slide := vector.Values[int64](v[1].Arr)[0]
	start := vector.Values[int64](v[2].Arr)[0]
	back := vector.Values[int64](v[3].Arr)[0]
	if slide <= 0 {
		return vector.Vec{}, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quoteSQL("window"),
			"exprName", "`slide_duration`", "valueRange", "(0, 9223372036854775807]", "currentValue", slide)
	}
	src := vector.Values[int64](v[0].Arr)
	out := make([]int64, len(src))
	for i, ts := range src {
		out[i] = WindowStart(ts, slide, start, back)
	}
	t := vector.Timestamp
	if v[0].Arr.DataType().String() == vector.TimestampNTZ.Arrow().String() {
		t = vector.TimestampNTZ
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, Validity(n, v[0]))}, nil
}
