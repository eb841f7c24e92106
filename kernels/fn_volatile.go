package kernels

import (
	"math"
	"math/rand/v2"

	"github.com/google/uuid"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

func init() {
	none := func(t *vector.Type) Sig { return Sig{Result: t, Volatile: true} }
	Register(
		Scalar{
			Name: "rand", Aliases: []string{"random"}, Signature: "rand([seed])",
			Summary:  "A random number, evenly distributed in [0, 1); with a seed always the same sequence per partition.",
			Examples: []Example{{"rand(0)", "0.7604953758285915"}}, MaxArgs: 1,
			SQL:  func(args []string) string { return callSQL("rand", args) },
			Bind: func(conf *Conf, args []Arg) (*Impl, error) { return bindRandom(conf, "rand", args, (*xorShift).float) },
		},
		Scalar{
			Name: "randn", Signature: "randn([seed])",
			Summary:  "A random number of the standard normal distribution; with a seed always the same sequence per partition.",
			Examples: []Example{{"randn(0)", "1.6034991609278433"}}, MaxArgs: 1,
			Bind: func(conf *Conf, args []Arg) (*Impl, error) {
				return bindRandom(conf, "randn", args, (*xorShift).normal)
			},
		},
		Scalar{
			Name: "uniform", Signature: "uniform(min, max[, seed])", Summary: "A random number, evenly distributed between two constants, of their wider type.",
			Examples: []Example{{"uniform(10, 20, 0) > 0", "true"}}, MinArgs: 2, MaxArgs: 3, Bind: bindUniform,
		},
		Scalar{
			Name: "randstr", Signature: "randstr(length[, seed])", Summary: "A random text of digits and ASCII letters.",
			Examples: []Example{{"randstr(3, 0)", "ceV"}}, MinArgs: 1, MaxArgs: 2, Bind: bindRandstr,
		},
		Scalar{
			Name: "shuffle", Signature: "shuffle(array[, seed])", Summary: "The array in random order.",
			Examples: []Example{{"shuffle(array(1, 20, 3, 5), 0)", "[5, 1, 20, 3]"}}, MinArgs: 1, MaxArgs: 2, Bind: bindShuffle,
			SQL: func(args []string) string { return callSQL("shuffle", args[:1]) },
		},
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

// randomExpr draws from one generator per partition, which starts anew with
// each micro-batch.
type randomExpr[G any] struct {
	typ   *vector.Type
	args  []Expr
	start func(seed int64) G
	seed  *int64 // nil: another one for each partition and batch
	parts map[int]*partitionRandom[G]
	draw  func(g G, args []vector.Vec, n int) vector.Vec
}

type partitionRandom[G any] struct {
	batch int64 // its time
	rows  int64 // of the partition when the generator was last used
	g     G
}

// Type is the type of what is drawn.
func (e *randomExpr[G]) Type() *vector.Type { return e.typ }

// Eval draws one value per row.
func (e *randomExpr[G]) Eval(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	args := make([]vector.Vec, len(e.args))
	for i, a := range e.args {
		v, err := a.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		args[i] = v
	}
	p := e.parts[ctx.Partition]
	if p == nil || p.batch != ctx.BatchTimeMicros || ctx.RowBase < p.rows {
		seed := rand.Int64()
		if e.seed != nil {
			seed = *e.seed + int64(ctx.Partition)
		}
		p = &partitionRandom[G]{batch: ctx.BatchTimeMicros, g: e.start(seed)}
		e.parts[ctx.Partition] = p
	}
	p.rows = ctx.RowBase
	return e.draw(p.g, args, b.Len()), nil
}

// randomImpl binds a call that draws; the first args arguments are evaluated.
func randomImpl[G any](types []*vector.Type, args int, result *vector.Type, seed *int64, start func(int64) G, draw func(G, []vector.Vec, int) vector.Vec) *Impl {
	return &Impl{Args: types, Result: result, Volatile: true, New: func(exprs []Expr) Expr {
		return &randomExpr[G]{typ: result, args: exprs[:args], start: start, seed: seed, parts: map[int]*partitionRandom[G]{}, draw: draw}
	}}
}

// seedArg reads the optional seed, a constant INT or BIGINT; a null is 0.
func seedArg(conf *Conf, name string, args []Arg, at int) (*int64, *vector.Type, error) {
	if at >= len(args) {
		return nil, nil, nil
	}
	a, accept := args[at], OneOf(Int, Long)
	sql := callSQL(name, sqlOf(args))
	if !accept.Accepts(a.Type) && !isNull(a.Type) {
		return nil, nil, UnexpectedInput(sql, at, accept, a)
	}
	if a.Const == nil {
		return nil, nil, nonFoldable(sql, "seed", a)
	}
	seed := new(int64)
	if !isNullAt(a.Const.Arr, 0) {
		*seed = integerAt(a.Type, a.Const.Arr, 0)
	}
	t, _ := ImplicitCast(conf, a.Type, accept)
	return seed, t, nil
}

// nonFoldable is the error of an argument that is no constant.
func nonFoldable(sql, name string, a Arg) error {
	return condition.New("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "sqlExpr", quoteSQL(sql),
		"inputName", "`"+name+"`", "inputType", quoteType(a.Type), "inputExpr", quoteSQL(a.SQL))
}

func bindRandom(conf *Conf, name string, args []Arg, draw func(*xorShift) float64) (*Impl, error) {
	seed, t, err := seedArg(conf, name, args, 0)
	if err != nil {
		return nil, err
	}
	types := make([]*vector.Type, len(args))
	if len(args) > 0 {
		types[0] = t
	}
	return randomImpl(types, 0, vector.Double, seed, newXORShift, func(r *xorShift, _ []vector.Vec, n int) vector.Vec {
		return fixedRows(vector.Double, n, nil, func(int) float64 { return draw(r) })
	}), nil
}

// bindUniform is CAST(min + (max - min) * rand(seed) AS type).
func bindUniform(conf *Conf, args []Arg) (*Impl, error) {
	const name = "uniform"
	sql := callSQL(name, sqlOf(args))
	var bounds [2]float64
	void := false
	for i, param := range [...]string{"min", "max"} {
		a := args[i]
		switch {
		case !a.Type.Numeric() && !isNull(a.Type):
			return nil, UnexpectedInput(sql, i, OneOf(AnyIntegral, Float, Double, AnyDecimal), a)
		case a.Const == nil:
			return nil, nonFoldable(sql, param, a)
		case isNullAt(a.Const.Arr, 0):
			void = true
			continue
		}
		d, err := CastArray(&Ctx{}, a.Const.Arr, a.Type, vector.Double, CastLegacy)
		if err != nil {
			return nil, err
		}
		bounds[i] = vector.Values[float64](d)[0]
	}
	seed, _, err := seedArg(conf, name, args, 2)
	if err != nil {
		return nil, err
	}
	types := make([]*vector.Type, len(args))
	if void {
		return &Impl{Args: types, Result: vector.Null, Nullable: true, Eval: func(*Ctx, []vector.Vec, int) (vector.Vec, error) {
			return vector.ConstNull(vector.Null), nil
		}}, nil
	}
	result := uniformType(args[0].Type, args[1].Type)
	impl := randomImpl(types, 0, vector.Double, seed, newXORShift, func(r *xorShift, _ []vector.Vec, n int) vector.Vec {
		return fixedRows(vector.Double, n, nil, func(int) float64 { return bounds[0] + (bounds[1]-bounds[0])*r.float() })
	})
	draw := impl.New
	impl.Result = result
	impl.New = func(args []Expr) Expr { return NewCast(draw(args), result, ModeOf(conf.ANSI)) }
	return impl, nil
}

// uniformType is DOUBLE or FLOAT if one of the types is, else the wider decimal,
// else the wider integer.
func uniformType(a, b *vector.Type) *vector.Type {
	for _, k := range []vector.Kind{vector.KindDouble, vector.KindFloat} {
		if a.Kind == k {
			return a
		}
		if b.Kind == k {
			return b
		}
	}
	switch {
	case isDecimal(a) && isDecimal(b):
		if a.Precision-a.Scale >= b.Precision-b.Scale && a.Scale >= b.Scale {
			return a
		}
		return b
	case isDecimal(a):
		return a
	case isDecimal(b) || b.Width() > a.Width():
		return b
	}
	return a
}

func bindRandstr(conf *Conf, args []Arg) (*Impl, error) {
	const name = "randstr"
	sql, a := callSQL(name, sqlOf(args)), args[0]
	accept := OneOf(Int, Short, Byte)
	t, ok := ImplicitCast(conf, a.Type, accept)
	switch {
	case !ok || !accept.Accepts(a.Type) && !isNull(a.Type):
		return nil, UnexpectedInput(sql, 0, accept, a)
	case a.Const == nil:
		return nil, nonFoldable(sql, "length", a)
	}
	length := int64(0)
	if !isNullAt(a.Const.Arr, 0) {
		length = integerAt(a.Type, a.Const.Arr, 0)
	}
	if length < 0 {
		return nil, condition.New("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "sqlExpr", quoteSQL(sql),
			"exprName", "`length`", "valueRange", "[0, 2147483647]", "currentValue", length)
	}
	seed, seedType, err := seedArg(conf, name, args, 1)
	if err != nil {
		return nil, err
	}
	return randomImpl([]*vector.Type{t, seedType}[:len(args)], 0, vector.String, seed, newXORShift, func(r *xorShift, _ []vector.Vec, n int) vector.Vec {
		return stringRows(vector.String, n, nil, func(dst []byte, _ int) []byte {
			for range length {
				dst = append(dst, r.letter())
			}
			return dst
		})
	}), nil
}

func bindShuffle(conf *Conf, args []Arg) (*Impl, error) {
	const name = "shuffle"
	t, ok := ImplicitCast(conf, args[0].Type, AnyArray)
	if !ok {
		return nil, UnexpectedInput(callSQL(name, sqlOf(args)), 0, AnyArray, args[0])
	}
	seed, seedType, err := seedArg(conf, name, args, 1)
	if err != nil {
		return nil, err
	}
	impl := randomImpl([]*vector.Type{t, seedType}[:len(args)], 1, t, seed, newTwister, func(r *twister, args []vector.Vec, n int) vector.Vec {
		return shuffled(t, r, args[0], n)
	})
	impl.NullIfAny = true
	return impl, nil
}

func shuffled(t *vector.Type, r *twister, v vector.Vec, n int) vector.Vec {
	valid := Validity(n, v)
	off, mask := vector.Offsets(v.Arr), v.Mask()
	out := make([]int32, n+1)
	var idx []uint32
	var order []int32
	for i := range n {
		if valid.Get(i) {
			from, to := off[i&mask], off[i&mask+1]
			order = append(order[:0], make([]int32, to-from)...)
			r.permutation(order)
			for _, k := range order {
				idx = append(idx, uint32(from+k))
			}
		}
		out[i+1] = int32(len(idx))
	}
	return vector.Vec{Arr: vector.NewList(t, out, vector.Take(listChild(v.Arr), idx), valid)}
}
