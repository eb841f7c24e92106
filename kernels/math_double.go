package kernels

import (
	"math"
	"strings"

	"github.com/vstream/vstream/vector"
)

// mapDouble applies f to every value; where f refuses, the result is null.
func mapDouble(t *vector.Type, f func(float64) (float64, bool)) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		out, err := mapValues(v[0].Arr, t, CastTry, f, nil)
		return vector.Vec{Arr: out}, err
	}
}

// sqrt is a loop of its own: the square root is one instruction.
func sqrt(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	src := vector.Values[float64](v[0].Arr)
	out := vector.Make[float64](ctx.Temp, len(src))
	for i, x := range src[:len(out)] {
		out[i] = math.Sqrt(x)
	}
	return vector.Vec{Arr: vector.NewFixed(vector.Double, out, Validity(n, v[0]))}, nil
}

func mapFloat32(f func(float32) float32) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		src := vector.Values[float32](v[0].Arr)
		out := make([]float32, len(src))
		for i, x := range src {
			out[i] = f(x)
		}
		return vector.Vec{Arr: vector.NewFixed(vector.Float, out, Validity(n, v[0]))}, nil
	}
}

func total(f func(float64) float64) func(float64) (float64, bool) {
	return func(x float64) (float64, bool) { return f(x), true }
}

// above is f for x greater than a bound, and null (not NaN) otherwise.
func above(bound float64, f func(float64) float64) func(float64) (float64, bool) {
	return func(x float64) (float64, bool) { return f(x), !(x <= bound) }
}

func signum(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func evalSign(t *vector.Type) Eval {
	switch t.Kind {
	case vector.KindYearMonthInterval:
		return signOfInts[int32]
	case vector.KindDayTimeInterval:
		return signOfInts[int64]
	}
	return mapDouble(vector.Double, total(signum))
}

func signOfInts[T integer](ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	out := convert[T, float64](ctx.Temp, vector.Values[T](v[0].Arr))
	for i, x := range out {
		out[i] = signum(x)
	}
	return vector.Vec{Arr: vector.NewFixed(vector.Double, out, Validity(n, v[0]))}, nil
}

// javaPow is math.Pow where Java differs: NaN exponents and powers of ±1.
func javaPow(x, y float64) float64 {
	if math.IsNaN(y) || math.Abs(x) == 1 && math.IsInf(y, 0) {
		return math.NaN()
	}
	return math.Pow(x, y)
}

func init() {
	Register(Define(Scalar{Name: "sqrt", Signature: "sqrt(x)", Summary: "The square root; NaN for a negative number.",
		SQL: func(a []string) string { return "SQRT(" + a[0] + ")" }},
		Sig{Params: []Accept{Double}, Result: vector.Double, Total: true, Fresh: true}, sqrt))
	for _, f := range []struct {
		name, summary string
		eval          func(float64) (float64, bool)
	}{
		{"CBRT", "The cube root.", total(math.Cbrt)},
		{"EXP", "e to the power of x.", total(math.Exp)},
		{"EXPM1", "exp(x) - 1.", total(math.Expm1)},
		{"ln", "The natural logarithm; null for x <= 0.", above(0, math.Log)},
		{"LOG10", "The logarithm to base 10; null for x <= 0.", above(0, math.Log10)},
		{"LOG2", "The logarithm to base 2; null for x <= 0.", above(0, math.Log2)},
		{"LOG1P", "ln(1 + x); null for x <= -1.", above(-1, math.Log1p)},
		{"SIN", "The sine.", total(math.Sin)}, {"COS", "The cosine.", total(math.Cos)}, {"TAN", "The tangent.", total(math.Tan)},
		{"COT", "The cotangent.", total(func(x float64) float64 { return 1 / math.Tan(x) })},
		{"SEC", "The secant.", total(func(x float64) float64 { return 1 / math.Cos(x) })},
		{"CSC", "The cosecant.", total(func(x float64) float64 { return 1 / math.Sin(x) })},
		{"ASIN", "The arc sine.", total(math.Asin)}, {"ACOS", "The arc cosine.", total(math.Acos)}, {"ATAN", "The arc tangent.", total(math.Atan)},
		{"SINH", "The hyperbolic sine.", total(math.Sinh)}, {"COSH", "The hyperbolic cosine.", total(math.Cosh)},
		{"TANH", "The hyperbolic tangent.", total(math.Tanh)}, {"ASINH", "The inverse hyperbolic sine.", total(math.Asinh)},
		{"ACOSH", "The inverse hyperbolic cosine.", total(math.Acosh)}, {"ATANH", "The inverse hyperbolic tangent.", total(math.Atanh)},
		{"DEGREES", "Radians as degrees.", total(func(x float64) float64 { return x * (180 / math.Pi) })},
		{"RADIANS", "Degrees as radians.", total(func(x float64) float64 { return x / 180 * math.Pi })},
		{"rint", "The nearest integer, half to even, as a DOUBLE.", total(math.RoundToEven)},
	} {
		name := strings.ToLower(f.name)
		Register(Define(Scalar{Name: name, Signature: name + "(x)", Summary: f.summary,
			SQL: func(a []string) string { return f.name + "(" + a[0] + ")" }},
			Sig{Params: []Accept{Double}, Result: vector.Double, Nullable: strings.HasPrefix(name, "l"), Fresh: true}, mapDouble(vector.Double, f.eval)))
	}
	for _, shown := range []string{"sign", "SIGNUM"} {
		name := strings.ToLower(shown)
		Register(DefineOn(Scalar{Name: name, Signature: name + "(x)", Summary: "-1.0, 0.0 or 1.0 by the sign of a number or interval.",
			SQL: func(a []string) string { return shown + "(" + a[0] + ")" }},
			Sig{Params: []Accept{OneOf(Double, AnyYearMonth, AnyDayTime)}, Result: vector.Double},
			func(_ *Conf, args []Arg) Eval { return evalSign(args[0].Type) }))
	}
	for _, f := range []struct {
		name, shown, summary string
		eval                 func(x, y float64) (float64, bool)
	}{
		{"pow", "pow", "x to the power of y.", func(x, y float64) (float64, bool) { return javaPow(x, y), true }},
		{"power", "POWER", "x to the power of y.", func(x, y float64) (float64, bool) { return javaPow(x, y), true }},
		{"hypot", "HYPOT", "The square root of x*x + y*y.", func(x, y float64) (float64, bool) { return math.Hypot(x, y), true }},
		{"atan2", "ATAN2", "The angle of the point (y, x).", func(x, y float64) (float64, bool) { return math.Atan2(x+0, y+0), true }},
	} {
		Register(Define(Scalar{Name: f.name, Signature: f.name + "(x, y)", Summary: f.summary,
			SQL: func(a []string) string { return f.shown + "(" + a[0] + ", " + a[1] + ")" }},
			Sig{Params: []Accept{Double, Double}, Result: vector.Double}, binaryDouble(f.eval)))
	}
	Register(Define(Scalar{Name: "log", Signature: "log([base, ]x)", Summary: "The logarithm, natural by default; null unless both are positive.",
		SQL: func(a []string) string {
			if len(a) == 1 {
				a = []string{"E()", a[0]}
			}
			return "LOG(" + a[0] + ", " + a[1] + ")"
		}},
		Sig{Params: []Accept{Double, Double}, Optional: 1, Result: vector.Double, Nullable: true},
		func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if len(v) == 1 {
				return mapDouble(vector.Double, above(0, math.Log))(ctx, v, n)
			}
			return binaryDouble(func(b, x float64) (float64, bool) {
				return math.Log(x) / math.Log(b), !(b <= 0) && !(x <= 0)
			})(ctx, v, n)
		}),
		constant("e", math.E), constant("pi", math.Pi))
}

func binaryDouble(f func(x, y float64) (float64, bool)) Eval {
	return func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		return rows2(vector.Double, v, n, CastTry, f, nil)
	}
}

func constant(name string, value float64) Scalar {
	return Scalar{Name: name, Signature: name + "()", Summary: "The constant " + name + ".",
		SQL: func([]string) string { return strings.ToUpper(name) + "()" },
		Bind: func(*Conf, []Arg) (*Impl, error) {
			return &Impl{Result: vector.Double, New: func([]Expr) Expr { return NewConst(vector.Double, value) }}, nil
		}}
}
