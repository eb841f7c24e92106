package kernels

import (
	"math"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// FloatVector accepts an ARRAY<FLOAT> as it is.
var FloatVector = kindAccept("ARRAY<FLOAT>", acceptOther, nil, func(t *vector.Type) bool {
	return t.Kind == vector.KindArray && t.Elem.Kind == vector.KindFloat
})

func init() {
	measure := func(name, summary, want string, f func(a, b []float32) (float64, bool)) Scalar {
		return Define(Scalar{
			Name: name, Signature: name + "(array1, array2)", Summary: summary,
			Examples: []Example{{name + "(array(1.0F, 2.0F, 3.0F), array(4.0F, 5.0F, 6.0F))", want}},
		}, Sig{Params: []Accept{FloatVector, FloatVector}, Result: vector.Float, Nullable: true, Exact: true}, measureVectors(name, f))
	}
	degree := []Accept{FloatVector, Float}
	Register(
		measure("vector_cosine_similarity", "The cosine of the angle between two vectors; null for a vector of length 0.", "0.97463185", cosine),
		measure("vector_inner_product", "The inner product of two vectors.", "32.0", func(a, b []float32) (float64, bool) {
			return sumFloats(len(a), func(i int) float64 { return float64(a[i]) * float64(b[i]) }), true
		}),
		measure("vector_l2_distance", "The Euclidean distance of two vectors.", "5.196152", func(a, b []float32) (float64, bool) {
			return math.Sqrt(sumFloats(len(a), func(i int) float64 {
				d := float64(a[i]) - float64(b[i])
				return d * d
			})), true
		}),
		Define(Scalar{
			Name: "vector_norm", Signature: "vector_norm(vector[, degree])", Summary: "The norm of a vector of degree 1, 2 (the default) or infinity.",
			Examples: []Example{{"vector_norm(array(3.0F, 4.0F))", "5.0"}}, SQL: withDefaults("vector_norm", 1, "2.0"),
		}, Sig{Params: degree, Optional: 1, Result: vector.Float, Nullable: true, Exact: true}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
			norm := normOf("vector_norm", args)
			return fixedRowsOr(vector.Float, n, args, func(i int) (float32, bool, error) {
				_, v, ok, err := norm(i)
				return float32(v), ok, err
			})
		}),
		Define(Scalar{
			Name: "vector_normalize", Signature: "vector_normalize(vector[, degree])", Summary: "The vector divided by its norm of degree 1, 2 (the default) or infinity; null if that is 0.",
			Examples: []Example{{"vector_normalize(array(3.0F, 4.0F))", "[0.6, 0.8]"}}, SQL: withDefaults("vector_normalize", 1, "2.0"),
		}, Sig{Params: degree, Optional: 1, Result: vector.ArrayOf(vector.Float, false), Nullable: true, Exact: true}, normalizeVectors),
	)
}

// VectorMismatch is the error for vectors of different lengths.
func VectorMismatch(function string, left, right int) error {
	return condition.New("VECTOR_DIMENSION_MISMATCH", "functionName", "`"+function+"`", "leftDim", left, "rightDim", right)
}

// vectorsOf gives the elements of each row; ok is false where one is null.
func vectorsOf(v vector.Vec) func(i int) (elems []float32, ok bool) {
	l := listsOf(v)
	values, valid := vector.Values[float32](l.kids), vector.Validity(l.kids)
	return func(i int) ([]float32, bool) {
		lo, hi := l.span(i)
		for k := lo; valid != nil && k < hi; k++ {
			if !valid.Get(k) {
				return nil, false
			}
		}
		return values[lo:hi], true
	}
}

func measureVectors(name string, f func(a, b []float32) (float64, bool)) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		left, right := vectorsOf(args[0]), vectorsOf(args[1])
		lengths := [2]lists{listsOf(args[0]), listsOf(args[1])}
		return fixedRowsOr(vector.Float, n, args, func(i int) (float32, bool, error) {
			al, ah := lengths[0].span(i)
			bl, bh := lengths[1].span(i)
			if ah-al != bh-bl {
				return 0, false, VectorMismatch(name, ah-al, bh-bl)
			}
			a, aok := left(i)
			b, bok := right(i)
			if !aok || !bok {
				return 0, false, nil
			}
			v, ok := f(a, b)
			return float32(v), ok, nil
		})
	}
}

// sumFloats adds f(0) to f(n-1) in Spark's order: eight at a time, then one by one.
func sumFloats(n int, f func(i int) float64) float64 {
	sum, i := 0.0, 0
	for ; i+8 <= n; i += 8 {
		part := f(i)
		for k := 1; k < 8; k++ {
			part += f(i + k)
		}
		sum += part
	}
	for ; i < n; i++ {
		sum += f(i)
	}
	return sum
}

func cosine(a, b []float32) (float64, bool) {
	dot := sumFloats(len(a), func(i int) float64 { return float64(a[i]) * float64(b[i]) })
	aa := sumFloats(len(a), func(i int) float64 { return float64(a[i]) * float64(a[i]) })
	bb := sumFloats(len(b), func(i int) float64 { return float64(b[i]) * float64(b[i]) })
	norm := math.Sqrt(aa * bb)
	return dot / norm, norm != 0
}

// normOf gives the elements and the norm of each row; ok is false where an element is null.
func normOf(name string, args []vector.Vec) func(i int) (elems []float32, norm float64, ok bool, err error) {
	vectors := vectorsOf(args[0])
	degree := func(int) float32 { return 2 }
	if len(args) == 2 {
		degree = fixedOf[float32](args[1]).at
	}
	return func(i int) ([]float32, float64, bool, error) {
		v, ok := vectors(i)
		d := degree(i)
		switch {
		case d == 1:
			return v, sumFloats(len(v), func(i int) float64 { return math.Abs(float64(v[i])) }), ok, nil
		case d == 2:
			return v, math.Sqrt(sumFloats(len(v), func(i int) float64 { return float64(v[i]) * float64(v[i]) })), ok, nil
		case d > math.MaxFloat32:
			most := 0.0
			for _, x := range v {
				if a := math.Abs(float64(x)); a > most {
					most = a
				}
			}
			return v, most, ok, nil
		}
		return nil, 0, false, condition.New("INVALID_VECTOR_NORM_DEGREE", "functionName", "`"+name+"`", "degree", string(text.AppendFloat(nil, d)))
	}
}

func normalizeVectors(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	norm := normOf("vector_normalize", args)
	valid := OwnValidity(n, args...)
	off, out := make([]int32, n+1), []float32(nil)
	for i := range n {
		if valid.Get(i) {
			v, length, ok, err := norm(i)
			if err != nil {
				return vector.Vec{}, err
			}
			if !ok || length == 0 && len(v) > 0 {
				valid.Clear(i)
				v = nil
			}
			for _, x := range v {
				out = append(out, float32(float64(x)/length))
			}
		}
		off[i+1] = int32(len(out))
	}
	t := vector.ArrayOf(vector.Float, false)
	return vector.Vec{Arr: vector.NewList(t, off, vector.NewFixed(vector.Float, out, nil), valid)}, nil
}
