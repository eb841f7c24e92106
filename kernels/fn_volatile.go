package kernels

import (
	"math"
	"math/rand/v2"

	"github.com/google/uuid"

	"github.com/vstream/vstream/vector"
)

func init() {
	random := func(name, summary string, draw func(r *rand.Rand) float64, aliases ...string) Scalar {
		return DefineOn(Scalar{
			Name: name, Aliases: aliases, Signature: name + "([seed])", Summary: summary, Examples: []Example{{name + "() IS NOT NULL", "true"}},
		}, Sig{Params: []Accept{Long}, Optional: 1, Result: vector.Double, TakesNulls: true, Volatile: true}, func(_ *Conf, args []Arg) Eval {
			return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
				seed := rand.Uint64()
				if len(args) == 1 && !args[0].IsNull(0) {
					// The same rows of the same partition get the same numbers.
					seed = uint64(vector.Values[int64](args[0].Arr)[0])
				}
				r := rand.New(rand.NewPCG(seed+uint64(ctx.Partition), uint64(ctx.RowBase)))
				return fixedRows(vector.Double, n, nil, func(int) float64 { return draw(r) }), nil
			}
		})
	}
	none := func(t *vector.Type) Sig { return Sig{Result: t, Volatile: true} }
	Register(
		random("rand", "A random number, evenly distributed in [0, 1).", func(r *rand.Rand) float64 { return r.Float64() }, "random"),
		random("randn", "A random number of the standard normal distribution.", func(r *rand.Rand) float64 { return r.NormFloat64() }),
		Define(Scalar{
			Name: "uuid", Signature: "uuid()", Summary: "A random UUID.", Examples: []Example{{"uuid() IS NOT NULL", "true"}},
		}, none(vector.String), func(_ *Ctx, _ []vector.Vec, n int) (vector.Vec, error) {
			return stringRows(vector.String, n, nil, func(dst []byte, _ int) []byte { return append(dst, uuid.NewString()...) }), nil
		}),
		Define(Scalar{
			Name: "monotonically_increasing_id", Signature: "monotonically_increasing_id()",
			Summary:  "A number that grows with the rows of a partition; the partition is in the upper 31 bits.",
			Examples: []Example{{"monotonically_increasing_id() >= 0", "true"}},
		}, none(vector.Long), func(ctx *Ctx, _ []vector.Vec, n int) (vector.Vec, error) {
			base := int64(ctx.Partition)<<33 + ctx.RowBase
			return fixedRows(vector.Long, n, nil, func(i int) int64 { return base + int64(i) }), nil
		}),
		Define(Scalar{
			Name: "spark_partition_id", Signature: "spark_partition_id()", Summary: "The number of the partition.", Examples: []Example{{"spark_partition_id() >= 0", "true"}},
			SQL: func([]string) string { return "SPARK_PARTITION_ID()" },
		}, none(vector.Int), func(ctx *Ctx, _ []vector.Vec, _ int) (vector.Vec, error) {
			return vector.Vec{Arr: vector.NewFixed(vector.Int, []int32{int32(min(ctx.Partition, math.MaxInt32))}, nil), Const: true}, nil
		}),
	)
}
