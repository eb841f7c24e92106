package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(
		extreme("greatest", "The greatest argument that is not null.", 1),
		extreme("least", "The least argument that is not null.", -1),
		Scalar{Name: "nullif", Signature: "nullif(a, b)", MinArgs: 2, MaxArgs: 2, Summary: "Null if a = b, else a.",
			Examples: []Example{{"nullif(1, 1)", "NULL"}}, Bind: bindNullIf},
		Scalar{Name: "nullifzero", Signature: "nullifzero(x)", MinArgs: 1, MaxArgs: 1, Summary: "Null if x is 0, else x.",
			Examples: []Example{{"nullifzero(0)", "NULL"}},
			Bind: func(conf *Conf, args []Arg) (*Impl, error) {
				zero := NewConst(vector.Int, 0).Value
				impl, err := bindNullIf(conf, []Arg{args[0], {Type: vector.Int, Const: &zero, SQL: "0"}})
				if err != nil {
					return nil, err
				}
				inner := impl.Eval
				return &Impl{Args: []*vector.Type{nil}, Result: impl.Result, Nullable: true,
					Eval: func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
						return inner(ctx, []vector.Vec{v[0], zero}, n)
					}}, nil
			}},
		Define(Scalar{Name: "nanvl", Signature: "nanvl(a, b)", Summary: "a, or b if a is NaN.",
			Examples: []Example{{"nanvl(1.0D, 2.0D)", "1.0"}}},
			Sig{Params: []Accept{OneOf(Double, Float), OneOf(Double, Float)}, Same: []int{0, 1}, TakesNulls: true,
				ResultOf: func(_ *Conf, args []Arg) (*vector.Type, error) { return args[0].Type, nil }}, evalNanvl),
		Scalar{Name: "between", Signature: "x BETWEEN low AND high", MinArgs: 3, MaxArgs: 3,
			Summary: "True if low <= x and x <= high.", Bind: bindBetween},
	)
}

// castVec casts an evaluated argument.
func castVec(ctx *Ctx, v vector.Vec, from, to *vector.Type, mode CastMode) (vector.Vec, error) {
	a, err := CastArray(ctx, v.Arr, from, to, mode)
	return vector.Vec{Arr: a, Const: v.Const}, err
}

// compareInside binds a comparison whose casts happen inside the kernel.
func compareInside(conf *Conf, op string, a, b Arg) (Eval, error) {
	impl, err := bindComparison(conf, op, infix(op), []Arg{a, b})
	if err != nil {
		return nil, err
	}
	mode := ModeOf(conf.ANSI)
	return func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
		x, err := castVec(ctx, v[0], a.Type, impl.Args[0], mode)
		if err != nil {
			return x, err
		}
		y, err := castVec(ctx, v[1], b.Type, impl.Args[1], mode)
		if err != nil {
			return y, err
		}
		return impl.Eval(ctx, []vector.Vec{x, y}, n)
	}, nil
}

func bindNullIf(conf *Conf, args []Arg) (*Impl, error) {
	eq, err := compareInside(conf, "=", args[0], args[1])
	if err != nil {
		return nil, err
	}
	return &Impl{Args: []*vector.Type{nil, nil}, Result: args[0].Type, Nullable: true,
		Eval: func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			same, err := eq(ctx, v, n)
			if err != nil {
				return vector.Vec{}, err
			}
			if same.Const && v[0].Const {
				n = 1
			}
			keep := append(vector.Bitmap(nil), boolsOf(same, n)...)
			if valid := Validity(n, same); valid != nil {
				andBits(keep, keep, valid)
			}
			invert(keep, n)
			return vector.Vec{Arr: maskNulls(v[0].Dense(n), keep), Const: same.Const && v[0].Const}, nil
		}}, nil
}

func bindBetween(conf *Conf, args []Arg) (*Impl, error) {
	low, err := compareInside(conf, ">=", args[0], args[1])
	if err != nil {
		return nil, err
	}
	high, err := compareInside(conf, "<=", args[0], args[2])
	if err != nil {
		return nil, err
	}
	and := &logicExpr{and: true}
	return &Impl{Args: []*vector.Type{nil, nil, nil}, Result: vector.Bool,
		Nullable: args[0].Nullable || args[1].Nullable || args[2].Nullable,
		Fresh:    true,
		Eval: func(ctx *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
			if out, ok := betweenInts(args[0].Type, args[1].Type, args[2].Type, v); ok {
				return out, nil
			}
			a, err := low(ctx, v[:2], n)
			if err != nil {
				return a, err
			}
			b, err := high(ctx, []vector.Vec{v[0], v[2]}, n)
			if err != nil {
				return b, err
			}
			return and.combine(a, b, n), nil
		}}, nil
}

// betweenInts is BETWEEN of an integer, date or time column and two constants of its type.
func betweenInts(x, low, high *vector.Type, v []vector.Vec) (vector.Vec, bool) {
	if !x.Equal(low) || !x.Equal(high) || v[0].Const || !v[1].Const || !v[2].Const || v[1].IsNull(0) || v[2].IsNull(0) {
		return vector.Vec{}, false
	}
	switch x.Kind {
	case vector.KindInt, vector.KindDate:
		return betweenConstants[int32](v), true
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ:
		return betweenConstants[int64](v), true
	}
	return vector.Vec{}, false
}

func betweenConstants[T integer](v []vector.Vec) vector.Vec {
	x := vector.Values[T](v[0].Arr)
	bits := isBetween(x, vector.Values[T](v[1].Arr)[0], vector.Values[T](v[2].Arr)[0])
	return vector.Vec{Arr: vector.NewBool(bits, len(x), Validity(len(x), v[0]))}
}

// commonWithoutStrings is CommonType that never turns a string into a number.
func commonWithoutStrings(conf *Conf, types []*vector.Type) *vector.Type {
	var two func(conf *Conf, a, b *vector.Type) *vector.Type
	two = func(conf *Conf, a, b *vector.Type) *vector.Type {
		if t := Tightest(conf, a, b); t != nil {
			return t
		}
		if t := widerDecimal(a, b); t != nil {
			return t
		}
		return commonNested(conf, a, b, two)
	}
	out := vector.Null
	for _, t := range types {
		if out = two(conf, out, t); out == nil {
			return nil
		}
	}
	return out
}

// extreme is greatest (want 1) or least (want -1).
func extreme(name, summary string, want int) Scalar {
	f := Scalar{Name: name, Signature: name + "(a, b, …)", Summary: summary, MinArgs: 2, MaxArgs: -1,
		Examples: []Example{{name + "(1, NULL, 1)", "1"}}}
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		types := make([]*vector.Type, len(args))
		nullable := true
		for i, a := range args {
			types[i] = a.Type
			nullable = nullable && a.Nullable
		}
		t := commonWithoutStrings(conf, types)
		if t == nil {
			return nil, errDataDiffTypes(f.print(args), name, types)
		}
		if !Orderable(t) {
			return nil, errOrdering(f.print(args), name, t)
		}
		for i := range types {
			types[i] = t
		}
		return &Impl{Args: types, Result: t, Nullable: nullable,
			Eval: func(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) { return pickExtreme(t, v, n, want), nil }}, nil
	}
	return f
}

// pickExtreme keeps, row by row, the place of the best value so far.
func pickExtreme(t *vector.Type, v []vector.Vec, n, want int) vector.Vec {
	switch t.Kind {
	case vector.KindInt, vector.KindDate:
		return extremeInts[int32](t, v, n, want > 0)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ:
		return extremeInts[int64](t, v, n, want > 0)
	}
	all := true
	parts := make([]arrow.Array, len(v))
	for i, x := range v {
		parts[i] = x.Arr
		all = all && x.Const
	}
	if all {
		n = 1
	}
	joined := vector.Concat(parts)
	order := Comparator(t, joined, joined)
	valid := vector.Validity(joined)
	best := make([]uint32, n)
	base := 0
	for k, x := range v {
		m := x.Mask()
		for i := range best {
			at := base + i&m
			if k == 0 {
				best[i] = uint32(at)
				continue
			}
			if !valid.Get(at) {
				continue
			}
			if !valid.Get(int(best[i])) || order(at, int(best[i])) == want {
				best[i] = uint32(at)
			}
		}
		base += x.Arr.Len()
	}
	return vector.Vec{Arr: vector.Take(joined, best), Const: all}
}

// extremeInts is pickExtreme of integers, the greatest or the least.
func extremeInts[T int32 | int64](t *vector.Type, v []vector.Vec, n int, greatest bool) vector.Vec {
	all := true
	for _, x := range v {
		all = all && x.Const
	}
	if all {
		n = 1
	}
	out, valid := make([]T, n), vector.Bitmap(nil)
	for k, x := range v {
		values, m := vector.Values[T](x.Arr), x.Mask()
		switch own := Validity(n, x); {
		case k == 0:
			for i := range out {
				out[i] = values[i&m]
			}
			valid = append(valid, own...)
		case own == nil && len(valid) == 0 && greatest:
			for i := range out {
				out[i] = max(out[i], values[i&m])
			}
		case own == nil && len(valid) == 0:
			for i := range out {
				out[i] = min(out[i], values[i&m])
			}
		case len(valid) == 0:
			// Where y is null it is taken for the value so far.
			for i := range out {
				have := out[i]
				known := -T(own[i>>3] >> (i & 7) & 1)
				y := values[i&m]&known | have&^known
				if greatest {
					out[i] = max(have, y)
				} else {
					out[i] = min(have, y)
				}
			}
		default:
			for i := range out {
				if y := values[i&m]; own.Get(i) && (!valid.Get(i) || y > out[i] == greatest && y != out[i]) {
					out[i] = y
					valid.Set(i)
				}
			}
		}
	}
	if len(valid) == 0 {
		valid = nil
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, valid), Const: all}
}

func evalNanvl(_ *Ctx, v []vector.Vec, n int) (vector.Vec, error) {
	if v[0].Const && v[1].Const {
		n = 1
	}
	out := vector.Vec{Const: v[0].Const && v[1].Const}
	if v[0].Arr.DataType().ID() == arrow.FLOAT32 {
		out.Arr = nanvl[float32](vector.Float, v, n)
	} else {
		out.Arr = nanvl[float64](vector.Double, v, n)
	}
	return out, nil
}

func nanvl[T float](t *vector.Type, v []vector.Vec, n int) arrow.Array {
	x, am := vector.Values[T](v[0].Arr), v[0].Mask()
	y, bm := vector.Values[T](v[1].Arr), v[1].Mask()
	out := make([]T, n)
	valid := OwnValidity(n, v[0])
	for i := range out {
		out[i] = x[i&am]
		if out[i] == out[i] || !valid.Get(i) {
			continue
		}
		out[i] = y[i&bm]
		if v[1].IsNull(i) {
			valid.Clear(i)
		}
	}
	return vector.NewFixed(t, out, valid)
}
