package kernels

import (
	"math"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/sketch"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		Define(Scalar{
			Name: "hll_sketch_estimate", Signature: "hll_sketch_estimate(sketch)",
			Summary:  "The number of distinct values that a DataSketches HLL sketch has counted.",
			Examples: []Example{{"hll_sketch_estimate(X'0201070C03040008')", "0"}},
		}, Sig{Params: []Accept{Binary}, Result: vector.Long, NoCast: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			in := textsOf(args[0])
			return fixedRowsOr(vector.Long, n, args, func(i int) (int64, bool, error) {
				s, err := sketch.ParseHLL(in.at(i))
				if err != nil {
					return 0, false, invalidHLL("hll_sketch_estimate")
				}
				return int64(math.Floor(s.Estimate() + 0.5)), true, nil
			})
		}),
		Define(Scalar{
			Name: "hll_union", Signature: "hll_union(first, second[, allowDifferentLgConfigK])",
			Summary:  "The union of two DataSketches HLL sketches.",
			Examples: []Example{{"hll_sketch_estimate(hll_union(X'0201070C03040008', X'0201070C03040008'))", "0"}},
			SQL:      withDefaults("hll_union", 2, "false"),
		}, Sig{Params: []Accept{Binary, Binary, Bool}, Optional: 1, Result: vector.Binary, NoCast: true}, uniteHLL),
	)
}

func invalidHLL(function string) error {
	return condition.New("HLL_INVALID_INPUT_SKETCH_BUFFER", "function", "`"+function+"`")
}

func uniteHLL(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	left, right := textsOf(args[0]), textsOf(args[1])
	return stringRowsOr(vector.Binary, n, args, func(dst []byte, i int) ([]byte, bool, error) {
		mixed := len(args) == 3 && vector.Bools(args[2].Arr).Get(i&args[2].Mask())
		a, err := sketch.ParseHLL(left.at(i))
		if err != nil {
			return nil, false, invalidHLL("hll_union")
		}
		b, err := sketch.ParseHLL(right.at(i))
		if err != nil {
			return nil, false, invalidHLL("hll_union")
		}
		if !mixed && a.LgK() != b.LgK() {
			return nil, false, condition.New("HLL_UNION_DIFFERENT_LG_K", "left", a.LgK(), "right", b.LgK(), "function", "`hll_union`")
		}
		u := sketch.NewHLLUnion(min(a.LgK(), b.LgK()))
		u.Add(a, false)
		u.Add(b, false)
		return u.AppendTo(dst), true, nil
	})
}
